#include "core/flow/discovery.h"

#include <algorithm>
#include <utility>

#include "base/canary.h"
#include "core/flow/configured_peer.h"
#include "core/flow/peer_cards.h"
#include "core/flow/portal0_requests.h"
#include "core/path/discovery.h"
#include "core/path/peer_claim.h"

namespace ulnet::core {

namespace {

/// The first buffer for the REPLY to a ping, in bytes (spec/wire-lnet.md 4.1).
constexpr std::size_t kPingBytes = limits::kPingBufferMin;

OwnInfo own_info(const Step& step) {
  return {step.s.portal0.info.sequence, step.config().globals.discovery != 0};
}

// ---- sending

void send_ping_to(Step& step, Peer& peer) {
  peer.phase = kDiscoveryLife.after(peer.phase, DiscoveryEvent::kPing);
  peer.set(kPeerPingSent);
  peer.clear(kPeerForcePing);
  Portal0Md& record =
      make_record(step, Portal0Md::Kind::kPeerPing, std::vector<std::byte>(kPingBytes));
  record.target = {peer.primary, peer.pid};
  record.deadline = step.now + std::chrono::seconds(step.config().globals.transaction_timeout);
  record.peer = peer.self;
  record.sequence = peer.sequence;
  send_ping(step, record);
}

/// A push takes the way by which the peer's info came (4.5).
void send_push_to(Step& step, Peer& peer) {
  peer.phase = kDiscoveryLife.after(peer.phase, DiscoveryEvent::kPush);
  peer.set(kPeerPushSent);
  peer.clear(kPeerForcePush);
  const wire::PingInfo& info = step.s.portal0.info;
  Portal0Md& record = make_record(step, Portal0Md::Kind::kPush, encode(info));
  const LocalNi* ni = peer.remote.is_any() ? nullptr : step.s.nis.find(peer.local);
  const bool same_way = ni != nullptr && ni->up();
  record.target = {same_way ? peer.remote : peer.primary, peer.pid};
  if (same_way) record.source = peer.local;
  record.peer = peer.self;
  record.sequence = info.sequence;
  send_push(step, record);
}

// ---- the end

PingReply reply_from(const Peer& peer) {
  PingReply reply;
  reply.primary = peer.primary;
  reply.multi_rail = peer.has(kPeerMultiRail);
  reply.nids.assign(peer.nids().begin(), peer.nids().end());
  return reply;
}

void tell(Step& step, const DiscoveryAsker& asker, int status, const Peer& peer) {
  if (asker.is_call) {
    // Messages go by the configuration; whoever asks is told that it is contradicted (2.2).
    if (status == 0 && peer.differs) status = -EPERM;
    PingReply reply = status == 0 ? reply_from(peer) : PingReply{};
    return step.send_letter(asker.shard,
                            letter::CallEnded{{asker.ticket, status, std::move(reply)}});
  }
  if (ULNET_CANARY(kDiscoveryUntold)) return;
  step.send_letter(asker.shard, letter::Discovered{{asker.nid}, status});
}

void ask_for(Step& step, Peer& peer, DiscoveryAsker asker, bool force);

/// The discovery of the peer has ended. After an error all shards are told, not only those that
/// have asked, so that they ask before their next messages.
void conclude(Step& step, Peer& peer, int status) {
  end_discovery(peer, status);
  const Handle self = peer.self;
  const std::vector<DiscoveryAsker> askers = std::exchange(peer.askers, {});
  if (status != 0 && !step.s.shut_down) {
    letter::Discovered news{{peer.nids().begin(), peer.nids().end()}, status};
    for (std::uint32_t shard = 0; shard < step.s.placement.shards(); ++shard)
      step.send_letter(shard, news);
  }
  for (const DiscoveryAsker& asker : askers) {
    // The NID may have turned out to be another peer's, or nobody's.
    Peer& owner = step.s.directory.meet(asker.nid);
    if (owner.self != self && !step.s.shut_down)
      ask_for(step, owner, asker, false);
    else if (status == 0 || step.s.shut_down || asker.is_call)
      tell(step, asker, status, owner);
  }
}

/// Does what is due for the peer: 4.2.
void go_on(Step& step, Peer& peer) {
  if (peer.phase != DiscoveryPhase::kIdle || step.s.shut_down) return;
  switch (next_of(peer, own_info(step))) {
    case DiscoveryStep::kPing:
      return send_ping_to(step, peer);
    case DiscoveryStep::kPush:
      return send_push_to(step, peer);
    case DiscoveryStep::kDone:
      return conclude(step, peer, 0);
  }
}

void ask_for(Step& step, Peer& peer, DiscoveryAsker asker, bool force) {
  if (!asker.is_call) peer.pid = asker.pid;
  if (!force && is_up_to_date(peer, own_info(step))) return tell(step, asker, 0, peer);
  peer.askers.push_back(std::move(asker));
  if (!peer.has(kPeerDiscovering)) begin_discovery(peer, force);
  go_on(step, peer);
}

// ---- what a peer has told

/// The NIDs in a peer's info without those of this node. Empty if `source`, from which the info
/// came, is not among them: then the info is not believed.
std::vector<Nid> credible_nids(const Step& step, const wire::PingInfo& info, const Nid& source) {
  std::vector<Nid> nids = nids_of(info);
  std::erase_if(nids, [&](const Nid& nid) { return step.s.nis.find(nid) != nullptr; });
  if (std::find(nids.begin(), nids.end(), source) == nids.end()) nids.clear();
  return nids;
}

/// Takes over what the peer that has `source` says of itself (4.4). 0, or why it is not believed.
int take_over(Step& step, Peer& peer, const PushReading& reading, const Nid& source) {
  Directory& directory = step.s.directory;
  peer.sequence = reading.info.sequence;
  if (reading.verdict == PushVerdict::kNoDiscovery) {
    peer.state |= kPeerNoDiscovery | kPeerDiscovered | kPeerNidsUpToDate;
    if (configuration_counts(step, peer, peer.nids(), false)) return 0;
    peer.clear(kPeerMultiRail);
    publish(step, directory.learn(peer, {peer.nids().begin(), peer.nids().end()}, false));
    return 0;
  }
  std::vector<Nid> nids = credible_nids(step, reading.info, source);
  if (nids.empty()) {
    step.note(Note::Level::kWarning, "a peer told NIDs that are not its own", source);
    return -EPROTO;
  }
  peer.clear(kPeerNoDiscovery);
  peer.clear(kPeerRediscover);
  peer.state |= kPeerDiscovered | kPeerNidsUpToDate;
  if (configuration_counts(step, peer, nids, true)) return 0;
  peer.set(kPeerMultiRail);
  publish(step, directory.learn(peer, std::move(nids), true));
  return 0;
}

void failed(Step& step, Peer& peer, PeerBit force, int status) {
  peer.set(force);
  conclude(step, peer, status);
}

/// Whatever error a driver has, the peer cannot be reached (4.7). LNet's own say what they are.
int error_of(const Portal0Md& record) {
  return record.sent && record.status != -ETIMEDOUT ? -EIO : record.status;
}

}  // namespace

Check start_discovery(Step& step, const call::Discover& call) {
  if (step.s.shut_down) return {-ESHUTDOWN, "shutting down"};
  if (call.nid.is_any()) return {-EINVAL, "nobody to discover"};
  if (call.force) suspect_stale(step, call.nid);
  const DiscoveryAsker asker{
      .shard = call.caller, .nid = call.nid, .ticket = call.ticket, .is_call = true};
  if (step.s.nis.find(call.nid) == nullptr) {
    ask_for(step, step.s.directory.meet(call.nid), asker, call.force);
    return {};
  }
  // This node itself.
  PingReply reply;
  reply.multi_rail = true;
  for (const LocalNi* ni : step.s.nis.configured())
    if (!ni->loopback()) reply.nids.push_back(ni->nid());
  reply.primary = reply.nids.empty() ? call.nid : reply.nids.front();
  step.send_letter(asker.shard, letter::CallEnded{{asker.ticket, 0, std::move(reply)}});
  return {};
}

void on_letter(Step& step, std::uint32_t from, const letter::DiscoveryWanted& in) {
  Peer& peer = step.s.directory.meet(in.nid);
  if (step.s.shut_down) return tell(step, {from, in.nid}, -ESHUTDOWN, peer);
  ask_for(step, peer, {.shard = from, .nid = in.nid, .pid = in.pid}, false);
}

void on_letter(Step& step, std::uint32_t, const letter::PeerRestarted& in) {
  Peer* peer = step.s.directory.find(in.nid);
  if (peer == nullptr) return;
  // Its new incarnation knows nothing of this node, and counts its own changes from the beginning.
  peer->acked_sequence = 0;
  peer->sequence = 0;
}

void push_came(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local) {
  if (step.s.nis.find(source.nid) != nullptr || reading.verdict == PushVerdict::kIgnore) return;
  Peer& peer = step.s.directory.meet(source.nid);  // its home may not have told of it yet
  if (ignores_pushes(peer)) return;
  // The PID of a peer that connected from an unprivileged port has the user flag.
  peer.calls_only = source.pid.is_user();
  if (!peer.calls_only) peer.pid = source.pid;
  if (reading.verdict == PushVerdict::kPing) {
    peer.set(kPeerForcePing);
    if (!peer.calls_only) go_on(step, peer);
    return;
  }
  if (reading.info.sequence < peer.sequence) return;  // overtaken by a newer one
  peer.local = local;
  peer.remote = source.nid;
  if (take_over(step, peer, reading, source.nid) == 0) go_on(step, peer);
}

void own_info_changed(Step& step, bool changed_only) {
  std::vector<Nid> peers;  // what is sent to one may change the directory
  step.s.directory.for_each([&](const Peer& peer) {
    if (peer.has(kPeerMultiRail) && peer.has(kPeerDiscovered)) peers.push_back(peer.primary);
  });
  for (const Nid& nid : peers) {
    Peer* peer = step.s.directory.find(nid);
    if (peer == nullptr) continue;
    if (changed_only) peer->set(kPeerForcePush);
    go_on(step, *peer);
  }
}

bool peer_is_settled(const Step& step, const Peer& peer) {
  return is_up_to_date(peer, own_info(step)) || peer.calls_only;
}

void discover_in_background(Step& step, Peer& peer) {
  if (peer.has(kPeerDiscovering)) return;
  begin_discovery(peer, false);
  go_on(step, peer);
}

bool discovery_ping_ended(Step& step, Portal0Md& record) {
  Peer* const peer = step.s.directory.find(record.peer);
  if (peer == nullptr) return false;
  PushReading reading;
  if (record.status == 0) reading = read_ping(answer_of(record), step.config().globals);
  if (reading.needed != 0 && send_ping_again(step, record, reading.needed)) return true;
  peer->clear(kPeerPingSent);
  const bool good =
      reading.verdict == PushVerdict::kLearn || reading.verdict == PushVerdict::kNoDiscovery;
  int status = good ? 0 : record.status == 0 ? -EPROTO : error_of(record);
  peer->phase =
      kDiscoveryLife.after(peer->phase, good ? DiscoveryEvent::kAnswered : DiscoveryEvent::kFailed);
  if (step.s.shut_down) status = -ESHUTDOWN;
  // A push that came since the ping was sent may have overtaken the answer.
  const bool overtaken =
      peer->sequence != record.sequence && reading.info.sequence < peer->sequence;
  if (status == 0 && !overtaken) {
    peer->local = record.source;
    peer->remote = record.answerer;
    status = take_over(step, *peer, reading, record.answerer);
  }
  if (status != 0)
    failed(step, *peer, kPeerForcePing, status);
  else
    go_on(step, *peer);
  return false;
}

void discovery_push_ended(Step& step, const Portal0Md& record) {
  Peer* const peer = step.s.directory.find(record.peer);
  if (peer == nullptr) return;
  peer->clear(kPeerPushSent);
  const bool taken = record.status == 0;
  peer->phase = kDiscoveryLife.after(peer->phase,
                                     taken ? DiscoveryEvent::kAnswered : DiscoveryEvent::kFailed);
  if (taken) peer->acked_sequence = record.sequence;
  if (taken && !step.s.shut_down) return go_on(step, *peer);
  failed(step, *peer, kPeerForcePush, taken ? -ESHUTDOWN : error_of(record));
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
      tell(step, asker, -ENOENT, Peer{});
    else
      ask_for(step, step.s.directory.meet(asker.nid), asker, false);
  }
}

void give_up(Step& step, const std::vector<DiscoveryAsker>& askers) {
  for (const DiscoveryAsker& asker : askers) tell(step, asker, -EHOSTUNREACH, Peer{});
}

}  // namespace ulnet::core
