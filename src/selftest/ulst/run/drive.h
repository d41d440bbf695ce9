// Runs one test of a run, from its start until all its clients have stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selftest/ulst/run/data_gaps.h"
#include "selftest/ulst/run/progress.h"
#include "selftest/ulst/run/session_driver.h"
#include "selftest/ulst/run/track.h"

namespace ulnet::tools::lst::run {

class Drive {
 public:
  /// `number` is the index of the test in the plan's steps. All arguments must outlive this object.
  Drive(SessionDriver& session, const Plan& plan, std::size_t number, Progress& progress);

  /// Runs the test. Returns false when the run cannot go on. The outcome has all results that
  /// exist.
  bool run();

 private:
  bool measure();
  bool settle();
  bool give_up_rpcs();
  void lose_running_nodes();
  bool start();
  bool sample();
  /// Reads the counters of the running test, and shows the rates.
  bool look();
  /// Notes the nodes whose data did not move since the last call, if that call was long enough ago.
  void note_gaps(bool at_end);
  /// Whether a client runs and a server for it exists.
  bool alive();
  bool idle() const;
  bool answering_nodes_are_idle() const;
  /// Whether a client that answers now has not received the order to start or stop, because it was
  /// silent when the other clients received theirs.
  bool any_unacknowledged(bool Node::*reported) const;
  void show(const std::vector<Track>& before);
  std::string note_of(const Node& node, const Flow& flow) const;
  std::string why_it_runs(std::size_t place) const;
  StepResult result() const;
  Flow row(std::size_t place, Role role) const;
  /// Adds the client's own report on how its RPCs ended.
  void add_latency(Flow& flow, const Node& node, const Track& track) const;
  std::uint32_t units() const;
  bool always_answered(std::size_t client) const;
  void report_problems(const StepResult& result);
  void report_silences();

  SessionDriver& session_;
  Watch& watch_;
  const Plan& plan_;
  const std::size_t number_;
  Progress& progress_;
  const Step step_;
  const Pace pace_;
  const std::string batch_;

  Instant began_{}, looked_{}, next_start_ = kNever;
  double seconds_ = 0;
  // Indexed like the node list.
  std::vector<Track> tracks_;
  std::vector<std::optional<Counts>> now_;
  Latencies latencies_;
  std::optional<DataGaps> gaps_;
  Instant gaps_noted_{};
  bool waited_ = false;  ///< the run waited for RPCs under way at the end before it gave them up
};

}  // namespace ulnet::tools::lst::run
