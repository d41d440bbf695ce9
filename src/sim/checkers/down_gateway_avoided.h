// No message takes a route that its shard knows to be down when it chooses the path. A message that
// then waits, for a credit or because a delay rule holds it, is checked when it begins to wait:
// when the route goes down later, messages in flight are not redirected (9.7). The checker ignores
// answers, which go back through the router of their request, and pings through the router that
// they ask. Source: spec/multirail.md 3.1, 3.3, 9.3, 11.3.
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

  /// Entries of the gateways whose routes were down before the step.
  std::vector<core::GatewayEntry> down_;
  /// The messages that waited before the step, if there are entries in `down_`.
  std::vector<Waiting> waiting_;
};

}  // namespace ulnet::sim
