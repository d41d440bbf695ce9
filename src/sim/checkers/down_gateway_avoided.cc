#include "sim/checkers/down_gateway_avoided.h"

#include "core/path/select_route.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {

void DownGatewayAvoided::before_step(World&, const ShardStep& step) {
  down_.clear();
  for (const auto& [nid, gateway] : step.state.routes.gateways())
    if (!gateway.card.usable || !gateway.card.lost.empty()) down_.push_back(gateway.card);
}

/// Whether the hop is the gateway of a route to the net that is up, or was before the step.
bool DownGatewayAvoided::leads_to(const core::ShardState& state, const Nid& hop, NetId net) const {
  const auto there = state.routes.nets().find(net);
  if (there == state.routes.nets().end()) return true;  // it goes by no route
  return std::ranges::any_of(there->second.routes, [&](const core::RouteEntry& route) {
    const core::GatewayCard& card = route.gateway->card;
    if (!core::is_of_gateway(state.peers, card.gateway, hop)) return false;
    const auto before = std::ranges::find(down_, card.gateway, &core::GatewayCard::gateway);
    return card.reaches(net) || before == down_.end() || before->reaches(net);
  });
}

void DownGatewayAvoided::after_step(World& world, const ShardStep& step) {
  if (down_.empty()) return;
  for (const core::Action& action : step.actions) {
    const auto path = path_of(step, action);
    if (!path || path->hop == path->header.dest_nid || !chosen_in(step, *path)) continue;
    if (goes_back(*path) || path->msg.recovery) continue;
    if (!leads_to(step.state, path->hop, path->header.dest_nid.net()))
      violation(world, &step.node,
                "a message to " + path->header.dest_nid.to_string() + " goes by " +
                    path->hop.to_string() + ", and that route is down");
  }
}

}  // namespace ulnet::sim
