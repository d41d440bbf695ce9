// Runs one test of a run, from its start until all its clients have stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/run/progress.h"
#include "tools/ulst/run/session_driver.h"
#include "tools/ulst/run/track.h"

namespace ulnet::tools::lst::run {

class Drive {
 public:
  /// `number`: the index of the plan's step. All arguments must outlive it.
  Drive(SessionDriver& session, const Plan& plan, std::size_t number, Progress& progress);

  /// False when the run cannot go on. The outcome has the results as far as there are any.
  bool run();

 private:
  bool measure();
  bool settle();
  void give_up_rpcs();
  void lose_those_that_run();
  bool start();
  bool sample();
  /// Reads the counters of the running test, and shows the rates.
  bool look();
  /// There are a client that runs and a server to run against.
  bool alive();
  bool idle() const;
  bool anybody_in_doubt() const;
  /// A client was silent when the others were told, and has been heard since.
  bool anybody_untold(bool Node::*told) const;
  void show(const std::vector<Track>& before);
  std::string note_of(const Node& node, const Flow& flow) const;
  std::string why_it_runs(std::size_t place) const;
  StepResult result() const;
  Flow row(std::size_t place, Role role) const;
  std::uint32_t units() const;
  bool answered_all_the_time(std::size_t client) const;
  void tell_problems(const StepResult& result);
  void tell_silences();

  SessionDriver& session_;
  Watch& watch_;
  const Plan& plan_;
  const std::size_t number_;
  Progress& progress_;
  const Step step_;
  const Pace pace_;
  const std::string batch_;

  Instant began_{}, next_start_ = kNever;
  double seconds_ = 0;
  // By the index in the node list.
  std::vector<Track> tracks_;
  std::vector<std::optional<Counts>> now_;
  Latencies latencies_;
};

}  // namespace ulnet::tools::lst::run
