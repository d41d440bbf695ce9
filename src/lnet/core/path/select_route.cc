// Selects the best route to a net, and the NI and the gateway's NID to use. Source:
// spec/multirail.md 3.3, 9.3.
#include "lnet/core/path/select_route.h"

#include "lnet/core/udsp/policy.h"

namespace ulnet::core {

namespace {

/// A way, with the values by which it is compared.
struct Judged {
  Way way;
  bool preferred = false;  ///< a policy prefers this router for the destination
  Readiness of;
};

/// For fewer routes than this, comparing all of them costs less than keeping them in order.
constexpr std::size_t kMinOrderedRoutes = 5;

Comparison compare(const Judged& a, const Judged& b) {
  return Terms()
      .lower(Term::kNoNiWorks, a.way.ni->fatal, b.way.ni->fatal)
      .higher(Term::kPreferred, a.preferred, b.preferred)
      .lower(Term::kPriority, a.way.route->priority, b.way.route->priority)
      .lower(Term::kHops, a.way.route->distance, b.way.route->distance)
      .higher(Term::kHealth, a.of.health, b.of.health)
      .lower(Term::kQueued, a.of.queued, b.of.queued)
      .higher(Term::kCredits, a.of.credits, b.of.credits)
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
  shown.health = judged.of.health;
  shown.queued = judged.of.queued;
  shown.credits = judged.of.credits;
  shown.turn = judged.way.route->sequence;
  return shown;
}

const LocalNet* only_net(const RouteQuery& query) {
  return query.by == nullptr ? nullptr : query.by->net;
}

/// The NI of this node and the gateway's NID that a message on this route uses. `ni` null: the
/// route cannot be used. `known`: this shard's record of the NID that the route names.
Way way_by(const NiTable& nis, const RouteView& view, const RouteQuery& query, RouteEntry& route,
           PeerNid* known) {
  Way way;
  way.route = &route;
  way.gateway = route.gateway->entry.gateway;
  const LocalNet* const only = only_net(query);
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
  way.ni = query.by != nullptr ? nis.find(query.by->config.id) : best_of(*net, query.memory_cpt);
  if (of_gateway != nullptr) {
    way.rail = best_rail(*of_gateway, *way.ni, nullptr);
    way.gateway = way.rail->nid->nid;
  }
  return way;
}

Readiness readiness_of(const Way& way, const PeerNid* known) {
  return readiness_of(way.rail != nullptr ? way.rail->nid : known, way.ni->net->peer_credits);
}

Judged judge(const RouteView& view, const RouteQuery& query, const Way& way, const PeerNid* known) {
  Judged judged{way};
  const auto& rules = *view.config.udsp;
  if (!rules.entries().empty()) {
    const Nid& primary = view.peers.primary_of(way.route->gateway->entry.gateway);
    judged.preferred = udsp::prefers_router(rules, query.destination, primary);
  }
  judged.of = readiness_of(way, known);
  return judged;
}

}  // namespace

bool is_of_gateway(const PeerTable& peers, const Nid& gateway, const Nid& neighbour) {
  if (gateway == neighbour) return true;
  const auto says = [&](const Nid& of, const Nid& other) {
    const PeerNid* known = peers.find(of);
    return known != nullptr && known->peer_entry != nullptr && known->peer_entry->has(other);
  };
  return says(neighbour, gateway) || says(gateway, neighbour);
}

Way best_way_of_all(const NiTable& nis, const RouteView& view, RemoteNet& net,
                    const RouteQuery& query, Explanation* why) {
  std::vector<Judged> seen;  // only to explain
  Judged best;
  for (RouteEntry& route : net.routes) {
    const GatewayEntry& entry = route.gateway->entry;
    if (!entry.reaches(net.id)) continue;
    if (query.except != nullptr && is_of_gateway(view.peers, entry.gateway, *query.except))
      continue;
    PeerNid* const known = view.peers.find(entry.gateway);
    const Way way = way_by(nis, view, query, route, known);
    if (way.ni == nullptr) continue;
    const Judged judged = judge(view, query, way, known);
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

namespace {

/// The best way: among routes through NIs without a fatal error, or with `by_fatal` among all.
Way best_in_order(const NiTable& nis, const RouteView& view, RemoteNet& net,
                  const RouteQuery& query, bool by_fatal) {
  const LocalNet* const only = only_net(query);
  Way best;
  Readiness of_best;
  for (const RouteGroup& group : view.table.in_order(net, nis, view.peers).groups) {
    if (only != nullptr && !group.may_reach(only->id)) continue;
    for (const RouteEntry& next : group.routes) {
      if (best.route != nullptr && !goes_before(next, next.readiness, *best.route, of_best)) break;
      const Nid& gateway = next.gateway->entry.gateway;
      if (query.except != nullptr && is_of_gateway(view.peers, gateway, *query.except)) continue;
      RouteEntry& route = net.routes[next.place];
      PeerNid* const known = next.gateway->named->known;
      const Way way = way_by(nis, view, query, route, known);
      if (way.ni == nullptr || (way.ni->fatal && !by_fatal)) continue;
      const Readiness readiness = readiness_of(way, known);
      if (best.route != nullptr && !goes_before(route, readiness, *best.route, of_best)) continue;
      best = way;
      of_best = readiness;
    }
  }
  return best;
}

}  // namespace

Way best_way_in_order(const NiTable& nis, const RouteView& view, RemoteNet& net,
                      const RouteQuery& query) {
  const Way way = best_in_order(nis, view, net, query, false);
  return way.ni != nullptr ? way : best_in_order(nis, view, net, query, true);
}

Way best_way(const NiTable& nis, const RouteView& view, const RouteQuery& query, Explanation* why) {
  RemoteNet* const net = view.table.find(query.net);
  if (net == nullptr) return {};
  const auto& rules = *view.config.udsp;
  const bool scan =
      why != nullptr || net->routes.size() < kMinOrderedRoutes ||
      (!rules.entries().empty() && udsp::prefers_some_router(rules, query.destination));
  return scan ? best_way_of_all(nis, view, *net, query, why)
              : best_way_in_order(nis, view, *net, query);
}

}  // namespace ulnet::core
