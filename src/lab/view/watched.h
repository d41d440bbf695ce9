// What `view` and `top` watch: a laboratory that runs, or doors of daemons anywhere. A door on
// another host is reached through ssh, which forwards its socket.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/live/home.h"
#include "lab/view/observer.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// A door as it is written on the command line: a path, a node's name as `ulnetctl --control`
/// takes it, or ssh:[USER@]HOST[:PATH] (the path of the default node if none is given).
struct DoorWord {
  std::string name;  ///< for people: the name of the socket without ".sock", or the host
  std::string host;  ///< empty: this one
  std::string path;
};
/// -EINVAL, with what is expected.
Result<DoorWord> parse_door(const std::string& word);

/// Doors on other hosts, forwarded to sockets in a folder of their own while this exists.
class Tunnels {
 public:
  Tunnels();
  /// Ends ssh and removes the folder.
  ~Tunnels();
  Tunnels(const Tunnels&) = delete;
  Tunnels& operator=(const Tunnels&) = delete;

  /// The doors, in their order, under names that differ. ssh asks no questions; when it ends
  /// without having connected, the error has what it said.
  Result<std::vector<WatchedDoor>> open(const std::vector<std::string>& words);

 private:
  struct Tunnel;
  std::string folder_;
  std::vector<std::unique_ptr<Tunnel>> tunnels_;
};

}  // namespace ulnet::tools::lab
