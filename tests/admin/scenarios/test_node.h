// A real node with the real control API on a Unix socket, in the test's process. The node is on an
// in-memory network; its machine has the interfaces eth0 and eth1.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "admin/http/listener.h"
#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/node_slot.h"
#include "network.h"

namespace ulnet::ctl::test {

/// Machines in hwloc's notation, by how many CPU partitions a node has there by default.
inline constexpr const char* kOnePartition = "pu:2";
inline constexpr const char* kFourPartitions = "pu:32";

class TestNode {
 public:
  /// Starts a node with 0@lo only, and listens on `socket` until destroyed. `network` must outlive
  /// this.
  TestNode(std::string socket, Network& network, const char* machine = kOnePartition);
  ~TestNode();
  TestNode(const TestNode&) = delete;
  TestNode& operator=(const TestNode&) = delete;

  const std::string& socket() const { return socket_; }
  node::Node& running() { return *slot_.node(); }
  void add_interface(const std::string& name, const std::string& address);
  /// What `lnet unconfigure` does.
  void unconfigure();
  /// Unconfigures and configures LNet. The new node has these module parameters, and otherwise
  /// those of the old one.
  void restart(const std::map<std::string, std::string>& params);
  /// Closes the control API: its socket, every connection and every stream of events.
  void close();
  /// What `reload` answers; without it the node has no configuration to read again.
  void reload_with(node::control::Reload reload);

  // What the control API shows now, without a connection. An error fails the test.
  Tree get(const std::string& path);
  Tree nets();  ///< without the net lo
  Tree peers() { return get("/v1/peer")["peer"]; }
  Tree routes() { return get("/v1/route")["route"]; }
  Tree policies() { return get("/v1/udsp")["udsp"]; }
  Tree global(const char* name) { return get("/v1/global")["global"][name]; }
  Tree param(const char* name) { return get("/v1/param")["param"][name]["value"]; }
  /// The requested routing and buffers: "enable", "tiny", ...
  Tree routing(const char* name) { return get("/v1/routing")["wanted"][name]; }
  /// Waits until `condition` is true; after half a minute the test has failed.
  static void wait_until(const std::function<bool()>& condition);
  /// Waits until the node has found out that this gateway does not answer.
  void wait_for_silent(const std::string& gateway);
  /// Waits until the node has started to route (spec/multirail.md 9.1).
  void wait_for_routing();

  /// Answers this request ("GET /v1/net") as another node has answered it, instead of by this node:
  /// for tests that print what only a production node had.
  void answer_as_recorded(const std::string& request, const Tree& answer, int status = 200);

  /// The requests that came: "METHOD PATH BODY". In place of a batch, the requests in it.
  std::vector<std::string> requests();
  std::string last_request();  ///< empty: there was no request
  int batches();

 private:
  Result<std::unique_ptr<node::Node>> start(const node::control::ConfigureOptions& asked);
  http::Reply answer(const http::Request& request);
  void record(const http::Request& request);

  const std::string socket_;
  Network& network_;
  const std::string machine_;
  std::mutex mutex_;  // guards the next six
  Interfaces interfaces_ = {{"eth0", "10.99.0.3"}, {"eth1", "10.99.1.3"}};
  std::map<std::string, std::string> params_;
  std::map<std::string, http::Reply> recorded_;
  std::vector<std::string> requests_;
  int batches_ = 0;
  node::control::NodeSlot slot_;
  node::control::ControlCounters counters_;
  std::unique_ptr<node::control::Context> context_;  // null: closed
  std::unique_ptr<http::Listener> listener_;
};

}  // namespace ulnet::ctl::test
