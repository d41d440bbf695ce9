// Finds peers that have been idle for peer_idle_timeout and removes them, and replaces an idle peer
// NI when an unknown node would exceed max_peers. Source: decision 110.
#include "lnet/core/flow/idle_peers.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/peer_entries.h"
#include "lnet/core/flow/peers.h"

namespace ulnet::core {

namespace {

// The control shard goes round its directory, a slice at each tick of a timer. One inter-shard
// message goes from shard to shard and collects which peers of the slice were used since the last
// round. When it is back, every shard forgets the peers that were not used for long enough, as if
// an administrator had deleted them. A message can arrive or begin before a shard reads Publish. A
// message that is under way then keeps its peer NI (forget_nids.h). A message that begins later
// makes the peer anew.

/// How many peers are looked at in one step.
constexpr std::uint32_t kSlice = 64;
/// The number of rounds in the time that a peer may be idle.
constexpr int kRounds = 4;
/// When the table is full, the shard forgets the peer NI that has been idle longest among this
/// many.
constexpr int kLookedAt = 16;

/// Returns how long a peer may be idle, in s; 0: for ever. The time is at least the time for which
/// this node waits for an answer of the peer.
std::uint32_t idle_limit(const Globals& globals) {
  if (globals.peer_idle_timeout == 0) return 0;
  return static_cast<std::uint32_t>(
      std::max(globals.peer_idle_timeout, globals.transaction_timeout));
}

std::uint32_t seconds_of(Instant now) {
  const auto since = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  return static_cast<std::uint32_t>(since.count());
}

/// Whether the peer exists only because of messages or discovery, and nothing is exchanged with it
/// now.
bool may_be_forgotten(const ShardState& s, const Peer& peer) {
  constexpr std::uint32_t kStays = kPeerConfigured | kPeerLockPrimary | kPeerDiscovering;
  if (peer.own || (peer.state & kStays) != 0 || peer.phase != DiscoveryPhase::kIdle) return false;
  return peer.askers.empty() && !s.gateways.has_any(peer.nids());
}

/// Whether this shard has something in progress with the NID.
bool is_busy(const PeerNid& known) {
  if (known.elsewhere != 0 || known.asked || known.watched) return true;
  return known.ni != nullptr && known.ni->in_flight != 0;
}

/// Marks the peers that this shard has used, and clears its own marks for the next round.
void note_used(const ShardState& s, shard_msg::IdlePeers& list) {
  for (shard_msg::IdlePeers::One& one : list.peers)
    for (const Nid& nid : one.nids) {
      PeerNid* known = s.peers.find(nid);
      if (known == nullptr) continue;
      const bool used = std::exchange(known->used, false);
      one.used = one.used || used || is_busy(*known);
    }
}

/// In the control shard: all other shards have seen the list.
void forget_idle_peers(Step& step, shard_msg::IdlePeers list) {
  ShardState& s = step.s;
  note_used(s, list);
  std::vector<Nid> gone;
  for (const shard_msg::IdlePeers::One& one : list.peers) {
    Peer* peer = s.directory.find(one.peer);
    if (peer == nullptr || !std::ranges::equal(peer->nids(), one.nids)) continue;
    if (one.used || peer->seen_used == 0 || !may_be_forgotten(s, *peer))
      peer->seen_used = seconds_of(step.now);
    if (s.sweep.limit == 0 || seconds_of(step.now) - peer->seen_used < s.sweep.limit) continue;
    gone.insert(gone.end(), one.nids.begin(), one.nids.end());
    s.counters.drop(DropReason::kPeerIdle);
  }
  if (!gone.empty()) remove_nids(step, gone);
}

void pass_on(Step& step, shard_msg::IdlePeers list) {
  note_used(step.s, list);
  const std::uint32_t next = step.s.index + 1;
  step.send_to_shard(next < step.s.placement.shards() ? next : kControlShard, std::move(list));
}

/// Runs the timer while there are peers, so that a node without peers has no work.
void arm(Step& step) {
  ShardState& s = step.s;
  PeerSweep& sweep = s.sweep;
  const std::uint32_t peers = s.directory.size();
  if (sweep.limit == 0 || peers == 0 || s.shut_down) return sweep.cancel();
  const Duration round = Duration(std::chrono::seconds(sweep.limit)) / kRounds;
  const Duration pause = round / ((peers + kSlice - 1) / kSlice);
  // A round does not become slower when peers are removed.
  sweep.pause = sweep.pause == Duration::zero() ? pause : std::min(sweep.pause, pause);
  s.timers.arm(sweep, step.now + sweep.pause);
}

bool may_be_replaced(const Step& step, const PeerNi& ni) {
  const PeerNid& known = *ni.known;
  if (is_busy(known) || known.peer_entry != nullptr || ni.moved || ni.nid.is_loopback())
    return false;
  // A peer NI to which this node has sent a PUT or GET stays, because its answer may still come. A
  // peer NI in recovery can go nevertheless, because a made-up NID never answers recovery pings.
  const bool unwell = ni.recovery != nullptr && ni.recovery->recovery.is_on();
  if (!unwell && (ni.traffic.sent.put != 0 || ni.traffic.sent.get != 0)) return false;
  const Peer* peer = step.s.directory.find(ni.nid);
  return peer == nullptr || may_be_forgotten(step.s, *peer);
}

/// Looks at the next few peer NIs, and returns the one that has been idle longest of those that can
/// be forgotten; null: none can.
PeerNi* longest_idle(Step& step) {
  PeerNi* found = nullptr;
  for (int i = 0; i < kLookedAt; ++i) {
    PeerNi* ni = step.s.peers.look_at_next_ni();
    if (ni == nullptr || !may_be_replaced(step, *ni)) continue;
    if (found == nullptr || ni->last_heard < found->last_heard) found = ni;
  }
  return found;
}

void evict(Step& step, PeerNi& ni) {
  ShardState& s = step.s;
  const Nid nid = ni.nid;
  PeerNid& known = *ni.known;
  s.round_trips.forget(nid);
  forget_recovery(s, ni);
  s.peers.erase_ni(ni);
  s.peers.erase(known);
  s.counters.drop(DropReason::kPeerEvicted);
  step.send_to_shard(kControlShard, shard_msg::PeerEvicted{nid});
}

}  // namespace

void watch_for_idle_peers(Step& step) {
  ShardState& s = step.s;
  s.directory.take_note_of_growth();
  const std::uint32_t limit = idle_limit(step.config().globals);
  if (s.sweep.armed() && s.sweep.limit == limit) return;
  s.sweep.limit = limit;
  s.sweep.pause = {};
  arm(step);
}

void on_idle_peers_due(Step& step) {
  ShardState& s = step.s;
  shard_msg::IdlePeers list;
  for (std::uint32_t i = 0; i < kSlice; ++i) {
    Peer* peer = s.directory.look_at_next();
    if (peer == nullptr) {
      s.sweep.pause = {};
      break;
    }
    if (may_be_forgotten(s, *peer))
      list.peers.push_back({peer->self, {peer->nids().begin(), peer->nids().end()}});
  }
  if (!list.peers.empty()) pass_on(step, std::move(list));
  arm(step);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::IdlePeers& in) {
  if (step.s.shut_down) return;
  step.s.index == kControlShard ? forget_idle_peers(step, in) : pass_on(step, in);
}

bool admit_peer_ni(Step& step, const Nid& nid) {
  PeerTable& peers = step.s.peers;
  if (peers.peer_nis() < share_of_peers(step.s) || peers.find(nid) != nullptr || nid.is_loopback())
    return true;
  PeerNi* const goes = longest_idle(step);
  if (goes == nullptr) return false;
  evict(step, *goes);
  return true;
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerEvicted& in) {
  const Peer* peer = step.s.directory.find(in.nid);
  if (peer == nullptr || peer->peer_entry != nullptr || !may_be_forgotten(step.s, *peer)) return;
  remove_nids(step, {in.nid});
}

bool fits_directory(const Step& step, std::size_t more) {
  const auto all = static_cast<std::size_t>(step.config().globals.max_peers);
  return step.s.directory.nids() + more <= all;
}

}  // namespace ulnet::core
