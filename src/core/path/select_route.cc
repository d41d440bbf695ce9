#include "core/path/select_route.h"

#include "base/canary.h"
#include "core/udsp/policy.h"

namespace ulnet::core {

namespace {

/// A way, and what it is judged by.
struct Judged {
  Way way;
  bool preferred = false;  ///< a policy wants this router for the destination
  std::int32_t health = kHealthMax;
  std::int64_t queued = 0;  ///< bytes; known where the gateway's NID has its home
  std::int64_t credits = 0;
};

Comparison compare(const Judged& a, const Judged& b) {
  return Terms()
      .higher(Term::kPreferred, a.preferred, b.preferred)
      .lower(Term::kPriority, a.way.route->priority, b.way.route->priority)
      .lower(Term::kHops, ULNET_CANARY(kHopsIgnored) ? 0 : a.way.route->distance,
             ULNET_CANARY(kHopsIgnored) ? 0 : b.way.route->distance)
      .higher(Term::kHealth, a.health, b.health)
      .lower(Term::kQueued, a.queued, b.queued)
      .higher(Term::kCredits, a.credits, b.credits)
      .lower(Term::kTurn, a.way.route->sequence, b.way.route->sequence)
      .verdict();
}

Candidate describe(const Judged& judged) {
  Candidate shown;
  shown.kind = Candidate::Kind::kRoute;
  shown.nid = judged.way.gateway;
  shown.preferred = judged.preferred;
  shown.priority = judged.way.route->priority;
  shown.hops = judged.way.route->distance;
  shown.health = judged.health;
  shown.queued = judged.queued;
  shown.credits = judged.credits;
  shown.turn = judged.way.route->sequence;
  return shown;
}

/// By which NI of this node, and which NID of the gateway, this route is taken. `ni` null: by none.
Way way_by(const NiTable& nis, const RouteView& view, const RouteWish& wish, RouteEntry& route) {
  Way way;
  way.route = &route;
  way.gateway = route.gateway->card.gateway;
  const LocalNet* const only = wish.by == nullptr ? nullptr : wish.by->net;
  PeerNid* const known = view.peers.find(way.gateway);
  const LocalNet* net = nullptr;
  PeerNet* of_gateway = nullptr;
  if (known != nullptr && known->multi_rail()) {
    const CommonNet common = best_net(nis, view.peers.rails_of(*known, view.config), only, nullptr);
    net = common.local;
    of_gateway = common.peer;
  } else {
    net = nis.find(way.gateway.net());
    if (only != nullptr && net != only) net = nullptr;
  }
  if (net == nullptr) return way;
  way.ni = wish.by != nullptr ? nis.find(wish.by->config.id) : best_of(*net, wish.memory_cpt);
  if (of_gateway != nullptr) {
    way.rail = best_rail(*of_gateway, *way.ni, nullptr);
    way.gateway = way.rail->nid->nid;
  }
  return way;
}

Judged judge(const RouteView& view, const RouteWish& wish, const Way& way) {
  Judged judged{way};
  const auto& rules = *view.config.udsp;
  if (!rules.entries().empty()) {
    const Nid& primary = view.peers.primary_of(way.route->gateway->card.gateway);
    judged.preferred = udsp::prefers_router(rules, wish.destination, primary);
  }
  const PeerNid* const nid = way.rail != nullptr ? way.rail->nid : view.peers.find(way.gateway);
  const std::int32_t of_net = way.ni->net->peer_credits;
  judged.credits = of_net;
  if (nid == nullptr) return judged;
  judged.health = nid->health;
  judged.credits = credits_of(*nid, of_net);
  if (nid->ni != nullptr) judged.queued = nid->ni->queued_bytes;
  return judged;
}

}  // namespace

bool is_of_gateway(const PeerTable& peers, const Nid& gateway, const Nid& neighbour) {
  if (gateway == neighbour) return true;
  const PeerNid* known = peers.find(neighbour);
  return known != nullptr && known->card != nullptr && known->card->has(gateway);
}

Way best_way(const NiTable& nis, const RouteView& view, const RouteWish& wish, Explanation* why) {
  RemoteNet* const net = view.table.find(wish.net);
  if (net == nullptr) return {};
  std::vector<Judged> seen;  // only to explain
  Judged best;
  for (RouteEntry& route : net->routes) {
    const GatewayCard& card = route.gateway->card;
    if (!card.reaches(net->id)) continue;
    if (wish.except != nullptr && !ULNET_CANARY(kSentBack) &&
        is_of_gateway(view.peers, card.gateway, *wish.except))
      continue;
    const Way way = way_by(nis, view, wish, route);
    if (way.ni == nullptr) continue;
    const Judged judged = judge(view, wish, way);
    if (why != nullptr) seen.push_back(judged);
    if (best.way.route == nullptr || compare(judged, best).better) best = judged;
  }
  for (const Judged& judged : seen) {
    Candidate shown = describe(judged);
    shown.chosen = judged.way.route == best.way.route;
    shown.lost_by = compare(best, judged).by;
    why->candidates.push_back(shown);
  }
  return best.way;
}

}  // namespace ulnet::core
