// The credits that a router has for messages from a peer NI. Never more messages hold one than are
// configured, every message with a buffer has a credit, and when the world is at rest all credits
// are back. Source: spec/core-semantics.md 10.3; for each peer NI: decision 98.
//
// 'credits conserved' compares the credits in use with the messages that have them, 'credits in
// turn' checks the order.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class RouterCredits final : public Checker {
 public:
  RouterCredits() : Checker("router credits", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void at_rest(World& world) override;

 private:
  using Held = std::map<Nid, std::int32_t>;  ///< by the peer NI that the messages came from
  PerNode<Held> records_;
};

}  // namespace ulnet::sim
