// One test of a run, from its beginning until its clients have stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/run/crew.h"
#include "tools/ulst/run/progress.h"
#include "tools/ulst/run/track.h"

namespace ulnet::tools::lst::run {

class Drive {
 public:
  /// `number`: which of the plan's steps, from 0. All outlive it.
  Drive(Crew& crew, const Plan& plan, std::size_t number, Progress& progress);

  /// False when the run cannot go on. The outcome has the result of what was begun.
  bool run();

 private:
  bool measure();
  bool settle();
  void give_up_rpcs();
  void lose_those_that_run();
  bool start();
  bool sample();
  /// ... of a test that runs; and shows it.
  bool look();
  /// Somebody is there who runs, and somebody to run against.
  bool alive();
  bool idle() const;
  /// Clients that were silent when the others were told, and have been heard since.
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

  Crew& crew_;
  Watch& watch_;
  const Plan& plan_;
  const std::size_t number_;
  Progress& progress_;
  const Step step_;
  const Pace pace_;
  const std::string batch_;

  Instant began_{}, next_start_ = kNever;
  double seconds_ = 0;
  // By the roster's places.
  std::vector<Track> tracks_;
  std::vector<std::optional<Counts>> now_;
  Latencies latencies_;
};

}  // namespace ulnet::tools::lst::run
