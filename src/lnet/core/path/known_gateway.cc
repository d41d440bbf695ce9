// Decides whether a gateway is alive and which of its routes are up, from router checks, traffic
// and reports of drivers. Source: spec/multirail.md 9.3, 9.4.
#include "lnet/core/path/known_gateway.h"

#include <algorithm>
#include <utility>

namespace ulnet::core {

namespace {

bool has(const std::vector<NetId>& nets, NetId net) {
  return std::find(nets.begin(), nets.end(), net) != nets.end();
}

bool is_reported_down(const Peer* peer, const Nid& nid) {
  if (peer == nullptr || peer->remarks == nullptr) return false;
  const std::vector<Nid>& down = peer->remarks->down;
  return std::find(down.begin(), down.end(), nid) != down.end();
}

bool is_silent_on(const KnownGateway& gateway, NetId net) {
  return std::any_of(gateway.near.begin(), gateway.near.end(),
                     [&](const auto& near) { return near.net == net && near.silent; });
}

/// Whether the info has NIDs on the net, and all of them are down.
bool is_down_on(const wire::PingInfo& info, NetId net) {
  bool named = false;
  for (const auto* entries : {&info.legacy, &info.large})
    for (const wire::PingEntry& entry : *entries) {
      if (entry.nid.net() != net) continue;
      if (entry.status != wire::NiStatus::kDown) return false;
      named = true;
    }
  return named;
}

/// Whether this node, or the gateway, has discovery off, so that flags decide which routes are up.
bool goes_by_flags(const GatewayView& view) {
  return view.globals.discovery == 0 || (view.peer != nullptr && view.peer->has(kPeerNoDiscovery));
}

/// Whether the statuses of the gateway's far NIDs count. Without discovery only checks report that
/// far NIDs are up again, so the statuses do not count if checks are off too.
bool far_side_counts(const GatewayView& view) {
  const Globals& globals = view.globals;
  if (!globals.avoid_asym_router_failure) return false;
  return !goes_by_flags(view) || globals.alive_router_check_interval > 0;
}

bool has_loop(const KnownGateway& gateway, NetId net) {
  return std::any_of(gateway.loops.begin(), gateway.loops.end(),
                     [&](const auto& loop) { return loop.net == net && loop.closed; });
}

bool has_advertised(const GatewayView& view) {
  return view.peer != nullptr && view.peer->has(kPeerDiscovered);
}

}  // namespace

void KnownGateway::Near::is_well(std::uint32_t number) {
  silent = false;
  losses.clear();
  settled = std::max(settled, number);
}

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

void KnownGateway::answered(NetId net, std::uint32_t number, Instant now,
                            const wire::PingInfo& info) {
  tried = alive = true;
  last_answer = now;
  flagged.clear();
  far_down.clear();
  for (const NetId each : nets)
    if (is_down_on(info, each)) far_down.push_back(each);
  if (Near* const there = find(net)) there->is_well(number);
}

bool KnownGateway::check_not_sent(NetId net, std::uint32_t number, NiId by, const LocalNet* ours) {
  Near* const there = find(net);
  if (there == nullptr || there->silent || number <= there->settled) return false;
  // The driver of `by` may have reported the loss while the check was under way, so the result of
  // add() does not matter. The next check uses another NI, and each NI is added at most once.
  there->losses.add(by);
  return !there->losses.by_all_of(ours);
}

bool KnownGateway::failed(NetId net, std::uint32_t number) {
  const bool first = !std::exchange(tried, true);
  Near* const there = find(net);
  if (there == nullptr || number <= there->settled) return first;
  there->settled = number;
  const bool before = std::exchange(there->silent, true);
  look_at_all();
  return !before || first;
}

void KnownGateway::heard(NetId by, NetId from, std::uint32_t number) {
  if (tried) alive = true;
  std::erase(flagged, from);
  std::erase(far_down, from);
  if (by == from) flagged.clear();
  if (Near* const there = find(by)) there->is_well(number);
}

bool KnownGateway::lost_by(NetId net, NiId by, const LocalNet* ours) {
  Near* const there = find(net);
  if (there == nullptr || there->silent) return false;
  const bool news = there->losses.add(by);
  if (!there->losses.by_all_of(ours)) return news;
  there->silent = true;
  look_at_all();
  return true;
}

Instant KnownGateway::next_extra_check(Instant now) const {
  return std::max(now, extra_check + std::chrono::seconds(1));
}

void KnownGateway::said_up(std::uint32_t number) {
  tried = alive = true;
  flagged.clear();
  far_down.clear();
  for (Near& each : near) each.is_well(number);
}

RoutingLoop* KnownGateway::find_loop(NetId net) {
  const auto found =
      std::find_if(loops.begin(), loops.end(), [&](const auto& each) { return each.net == net; });
  return found == loops.end() ? nullptr : &*found;
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
    return is_near(nid) && !is_silent_on(gateway, nid.net()) && !is_reported_down(view.peer, nid);
  });
  if (!reached) return RouteTrouble::kNearDown;
  if (has_advertised(view) && !view.peer->has(kPeerRouterEnabled)) return RouteTrouble::kNotRouting;
  return RouteTrouble::kNone;
}

RouteTrouble trouble_of(const GatewayView& view, NetId net) {
  if (const RouteTrouble all = trouble_of(view); all != RouteTrouble::kNone) return all;
  if (has_loop(view.gateway, net)) return RouteTrouble::kLoop;
  const bool needs_far_side = far_side_counts(view);
  if (goes_by_flags(view)) {
    if (has(view.gateway.flagged, net)) return RouteTrouble::kFlag;
    const bool down = needs_far_side && has(view.gateway.far_down, net);
    return down ? RouteTrouble::kFarDown : RouteTrouble::kNone;
  }
  if (!needs_far_side || is_multi_hop(view, net)) return RouteTrouble::kNone;
  const std::span<const Nid> nids = view.nids();
  const bool up = std::any_of(nids.begin(), nids.end(), [&](const Nid& nid) {
    return nid.net() == net && !is_reported_down(view.peer, nid);
  });
  return up ? RouteTrouble::kNone : RouteTrouble::kFarDown;
}

bool is_multi_hop(const GatewayView& view, NetId net) {
  const std::span<const Nid> nids = view.nids();
  return std::none_of(nids.begin(), nids.end(), [&](const Nid& nid) { return nid.net() == net; });
}

bool is_up(const GatewayView& view, const Nid& nid) {
  return view.gateway.alive && !is_reported_down(view.peer, nid) &&
         !is_silent_on(view.gateway, nid.net());
}

GatewayEntry gateway_entry_of(const GatewayView& view) {
  const KnownGateway& gateway = view.gateway;
  GatewayEntry entry;
  entry.gateway = gateway.nid;
  entry.usable = trouble_of(view) == RouteTrouble::kNone;
  entry.missed = !gateway.alive || !gateway.flagged.empty() ||
                 std::any_of(gateway.near.begin(), gateway.near.end(),
                             [](const auto& near) { return near.silent; });
  if (goes_by_flags(view) && far_side_counts(view)) entry.missed_from = gateway.far_down;
  if (!entry.usable) return entry;
  for (const NetId net : gateway.nets)
    if (trouble_of(view, net) != RouteTrouble::kNone) entry.lost.push_back(net);
  return entry;
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
