// One test of a run, from its beginning until its clients have stopped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/run/crew.h"
#include "tools/ulst/run/progress.h"

namespace ulnet::tools::lst::run {

class Drive {
 public:
  /// `number`: which of the plan's steps, from 0. All outlive it.
  Drive(Crew& crew, const Plan& plan, std::size_t number, Progress& progress);

  /// False when the run cannot go on. The outcome has the result of what was begun.
  bool run();

 private:
  using Sample = std::vector<std::optional<Counts>>;  ///< by the roster's places

  bool measure();
  bool settle();
  bool start();
  bool sample();
  /// ... of a test that runs; and shows it.
  bool look();
  /// Somebody is there who runs, and somebody to run against.
  bool alive();
  bool idle() const;
  void show(const Sample& before);
  StepResult result() const;
  Flow row(std::size_t place, Role role) const;
  void tell_problems(const StepResult& result);

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
  // Of each node: before it began, when it ran, when it was last heard while it ran, when it had
  // stopped. Who is lost keeps what it said last.
  Sample idle_, first_, last_, end_, now_;
};

}  // namespace ulnet::tools::lst::run
