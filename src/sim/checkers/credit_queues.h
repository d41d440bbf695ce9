// Messages get credits in turn: at the gate of a peer NI, and at that of an NI, the message that
// began to wait first goes first, and no message overtakes those that wait. A message that waits
// for a credit of its peer NI holds no credit of the NI, and a peer NI holds no more credits of an
// NI than it has itself; so a slow peer does not delay other peers. RouterQueues checks the queues
// of routers. Source: spec/core-semantics.md 10.2, 10.4.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"
#include "sim/checkers/router_queues.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {

class CreditQueues final : public Checker {
 public:
  CreditQueues() : Checker("credits in turn", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// When a message began to wait, as a number in the order of its shard; 0: it did not wait.
  struct Place {
    std::uint64_t for_peer = 0, for_ni = 0;
    /// The peer NI for which it waited; the message may leave an unhealthy one for another.
    Nid peer;
    core::NiId ni;  ///< the NI for which it waited; the message may leave a failed one for another
    Nid hop;        ///< its next hop while it waited for that NI; the message may change its hop
    bool moved = false;      ///< it has left an NI's queue for another path
    std::int32_t tries = 0;  ///< the message's tries when this was noted
  };
  using Which = std::uint64_t Place::*;
  /// The place of a message that waits; 0: it has none yet, or its place is in another peer NI's
  /// queue.
  static std::uint64_t place_of(const Place* place, Which which, const core::Msg& msg) {
    const bool of_another =
        which == &Place::for_peer && place != nullptr && place->peer != msg.hop.nid;
    return place == nullptr || of_another ? 0 : place->*which;
  }
  struct Path {
    core::NiId ni;
    Nid peer;
    auto operator<=>(const Path&) const = default;
  };
  struct Held {
    std::int32_t now = 0;   ///< the NI's credits held by messages that the driver has
    std::int32_t most = 0;  ///< the largest number of credits that the peer NI ever had
  };
  struct Record {
    PerMessage<Place> places;
    std::uint64_t last = 0;                          ///< the number given last
    std::map<core::NiId, std::uint64_t> last_of_ni;  ///< the number of the message served last
    /// The key contains the NI as well: the message that gets a peer credit first may then wait for
    /// an NI credit in the same step.
    std::map<Path, std::uint64_t> last_of_peer;
    PerMessage<Path> sent;
    std::map<Path, Held> held;
    RouterQueues router;
  };
  /// Forgets the places of messages that failed. A message that a fault rule has failed waits
  /// again, without the Send that would show it. In such a step other messages may also have left
  /// their queues and come back to them.
  static void forget_failed(const ShardStep& step, Record& record);
  /// Forgets the places of messages that have left their queues. A message may wait for no credit
  /// any more and yet not have been sent: a driver may have given it back, or it waits until its
  /// peer has been discovered. When it comes back to a queue, it waits anew.
  static void forget_left(const core::ShardState& state, Record& record);
  void served(World& world, const ShardStep& step, Record& record, const core::Send& send);
  void in_turn(World& world, const SimNode& node, Record& record, const core::Gate& gate,
               const Place& served, Which which, const Nid& whose);
  void in_order(World& world, const SimNode& node, std::uint64_t& last, std::uint64_t place,
                const Nid& whose);
  void holds(World& world, const ShardStep& step, Record& record, const core::Send& send,
             const core::Gate& of_peer);
  void queued(World& world, const SimNode& node, Record& record, const core::Gate& gate,
              Which which, const Nid& whose);
  void check(World& world, const SimNode& node, Record& record, const core::Gate& gate, Which which,
             const Nid& whose);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
