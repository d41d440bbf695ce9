// The network that `view` and `top` watch: a laboratory that runs, or daemons anywhere. ssh
// forwards the control socket of a daemon on another host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/live/home.h"
#include "lab/view/observer.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// A control socket as on the command line: a path, a node's name as `ulnetctl --control` takes it,
/// or ssh:[USER@]HOST[:PATH] (without PATH, that of the default node).
struct SocketPlace {
  std::string name;  ///< for people: the name of the socket without ".sock", or the host
  std::string host;  ///< empty: this host
  std::string path;
};
/// Parses a place. -EINVAL, with the expected form.
Result<SocketPlace> parse_socket_place(const std::string& word);

/// Forwards control sockets of other hosts to sockets in a folder of its own, while it exists.
class Tunnels {
 public:
  Tunnels();
  /// Ends ssh and removes the folder.
  ~Tunnels();
  Tunnels(const Tunnels&) = delete;
  Tunnels& operator=(const Tunnels&) = delete;

  /// Opens the control sockets, in their order, under names that differ. ssh asks no questions. If
  /// ssh ends without having connected, the error has the output of ssh.
  Result<std::vector<WatchedNode>> open(const std::vector<std::string>& words);

 private:
  struct Tunnel;
  std::string folder_;
  std::vector<std::unique_ptr<Tunnel>> tunnels_;
};

}  // namespace ulnet::tools::lab
