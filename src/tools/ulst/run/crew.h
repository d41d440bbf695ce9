// What a run says to the console, and what it learns of nodes by that: who is silent, who is lost,
// what went wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/ulst/run/outcome.h"
#include "tools/ulst/run/roster.h"
#include "tools/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// What the clients of a test say of how long their RPCs took.
struct Latencies {
  struct Client {
    std::optional<std::uint64_t> rpcs;  ///< that ended well; nothing: it does not tell
    std::optional<Percentiles> percentiles;
    std::string why_none;
  };
  std::map<std::string, Client> clients;  ///< by process id
  std::optional<Percentiles> all;         ///< of those that tell, together
};

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
  /// Tells clients. Who is silent is told by a later call: Node::told_to_start, told_to_stop.
  bool start(const std::string& batch);
  bool stop(const std::string& batch, bool force);
  /// What the nodes that are there count, in the order of the roster: nothing of those that do not
  /// answer soon. Who has been silent for the plan's time-out is lost.
  bool sample(const std::string& batch, std::vector<std::optional<Counts>>& counts);
  /// Nodes that cannot tell, or do not, are no failure.
  bool latencies(const std::string& batch, Latencies& latencies);

  Roster& roster() { return roster_; }
  Outcome& outcome() { return outcome_; }
  Watch& watch() { return tool_.watch(); }
  /// The node is not asked any more.
  void lose(Node& node, const std::string& why);

 private:
  bool add_group(const std::string& name, const std::vector<std::string>& ids);
  void heard(Node& node);
  void not_heard(Node& node, Instant asked);
  std::optional<Tree> ask(const std::string& command, Tree arguments);
  /// Why a node of an answer did not do it, in words; empty when it did.
  static std::string trouble_of(const Tree& node);
  /// "WHAT: why".
  static std::string trouble_of(const Tree& node, const std::string& what);

  const Tool& tool_;
  const Plan& plan_;
  Outcome& outcome_;
  Roster roster_;
  bool begun_ = false;
};

}  // namespace ulnet::tools::lst::run
