// Fills in what a shard shows of its NIs, peers and counters. Source: spec/core-semantics.md 9, 16,
// spec/cli-lnetctl.md 4.1, 4.2, 12.

#include "lnet/core/flow/show.h"

#include <algorithm>

#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/notify.h"
#include "lnet/core/flow/peers.h"

namespace ulnet::core {

namespace {

call::NiRow row_of(const ShardState& s, const LocalNi& ni) {
  call::NiRow row;
  row.id = ni.config.id;
  row.nid = ni.nid();
  row.stats.traffic = ni.traffic.shown();
  row.stats.bytes = ni.bytes;
  row.stats.health_value = ni.loopback() ? 0 : ni.health;
  row.stats.fatal_error = ni.fatal;
  row.stats.errors = ni.errors;
  if (ni.recovery != nullptr) {
    row.stats.ping_count = ni.recovery->recovery.ping_count;
    row.stats.next_ping = ni.recovery->recovery.next_ping;
  }
  row.stats.life_cycle = ni.life_cycle;
  if (ni.net != nullptr) row.stats.net_life_cycle = ni.net->life_cycle;
  row.stats.up = ni.up() && !s.visits.is_down(ni.nid().net());
  row.stats.credits_max = ni.tx.max();
  row.stats.credits = ni.tx.credits();
  row.stats.credits_min = ni.tx.min();
  row.stats.refs = ni.in_flight + (ni.loopback() ? 2 : 1);
  return row;
}

PeerNiShow show_of(const Step& step, const PeerNi& ni) {
  PeerNiShow shown;
  shown.nid = ni.nid;
  shown.max_ni_tx_credits = ni.tx.max();
  shown.available_tx_credits = ni.tx.credits();
  shown.min_tx_credits = ni.tx.min();
  shown.tx_q_num_of_buf = static_cast<std::uint64_t>(ni.queued_bytes);
  const Gate* router = step.s.peers.router_gate(ni);
  const std::int32_t unused = router == nullptr ? router_credits_for(step.s, ni.nid) : 0;
  shown.available_rtr_credits = router == nullptr ? unused : router->credits();
  shown.min_rtr_credits = router == nullptr ? unused : router->min();
  shown.refcount = 1 + ni.in_flight;
  if (ni.last_heard != Instant::min())
    shown.last_heard_s =
        std::chrono::duration_cast<std::chrono::seconds>(step.now - ni.last_heard).count();
  shown.traffic = ni.traffic.shown();
  shown.health_value = ni.known->health;
  shown.errors = ni.errors;
  if (ni.recovery != nullptr) {
    shown.ping_count = ni.recovery->recovery.ping_count;
    shown.next_ping = ni.recovery->recovery.next_ping;
  }
  if (watches_peers_on(step.s, ni.nid.net())) {
    const bool down = is_lost(step.s, ni) || ni.reported == ReportedStatus::kDown;
    shown.state = down ? "down" : "up";
  }
  shown.life_cycle = ni.life_cycle;
  return shown;
}

/// The values to show for a NID whose owner shard has no peer NI for it.
PeerNiShow show_of(const Step& step, const Nid& nid) {
  PeerNid known;
  PeerNi none;
  none.nid = nid;
  none.known = &known;
  none.tx = Gate(peer_credits_for(step.s, nid));
  none.on(PeerNiLifeEvent::kMade);
  return show_of(step, none);
}

/// Shows whether the NIDs of a gateway are up, as every node does. For other NIDs only a router on
/// their net shows it (spec/multirail.md 8).
void show_gateway_states(const Step& step, const Peer& peer, PeerShow& shown) {
  const KnownGateways& gateways = step.s.gateways;
  if (gateways.empty()) return;
  const KnownGateway* gateway = nullptr;
  for (const Nid& nid : peer.nids())
    if (gateway == nullptr) gateway = gateways.find(nid);
  if (gateway == nullptr) return;
  const GatewayView view = view_of(step, *gateway);
  for (PeerNiShow& ni : shown.nis)
    if (!watches_peers_on(step.s, ni.nid.net())) ni.state = is_up(view, ni.nid) ? "up" : "down";
}

/// Shows a peer of the directory. The owner shards of its NIDs show the peer NIs too, and their
/// values replace the values from here (call_fanout.cc).
PeerShow show_of(const Step& step, const Peer& peer) {
  PeerShow shown;
  shown.primary = peer.primary;
  shown.multi_rail = peer.has(kPeerMultiRail);
  shown.state_bits = peer.state;
  shown.discovery_error = peer.error;
  shown.life_cycle = peer.life_cycle;
  if (peer.remarks != nullptr) shown.differences = peer.remarks->differences;
  const auto add = [&](const Nid& nid) {
    const PeerNi* ni = step.s.peers.find_ni(nid);
    shown.nis.push_back(ni == nullptr ? show_of(step, nid) : show_of(step, *ni));
  };
  for (const Nid& nid : peer.nids()) add(nid);
  if (peer.loopback) add(Nid::loopback());
  show_gateway_states(step, peer, shown);
  return shown;
}

/// Shows a peer NI of this shard as the only one of its peer.
PeerShow show_alone(const Step& step, const PeerNi& ni) {
  PeerShow shown;
  shown.primary = ni.known->primary();
  shown.multi_rail = ni.multi_rail();
  shown.nis.push_back(show_of(step, ni));
  return shown;
}

/// Adds the times that this shard has measured for a peer NI of another shard, and has not reported
/// yet.
void add_round_trips(const Step& step, const RoundTrips::Row& row, std::vector<PeerShow>& peers) {
  PeerNiShow* shown = nullptr;
  for (PeerShow& peer : peers)
    for (PeerNiShow& ni : peer.nis)
      if (ni.nid == row.nid) shown = &ni;
  if (shown == nullptr) {
    PeerShow& alone = peers.emplace_back();
    alone.primary = step.s.peers.primary_of(row.nid);
    shown = &alone.nis.emplace_back();
    shown->nid = row.nid;
  }
  shown->traffic.put_ack = row.put_ack.shown();
  shown->traffic.get_rtt = row.get_rtt.shown();
}

/// Shows the peers whose NIDs NextPeers or NextPeerNis has returned. There are few of them.
void show_some(const Step& step, call::Show& call) {
  for (const Nid& nid : call.nids) {
    if (const Peer* peer = step.s.directory.find(nid)) {
      const bool shown = std::ranges::any_of(
          call.peers, [&](const PeerShow& other) { return other.primary == peer->primary; });
      if (!shown) call.peers.push_back(show_of(step, *peer));
    } else if (const PeerNi* ni = step.s.peers.find_ni(nid)) {
      call.peers.push_back(show_alone(step, *ni));
    }
  }
  step.s.round_trips.for_each([&](const RoundTrips::Row& row) {
    if (std::ranges::find(call.nids, row.nid) != call.nids.end())
      add_round_trips(step, row, call.peers);
  });
}

void show_peers(const Step& step, call::Show& call) {
  if (!call.nids.empty()) return show_some(step, call);
  const Directory& directory = step.s.directory;
  const bool all = call.peer.is_any();
  const auto wanted = [&](const Nid& nid) {
    if (all || nid == call.peer) return true;
    const PeerNid* known = step.s.peers.find(nid);
    return known != nullptr && known->peer_entry != nullptr && known->peer_entry->has(call.peer);
  };
  if (all)
    directory.for_each([&](const Peer& peer) { call.peers.push_back(show_of(step, peer)); });
  else if (const Peer* peer = directory.find(call.peer))
    call.peers.push_back(show_of(step, *peer));
  else if (call.peer.is_loopback())
    directory.for_each([&](const Peer& one) {
      if (one.loopback) call.peers.push_back(show_of(step, one));
    });
  step.s.peers.for_each_ni([&](const PeerNi& ni) {
    if (wanted(ni.nid) && !ni.nid.is_loopback() && directory.find(ni.nid) == nullptr)
      call.peers.push_back(show_alone(step, ni));
  });
  step.s.round_trips.for_each([&](const RoundTrips::Row& row) {
    if (wanted(row.nid)) add_round_trips(step, row, call.peers);
  });
}

call::KeptMemory kept_memory_of(const ShardState& s) {
  call::KeptMemory kept{s.answers, s.most_answers, 0};
  for (const auto kind : {RouterPools::kTiny, RouterPools::kSmall, RouterPools::kLarge})
    kept.buffer_bytes +=
        s.pools[kind].buffer_bytes() * static_cast<std::uint64_t>(s.pools[kind].allocated());
  return kept;
}

}  // namespace

GlobalStats statistics_of(const ShardState& s) {
  GlobalStats statistics = s.counters.global;
  statistics.msgs_alloc = s.own_messages();
  statistics.rst_alloc = s.responses.size();
  return statistics;
}

void show(const Step& step, call::Show& call) {
  if (call.want_nis)
    for (const LocalNi* ni : step.s.nis.configured()) call.nis.push_back(row_of(step.s, *ni));
  if (call.want_peers) show_peers(step, call);
  call.statistics = statistics_of(step.s);
  call.late = step.s.counters.late;
  call.kept = kept_memory_of(step.s);
  call.ping_sequence = step.s.portal0.info.sequence;
  for (std::size_t i = 0; i < kDropReasons; ++i)
    call.drops.push_back({to_string(static_cast<DropReason>(i)), step.s.counters.drops[i]});
}

void next_peers(const Step& step, call::NextPeers& call) {
  while (call.nids.size() < call.most) {
    const Peer* peer = step.s.directory.next(call.place);
    if (peer == nullptr) return;
    call.nids.insert(call.nids.end(), peer->nids().begin(), peer->nids().end());
  }
}

void next_peer_nis(const Step& step, call::NextPeerNis& call) {
  call.slot = step.s.peers.walk_nis(call.slot, [&](const PeerNi& ni) {
    if (!ni.nid.is_loopback()) call.nids.push_back(ni.nid);
    return call.nids.size() < call.most;
  });
}

void reset_stats(ShardState& s) {
  s.counters = {};
  s.counters.global.msgs_max = s.own_messages();
  for (LocalNi* ni : s.nis.configured()) {
    ni->traffic = {};
    ni->bytes = {};
    ni->errors = {};
  }
  s.round_trips.clear();
  s.peers.for_each_ni([](PeerNi& ni) {
    ni.traffic = {};
    ni.errors = {};
  });
}

void reset_minima(ShardState& s, bool nis, bool peers) {
  if (nis)
    for (LocalNi* ni : s.nis.configured()) ni->tx.reset_min();
  if (!peers) return;
  s.peers.for_each_ni([](PeerNi& ni) { ni.tx.reset_min(); });
}

}  // namespace ulnet::core
