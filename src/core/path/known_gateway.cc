#include "core/path/known_gateway.h"

#include <algorithm>
#include <utility>

namespace ulnet::core {

namespace {

bool has(const std::vector<NetId>& nets, NetId net) {
  return std::find(nets.begin(), nets.end(), net) != nets.end();
}

bool is_told_down(const Peer* peer, const Nid& nid) {
  if (peer == nullptr || peer->remarks == nullptr) return false;
  const std::vector<Nid>& down = peer->remarks->down;
  return std::find(down.begin(), down.end(), nid) != down.end();
}

bool is_silent_on(const KnownGateway& gateway, NetId net) {
  return std::any_of(gateway.near.begin(), gateway.near.end(),
                     [&](const auto& near) { return near.net == net && near.silent; });
}

/// Whether this node, or the gateway, does no discovery, so that flags say which routes are up.
bool goes_by_flags(const GatewayView& view) {
  return view.globals.discovery == 0 || (view.peer != nullptr && view.peer->has(kPeerNoDiscovery));
}

bool has_told(const GatewayView& view) {
  return view.peer != nullptr && view.peer->has(kPeerDiscovered);
}

}  // namespace

KnownGateway::Near* KnownGateway::find(NetId net) {
  const auto found =
      std::find_if(near.begin(), near.end(), [&](const Near& each) { return each.net == net; });
  return found == near.end() ? nullptr : &*found;
}

void KnownGateway::look_at_all() {
  const bool silent =
      std::all_of(near.begin(), near.end(), [](const Near& each) { return each.silent; });
  if (!silent) return;
  alive = false;
  flagged = nets;
}

void KnownGateway::answered(NetId net, std::uint32_t number, Instant now) {
  tried = alive = true;
  last_answer = now;
  flagged.clear();
  Near* const there = find(net);
  if (there == nullptr) return;
  there->silent = false;
  there->settled = std::max(there->settled, number);
}

bool KnownGateway::failed(NetId net, std::uint32_t number) {
  Near* const there = find(net);
  if (there == nullptr || number <= there->settled) return false;
  there->settled = number;
  const bool before = std::exchange(there->silent, true);
  const bool first = !std::exchange(tried, true);
  look_at_all();
  return !before || first;
}

void KnownGateway::heard(NetId by, NetId from, std::uint32_t number) {
  if (tried) alive = true;
  std::erase(flagged, from);
  if (by == from) flagged.clear();
  Near* const there = find(by);
  if (there == nullptr) return;
  there->silent = false;
  there->settled = number;
}

bool KnownGateway::said_down(NetId net) {
  Near* const there = find(net);
  if (there == nullptr || std::exchange(there->silent, true)) return false;
  look_at_all();
  return true;
}

void KnownGateway::said_up(std::uint32_t number) {
  tried = alive = true;
  flagged.clear();
  for (Near& each : near) {
    each.silent = false;
    each.settled = number;
  }
}

RouteTrouble trouble_of(const GatewayView& view) {
  const KnownGateway& gateway = view.gateway;
  if (view.nis.find(gateway.nid) != nullptr) return RouteTrouble::kSelf;
  const auto is_near = [&](const Nid& nid) { return view.nis.find(nid.net()) != nullptr; };
  const std::span<const Nid> nids = view.nids();
  if (std::none_of(nids.begin(), nids.end(), is_near)) return RouteTrouble::kNoLocalNi;
  if (!gateway.alive) return gateway.tried ? RouteTrouble::kSilent : RouteTrouble::kUntried;
  if (goes_by_flags(view)) return RouteTrouble::kNone;
  const bool reached = std::any_of(nids.begin(), nids.end(), [&](const Nid& nid) {
    return is_near(nid) && !is_silent_on(gateway, nid.net()) && !is_told_down(view.peer, nid);
  });
  if (!reached) return RouteTrouble::kNearDown;
  if (has_told(view) && !view.peer->has(kPeerRouterEnabled)) return RouteTrouble::kNotRouting;
  return RouteTrouble::kNone;
}

RouteTrouble trouble_of(const GatewayView& view, NetId net) {
  if (const RouteTrouble all = trouble_of(view); all != RouteTrouble::kNone) return all;
  if (goes_by_flags(view))
    return has(view.gateway.flagged, net) ? RouteTrouble::kFlag : RouteTrouble::kNone;
  if (!view.globals.avoid_asym_router_failure || is_multi_hop(view, net))
    return RouteTrouble::kNone;
  const std::span<const Nid> nids = view.nids();
  const bool up = std::any_of(nids.begin(), nids.end(), [&](const Nid& nid) {
    return nid.net() == net && !is_told_down(view.peer, nid);
  });
  return up ? RouteTrouble::kNone : RouteTrouble::kFarDown;
}

bool is_multi_hop(const GatewayView& view, NetId net) {
  const std::span<const Nid> nids = view.nids();
  return std::none_of(nids.begin(), nids.end(), [&](const Nid& nid) { return nid.net() == net; });
}

bool is_up(const GatewayView& view, const Nid& nid) {
  return view.gateway.alive && !is_told_down(view.peer, nid) &&
         !is_silent_on(view.gateway, nid.net());
}

GatewayCard card_of(const GatewayView& view) {
  const KnownGateway& gateway = view.gateway;
  GatewayCard card;
  card.gateway = gateway.nid;
  card.usable = trouble_of(view) == RouteTrouble::kNone;
  card.missed = !gateway.alive || !gateway.flagged.empty() ||
                std::any_of(gateway.near.begin(), gateway.near.end(),
                            [](const auto& near) { return near.silent; });
  if (!card.usable) return card;
  for (const NetId net : gateway.nets)
    if (trouble_of(view, net) != RouteTrouble::kNone) card.lost.push_back(net);
  return card;
}

GatewayRow row_of(const GatewayView& view, Instant now) {
  const KnownGateway& gateway = view.gateway;
  GatewayRow row;
  row.gateway = gateway.nid;
  row.routes = static_cast<std::uint32_t>(gateway.nets.size());
  row.alive = gateway.alive;
  const std::span<const Nid> nids = view.nids();
  row.all_up =
      std::all_of(nids.begin(), nids.end(), [&](const Nid& nid) { return is_up(view, nid); });
  if (gateway.last_answer != Instant::min())
    row.last_answer_s =
        std::chrono::duration_cast<std::chrono::seconds>(now - gateway.last_answer).count();
  return row;
}

}  // namespace ulnet::core
