// A user's request to a peer with several NIDs goes to one of the healthiest NIDs on its net, as
// far as the shard knows, and among these to one with the best priority by the selection policies.
// The same holds for the NI by which it leaves. The chosen path goes to the end of the round robin.
// Source: spec/multirail.md 3.2 B 1 to 3, C 1 to 2, D.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class BestPath final : public Checker {
 public:
  BestPath() : Checker("best path", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  void look_at_route(World& world, const ShardStep& step, const Nid& target, const Nid& hop);
  void look_at(World& world, const ShardStep& step, const Nid& hop) const;
  void look_at_ni(World& world, const ShardStep& step, core::NiId ni) const;

  // State of the peer to which the step begins a request.
  std::map<Nid, std::int32_t> healths_;  ///< by NID; empty: the shard does not choose among NIDs
  std::uint64_t turns_ = 0;
};

}  // namespace ulnet::sim
