// A fake control API, so that tests of the tools need no daemon. Behind it is a small model of a
// node: it takes nets, settings and parameters as docs/CONTROL-API.md says, and shows them as a
// fresh node would.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fake_routes.h"
#include "lnet/core/udsp/rule_list.h"

namespace ulnet::ctl::test {

using Tree = nlohmann::ordered_json;

class FakeControlServer {
 public:
  /// Listens on `socket` until destroyed.
  explicit FakeControlServer(std::string socket);
  ~FakeControlServer();

  const std::string& socket() const { return socket_; }

  // The node. A test sets it up before it runs a tool; the server's threads lock `mutex`.
  std::mutex mutex;
  bool configured = true;
  bool busy = false;  ///< LNet is in use and cannot be stopped
  /// Interfaces of the node's machine and their addresses. An interface that is given by its
  /// address needs no entry.
  std::map<std::string, std::string> interfaces = {{"eth0", "10.99.0.3"}, {"eth1", "10.99.1.3"}};
  Tree nets = Tree::array();  ///< without the net lo
  Tree peers = Tree::array();
  Tree globals;
  /// A global, read while the server's threads may run.
  Tree global(const char* name) {
    const std::lock_guard lock(mutex);
    return globals[name];
  }
  Tree statistics;
  Tree params;
  /// Answers to a ping or a discovery, by NID: the NIDs of the peer, or an errno with a hint.
  struct Answer {
    std::vector<std::string> nids;
    int code = 0;
    std::string hint;
  };
  std::map<std::string, Answer> answers;
  /// Trees that the fake serves instead of the node's own, by path.
  std::map<std::string, Tree> recorded;
  std::map<std::string, int> cpts;           ///< by NID; 0 for others
  std::map<std::string, std::string> files;  ///< runtime files
  Tree counters = Tree::object();
  Tree events = {{"events", Tree::array()}, {"lost", 0}, {"restarted", false}, {"last", "1-0"}};
  std::string event_stream;      ///< the bytes that a stream of events sends before it ends
  Tree path = Tree::object();    ///< the answer to `debug path`, in which the fake fills in "to"
  Tree reload = Tree::object();  ///< the answer to a reload
  core::udsp::RuleList udsp;     ///< selection policies
  FakeRoutes routes;
  Tree faults = Tree::array();  ///< fault rules as they were added, the newest first
  /// "METHOD path body" of every request.
  std::vector<std::string> requests;
  int batches = 0;  ///< how many requests were batches; `requests` contains the requests in them

  /// Resets the node as a restart would: only lo, everything at its default.
  void restart();

 private:
  struct Server;
  std::string socket_;
  std::unique_ptr<Server> server_;
};

/// A new NI as a node shows it.
Tree fresh_ni(const std::string& nid, const std::string& interface);
/// The same for 0@lo.
Tree fresh_lo();

}  // namespace ulnet::ctl::test
