// Applies the list of routes and the gateway entries to a shard, and keeps the routes to each net
// in order. Source: spec/multirail.md 3.3, 9.3.
#include "lnet/core/path/route_table.h"

#include <algorithm>
#include <utility>

#include "lnet/core/path/select_steps.h"

namespace ulnet::core {

namespace {

void unlink(Gateway& gateway, PeerTable& peers) {
  for (const Gateway::Link& link : std::exchange(gateway.links, {}))
    peers.unwatch(*link.nid, gateway);
  if (gateway.named != nullptr) peers.unwatch(*std::exchange(gateway.named, nullptr), gateway);
  gateway.linked = false;
}

/// Watches the gateway's NIDs that way_by() in select_route.cc may use.
void link(Gateway& gateway, const NiTable& nis, PeerTable& peers) {
  unlink(gateway, peers);
  gateway.named = &peers.watch(gateway.entry.gateway, gateway);
  const PeerNid* const known = gateway.named->known;
  gateway.peer = known == nullptr ? nullptr : known->peer_entry;
  const auto add = [&](const Nid& nid) {
    const LocalNet* const net = nis.find(nid.net());
    if (net != nullptr) gateway.links.push_back({&peers.watch(nid, gateway), net->peer_credits});
  };
  if (known != nullptr && known->multi_rail())
    for (const Nid& nid : gateway.peer->nids) add(nid);
  else
    add(gateway.entry.gateway);
  gateway.linked = true;
}

void judge(Gateway& gateway, const NiTable& nis, PeerTable& peers) {
  const PeerNid* const known = gateway.named == nullptr ? nullptr : gateway.named->known;
  const PeerEntry* const peer_entry = known == nullptr ? nullptr : known->peer_entry.get();
  if (!gateway.linked || peer_entry != gateway.peer.get()) link(gateway, nis, peers);
  for (std::size_t i = 0; i < gateway.links.size(); ++i) {
    const Gateway::Link& link = gateway.links[i];
    const Readiness one = readiness_of(link.nid->known, link.of_net);
    Readiness& best = gateway.readiness;
    if (i == 0) best = one;
    best.health = std::max(best.health, one.health);
    best.queued = std::min(best.queued, one.queued);
    best.credits = std::max(best.credits, one.credits);
  }
  gateway.judged = gateway.changed;
}

}  // namespace

void RouteTable::apply(const std::shared_ptr<const RouteList>& list, bool usable,
                       PeerTable& peers) {
  if (list == list_) return;
  list_ = list;
  nets_.clear();
  log_.clear();
  std::map<Nid, Gateway> before = std::exchange(gateways_, {});
  for (auto& [nid, gateway] : before) unlink(gateway, peers);
  seen_sources.clear();
  for (const auto& [id, routes] : list->nets()) {
    RemoteNet& net = nets_[id];
    net.id = id;
    net.routes.reserve(routes.size());
    for (const Route& route : routes) {
      const auto [at, is_new] = gateways_.try_emplace(route.gateway);
      Gateway& gateway = at->second;
      if (is_new) {
        const auto known = received_.find(route.gateway);
        gateway.entry = known == received_.end()
                            ? GatewayEntry{.gateway = route.gateway, .usable = usable}
                            : known->second;
        gateway.log = &log_;
        log_.note(gateway);
      }
      const auto place = static_cast<std::uint32_t>(net.routes.size());
      RouteEntry& entry = net.routes.emplace_back();
      entry.gateway = &gateway;
      entry.distance = route.distance();
      entry.priority = route.priority;
      entry.place = place;
      gateway.routes.emplace_back(id, &entry);
    }
  }
  for (const auto& [nid, gateway] : before)
    if (!gateways_.contains(nid)) received_.erase(nid);
  missed_ = static_cast<std::uint32_t>(std::ranges::count_if(
      received_, [](const auto& received) { return received.second.misses_any(); }));
}

void RouteTable::take(const GatewayEntry& entry) {
  GatewayEntry& received = received_[entry.gateway];
  missed_ += static_cast<std::uint32_t>(entry.misses_any());
  missed_ -= static_cast<std::uint32_t>(received.misses_any());
  received = entry;
  const auto found = gateways_.find(entry.gateway);
  if (found == gateways_.end()) return;
  found->second.entry = entry;
  for (const auto& [net, route] : found->second.routes) route->loop_check_due = Instant::min();
  log_.note(found->second);
}

void RouteTable::take_turn(RouteEntry& route) {
  route.sequence = ++turns;
  log_.note(*route.gateway);
}

bool RouteTable::nis_are_other(const NiTable& nis) const { return nis.version() != nis_version_; }

void RouteTable::put_in_order(RemoteNet& net, const NiTable& nis, PeerTable& peers) {
  if (nis_are_other(nis)) {
    nis_version_ = nis.version();
    for (auto& [nid, gateway] : gateways_) {
      gateway.linked = false;
      log_.note(gateway);
    }
  }
  log_.for_each_since(net.order.seen, [&](Gateway& gateway) {
    RouteEntry* const route = gateway.route_to(net.id);
    if (route == nullptr) return;
    if (gateway.judged != gateway.changed) judge(gateway, nis, peers);
    net.order.put(*route, gateway.entry.reaches(net.id));
  });
  net.order.seen = log_.now();
}

void RouteTable::saw_source(const Nid& target, NiId source, std::size_t most) {
  const auto at = seen_sources.insert_or_assign(target, source).first;
  if (seen_sources.size() <= most) return;
  seen_sources.erase(at != seen_sources.begin() ? std::prev(at) : std::next(at));
}

}  // namespace ulnet::core
