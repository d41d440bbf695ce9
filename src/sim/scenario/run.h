// Runs a scenario: builds its world, runs the workload and faults, ends the faults, waits until the
// world is quiet, checks the expectations, shuts the nodes down. The same scenario and seed give
// the same digest, whatever is observed. Source: DESIGN.md 6.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/coverage_marks.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/timeline.h"
#include "sim/scenario/traffic.h"
#include "sim/world/world.h"

namespace ulnet::sim {

class Load;
class OldNode;
class Script;
class Tally;

struct RunOptions {
  TraceOptions trace{};
  std::size_t timeline = 0;  ///< journeys kept for a picture; 0: no Timeline
  bool checkers = true;
  bool marks = true;
  /// World::steps() at which the run stops
  std::uint64_t until_step = std::numeric_limits<std::uint64_t>::max();
};

enum class Ending : std::uint8_t {
  kGood,
  kViolated,    ///< by a checker or a load, or the world did not become quiet
  kUnexpected,  ///< an expectation of the scenario is not met
  kOutOfSteps,
  kStopped,  ///< at RunOptions::until_step
  kDied,  ///< the program died in an assertion, or in a step without end; a parent process sets it
};
inline constexpr std::array kEndingWords = {"good",         "violated", "not as expected",
                                            "out of steps", "stopped",  "died"};
static_assert(kEndingWords.size() == static_cast<std::size_t>(Ending::kDied) + 1);
inline const char* to_string(Ending ending) {
  return kEndingWords[static_cast<std::size_t>(ending)];
}

/// The result of a load with fixed senders: LoadSpec.
struct LoadResult {
  std::size_t load = 0;  ///< its position in Scenario::loads
  TrafficCounts counts;
  std::vector<Delivered> series;  ///< Traffic::series()
};

/// The result of a run, and what it exercised.
struct Report : Exercised {
  Ending ending = Ending::kGood;
  std::string checker;  ///< with kViolated; "not quiet" when the world did not become quiet
  std::string what;     ///< the reason in words; empty when good
  /// Expectations that are not met: "line 12: delivered: 99, expected 100".
  std::vector<std::string> unmet;
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;
  Duration age{};
  std::array<std::uint64_t, core::kDropReasons> drops{};
  MarkCounts marks;
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;
  // Set only when an expectation refers to them.
  std::uint64_t round_trips = 0;     ///< Tally::round_trips()
  std::uint64_t most_discovery = 0;  ///< Tally::most_discovery()
  /// With Scenario::sample, each load with fixed senders, when the world was quiet.
  std::vector<LoadResult> loads;
  /// The use of each link between switches, when the workload was done.
  std::vector<LinkUse> switch_links;

  bool good() const { return ending == Ending::kGood || ending == Ending::kStopped; }
};

class Run {
 public:
  /// `scenario` must outlive it.
  explicit Run(const Scenario& scenario, const RunOptions& options = {});
  ~Run();
  /// Call it once.
  Report go();
  World& world() { return *world_; }
  /// Null when RunOptions::timeline is 0.
  const Timeline* timeline() const { return timeline_; }

 private:
  void build();
  void add_loads();
  template <class Kind, class... Args>
  Kind& add_load(Args&&... args);
  bool workload_done() const;
  bool over(const Verdict& verdict, Report& report, bool may_stop);
  void expectations(Report& report);
  std::uint64_t value_of(const Expectation& expectation, const Report& report);
  bool aftermath(Report& report);
  bool shut_down(Report& report);
  void exercised(Report& report);
  std::vector<LoadResult> load_results() const;
  Limits limits(Duration time) const;
  Verdict run_until_quiet();
  void take_back();

  const Scenario& scenario_;
  const RunOptions options_;
  std::unique_ptr<World> world_;
  CoverageMarks* marks_ = nullptr;
  Timeline* timeline_ = nullptr;
  Script* script_ = nullptr;
  Tally* tally_ = nullptr;
  std::vector<Load*> loads_;  ///< all loads, also those below
  std::vector<Traffic*> traffic_;
  std::vector<VerifiedLoad*> mixes_;
  std::vector<OldNode*> old_nodes_;
};

}  // namespace ulnet::sim
