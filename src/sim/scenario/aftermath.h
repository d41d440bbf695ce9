// The last part of a run, when the loads and the faults have ended and the world is quiet. For a
// minute nothing disturbs the world, so that LNet can recover by itself; the checkers judge that
// (Checker::on_calm()). Then nodes send each other PUTs, each of which has to be acknowledged.
// Source: DESIGN.md 6.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/traffic.h"

namespace ulnet::sim {

inline constexpr Duration kCalm = std::chrono::minutes(1);

/// PUTs with ACK from some nodes to some nodes, drawn from the seed: all nodes of a small world,
/// otherwise so few that a run takes hardly longer. A pair counts only if its nodes share a net, or
/// have routes to each other's net through routers that are on both nets and have not lost them. A
/// world counts only if no link loses messages, no node refuses peers because of a limit, and no
/// hostile peer lies.
///
/// A message that the driver has given to TCP counts as a success (spec/multirail.md 5.2): the
/// first message may leave by a connection whose other end is gone, and is lost with it. A pair
/// therefore has several tries, a minute apart, since a driver that could not dial waits before it
/// dials again (spec/wire-socklnd.md). One more try may fail by each pair of NIs: the first dial of
/// a restarted node is refused (spec/wire-socklnd.md 8), and a message may have no time for a
/// second dial.
class EachOther {
 public:
  static constexpr const char* kName = "each reaches the other";

  EachOther(World& world, const Scenario& scenario);
  /// Begins a PUT of each pair that has had no ACK yet; the world has to run until it is done().
  /// False: no pair is left, or the tries are used up.
  bool try_again();
  /// Whether the PUTs have ended.
  bool done() const;
  /// The pairs that failed, in words; empty: all were reached.
  std::string unreached() const;

 private:
  struct Pair {
    NodeNumber from = 0, to = 0;
    Portal portal;
    Traffic* put = nullptr;  ///< the PUT of the last round; null: there was none
  };
  void end_round();

  World& world_;
  std::vector<Pair> left_;  ///< the pairs that have had no ACK yet
  std::size_t tries_ = 0;   ///< so far
  std::size_t most_ = 0;    ///< the most tries that may fail
};

}  // namespace ulnet::sim
