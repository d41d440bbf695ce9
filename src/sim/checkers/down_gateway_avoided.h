// No message takes a route that its shard knows to be down when it chooses the path. What waits
// then, for a credit or because a delay rule holds it, is looked at when it begins to wait: when
// the route goes down later, nothing in flight is saved (9.7). Not looked at: answers, which go
// back by the router that brought their request, and pings by the one that they ask. Source:
// spec/multirail.md 3.1, 3.3, 9.3, 11.3.
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
  struct Waiting {
    core::MsgTicket msg;
    Nid hop;
  };
  bool leads_to(const core::ShardState& state, const Nid& hop, NetId net) const;
  bool has_waited(const ShownPath& path) const;
  void look_at(World& world, const ShardStep& step, const ShownPath& path) const;

  std::vector<core::GatewayCard> down_;  ///< of those by which routes were down before the step
  std::vector<Waiting> waiting_;         ///< before the step, if there were such
};

}  // namespace ulnet::sim
