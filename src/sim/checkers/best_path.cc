// A user's request to a peer with several NIDs goes to one of the healthiest NIDs on its net, as
// far as the shard knows, and among these to one with the best priority by the selection policies.
// The same holds for the NI by which it leaves. The chosen path goes to the end of the round robin.
// Source: spec/multirail.md 3.2 B 1 to 3, C 1 to 2, D.
#include <algorithm>
#include <map>

#include "lnet/core/path/select_route.h"
#include "lnet/core/udsp/policy.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether the gateway has multi-rail and a NID on a net of this node whose NIs have all failed. A
/// message that would go to that NID takes any other route first (spec/multirail.md 3.3.2).
bool may_be_behind(const core::ShardState& state, const Nid& gateway) {
  const core::PeerNid* known = state.peers.find(gateway);
  return known != nullptr && known->multi_rail() &&
         std::ranges::any_of(known->peer_entry->nids, [&](const Nid& nid) {
           return state.nis.find(nid.net()) != nullptr && !state.nis.works(nid.net());
         });
}

class BestPath final : public Checker {
 public:
  BestPath() : Checker("best path", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    healths_.clear();
    const auto begun = own_request(step.input);
    if (!begun || begun->target.is_loopback()) return;
    const core::PeerNid* target = step.state.peers.find(begun->target);
    if (target == nullptr || !target->multi_rail()) return;
    turns_ = step.state.nis.turns;
    for (const Nid& nid : target->peer_entry->nids) {
      const core::PeerNid* known = step.state.peers.find(nid);
      healths_[nid] = known == nullptr ? core::kHealthMax : known->health;
    }
  }

  void after_step(World& world, const ShardStep& step) override {
    const auto begun = own_request(step.input);
    if (!begun) return;
    if (!step.state.routes.empty())
      for (const core::Action& action : step.actions)
        if (const Nid* hop = hop_of(step, action, *begun))
          look_at_route(world, step, begun->target, *hop);
    if (healths_.empty()) return;
    for (const core::Action& action : step.actions) {
      const Nid* hop = hop_of(step, action, *begun);
      if (hop == nullptr) continue;
      look_at(world, step, *hop);
      look_at_ni(world, step, ni_of(action));
    }
  }

 private:
  /// Checks the route of a request to a net on which the node has no NI. The request goes by one of
  /// the routes to that net, and not by a route that is worse than another usable one
  /// (spec/multirail.md 9.3). Nodes with policies are not checked, since a policy may prefer
  /// another route.
  void look_at_route(World& world, const ShardStep& step, const Nid& target, const Nid& hop) {
    const core::PeerNid* known = step.state.peers.find(target);
    if (step.state.nis.find(target.net()) != nullptr || hop == target) return;
    if (known == nullptr || known->multi_rail() || !step.state.config->udsp->entries().empty())
      return;
    // A peer without multi-rail sees one source NI (spec/multirail.md 3.4). Then only routers on
    // the net of that NI count.
    const auto source = step.state.routes.seen_sources.find(target);
    const core::LocalNi* const only = source == step.state.routes.seen_sources.end()
                                          ? nullptr
                                          : step.state.nis.find(source->second);
    const core::RouteEntry* taken = nullptr;
    const core::RouteEntry* best = nullptr;
    for (const core::RouteEntry& route : routes_to(step.state, target.net())) {
      const core::GatewayEntry& entry = route.gateway->entry;
      const auto rank = [](const core::RouteEntry& of) {
        return std::pair(of.priority, of.distance);
      };
      const bool is_it = core::is_of_gateway(step.state.peers, entry.gateway, hop);
      if (is_it && (taken == nullptr || rank(route) < rank(*taken))) taken = &route;
      if (!entry.reaches(target.net()) || step.state.nis.find(entry.gateway.net()) == nullptr)
        continue;
      if (only != nullptr && entry.gateway.net() != only->nid().net()) continue;
      if (may_be_behind(step.state, entry.gateway)) continue;
      if (best == nullptr || rank(route) < rank(*best)) best = &route;
    }
    if (taken == nullptr)
      return violation(world, &step.node,
                       "a request to {} goes by {}, which is the gateway of no route there", target,
                       hop);
    if (best != nullptr &&
        std::pair(best->priority, best->distance) < std::pair(taken->priority, taken->distance))
      violation(world, &step.node, "a request to {} goes by {}, and there is a better route",
                target, hop);
  }

  void look_at(World& world, const ShardStep& step, const Nid& hop) const {
    const auto chosen = healths_.find(hop);
    if (chosen == healths_.end()) return;  // the checker "peer entry obeyed" finds this
    const core::udsp::RuleList& rules = *step.state.config->udsp;
    const auto rank = [&](const Nid& nid, std::int32_t health) {
      return std::pair(-health, core::udsp::priority_of_peer_ni(rules, nid));
    };
    for (const auto& [nid, health] : healths_)
      if (nid.net() == hop.net() && rank(nid, health) < rank(hop, chosen->second))
        violation(world, &step.node, "a request goes to {}, while {}{}", hop, nid,
                  health > chosen->second ? " has better health" : " has a better priority");
    if (step.state.nis.turns == turns_)
      violation(world, &step.node, "a path to {} was chosen, and no turn passed", hop);
  }

  /// Checks the NI by which a request leaves, if any NI may send it (spec/multirail.md 3.2 B 1 to
  /// 3). `ni` 0: another shard chooses the NI.
  void look_at_ni(World& world, const ShardStep& step, core::NiId ni) const {
    const core::LocalNi* chosen = step.state.nis.find(ni);
    if (chosen == nullptr) return;
    const auto rank = [&](const core::LocalNi& of) {
      return std::tuple(of.fatal, -of.health,
                        core::udsp::priority_of_ni(*step.state.config->udsp, of.nid()));
    };
    for (const core::LocalNi* other : step.state.nis.configured())
      if (other->net == chosen->net && rank(*other) < rank(*chosen))
        violation(world, &step.node,
                  "a request leaves by {}, while {} has better health or a better priority",
                  chosen->nid(), other->nid());
  }
  // State of the peer to which the step begins a request.
  std::map<Nid, std::int32_t> healths_;  ///< by NID; empty: the shard does not choose among NIDs
  std::uint64_t turns_ = 0;
};

}  // namespace

std::unique_ptr<Checker> best_path_checker() { return std::make_unique<BestPath>(); }

}  // namespace ulnet::sim
