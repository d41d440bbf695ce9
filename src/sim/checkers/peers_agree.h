// Two nodes that have discovered each other agree when nothing is under way: what one has
// acknowledged is what it keeps, and neither owes the other a push. An info's sequence number tells
// its NIDs: who keeps the number of a node's present info keeps that node's NIDs, no more and no
// less; but a NID which another peer claims too stays with that one until it has answered whose it
// is. Each NID is one peer's, and its peer's list has it; the card of a peer says whether it has
// multi-rail. What an earlier incarnation of a peer has acknowledged counts for nothing. A node
// that had discovery off for a while is left alone: it has acknowledged pushes that it did not
// take, and learns with its next ping only; others have dropped what they knew of it, the number
// too (4.8). Source: spec/multirail.md 4.1, 4.4, 4.8.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeersAgree final : public Checker {
 public:
  PeersAgree() : Checker("peers agree", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void at_rest(World& world) override;

 private:
  struct Record {
    bool was_off = false;  ///< the node had discovery off at some time
  };
  void look_at(World& world, const SimNode& node, const core::Peer& peer);
  void look_at_pair(World& world, const SimNode& node, const core::Peer& peer, const SimNode& other,
                    const core::Peer& us);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
