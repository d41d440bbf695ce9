// Runs discoveries in the control shard: sends pings and pushes, takes over the infos that come
// back, and reports the end to the calls and shards that wait. Source: spec/multirail.md 4.
#include "lnet/core/flow/discovery.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/configured_peer.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/idle_peers.h"
#include "lnet/core/flow/peer_entries.h"
#include "lnet/core/flow/peer_info.h"
#include "lnet/core/flow/portal0_requests.h"
#include "lnet/core/path/discovery.h"
#include "lnet/core/path/peer_claim.h"

namespace ulnet::core {

namespace {

/// The size of the first buffer for the REPLY to a ping, in bytes (spec/wire-lnet.md 4.1).
constexpr std::size_t kPingBytes = limits::kPingBufferMin;

OwnInfo own_info(const Step& step) {
  const std::int32_t discovery = step.config().globals.discovery;
  return {step.s.portal0.info.sequence, discovery != 0, discovery == kDiscoveryVerifies};
}

/// Adds a note for those who watch the discovery. Repeated notes, as after each check of a gateway
/// (spec/multirail.md 9.4), are left out, because they would push other notes out of the buffer.
void trace(Step& step, const Peer& peer, const char* text, std::uint64_t detail = 0) {
  if (peer.repeats) return;
  step.note(Note::Level::kUnlogged, Note::About::kDiscovery, text, peer.primary, detail);
}

// ---- pings and pushes

bool is_asked_about_claim(const Peer& peer) {
  return peer.remarks != nullptr && peer.remarks->must_be_pinged;
}

void send_ping_to(Step& step, Peer& peer) {
  peer.phase = kDiscoveryLifeCycle.after(peer.phase, DiscoveryEvent::kPing);
  peer.set(kPeerPingSent);
  peer.clear(kPeerForcePing);
  peer.pushed_since_ping = false;
  peer.repeats = false;
  const std::size_t bytes = std::max<std::size_t>(kPingBytes, peer.info_bytes);
  Portal0Md& record = make_record(step, Portal0Md::Kind::kPeerPing, std::vector<std::byte>(bytes));
  record.target = {peer.own ? Nid::loopback() : peer.primary, peer.pid};
  record.deadline = step.now + std::chrono::seconds(step.config().globals.transaction_timeout);
  record.peer = peer.self;
  record.sequence = peer.sequence;
  if (peer.remarks != nullptr) {
    PeerRemarks& remarks = *peer.remarks;
    remarks.is_being_asked = std::exchange(remarks.must_be_pinged, false);
    if (remarks.is_being_asked) record.claimer = remarks.claimer;
  }
  trace(step, peer, "ping sent");
  send_ping(step, record);
}

/// Whether a push can go back the way by which the peer's info came (4.5): this node's NI exists
/// and is up, and the peer still has the NID from which the info came.
bool can_go_back(const Step& step, const Peer& peer) {
  if (peer.remote.is_any()) return false;
  const LocalNi* ni = step.s.nis.find(peer.local);
  if (ni == nullptr || !ni->up()) return false;
  const std::span<const Nid> nids = peer.nids();
  return std::find(nids.begin(), nids.end(), peer.remote) != nids.end();
}

void send_push_to(Step& step, Peer& peer) {
  peer.phase = kDiscoveryLifeCycle.after(peer.phase, DiscoveryEvent::kPush);
  peer.set(kPeerPushSent);
  peer.clear(kPeerForcePush);
  const wire::PingInfo& info = step.s.portal0.info;
  Portal0Md& record = make_record(step, Portal0Md::Kind::kPush, encode(info));
  const bool same_way = can_go_back(step, peer);
  record.target = {same_way ? peer.remote : peer.primary, peer.pid};
  if (same_way) record.source = step.s.nis.find(peer.local)->nid();
  record.peer = peer.self;
  record.sequence = info.sequence;
  if (peer.acked_sequence != info.sequence) peer.repeats = false;
  trace(step, peer, "push sent, of this node's info number {}", info.sequence);
  send_push(step, record);
}

// ---- the end of a discovery

PingReply reply_from(const Peer& peer) {
  PingReply reply;
  reply.primary = peer.primary;
  reply.multi_rail = peer.has(kPeerMultiRail);
  reply.nids.assign(peer.nids().begin(), peer.nids().end());
  return reply;
}

void notify_asker(Step& step, const DiscoveryAsker& asker, int status, const Peer& peer) {
  if (asker.is_call) {
    // Messages use the configuration, but the call gets an error if the peer contradicts it (2.2).
    if (status == 0 && peer.differs) status = -EPERM;
    PingReply reply = status == 0 ? reply_from(peer) : PingReply{};
    return step.send_to_shard(asker.shard,
                              shard_msg::CallEnded{{asker.ticket, status, std::move(reply)}});
  }
  step.send_to_shard(asker.shard, shard_msg::Discovered{{asker.nid}, status});
}

void ask_for(Step& step, Peer& peer, DiscoveryAsker asker, std::uint32_t force);

/// Whether the asker is a call whose NID, as the discovery has shown, belongs to no peer (4.7).
bool nid_has_no_peer(const Step& step, const DiscoveryAsker& asker, Handle discovered) {
  const Peer* owner = step.s.directory.find(asker.nid);
  return asker.is_call && (owner == nullptr || (owner->self != discovered && owner->state == 0));
}

/// Ends the discovery of the peer, and answers those that asked for it: calls get `status`, and
/// messages that wait end with `for_messages`. An error is reported to all shards, not only to
/// those that have asked, so that each shard asks before its next message.
void conclude(Step& step, Peer& peer, int status, int for_messages) {
  end_discovery(peer, status);
  if (status != 0) peer.repeats = false;
  if (status != 0)
    trace(step, peer, "the discovery has failed: {error}", static_cast<std::uint64_t>(-status));
  else if (!peer.repeats)
    step.note(Note::Level::kUnlogged, Note::About::kDiscovered, "discovered, NIDs {}", peer.primary,
              peer.nids().size());
  peer.repeats = false;
  const Handle self = peer.self;
  const std::vector<DiscoveryAsker> askers = std::exchange(peer.askers, {});
  if (status != 0 && !step.s.shut_down) {
    shard_msg::Discovered news{{peer.nids().begin(), peer.nids().end()}, for_messages};
    for (std::uint32_t shard = 0; shard < step.s.placement.shards(); ++shard)
      step.send_to_shard(shard, news);
  }
  for (const DiscoveryAsker& asker : askers) {
    if (status == 0 && !step.s.shut_down && nid_has_no_peer(step, asker, self)) {
      notify_asker(step, asker, -ENOENT, Peer{});
      continue;
    }
    // The NID may have turned out to belong to another peer, or to none.
    Peer& owner = step.s.directory.meet(asker.nid);
    if (owner.self != self && !step.s.shut_down)
      ask_for(step, owner, asker, 0);
    else if (status == 0 || step.s.shut_down || asker.is_call)
      notify_asker(step, asker, status, owner);
  }
}

/// Takes the next step of the peer's discovery (4.2).
void go_on(Step& step, Peer& peer) {
  if (peer.phase != DiscoveryPhase::kIdle || step.s.shut_down) return;
  switch (next_of(peer, own_info(step))) {
    case DiscoveryStep::kPing:
      return send_ping_to(step, peer);
    case DiscoveryStep::kPush:
      return send_push_to(step, peer);
    case DiscoveryStep::kDone:
      return conclude(step, peer, 0, 0);
  }
}

/// Adds an asker to the discovery of the peer, and begins a discovery unless one is in progress.
/// `force`: kPeerForcePing, kPeerForcePush: what is done even for a peer that is up to date.
void ask_for(Step& step, Peer& peer, DiscoveryAsker asker, std::uint32_t force) {
  if (!asker.is_call) peer.pid = asker.pid;
  if (force == 0 && is_up_to_date(peer, own_info(step))) return notify_asker(step, asker, 0, peer);
  peer.askers.push_back(std::move(asker));
  if (!peer.has(kPeerDiscovering)) {
    begin_discovery(peer);
    peer.state |= force;
  } else if ((force & kPeerForcePush) != 0) {
    peer.state |= force;
  }
  go_on(step, peer);
}

/// Ends the discovery of the peer with an error; the next discovery repeats `force`. If the peer is
/// to be asked about a claim, asks it all the same, because only its answer decides the claim.
void failed(Step& step, Peer& peer, PeerBit force, int status, int for_messages) {
  peer.set(force);
  conclude(step, peer, status, for_messages);
  if (is_asked_about_claim(peer)) go_on(step, peer);
}

/// Whether `info` is older than the last info of the peer. An info with the same sequence number is
/// not older: it may have newer statuses and features (4.4.5).
bool is_overtaken(const Peer& peer, const wire::PingInfo& info) {
  return info.sequence < peer.sequence;
}

/// Whether the peer has sent the same info before, and its discovery is settled.
bool repeats_info(const Peer& peer, const PushReading& reading) {
  constexpr std::uint32_t kHas = kPeerDiscovered | kPeerNidsUpToDate;
  constexpr std::uint32_t kNot = kPeerDiscovering | kPeerForcePing | kPeerRediscover;
  if ((peer.state & kHas) != kHas || (peer.state & kNot) != 0) return false;
  if (reading.info.sequence != peer.sequence) return false;
  if (reading.verdict == PushVerdict::kNoDiscovery) return peer.has(kPeerNoDiscovery);
  return !peer.has(kPeerNoDiscovery) &&
         std::ranges::is_permutation(nids_of(reading.info), peer.nids());
}

/// Notes that the peer's info came from its NID `remote` to this node's NID `local`. A push can go
/// back the same way.
void note_way(const Step& step, Peer& peer, const Nid& local, const Nid& remote) {
  const LocalNi* ni = step.s.nis.find(local);
  peer.local = ni == nullptr ? NiId{} : ni->config.id;
  peer.remote = remote;
}

/// Removes a peer that has turned discovery off, with all its NIDs. The peer is made anew when it
/// is used.
void delete_discovered(Step& step, const Peer& peer) {
  const std::vector<Nid> nids(peer.nids().begin(), peer.nids().end());
  const std::vector<DiscoveryAsker> askers = take_askers(step, nids);
  remove_nids(step, nids);
  ask_again(step, askers);
}

/// Pings the peer for its present info, because a push of it was acknowledged but not taken over
/// (4.6).
void ping_instead(Step& step, Peer& peer) {
  peer.set(kPeerForcePing);
  if (!peer.calls_only) go_on(step, peer);
}

/// Goes on with the peer `before`, if it has NIDs left. An info came from that peer, but belonged
/// to another one.
void go_on_with_rest(Step& step, const TakenOver& taken, Handle before) {
  Peer* rest = step.s.directory.find(before);
  if (rest != nullptr && taken.peer != nullptr && rest != taken.peer) go_on(step, *rest);
}

/// The ping of a peer was answered with the info of another peer: goes on with the pinged peer, if
/// it still exists. If the pinged NID is still its primary NID, the discovery ends with -EPROTO.
/// Then the other node is about to delete this NID and no longer names it, so another ping would
/// get the same answer.
void end_rest(Step& step, const TakenOver& taken, const Portal0Md& record) {
  Peer* rest = step.s.directory.find(record.peer);
  if (rest == nullptr || rest == taken.peer) return;
  if (rest->primary == record.target.nid)
    failed(step, *rest, kPeerForcePing, -EPROTO, -EPROTO);
  else
    go_on(step, *rest);
}

/// Two peers claim a NID, or it is open which of two infos belongs to a peer. Pings the other peer,
/// whose answer decides. `claimed`: the primary NID of that other peer; any: no peer is pinged.
/// `claimer`: the primary NID of the peer that claims the NID.
void ask_about_claim(Step& step, const Nid& claimed, const Nid& claimer) {
  Peer* other = claimed.is_any() ? nullptr : step.s.directory.find(claimed);
  if (other == nullptr || other->calls_only) return;
  PeerRemarks& remarks = other->remark();
  // The ping that is under way decides the claim. If a further ping followed, a claimer that
  // reports faster than an unanswered ping ends would keep this node busy for ever.
  if (other->has(kPeerPingSent) && remarks.is_being_asked && remarks.claimer == claimer) return;
  other->set(kPeerForcePing);
  remarks.claimer = claimer;
  remarks.must_be_pinged = true;
  go_on(step, *other);
}

/// Whether this node pings the peer whose NID an answer claims. The answer to such a ping causes no
/// further ping, so that two peers with false infos cannot keep this node busy. The exception is an
/// answer that has merged the pinged peer with another one: each further ping then leaves one peer
/// less.
bool asks_about_claim(const Step& step, const Portal0Md& record) {
  const Peer* const asked = step.s.directory.find(record.peer);
  return record.claimer.is_any() || asked == nullptr ||
         asked == step.s.directory.find(record.claimer);
}

/// Returns the error with which a failed ping or push ends messages. A driver's error becomes -EIO:
/// the peer cannot be reached. LNet's own errors stay. A call gets the error itself (4.7).
int error_for_messages(const Portal0Md& record) {
  return !record.left_by.is_any() && record.status != -ETIMEDOUT ? -EIO : record.status;
}

/// Answers a call on a node whose only NID is 0@lo: there is no peer to discover.
void answer_for_loopback(Step& step, const DiscoveryAsker& asker) {
  PingReply reply;
  reply.primary = Nid::loopback();
  step.send_to_shard(asker.shard, shard_msg::CallEnded{{asker.ticket, 0, std::move(reply)}});
}

}  // namespace

Check start_discovery(Step& step, const call::Discover& call) {
  if (call.nid.is_any()) return {-EINVAL, "the peer's NID is missing"};
  if (call.force) suspect_stale(step, call.nid);
  DiscoveryAsker asker{
      .shard = call.caller, .nid = call.nid, .ticket = call.ticket, .is_call = true};
  const bool own = step.s.nis.find(call.nid) != nullptr;
  if (call.nid.is_loopback()) asker.nid = step.s.portal0.info.primary();
  if (asker.nid.is_any()) return answer_for_loopback(step, asker), Check{};
  Peer& peer = step.s.directory.meet(asker.nid);
  peer.own = own;
  peer.loopback = own && (peer.loopback || call.nid.is_loopback());
  // A caller wants the present state, so a peer that is up to date is pinged too.
  const std::uint32_t force = kPeerForcePing | (call.force ? kPeerForcePush : 0U);
  ask_for(step, peer, std::move(asker), force);
  return {};
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::DiscoveryWanted& in) {
  Peer& peer = step.s.directory.meet(in.nid);
  if (step.s.shut_down) return notify_asker(step, {from, in.nid}, -ESHUTDOWN, peer);
  ask_for(step, peer, {.shard = from, .nid = in.nid, .pid = in.pid}, 0);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerRestarted& in) {
  Peer* peer = step.s.directory.find(in.nid);
  if (peer == nullptr) return;
  step.note(Note::Level::kUnlogged, Note::About::kPeer, "has restarted", peer->primary);
  // The new incarnation knows nothing of this node, and its sequence numbers begin again.
  peer->acked_sequence = 0;
  peer->sequence = 0;
  // The new incarnation may have other NIDs, or no discovery: the next discovery of the peer pings
  // it. Messages under way do not wait for that discovery, since each NI pair detects the restart
  // for itself.
  peer->clear(kPeerNidsUpToDate);
  check_soon(step, in.nid);
  // The awaited answer may come from the earlier incarnation, and its sequence number does not show
  // that.
  if (peer->phase == DiscoveryPhase::kPinging) peer->set(kPeerForcePing);
  // The awaited acknowledgement may come from the earlier incarnation, too.
  if (peer->phase == DiscoveryPhase::kPushing) peer->set(kPeerForcePush);
}

void info_came(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local) {
  if (step.s.nis.find(source.nid) != nullptr || reading.verdict == PushVerdict::kIgnore) return;
  if (step.s.directory.find(source.nid) == nullptr && !fits_directory(step, 1))
    return step.s.counters.drop(DropReason::kInfoOverMaxPeers);
  Peer& peer = step.s.directory.meet(source.nid);  // the owner shard may not have reported it
  if (ignores_pushes(peer)) return;
  if (reading.verdict == PushVerdict::kStatuses)
    return take_over_statuses(step, peer, reading.info);
  // The PID of a peer that connected from an unprivileged port has the user flag.
  peer.calls_only = source.pid.is_user();
  if (!peer.calls_only) peer.pid = source.pid;
  if (reading.verdict == PushVerdict::kPing) return ping_instead(step, peer);
  if (is_overtaken(peer, reading.info)) {
    // A newer info has overtaken this one. Or this info comes from a new incarnation, and the NIs
    // that have exchanged messages with the peer have not detected the restart yet.
    step.s.counters.drop(DropReason::kInfoOld);
    return ping_instead(step, peer);
  }
  if (own_info(step).verifies && nids_of(reading.info).size() > 1)
    step.note(Note::Level::kWarning,
              "a push with several interfaces ({}), where discovery only verifies", source.nid,
              nids_of(reading.info).size());
  if (!repeats_info(peer, reading))
    peer.repeats = false;
  else if (peer.phase == DiscoveryPhase::kIdle)
    peer.repeats = true;
  trace(step, peer, "its info came, NIDs {}", nids_of(reading.info).size());
  const Handle before = peer.self;
  const TakenOver taken = take_over(step, peer, reading, source.nid);
  if (taken.peer == nullptr) return delete_discovered(step, peer);
  const Nid claimer = taken.peer->primary;
  if (taken.status == 0) {
    taken.peer->pushed_since_ping = true;
    note_way(step, *taken.peer, local, source.nid);
    go_on(step, *taken.peer);
  } else if (taken.status == -ENOSPC) {
    ping_instead(step, peer);
  }
  go_on_with_rest(step, taken, before);
  ask_about_claim(step, taken.claimed, claimer);
}

void own_info_changed(Step& step, InfoChange change) {
  if (change == InfoChange::kNone) return;
  const bool verifies = own_info(step).verifies;
  std::vector<Nid> peers;  // a ping or push to one of them may change the directory
  step.s.directory.for_each([&](const Peer& peer) {
    const bool multi_rail = verifies ? peer.advertised_multi_rail : peer.has(kPeerMultiRail);
    if (peer.has(kPeerDiscovered) && (multi_rail || peer.own)) peers.push_back(peer.primary);
  });
  for (const Nid& nid : peers) {
    Peer* peer = step.s.directory.find(nid);
    if (peer == nullptr) continue;
    if (peer->own) {
      (void)take_over_own_info(step, *peer);
      // An added NI may be one that was removed earlier. Calls that asked for its NID in between
      // ask for this node now.
      if (!peer->askers.empty()) go_on(step, *peer);
      continue;
    }
    peer->repeats = false;
    if (change == InfoChange::kOthers) peer->set(kPeerForcePush);
    go_on(step, *peer);
  }
}

bool peer_is_settled(const Step& step, const Peer& peer) {
  return is_up_to_date(peer, own_info(step)) || peer.calls_only;
}

void discover_in_background(Step& step, Peer& peer) {
  if (peer.has(kPeerDiscovering)) return;
  begin_discovery(peer);
  go_on(step, peer);
}

bool discovery_ping_ended(Step& step, Portal0Md& record) {
  Peer* const peer = step.s.directory.find(record.peer);
  if (peer == nullptr) return false;
  PushReading reading;
  if (record.status == 0) reading = read_ping(answer_of(record), step.config().globals);
  if (reading.needed != 0 && send_ping_again(step, record, reading.needed)) return true;
  peer->clear(kPeerPingSent);
  const bool good = reading.is_info();
  int status = good ? 0 : record.status == 0 ? -EPROTO : record.status;
  int for_messages = record.status == 0 ? status : error_for_messages(record);
  peer->phase = kDiscoveryLifeCycle.after(
      peer->phase, good ? DiscoveryEvent::kAnswered : DiscoveryEvent::kFailed);
  if (step.s.shut_down) status = for_messages = -ESHUTDOWN;
  if (status == 0)
    trace(step, *peer, "ping answered, NIDs {}", nids_of(reading.info).size());
  else
    trace(step, *peer, "the ping has failed: {error}", static_cast<std::uint64_t>(-status));
  // A push that came since the ping was sent may have overtaken the answer. After a restart of the
  // peer its sequence numbers begin anew, so the push may have the number that was known when the
  // ping was sent.
  const bool pushed_since = peer->pushed_since_ping || peer->sequence != record.sequence;
  const bool overtaken = status == 0 && pushed_since && reading.info.sequence < peer->sequence;
  if (reading.refused != DropReason::kCount) step.s.counters.drop(reading.refused);
  TakenOver taken{status, peer};
  if (status == 0 && !overtaken) {
    taken = take_over(step, *peer, reading, record.answerer, record.claimer);
    if (taken.status == 0) note_way(step, *taken.peer, record.source, record.answerer);
  } else if (overtaken) {
    step.s.counters.drop(DropReason::kInfoOld);
    // The push has the number that was known before: it may be a late one of the earlier
    // incarnation, and the answer that of the new one. A further ping decides.
    if (peer->sequence == record.sequence) peer->set(kPeerForcePing);
  }
  if (taken.peer == nullptr) return delete_discovered(step, *peer), false;
  const Nid claimer = taken.peer->primary;
  if (taken.status != 0)
    failed(step, *taken.peer, kPeerForcePing, taken.status,
           status != 0 ? for_messages : taken.status);
  else
    go_on(step, *taken.peer);
  end_rest(step, taken, record);
  if (asks_about_claim(step, record)) ask_about_claim(step, taken.claimed, claimer);
  return false;
}

void discovery_push_ended(Step& step, const Portal0Md& record) {
  Peer* const peer = step.s.directory.find(record.peer);
  if (peer == nullptr) return;
  peer->clear(kPeerPushSent);
  const bool taken = record.status == 0;
  peer->phase = kDiscoveryLifeCycle.after(
      peer->phase, taken ? DiscoveryEvent::kAnswered : DiscoveryEvent::kFailed);
  if (!taken) {
    peer->repeats = false;
    // The NID may be gone. The next push goes to the primary NID, by any rail.
    peer->remote = {};
  }
  if (taken)
    trace(step, *peer, "push acknowledged, of this node's info number {}", record.sequence);
  else
    trace(step, *peer, "the push has failed: {error}", static_cast<std::uint64_t>(-record.status));
  if (taken) peer->acked_sequence = record.sequence;
  if (taken && !step.s.shut_down) return go_on(step, *peer);
  const int status = taken ? -ESHUTDOWN : record.status;
  failed(step, *peer, kPeerForcePush, status, taken ? status : error_for_messages(record));
}

std::vector<DiscoveryAsker> take_askers(Step& step, std::span<const Nid> nids) {
  std::vector<DiscoveryAsker> all;
  for (const Nid& nid : nids)
    if (Peer* peer = step.s.directory.find(nid)) {
      std::move(peer->askers.begin(), peer->askers.end(), std::back_inserter(all));
      peer->askers.clear();
    }
  return all;
}

void ask_again(Step& step, const std::vector<DiscoveryAsker>& askers) {
  for (const DiscoveryAsker& asker : askers) {
    if (asker.is_call)
      notify_asker(step, asker, -ENOENT, Peer{});
    else
      ask_for(step, step.s.directory.meet(asker.nid), asker, 0);
  }
}

void give_up(Step& step, const std::vector<DiscoveryAsker>& askers) {
  for (const DiscoveryAsker& asker : askers) notify_asker(step, asker, -EHOSTUNREACH, Peer{});
}

}  // namespace ulnet::core
