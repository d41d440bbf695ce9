// Runs the console's commands for a run, and keeps what the answers tell about nodes: which are
// silent, which are lost, what went wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selftest/ulst/run/node_list.h"
#include "selftest/ulst/run/outcome.h"
#include "selftest/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// How the RPCs of a test ended, as its clients report it.
struct Latencies {
  struct Client {
    /// RPCs that ended well; nothing: the client does not report it
    std::optional<std::uint64_t> rpcs;
    std::uint64_t failed = 0;  ///< RPCs that ended with an error, those that were given up too
    std::optional<Percentiles> percentiles;
    /// Why there are no percentiles.
    std::string why_none;
  };
  std::map<std::string, Client> clients;  ///< by process id
  std::optional<Percentiles> all;         ///< of all clients that report, together
};

class SessionDriver {
 public:
  /// All arguments must outlive it.
  /// `grace`: how long RPCs may take to end after their test.
  SessionDriver(const Tool& tool, const Plan& plan, Outcome& outcome, Duration& grace)
      : tool_(tool), plan_(plan), outcome_(outcome), node_list_(plan), grace_(grace) {}

  // Each of these returns false when the run cannot go on; the outcome then says why.

  /// Begins a session and makes its groups "clients" and "servers". Every node has to answer.
  bool begin();
  /// Ends the session as far as it exists.
  void end();
  /// Makes a batch of that name, with one test. Every node has to answer.
  bool add_test(const std::string& batch, const Step& step, const Pace& pace);
  /// Tells the clients to start or stop the batch. A later call tells those that are silent now:
  /// see Node::told_to_start, told_to_stop.
  bool start(const std::string& batch);
  bool stop(const std::string& batch, bool force);
  /// Reads the counters of the nodes, in the order of the node list; nothing for a node that does
  /// not answer soon. A node that was silent for the plan's time-out is lost.
  bool sample(const std::string& batch, std::vector<std::optional<Counts>>& counts);
  /// A node that cannot report, or does not answer, is no failure.
  bool latencies(const std::string& batch, Latencies& latencies);

  NodeList& node_list() { return node_list_; }
  Outcome& outcome() { return outcome_; }
  Watch& watch() { return tool_.watch(); }
  Duration grace() const { return grace_; }
  /// RPCs did not end in that time: those of later tests have none, so that a run whose network
  /// stays broken is over soon.
  void use_up_grace() { grace_ = {}; }
  /// Marks the node as lost: it is not asked any more.
  void lose(Node& node, const std::string& why);

 private:
  /// For "wait_ms" of what every node has to answer, if all of them have until now: 0, for all.
  int wait_for_silent() const;
  /// The run cannot go on.
  void give_up(const std::string& why);
  std::string holder_of_console();
  void tell_holders_of(const std::vector<std::string>& ids);
  bool add_group(const std::string& name, const std::vector<std::string>& ids);
  void heard(Node& node);
  void not_heard(Node& node, Instant asked);
  std::optional<Tree> ask(const std::string& command, Tree arguments);
  /// Why a node did not do what it was asked, in words, from its part of an answer; empty when it
  /// did.
  static std::string trouble_of(const Tree& node);
  /// The same as "WHAT: why".
  static std::string trouble_of(const Tree& node, const std::string& what);

  const Tool& tool_;
  const Plan& plan_;
  Outcome& outcome_;
  NodeList node_list_;
  Duration& grace_;
  bool begun_ = false;
};

}  // namespace ulnet::tools::lst::run
