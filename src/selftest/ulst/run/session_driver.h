// Sends the console's commands of a run. Keeps the state of the nodes that the answers show: which
// nodes are silent, which are lost, and what went wrong.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selftest/ulst/run/node_list.h"
#include "selftest/ulst/run/outcome.h"
#include "selftest/ulst/tool.h"

namespace ulnet::tools::lst::run {

/// How the RPCs of a test ended, as the clients of the test report it.
struct Latencies {
  struct Client {
    /// RPCs that ended well; nothing: the client does not report them.
    std::optional<std::uint64_t> rpcs;
    /// RPCs that ended with an error, including those that were given up
    std::uint64_t failed = 0;
    std::optional<Percentiles> percentiles;
    /// Why there are no percentiles.
    std::string why_none;
  };
  std::map<std::string, Client> clients;  ///< by process id
  std::optional<Percentiles> all;         ///< of all clients that report, together
};

class SessionDriver {
 public:
  /// All arguments must outlive this object. `grace` is how long RPCs may take to end after their
  /// test.
  SessionDriver(const Tool& tool, const Plan& plan, Outcome& outcome, Duration& grace)
      : tool_(tool), plan_(plan), outcome_(outcome), node_list_(plan), grace_(grace) {}

  // Each of these functions returns false when the run cannot go on; the outcome then has the
  // reason.

  /// Begins a session and makes its groups "clients" and "servers". Every node has to answer.
  bool begin();
  /// Ends the session, if it exists.
  void end();
  /// Makes a batch of this name, with one test. Every node has to answer.
  bool add_test(const std::string& batch, const Step& step, const Pace& pace);
  /// Sends the clients the order to start or stop the batch. A later call repeats the order for
  /// clients that were silent at this call: see Node::start_acknowledged, stop_acknowledged.
  bool start(const std::string& batch);
  bool stop(const std::string& batch, bool force);
  /// Reads the counters of the nodes, in the order of the node list; nothing for a node that does
  /// not answer soon. Marks a node as lost that was silent for the plan's time-out.
  bool sample(const std::string& batch, std::vector<std::optional<Counts>>& counts);
  /// Reads the latencies. A node that cannot report them, or does not answer, is not a failure.
  bool latencies(const std::string& batch, Latencies& latencies);

  NodeList& node_list() { return node_list_; }
  Outcome& outcome() { return outcome_; }
  Watch& watch() { return tool_.watch(); }
  Duration grace() const { return grace_; }
  /// Sets the grace to 0, because RPCs did not end within it. RPCs of later tests get no grace
  /// either, so that a run on a network that stays broken ends soon.
  void end_grace() { grace_ = {}; }
  /// Marks the node as lost: the console does not ask it any more.
  void lose(Node& node, const std::string& why);

 private:
  /// Returns the "wait_ms" of a request that every node has to answer. It is 0, which waits for all
  /// nodes, if all nodes have answered until now.
  int wait_for_silent() const;
  /// Ends the run with this reason.
  void give_up(const std::string& why);
  std::string holder_of_console();
  void report_holders_of(const std::vector<std::string>& ids);
  bool add_group(const std::string& name, const std::vector<std::string>& ids);
  void heard(Node& node);
  void not_heard(Node& node, Instant asked);
  std::optional<Tree> ask(const std::string& command, Tree arguments);
  /// Returns why a node did not carry out a request, in words, from its part of an answer; empty:
  /// the node carried it out.
  static std::string trouble_of(const Tree& node);
  /// Returns the same reason as "WHAT: why".
  static std::string trouble_of(const Tree& node, const std::string& what);

  const Tool& tool_;
  const Plan& plan_;
  Outcome& outcome_;
  NodeList node_list_;
  Duration& grace_;
  bool begun_ = false;
};

}  // namespace ulnet::tools::lst::run
