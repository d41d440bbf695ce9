// Prints the steps of discoveries as the node takes them (`ulnetctl discover --trace`). Source:
// docs/CONTROL-API.md, GET /v1/discovery.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "admin/client/node_connection.h"

namespace ulnet::tools {

/// Watches from its construction to its destruction, on a thread and a connection of its own. It
/// prints the steps on the standard error. It shows the steps for all peers, because a peer's name
/// changes while it is discovered. If the node does not answer, it reports that and stops looking.
class DiscoveryWatch {
 public:
  /// `control` is the node, as the user named it; empty: the node that is found.
  explicit DiscoveryWatch(std::string control);
  ~DiscoveryWatch();
  DiscoveryWatch(const DiscoveryWatch&) = delete;
  DiscoveryWatch& operator=(const DiscoveryWatch&) = delete;

 private:
  void run();
  /// Reads the steps after the last step that was read, and prints them if `print` is true. Returns
  /// false when the node did not answer.
  bool look(bool print);

  ctl::NodeConnection connection_;
  bool answers_ = false;        // the node has answered the last look; the thread's while it runs
  std::uint64_t seen_ = 0;      // the number of the last step read
  std::uint64_t begun_ns_ = 0;  // when the first printed step was taken
  std::mutex lock_;
  std::condition_variable ending_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace ulnet::tools
