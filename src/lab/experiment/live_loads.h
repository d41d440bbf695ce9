// The loads of an experiment that runs live. They use LNet selftest, with the console of one node.
// All loads are in one session, and each is a batch of its own. Source: docs/CONTROL-API.md
// (/v1/lst).
#pragma once

#include <cerrno>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/experiment/experiment.h"
#include "lab/live/nodes.h"

namespace ulnet::tools::lab {

class LiveLoads {
 public:
  /// All arguments must outlive this object.
  LiveLoads(const Experiment& experiment, const Laboratory& lab, ctl::ControlApi& console)
      : experiment_(experiment), lab_(lab), console_(console) {}
  /// Ends the session, if it still exists.
  ~LiveLoads() { end(); }
  LiveLoads(const LiveLoads&) = delete;
  LiveLoads& operator=(const LiveLoads&) = delete;

  // Errors are sentences for people. kSilent: some nodes do not answer, because of a fault or
  // because their connections are not back yet. The caller may repeat the request later.
  static constexpr int kSilent = -EAGAIN;

  /// Begins the session and gives every node its tests.
  Result<void> begin();
  Result<void> start(LoadNumber load) { return command_all("run", load, {}); }
  /// Ends a load. Operations that are under way end by themselves. With `force` the load gives them
  /// up.
  Result<void> stop(LoadNumber load, bool force);
  /// Returns the number of operations that are under way, or that follow an operation that is under
  /// way.
  Result<std::uint64_t> running(LoadNumber load);
  /// Operations that have ended.
  struct Ended {
    std::uint64_t well = 0, failed = 0;  ///< operations that were given up count as failed
  };
  Result<Ended> ended(LoadNumber load);
  void end();

 private:
  Result<ctl::Tree> ask(const std::string& command, ctl::Tree body);
  /// Sends a command as ask() does. The answer has a part for each node, and each node must have
  /// succeeded.
  Result<ctl::Tree> ask_nodes(const std::string& command, ctl::Tree body);
  Result<void> command_all(const std::string& command, LoadNumber load, const ctl::Tree& more);
  Result<void> add_group(const std::string& name, const std::vector<NodeNumber>& nodes);
  Result<void> add_load(LoadNumber load);
  /// Returns the id by which the console names the node: the NID on a net that the console shares,
  /// else the node's first NID.
  std::string id_of(NodeNumber node) const;

  const Experiment& experiment_;
  const Laboratory& lab_;
  ctl::ControlApi& console_;
  bool begun_ = false;
};

}  // namespace ulnet::tools::lab
