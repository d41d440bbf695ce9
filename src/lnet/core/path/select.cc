// Selects the NI and the next hop of a message, case by case. Source: spec/multirail.md 3.1 to 3.4.
#include "lnet/core/path/select.h"

#include <algorithm>
#include <optional>

#include "lnet/core/udsp/policy.h"

namespace ulnet::core {

namespace {

Choice no(int status, const char* reason) {
  Choice choice;
  choice.status = status;
  choice.reason = reason;
  return choice;
}

Choice direct(LocalNi* ni, const Nid& target, Pid pid) {
  Choice choice;
  choice.ni = ni;
  choice.hop = {target, pid};
  choice.destination = target;
  return choice;
}

/// The hop is LNet's own process on the router: drivers that distinguish peers by PID use this PID
/// for routers.
Choice via(const Way& way, const Nid& destination) {
  Choice choice = direct(way.ni, way.gateway, Pid::lustre());
  choice.destination = destination;
  choice.route = way.route;
  choice.rail = way.rail;
  choice.in_turn = true;
  return choice;
}

// ---- the rows of spec/multirail.md 3.1

/// Whether the peer must always see the same NI of this node (3.4).
bool wants_fixed_source(const SendIntent& intent) {
  if (intent.came_from != nullptr) return false;
  return !intent.internal && (intent.peer == nullptr || !intent.peer->multi_rail());
}

/// A route to the net of `destination` (3.3); `by`: the only NI allowed; null: any.
Choice by_route(const NiTable& nis, const SendIntent& intent, const Nid& destination,
                const LocalNi* by, Explanation* why) {
  if (intent.routes == nullptr) return no(-EHOSTUNREACH, "no route");
  const RouteQuery query{destination.net(), destination, by, intent.came_from, intent.memory_cpt};
  const Way way = best_way(nis, *intent.routes, query, why);
  return way.ni == nullptr ? no(-EHOSTUNREACH, "no route") : via(way, destination);
}

/// Whether the neighbour is a gateway. The routes may name another NID of the gateway.
bool is_gateway(const RouteView& routes, const Nid& neighbour) {
  if (routes.table.gateway(neighbour) != nullptr) return true;
  const PeerNid* known = routes.peers.find(neighbour);
  const auto is_named = [&](const Nid& nid) { return routes.table.gateway(nid) != nullptr; };
  if (known != nullptr && known->peer_entry != nullptr &&
      std::ranges::any_of(known->peer_entry->nids, is_named))
    return true;
  return std::ranges::any_of(routes.table.gateways(), [&](const auto& gateway) {
    return is_of_gateway(routes.peers, gateway.first, neighbour);
  });
}

/// The path through the router `back_to`, if it is still a gateway: an answer goes back through the
/// router from which its request came (3.1). `ni` null: the best NI of that router's net.
std::optional<Choice> back_by_router(const NiTable& nis, LocalNi* ni, const SendIntent& intent) {
  if (intent.back_to == nullptr || intent.routes == nullptr) return std::nullopt;
  const LocalNet* net = nis.find(intent.back_to->net());
  if (net == nullptr || (ni != nullptr && ni->nid().net() != net->id)) return std::nullopt;
  if (!is_gateway(*intent.routes, *intent.back_to)) return std::nullopt;
  LocalNi* const by = ni == nullptr ? best_of(*net, intent.memory_cpt) : ni;
  Choice choice = direct(by, *intent.back_to, Pid::lustre());
  choice.destination = intent.target;
  choice.in_turn = ni == nullptr;
  return choice;
}

Choice from_source(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  LocalNi* ni = nis.find(intent.source);
  if (ni == nullptr) return no(-EINVAL, "src is not a local nid");
  if (ni->nid().net() == intent.target.net()) return direct(ni, intent.target, intent.target_pid);
  if (const auto back = back_by_router(nis, ni, intent)) return *back;
  return by_route(nis, intent, intent.target, ni, why);
}

/// The best NID of a multi-rail peer that is on no net of this node (3.3, item 1): on the best of
/// its nets to which routes lead. Null: no route leads to any of its nets.
Rail* best_remote_rail(const NiTable& nis, const SendIntent& intent) {
  const auto health_of = [](const PeerNet& net) {
    std::int32_t best = 0;
    for (const Rail& rail : net.rails) best = std::max(best, rail.nid->health);
    return best;
  };
  PeerNet* best = nullptr;
  bool best_fatal = false;
  for (PeerNet& net : intent.rails->nets) {
    const Nid& any = net.rails.front().nid->nid;
    const RouteQuery query{net.id, any, nullptr, intent.came_from, -1};
    const LocalNi* const by = best_way(nis, *intent.routes, query, nullptr).ni;
    if (by == nullptr) continue;
    if (best == nullptr || Terms()
                               .lower(Term::kNoNiWorks, by->fatal, best_fatal)
                               .higher(Term::kHealth, health_of(net), health_of(*best))
                               .lower(Term::kPriority, net.priority, best->priority)
                               .lower(Term::kTurn, net.sequence, best->sequence)
                               .verdict()
                               .better)
      best = &net, best_fatal = by->fatal;
  }
  if (best == nullptr) return nullptr;
  Rail* chosen = &best->rails.front();
  for (Rail& rail : best->rails)
    if (Terms()
            .higher(Term::kHealth, rail.nid->health, chosen->nid->health)
            .lower(Term::kPriority, rail.priority, chosen->priority)
            .lower(Term::kTurn, rail.sequence, chosen->sequence)
            .verdict()
            .better)
      chosen = &rail;
  return chosen;
}

/// Whether this node has a working NI on a net of the peer.
bool has_working_net(const NiTable& nis, const Rails& rails) {
  return std::ranges::any_of(rails.nets, [&](const PeerNet& net) { return nis.works(net.id); });
}

/// A routed path to a multi-rail peer (3.3).
Choice by_remote_rail(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  Rail* const far = intent.routes == nullptr ? nullptr : best_remote_rail(nis, intent);
  if (far == nullptr) return no(-EHOSTUNREACH, "no route");
  Choice choice = by_route(nis, intent, far->nid->nid, nullptr, why);
  choice.far_rail = far;
  return choice;
}

Choice by_any_rail(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  const CommonNet net = best_net(nis, *intent.rails, nullptr, why);
  if (net.peer == nullptr) return by_remote_rail(nis, intent, why);
  if (!net.local->works() && !has_working_net(nis, *intent.rails)) {
    const Choice far = by_remote_rail(nis, intent, why);
    if (far.status == 0 && !far.ni->fatal) return far;
  }
  LocalNi* const ni = best_of(*net.local, intent.memory_cpt);
  if (why != nullptr) explain_ni(*net.local, *ni, intent.memory_cpt, *why);
  Rail* const rail = best_rail(*net.peer, *ni, why);
  Choice choice = direct(ni, rail->nid->nid, intent.target_pid);
  choice.in_turn = true;
  choice.rail = rail;
  return choice;
}

/// A path to a NID behind routers. A peer without multi-rail always sees the same NI of this node,
/// as long as that NI reaches a gateway (3.4).
Choice by_any_router(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  if (wants_fixed_source(intent) && intent.routes != nullptr) {
    const auto& sources = intent.routes->table.seen_sources;
    const auto before = sources.find(intent.target);
    const LocalNi* const seen = before == sources.end() ? nullptr : nis.find(before->second);
    if (seen != nullptr && seen->phase == NiPhase::kUp) {
      const Choice choice = by_route(nis, intent, intent.target, seen, why);
      if (choice.status == 0) return choice;
    }
  }
  return by_route(nis, intent, intent.target, nullptr, why);
}

/// A path to a NID behind routers for any message. An answer takes such a path when the NI that
/// received the request has failed. The answer still goes back through its router, unless no NI on
/// that router's net works and a working NI reaches another router.
Choice to_this_far_nid(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  const auto back = back_by_router(nis, nullptr, intent);
  if (back && !back->ni->fatal) return *back;
  const Choice choice = by_any_router(nis, intent, why);
  return back && (choice.status != 0 || choice.ni->fatal) ? *back : choice;
}

Choice to_this_nid(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  const LocalNet* net = nis.find(intent.target.net());
  if (net == nullptr) return to_this_far_nid(nis, intent, why);
  if (wants_fixed_source(intent)) return direct(nullptr, intent.target, intent.target_pid);
  Choice choice = direct(best_of(*net, intent.memory_cpt), intent.target, intent.target_pid);
  if (why != nullptr) explain_ni(*net, *choice.ni, intent.memory_cpt, *why);
  choice.in_turn = true;
  return choice;
}

/// The text for the row of 3.1.
const char* way_of(const SendIntent& intent) {
  if (intent.target.is_loopback()) return "the target is this node: 0@lo";
  if (!intent.source.is_any()) return "the source is given: that NI, and the NID as given";
  if (intent.rails != nullptr) return "multi-rail peer: any of its NIDs by any NI";
  if (wants_fixed_source(intent)) return "peer without multi-rail: it always sees the same NI";
  return "the NID as given, by the best NI of its net";
}

}  // namespace

Choice select(const NiTable& nis, const SendIntent& intent, Explanation* why) {
  if (nis.configured().empty()) return no(-ESHUTDOWN, "not running");
  if (why != nullptr) why->way = way_of(intent);
  if (intent.target.is_loopback()) {
    LocalNi* lo = nis.loopback();
    return lo == nullptr ? no(-ESHUTDOWN, "not running")
                         : direct(lo, Nid::loopback(), intent.target_pid);
  }
  if (!intent.source.is_any()) return from_source(nis, intent, why);
  return intent.rails != nullptr ? by_any_rail(nis, intent, why) : to_this_nid(nis, intent, why);
}

void take_turn(NiTable& nis, const Choice& choice, const RouteView* routes) {
  if (!choice.in_turn) return;
  if (choice.route != nullptr) routes->table.take_turn(*choice.route);
  if (choice.far_rail != nullptr)
    choice.far_rail->sequence = choice.far_rail->net->sequence =
        ++choice.far_rail->net->of->sequence;
  choice.ni->sequence = choice.ni->net->sequence = ++nis.turns;
  if (choice.rail == nullptr) return;
  PeerNet& net = *choice.rail->net;
  choice.rail->sequence = net.sequence = ++net.of->sequence;
}

namespace {

/// The best of the NIs that a policy prefers for the NID; null: no policy prefers one.
[[gnu::noinline]] LocalNi* best_preferred(const LocalNet& net, const udsp::RuleList& rules,
                                          const Nid& nid, std::int32_t memory_cpt) {
  LocalNi* best = nullptr;
  for (LocalNi* ni : net.nis) {
    if (!udsp::prefers_source(rules, nid, ni->nid())) continue;
    if (best == nullptr || is_better(*ni, *best, memory_cpt)) best = ni;
  }
  return best;
}

}  // namespace

Choice pick_source(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed,
                   std::int32_t memory_cpt, Explanation* why) {
  Choice choice;
  if (fixed.value != 0) {
    choice.ni = nis.find(fixed);
    if (choice.ni != nullptr && choice.ni->phase == NiPhase::kUp) {
      if (why != nullptr) why->way = "peer without multi-rail: it sees the NI that it saw before";
      return choice;
    }
  }
  const LocalNet* net = nis.find(nid.net());
  choice.ni = nullptr;
  choice.in_turn = true;
  if (net == nullptr) return choice;
  if (!rules.entries().empty()) choice.ni = best_preferred(*net, rules, nid, memory_cpt);
  if (choice.ni != nullptr) {
    if (why != nullptr) why->way = "peer without multi-rail: a policy prefers this NI for it";
    return choice;
  }
  choice.ni = best_of(*net, memory_cpt);
  if (why != nullptr) explain_ni(*net, *choice.ni, memory_cpt, *why);
  return choice;
}

bool is_superseded(const NiTable& nis, const udsp::RuleList& rules, const Nid& nid, NiId fixed) {
  const LocalNet* net = nis.find(nid.net());
  if (net == nullptr || fixed.value == 0) return false;
  bool others = false;
  for (const LocalNi* ni : net->nis) {
    if (!udsp::prefers_source(rules, nid, ni->nid())) continue;
    if (ni->config.id == fixed) return false;
    others = true;
  }
  return others;
}

}  // namespace ulnet::core
