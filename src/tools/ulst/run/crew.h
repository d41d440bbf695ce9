// What a run says to the console, and what it learns of nodes by that: who is lost, what went
// wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/run/outcome.h"
#include "tools/ulst/run/roster.h"
#include "tools/ulst/tool.h"

namespace ulnet::tools::lst::run {

class Crew {
 public:
  /// All outlive it.
  Crew(const Tool& tool, const Plan& plan, Outcome& outcome)
      : tool_(tool), plan_(plan), outcome_(outcome), roster_(plan) {}

  // Each returns false when the run cannot go on: why is then in the outcome.

  /// A session, its groups "clients" and "servers". Every node must be there.
  bool begin();
  /// Ends the session, whatever is left of it.
  void end();
  /// A batch of that name, with one test.
  bool add_test(const std::string& batch, const Step& step, const Pace& pace);
  bool start(const std::string& batch);
  bool stop(const std::string& batch, bool force);
  /// What the nodes that are there count, in the order of the roster.
  bool sample(const std::string& batch, std::vector<std::optional<Counts>>& counts);

  Roster& roster() { return roster_; }
  Outcome& outcome() { return outcome_; }
  Watch& watch() { return tool_.watch(); }
  /// The node is not asked any more.
  void lose(Node& node, const std::string& why);

 private:
  bool add_group(const std::string& name, const std::vector<std::string>& ids);
  std::optional<Tree> ask(const std::string& command, Tree arguments);
  /// Why a node of an answer did not do it, in words; empty when it did.
  static std::string trouble_of(const Tree& node, const std::string& what);

  const Tool& tool_;
  const Plan& plan_;
  Outcome& outcome_;
  Roster roster_;
  bool begun_ = false;
  std::uint64_t asked_ = 0;  ///< samples
};

}  // namespace ulnet::tools::lst::run
