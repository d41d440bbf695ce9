// Sends changes of the peer directory from the control shard to all shards, which keep the peer
// entries of the NIDs that they use. Source: spec/multirail.md 1, 4.4, DESIGN.md 3.
#include "lnet/core/flow/peer_entries.h"

#include <algorithm>

#include "lnet/core/flow/forget_nids.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/portal_owner.h"

namespace ulnet::core {

namespace {

/// Whether messages from the NID may come in at this shard, which then keeps the shared peer entry
/// although it has not used the NID yet. A message to an NI of another net comes by a router, and
/// comes in at the owner shard of the router's NID, which may be this shard.
bool may_come_in(const ShardState& s, const Nid& nid) {
  const auto is_on_another_net = [&](const LocalNi* ni) {
    return !ni->nid().is_loopback() && ni->nid().net() != nid.net();
  };
  return s.placement.of(nid) == s.index ||
         std::ranges::any_of(s.nis.configured(), is_on_another_net);
}

void take(Step& step, const PeerEntryRef& peer_entry) {
  ShardState& s = step.s;
  for (const Nid& nid : peer_entry->nids) {
    PeerNid* known = may_come_in(s, nid) ? &s.peers.use(nid) : s.peers.find(nid);
    if (known == nullptr) continue;
    s.peers.set_peer_entry(*known, peer_entry);
    known->reported = peer_entry->generation;
    if (known->ni == nullptr) continue;
    if (peer_entry->multi_rail) known->ni->fixed_source = {};
    // While its peer had no other NID, the health was not reported to other shards.
    if (known->health != kHealthMax) report_peer_health_soon(step, *known->ni);
  }
  peer_entry->others().empty()
      ? forget_peer_entry(step, peer_entry->primary(), peer_entry->generation)
      : search_again(step, peer_entry);
}

void note_refused(Step& step, const Directory::Changes& changes) {
  for (const Nid& nid : changes.refused)
    step.note(changes.two_locks ? Note::Level::kError : Note::Level::kWarning,
              changes.two_locks ? "two peers with locked primary NIDs claim a NID: see BAD_CONFIG"
                                : "a peer claims a NID of one that is configured or locked",
              nid);
}

/// Pings the peers that claim a NID which another peer has now let go. Such a claimer reports the
/// NID again when it is pinged, and may get it then.
void ask_claimers(Step& step, const Directory::Changes& changes) {
  const std::int32_t discovery = step.config().globals.discovery;
  if (discovery == 0 || discovery == kDiscoveryVerifies) return;  // a ping would change nothing
  for (const Directory::Changes::LetGo& each : changes.let_go) {
    Peer* const claimer = step.s.directory.find(each.claimer);
    if (claimer == nullptr || claimer->calls_only) continue;
    claimer->clear(kPeerNidsUpToDate);
    step.send_to_shard(kControlShard, shard_msg::DiscoveryWanted{claimer->primary, claimer->pid});
  }
}

}  // namespace

void publish(Step& step, const Directory::Changes& changes) {
  if (!changes.refused.empty()) note_refused(step, changes);
  ask_claimers(step, changes);
  if (changes.peer_entries.empty() && changes.alone.empty() && changes.gone.empty()) return;
  for (const PeerEntryRef& peer_entry : changes.peer_entries)
    look_at_gateways(step, peer_entry->nids);
  look_at_gateways(step, changes.alone);
  look_at_gateways(step, changes.gone);
  const shard_msg::Publish news{changes.peer_entries, changes.alone, changes.gone,
                                changes.generation};
  step.s.others().for_each([&](std::uint32_t shard) { step.send_to_shard(shard, news); });
  on_shard_msg(step, step.s.index, news);
}

void remove_nids(Step& step, const std::vector<Nid>& nids) {
  for (const Nid& nid : nids)
    step.note(Note::Level::kUnlogged, Note::About::kPeer, "is forgotten", nid);
  Directory::Changes changes = step.s.directory.remove(nids);
  changes.gone = nids;
  publish(step, changes);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerMet& in) {
  step.s.directory.meet(in.nid);
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerEntryWanted& in) {
  const Directory& directory = step.s.directory;
  step.send_to_shard(from, shard_msg::PeerEntryAnswer{in.nid, directory.peer_entry_of(in.nid),
                                                      directory.generation()});
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerEntryAnswer& in) {
  if (in.peer_entry != nullptr) {
    take(step, in.peer_entry);
  } else {
    forget_peer_entry(step, in.nid, in.generation);
    if (PeerNid* known = step.s.peers.find(in.nid)) known->reported = in.generation;
  }
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Publish& in) {
  forget_nids(step, in.gone, in.generation);
  for (const PeerEntryRef& peer_entry : in.peer_entries) take(step, peer_entry);
  PeerTable& peers = step.s.peers;
  for (const Nid& nid : in.alone) {
    PeerNid* known = peers.find(nid);
    forget_peer_entry(step, nid, in.generation);
    if (known == nullptr) continue;
    peers.set_peer_entry(*known, nullptr);
    known->discovered = false;
    if (known->ni == nullptr)
      peers.erase(*known);
    else
      forget_if_unmet(step.s, *known->ni);
  }
}

}  // namespace ulnet::core
