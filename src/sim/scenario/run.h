// Runs a scenario: builds its world, lets it go, ends its faults, waits for quiet, looks at what is
// expected, shuts it down. The same scenario and seed give the same digest, whatever is watched.
// Source: DESIGN.md 6.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/chronicle.h"
#include "sim/scenario/marks.h"
#include "sim/scenario/scenario.h"
#include "sim/world.h"

namespace ulnet::sim {

class RandomLoad;
class Script;
class Traffic;

struct RunOptions {
  TraceOptions trace{};
  std::size_t chronicle = 0;  ///< journeys kept for a picture; 0: none
  bool checkers = true;
  bool marks = true;
  std::uint64_t until_step = std::numeric_limits<std::uint64_t>::max();  ///< of the world
};

enum class Ending : std::uint8_t {
  kGood,
  kViolated,    ///< by a checker, a load, or what never became quiet
  kUnexpected,  ///< what the scenario expects did not come true
  kOutOfSteps,
  kStopped,  ///< at `until_step`, as asked
  kDied,     ///< the program: an assertion, or a step that does not end (who runs it apart says so)
};
const char* to_string(Ending ending);

/// What a run came to, and what it exercised.
struct Report : Exercised {
  Ending ending = Ending::kGood;
  std::string checker;             ///< with kViolated: which; "not quiet" for what never became so
  std::string what;                ///< in words; empty when good
  std::vector<std::string> unmet;  ///< expectations: "line 12: delivered: 99, expected 100"
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;
  Duration age{};
  std::array<std::uint64_t, core::kDropReasons> drops{};
  MarkCounts marks;
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;

  bool good() const { return ending == Ending::kGood || ending == Ending::kStopped; }
};

class Run {
 public:
  /// `scenario` must outlive it.
  explicit Run(const Scenario& scenario, const RunOptions& options = {});
  ~Run();
  /// To be called once.
  Report go();
  World& world() { return *world_; }
  /// Null without one.
  const Chronicle* chronicle() const { return chronicle_; }

 private:
  void build();
  void add_loads();
  bool workload_done() const;
  bool over(const Verdict& verdict, Report& report, bool may_stop);
  void expectations(Report& report);
  std::uint64_t value_of(const Expectation& expectation, const Report& report);
  bool shut_down(Report& report);
  void exercised(Report& report);
  Limits limits(Duration time) const;
  void take_back();

  const Scenario& scenario_;
  const RunOptions options_;
  std::unique_ptr<World> world_;
  Marks* marks_ = nullptr;
  Chronicle* chronicle_ = nullptr;
  Script* script_ = nullptr;
  std::vector<Traffic*> traffic_;
  std::vector<VerifiedLoad*> mixes_;
  std::vector<RandomLoad*> randoms_;
  bool endless_ = false;  ///< a load without a count, or a rate of faults
};

}  // namespace ulnet::sim
