// No message takes a route that its shard knows to be down when it chooses the path. Answers go
// back by the router that brought their request, and pings by the one that they ask; what waited
// for a credit when the route went down is not looked at either: nothing in flight is saved (9.7).
// Source: spec/multirail.md 3.1, 3.3, 9.3.
#pragma once

#include <vector>

#include "sim/checkers/chosen_path.h"

namespace ulnet::sim {

class DownGatewayAvoided final : public Checker {
 public:
  DownGatewayAvoided() : Checker("down gateway avoided", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  void after_step(World& world, const ShardStep& step) override;

 private:
  bool leads_to(const core::ShardState& state, const Nid& hop, NetId net) const;

  std::vector<core::GatewayCard> down_;  ///< of those by which routes were down before the step
};

}  // namespace ulnet::sim
