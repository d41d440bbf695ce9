// Takes the NIDs, features and statuses that a peer advertises into the directory, or compares or
// refuses them. Source: spec/multirail.md 4.4, 4.6, 4.9, decision 89.
#include "lnet/core/flow/peer_info.h"

#include <algorithm>

#include "lnet/core/flow/configured_peer.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/idle_peers.h"
#include "lnet/core/flow/peer_entries.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/path/advertised_nids.h"

namespace ulnet::core {

namespace {

bool verifies(const Step& step) { return step.config().globals.discovery == kDiscoveryVerifies; }

/// Counts refused infos and NIDs, and notes them for the log.
void report(Step& step, const AdvertisedNids& advertised, const Nid& source) {
  const auto refused = [&](DropReason reason, const char* text, std::uint64_t detail) {
    step.s.counters.drop(reason);
    step.note(Note::Level::kWarning, text, source, detail);
  };
  if (advertised.of_another)
    refused(DropReason::kInfoOfAnother, "a peer advertised NIDs that are not its own", 0);
  if (!advertised.own.empty())
    refused(DropReason::kInfoOwnNids, "{nid} claims NIDs of this node: {}", advertised.own.size());
  if (!advertised.taken.empty())
    refused(DropReason::kInfoTakenNids, "{nid} claims the primary NIDs of others: {}",
            advertised.taken.size());
}

/// Whether the peer `whose` can be pinged, to find out whether it is the node that `peer`
/// describes. A peer cannot be pinged behind a router that may be that node itself: a router takes
/// no message for a NID that it has on another net (core-semantics.md 8.4), and ends the
/// connection.
bool can_ask(const Step& step, const Peer& peer, const Peer& whose) {
  const NetId net = whose.primary.net();
  return step.s.nis.find(net) != nullptr ||
         !is_beyond(step.s.directory, *step.s.gateways.list, net, peer, whose);
}

/// Whether the directory has no space for the NIDs, and no call or message on this node has asked
/// for the peer.
bool exceeds_max_peers(const Step& step, const Peer& peer, const std::vector<Nid>& nids) {
  const Directory& directory = step.s.directory;
  const auto fresh =
      std::ranges::count_if(nids, [&](const Nid& nid) { return directory.find(nid) == nullptr; });
  return fresh != 0 && peer.askers.empty() &&
         !fits_directory(step, static_cast<std::size_t>(fresh));
}

/// Compares the peer's info with the directory, which does not change, because discovery only
/// verifies. Notes the differences for the log.
void compare(Step& step, Peer& peer, const std::vector<Nid>& nids, bool multi_rail) {
  PeerDifferences differences = differences_of(peer, nids, multi_rail);
  PeerDifferences& now = peer.remark().differences;
  if (differences == now) return;
  now = std::move(differences);
  const auto note = [&](const char* text, std::uint64_t detail = 0) {
    step.note(Note::Level::kWarning, text, peer.primary, detail);
  };
  if (!now.any()) return note("verified: a peer now advertises what this node has of it");
  if (!now.missing.empty())
    note("verified: {nid} advertises NIDs that this node does not have of it: {}",
         now.missing.size());
  if (!now.extra.empty())
    note("verified: {nid} does not advertise all NIDs that this node has of it; missing: {}",
         now.extra.size());
  if (!now.primary.is_any()) note("verified: a peer advertises another primary NID");
  if (now.multi_rail)
    note(multi_rail ? "verified: a peer has Multi-Rail, and this node does not have it as such"
                    : "verified: a peer has no Multi-Rail, and this node has it as such");
}

/// Takes the info of a peer when the peer, or this node, does no discovery. A peer that was
/// discovered is to be removed (spec/multirail.md 4.4.2).
TakenOver without_discovery(Step& step, Peer& peer) {
  peer.advertised_multi_rail = false;
  if (configuration_counts(step, peer, peer.nids(), false)) {
    // The peer stays as it is.
  } else if (verifies(step)) {
    compare(step, peer, {peer.nids().begin(), peer.nids().end()}, false);
  } else if (peer.has(kPeerMultiRail)) {
    return {-ENOENT, nullptr};
  } else {
    peer.clear(kPeerMultiRail);
    publish(step, step.s.directory.learn(peer, {peer.nids().begin(), peer.nids().end()}, false));
  }
  peer.state |= kPeerNoDiscovery | kPeerDiscovered | kPeerNidsUpToDate;
  peer.clear(kPeerRediscover);
  return {0, &peer};
}

}  // namespace

void take_over_statuses(Step& step, Peer& peer, const wire::PingInfo& info) {
  if (info.has(wire::kPingRoutingDisabled))
    peer.clear(kPeerRouterEnabled);
  else
    peer.set(kPeerRouterEnabled);
  look_at_gateways(step, peer.nids());
  const StatusNews news = learn_statuses(peer, info);
  for (const Nid& nid : news.down) peer_reported_status(step, nid, false);
  for (const Nid& nid : news.up) peer_reported_status(step, nid, true);
}

int take_over_own_info(Step& step, Peer& self) {
  std::vector<Nid> nids = nids_of(step.s.portal0.info);
  if (nids.empty()) return -ENOENT;
  self.sequence = self.acked_sequence = step.s.portal0.info.sequence;
  self.state |= kPeerDiscovered | kPeerNidsUpToDate;
  self.clear(kPeerRediscover);
  if (step.config().globals.discovery == 0) {
    self.set(kPeerNoDiscovery);
  } else {
    self.clear(kPeerNoDiscovery);
    self.set(kPeerMultiRail);
  }
  const bool multi_rail = self.has(kPeerMultiRail);
  const Directory::Changes changes = step.s.directory.learn(self, std::move(nids), multi_rail);
  publish(step, changes);
  // A NID that this node had belongs to no peer now. A NID that another peer had may form a peer of
  // its own.
  if (!changes.alone.empty()) remove_nids(step, changes.alone);
  return 0;
}

TakenOver take_over(Step& step, Peer& peer, const PushReading& reading, const Nid& source,
                    const Nid& claimer) {
  const wire::PingInfo& info = reading.info;
  if (peer.own) return {take_over_own_info(step, peer), &peer};
  if (reading.verdict == PushVerdict::kNoDiscovery) {
    peer.sequence = info.sequence;
    take_over_statuses(step, peer, info);
    return without_discovery(step, peer);
  }
  AdvertisedNids advertised =
      judge(step.s.directory, step.s.nis, *step.s.gateways.list, peer, info, source, claimer);
  report(step, advertised, source);
  const Nid claimed = advertised.taken.empty() ? Nid::any() : advertised.taken.front();
  if (advertised.nids.empty()) return {-EPROTO, &peer, claimed};
  if (exceeds_max_peers(step, peer, advertised.nids)) {
    step.s.counters.drop(DropReason::kInfoOverMaxPeers);
    return {-ENOSPC, &peer};
  }
  const bool only_compare = verifies(step);
  Peer& whose = only_compare ? peer : *advertised.peer;
  if (&whose != &peer && info.sequence < whose.sequence && can_ask(step, peer, whose)) {
    // The info may come from a new incarnation of the peer, of which no known NID has been heard
    // yet.
    step.s.counters.drop(DropReason::kInfoOld);
    return {-EPROTO, &peer, whose.primary};
  }
  whose.sequence = info.sequence;
  whose.info_bytes =
      std::max(whose.info_bytes, static_cast<std::uint32_t>(wire::ping_info_bytes(info)));
  whose.advertised_multi_rail = true;
  whose.clear(kPeerNoDiscovery);
  whose.clear(kPeerRediscover);
  whose.state |= kPeerDiscovered | kPeerNidsUpToDate;
  if (only_compare) {
    compare(step, whose, advertised.nids, true);
  } else if (!configuration_counts(step, whose, advertised.nids, true)) {
    if (whose.remarks != nullptr) whose.remarks->differences = {};
    whose.set(kPeerMultiRail);
    if (&whose != &peer) whose.pid = peer.pid;
    publish(step, step.s.directory.learn(whose, std::move(advertised.nids), true));
  }
  take_over_statuses(step, whose, info);
  return {0, &whose, claimed};
}

}  // namespace ulnet::core
