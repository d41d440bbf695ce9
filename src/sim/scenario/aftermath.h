// What follows when the loads and the faults of a run have ended and its world is quiet. It is left
// alone for a minute, so that LNet makes it well again by itself; the checkers judge that
// (Checker::on_calm()). Then nodes send each other PUTs, of which each has to be acknowledged.
// Source: DESIGN.md 6.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/traffic.h"

namespace ulnet::sim {

inline constexpr Duration kCalm = std::chrono::minutes(1);

/// PUTs with ACK from each of some nodes to each of some nodes, drawn from the seed: all of a small
/// world, so few that a run takes hardly longer. Only pairs count that share a net or have routes
/// to each other's net by routers which are on both, and have not lost these; only worlds where no
/// link loses messages, no node turns peers away for want of room, and nothing lies.
///
/// What the driver hands to TCP is a success (spec/multirail.md 5.2): the first message may leave
/// by a connection whose other end is gone, and is lost with it. So a pair has some tries, a minute
/// apart, since a driver that could not dial waits before it does again (spec/wire-socklnd.md).
/// By each pair of NIs one more may fail: the first dial of a node that has restarted is refused
/// (spec/wire-socklnd.md 8), and a message may have no time for a second one.
class EachOther {
 public:
  static constexpr const char* kName = "each reaches the other";

  EachOther(World& world, const Scenario& scenario);
  /// Begins a PUT of each pair that has had no ACK yet; the world has to run until it is done().
  /// False: there is none, or it has had its tries.
  bool try_again();
  /// The PUTs have ended.
  bool done() const;
  /// Whom nobody reaches, in words; empty: all are reached.
  std::string unreached() const;

 private:
  struct Pair {
    NodeNumber from = 0, to = 0;
    Portal portal;
    Traffic* put = nullptr;  ///< of the last round; null: there was none
  };
  void end_round();

  World& world_;
  std::vector<Pair> left_;  ///< those that had no ACK yet
  std::size_t tries_ = 0;   ///< so far
  std::size_t most_ = 0;    ///< so many may fail
};

}  // namespace ulnet::sim
