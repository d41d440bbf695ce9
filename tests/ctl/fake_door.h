// A control door with a small node behind it that keeps its state: what the tools are tested
// against without a daemon. It takes nets, settings and parameters as docs/DOOR.md says and shows
// them as a fresh node would.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ulnet::ctl::test {

using Tree = nlohmann::ordered_json;

class FakeDoor {
 public:
  /// Listens on `socket` until destroyed.
  explicit FakeDoor(std::string socket);
  ~FakeDoor();

  const std::string& socket() const { return socket_; }

  // The node. Tests set it up before they run a tool; the server's threads take `mutex` too.
  std::mutex mutex;
  bool configured = true;
  bool busy = false;  ///< somebody else uses LNet: it cannot be stopped
  /// Interfaces of its machine, with their addresses. An interface that is itself an address needs
  /// no entry.
  std::map<std::string, std::string> interfaces = {{"eth0", "10.99.0.3"}, {"eth1", "10.99.1.3"}};
  Tree nets = Tree::array();  ///< without lo
  Tree peers = Tree::array();
  Tree globals;
  /// One of them, while the server's threads may still be about.
  Tree global(const char* name) {
    const std::lock_guard lock(mutex);
    return globals[name];
  }
  Tree statistics;
  Tree params;
  /// Answers of ping by NID: the `peer_ni` NIDs, or a negative errno with a hint.
  struct Answer {
    std::vector<std::string> nids;
    int code = 0;
    std::string hint;
  };
  std::map<std::string, Answer> answers;
  /// Trees served as they are instead of the state's, by path.
  std::map<std::string, Tree> recorded;
  std::map<std::string, int> cpts;           ///< of NIDs; 0 for others
  std::map<std::string, std::string> files;  ///< runtime files
  Tree counters = Tree::object();
  Tree reload = Tree::object();  ///< what comes of reading the configuration again
  /// "METHOD path body" of every request.
  std::vector<std::string> requests;

  /// As if the node were started again: nothing but lo, everything at its default.
  void restart();

 private:
  struct Server;
  std::string socket_;
  std::unique_ptr<Server> server_;
};

/// A fresh NI as a node shows it.
Tree fresh_ni(const std::string& nid, const std::string& interface);

}  // namespace ulnet::ctl::test
