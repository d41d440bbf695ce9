// A message to a peer with multi-rail goes to a NID that its shard knows as the peer's when the
// message begins: never to one that the peer has withdrawn. Messages whose caller names the source
// are sent to the NID that the caller names. Source: spec/multirail.md 3.1, 3.2, 4.4.

#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether the hop is a gateway of a route to a net of the peer.
bool leads_to(const core::ShardState& state, const Nid& hop, const std::vector<Nid>& nids) {
  return std::any_of(nids.begin(), nids.end(), [&](const Nid& nid) {
    return std::ranges::any_of(routes_to(state, nid.net()), [&](const core::RouteEntry& route) {
      return core::is_of_gateway(state.peers, route.gateway->entry.gateway, hop);
    });
  });
}

/// Whether the node has no working NI on any net of the peer (spec/multirail.md 3.1).
bool is_far(const core::ShardState& state, const std::vector<Nid>& nids) {
  return std::ranges::none_of(nids, [&](const Nid& nid) { return state.nis.works(nid.net()); });
}

class PeerEntryHeeded final : public Checker {
 public:
  PeerEntryHeeded() : Checker("peer entry obeyed", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    const auto request = own_request(step.input);
    if (!request) return;
    for (const core::Action& action : step.actions)
      if (const Nid* hop = hop_of(step, action, *request))
        look_at(world, step, request->target, *hop);
  }

 private:
  void look_at(World& world, const ShardStep& step, const Nid& target, const Nid& hop) {
    const core::PeerNid* known = step.state.peers.find(target);
    if (known == nullptr || known->peer_entry == nullptr || !known->peer_entry->multi_rail) return;
    const std::vector<Nid>& nids = known->peer_entry->nids;
    if (is_far(step.state, nids) && leads_to(step.state, hop, nids)) return;
    if (std::find(nids.begin(), nids.end(), hop) == nids.end())
      violation(world, &step.node, "a message for {} goes to {}, which is not its peer's", target,
                hop);
  }
};

}  // namespace

std::unique_ptr<Checker> peer_entry_heeded_checker() { return std::make_unique<PeerEntryHeeded>(); }

}  // namespace ulnet::sim
