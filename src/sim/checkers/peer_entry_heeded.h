// A message to a peer with multi-rail goes to a NID that its shard knows as the peer's when the
// message begins: never to one that the peer has withdrawn. Messages whose caller names the source
// are sent to the NID that the caller names. Source: spec/multirail.md 3.1, 3.2, 4.4.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class PeerEntryHeeded final : public Checker {
 public:
  PeerEntryHeeded() : Checker("peer entry obeyed", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  void look_at(World& world, const ShardStep& step, const Nid& target, const Nid& hop);
};

}  // namespace ulnet::sim
