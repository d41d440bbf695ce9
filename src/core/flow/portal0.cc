#include "core/flow/portal0.h"

#include "base/canary.h"
#include "core/flow/attach.h"
#include "core/flow/message_records.h"
#include "core/flow/operation.h"
#include "core/flow/peer_cards.h"
#include "core/flow/start_request.h"
#include "core/flow/unlink.h"
#include "core/path/push.h"

namespace ulnet::core {

namespace {

constexpr MatchBits kOwnBits{wire::kPingMatchBits};
/// The first buffer of a ping through the API, and of one that the node sends by itself, in bytes
/// (spec/wire-lnet.md 4.1).
constexpr std::size_t kUserPingBytes = 3960;
constexpr std::size_t kPeerPingBytes = limits::kPingBufferMin;

Portal0Md& make_record(Step& step, Portal0Md::Kind kind, std::vector<std::byte> bytes) {
  auto [self, record] = step.s.portal0.mds.make();
  record->self = self;
  record->kind = kind;
  record->bytes = std::move(bytes);
  return *record;
}

/// Aborts an MD of a record, unless it is gone, or aborted for another reason before.
void abort_once(Step& step, MdHandle handle, int status) {
  Md* md = step.s.memory.find(handle);
  if (md != nullptr && md->state != MdState::kAborted) abort_md(step, *md, status);
}

/// Attaches `record` as a target on portal 0 for every initiator.
void post_target(Step& step, Portal0Md& record, std::uint32_t options, std::int32_t threshold) {
  const iovec fragment{record.bytes.data(), record.bytes.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = threshold;
  spec.options = options;
  spec.user_ptr = &record;
  MeHandle me;
  Check check = attach_me(step, kReservedPortal, {Nid::any(), Pid::any()}, kOwnBits, {},
                          UnlinkMode::kUnlink, true, true, me);
  ULNET_ASSERT(check.status == 0);  // users cannot attach entries on portal 0
  check = attach_md(step, me, spec, UnlinkMode::kUnlink, MdOwner::kShard, record.md);
  ULNET_ASSERT(check.status == 0);
}

/// Attaches a buffer for one push. The portal is lazy, so a push that comes before the next buffer
/// waits (wire-lnet.md 5).
void post_push_target(Step& step) {
  Portal0Md& record = make_record(step, Portal0Md::Kind::kPushTarget,
                                  std::vector<std::byte>(step.s.portal0.push_bytes));
  post_target(step, record, kOpPut | kTruncate, 1);
}

/// Binds the MD from which a push is sent, or into which the REPLY to a ping lands.
Md& bind_record(Step& step, Portal0Md& record, std::uint32_t options) {
  const iovec fragment{record.bytes.data(), record.bytes.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = 2;
  spec.options = options | kTrackResponse;
  spec.user_ptr = &record;
  const Check check = bind_md(step, spec, UnlinkMode::kUnlink, MdOwner::kShard, record.md);
  ULNET_ASSERT(check.status == 0);
  return *step.s.memory.find(record.md);
}

/// Sends the GET of a ping.
void send_ping(Step& step, Portal0Md& record) {
  GetRequest get;
  get.target = record.target;
  get.portal = kReservedPortal;
  get.match_bits = kOwnBits;
  get.self = record.source;
  start_get(step, bind_record(step, record, kTruncate), get, record.deadline);
  // The deadline of a call is that of its REPLY too. Armed anew, its timer fires after the REPLY's,
  // so that a REPLY that does not come is counted, and held against the peer.
  if (record.armed()) step.s.timers.arm(record, record.deadline);
}

/// Pings a peer whose push could not be used, unless such a ping is under way.
void ping_peer(Step& step, Peer& peer) {
  if (peer.has(kPeerPingSent)) return;
  peer.set(kPeerPingSent);
  Portal0Md& record =
      make_record(step, Portal0Md::Kind::kPeerPing, std::vector<std::byte>(kPeerPingBytes));
  record.target = {peer.primary, Pid::lustre()};
  record.deadline = step.now + std::chrono::seconds(step.config().globals.transaction_timeout);
  send_ping(step, record);
}

/// Pushes this node's info to a peer that has not acknowledged its present sequence number. The
/// push uses the two NIDs, `local` and `target`, between which a message has just come
/// (wire-lnet.md 5).
void push_to(Step& step, Peer& peer, const ProcessId& target, const Nid& local) {
  const wire::PingInfo& info = step.s.portal0.info;
  if (peer.has(kPeerPushSent) || peer.acked_sequence == info.sequence) return;
  peer.set(kPeerPushSent);
  Portal0Md& record = make_record(step, Portal0Md::Kind::kPush, encode(info));
  record.target = target;
  record.sequence = info.sequence;
  PutRequest put;
  put.target = target;
  put.portal = kReservedPortal;
  put.match_bits = kOwnBits;
  put.ack = AckRequest::kAck;
  put.self = local;
  start_put(step, bind_record(step, record, 0), put);
}

/// The NIDs in a peer's info without those of this node. Empty if `source`, from which the info
/// came, is not among them: then the info is not believed.
std::vector<Nid> credible_nids(const Step& step, const wire::PingInfo& info, const Nid& source) {
  std::vector<Nid> nids = nids_of(info);
  std::erase_if(nids, [&](const Nid& nid) { return step.s.nis.find(nid) != nullptr; });
  if (std::find(nids.begin(), nids.end(), source) == nids.end()) nids.clear();
  return nids;
}

/// Acts on a push, or on the REPLY to a ping that this node sent by itself. `source` is the
/// process that sent it, `local` the NID of this node that it reached.
void act_on(Step& step, const PushReading& reading, const ProcessId& source, const Nid& local) {
  if (step.s.nis.find(source.nid) != nullptr) return;
  Directory& directory = step.s.directory;
  Peer& peer = directory.meet(source.nid);  // its home may not have told of it yet
  // The PID of a peer that connected from an unprivileged port has the user flag: this node cannot
  // connect to such a peer.
  const bool reachable = !source.pid.is_user();
  switch (reading.verdict) {
    case PushVerdict::kIgnore:
      return;
    case PushVerdict::kPing:
      if (reachable) ping_peer(step, peer);
      return;
    case PushVerdict::kNoDiscovery:
      peer.state = (peer.state & ~static_cast<std::uint32_t>(kPeerMultiRail)) | kPeerNoDiscovery |
                   kPeerDiscovered;
      return publish(step, directory.learn(peer, {peer.nids().begin(), peer.nids().end()}, false));
    case PushVerdict::kLearn:
      break;
  }
  std::vector<Nid> nids = credible_nids(step, reading.info, source.nid);
  if (nids.empty())
    return step.note(Note::Level::kWarning, "a peer told NIDs that are not its own", source.nid);
  peer.clear(kPeerNoDiscovery);
  peer.state |= kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;
  publish(step, directory.learn(peer, std::move(nids), true));
  if (reachable) push_to(step, peer, source, local);
}

void push_arrived(Step& step, Portal0Md& record, const Event& event) {
  if (event.type != EventType::kPut) return step.s.portal0.mds.erase(record.self);  // unlinked
  const ByteView landed = ByteView(record.bytes).first(event.mlength);
  const PushReading reading = read_push(event.status, event.rlength, landed, step.config().globals);
  step.s.portal0.mds.erase(record.self);
  if (step.s.shut_down) return;
  step.s.portal0.push_bytes = std::max(step.s.portal0.push_bytes, reading.needed);
  post_push_target(step);
  act_on(step, reading, {event.source, event.initiator.pid}, event.target.nid);
}

/// If the REPLY did not fit into the buffer: sends the GET again, with a buffer of `needed` bytes.
/// Returns whether it did.
bool send_ping_again(Step& step, Portal0Md& record, std::size_t needed) {
  if (needed <= record.bytes.size() || step.s.shut_down) return false;
  record.bytes.assign(needed, std::byte{});
  record.answered = false;
  send_ping(step, record);
  return true;
}

PingReply reply_from(const Step& step, const wire::PingInfo& info, const Nid& asked) {
  PingReply reply;
  const Peer* peer = step.s.directory.find(asked);
  reply.primary = peer == nullptr ? asked : peer->primary;
  reply.multi_rail = peer != nullptr && peer->has(kPeerMultiRail);
  reply.pid = info.pid;
  reply.features = info.features;
  for (const auto* entries : {&info.legacy, &info.large})
    for (const wire::PingEntry& entry : *entries) reply.nids.push_back(entry.nid);
  return reply;
}

void end_ping(Step& step, const Portal0Md& record, int status, PingReply reply = {}) {
  if (status != 0 && step.s.shut_down) status = -ESHUTDOWN;
  step.send_letter(record.caller, letter::CallEnded{{record.ticket, status, std::move(reply)}});
}

ByteView answer_of(const Portal0Md& record) {
  return ByteView(record.bytes).first(record.received);
}

/// Returns whether the ping was sent again, with a larger buffer.
bool user_ping_ended(Step& step, Portal0Md& record) {
  if (!record.armed()) return false;  // on_ping_timeout() has ended the call already
  const auto ends = [&](int status, PingReply reply = {}) {
    end_ping(step, record, status, std::move(reply));
    return false;
  };
  // The end of the deadline unlinks the MD; a GET that waits for a credit then ends with
  // -ECANCELED.
  if (record.status != 0) return ends(record.status == -ECANCELED ? -ETIMEDOUT : record.status);
  ULNET_ASSERT(record.answered);
  const auto limit = static_cast<std::uint32_t>(step.config().globals.max_interfaces);
  const auto info = wire::decode_ping_info(answer_of(record), limit);
  if (info) return ends(0, reply_from(step, *info, record.target.nid));
  const bool short_buffer =
      info.error().why == wire::DecodeError::kTruncated && info.error().needed <= limits::kMtu;
  return (short_buffer && send_ping_again(step, record, info.error().needed)) || ends(-EPROTO);
}

/// Returns whether the ping was sent again, with a larger buffer.
bool peer_ping_ended(Step& step, Portal0Md& record) {
  Peer* const known = step.s.directory.find(record.target.nid);
  if (known == nullptr) return false;
  Peer& peer = *known;
  PushReading reading;
  if (record.status == 0) reading = read_ping(answer_of(record), step.config().globals);
  if (reading.needed != 0 && send_ping_again(step, record, reading.needed)) return true;
  peer.clear(kPeerPingSent);
  const bool good =
      reading.verdict == PushVerdict::kLearn || reading.verdict == PushVerdict::kNoDiscovery;
  good ? peer.clear(kPeerPingFailed) : peer.set(kPeerPingFailed);
  if (good && !step.s.shut_down) act_on(step, reading, record.target, record.source);
  return false;
}

void push_ended(Step& step, const Portal0Md& record) {
  Peer* const known = step.s.directory.find(record.target.nid);
  if (known == nullptr) return;
  Peer& peer = *known;
  const bool taken = record.status == 0;
  peer.clear(kPeerPushSent);
  taken ? peer.clear(kPeerPushFailed) : peer.set(kPeerPushFailed);
  if (taken) peer.acked_sequence = record.sequence;
}

void request_ended(Step& step, Portal0Md& record) {
  if (record.kind == Portal0Md::Kind::kUserPing && user_ping_ended(step, record)) return;
  if (record.kind == Portal0Md::Kind::kPeerPing && peer_ping_ended(step, record)) return;
  if (record.kind == Portal0Md::Kind::kPush) push_ended(step, record);
  if (record.bytes.size() == kUserPingBytes) step.s.portal0.spare_bytes.swap(record.bytes);
  step.s.portal0.mds.erase(record.self);
}

/// Handles an event of the MD of a ping or push that this node sends.
void request_event(Step& step, Portal0Md& record, const Event& event) {
  if (event.type == EventType::kReply || event.type == EventType::kAck) {
    record.answered = true;
    record.status = event.status;
    record.received = std::min(event.mlength, static_cast<std::uint32_t>(record.bytes.size()));
    record.source = event.target.nid;
  } else if (!record.answered) {
    record.status = event.status;
  }
  if (event.unlinked) return request_ended(step, record);
  const bool no_answer_will_come = event.type == EventType::kSend && event.status != 0;
  if (no_answer_will_come) abort_once(step, record.md, event.status);
}

}  // namespace

void refresh_node_info(Step& step) {
  Portal0State& portal0 = step.s.portal0;
  portal0.stale = false;
  if (step.s.shut_down || step.s.index != kControlShard) return;
  wire::PingInfo info = describe_node(step.config(), step.s.nis);
  info.sequence = portal0.info.sequence;
  const bool first = info.sequence == 0;
  if (!first && info == portal0.info) return;
  if (first || !ULNET_CANARY(kSequenceStands)) ++info.sequence;
  portal0.info = std::move(info);
  if (first) {
    step.s.portals.use(kReservedPortal).lazy = true;
    post_push_target(step);
  }
  Portal0Md* old = portal0.mds.find(portal0.ping_target);
  Portal0Md& target = make_record(step, Portal0Md::Kind::kPingTarget, encode(portal0.info));
  portal0.ping_target = target.self;
  post_target(step, target, kOpGet | kTruncate | kManageRemote, kThresholdInfinite);
  if (old == nullptr) return;
  if (Md* md = step.s.memory.find(old->md))
    retire_md(step, *md);  // it goes when the REPLYs that read it have been sent
}

void on_letter(Step& step, std::uint32_t, const letter::PeerRestarted& in) {
  // Its new incarnation knows nothing of this node.
  if (Peer* peer = step.s.directory.find(in.nid)) peer->acked_sequence = 0;
}

bool handle_portal0_event(Step& step) {
  Portal0State& portal0 = step.s.portal0;
  if (portal0.handled == portal0.events.size()) {
    portal0.events.clear();
    portal0.handled = 0;
    return false;
  }
  const auto [self, event] = portal0.events[portal0.handled++];
  Portal0Md* record = portal0.mds.find(self);
  ULNET_ASSERT(record != nullptr);  // it goes with the last event of its MD
  switch (record->kind) {
    case Portal0Md::Kind::kPingTarget:
      portal0.mds.erase(self);
      break;
    case Portal0Md::Kind::kPushTarget:
      if (event.unlinked) push_arrived(step, *record, event);
      break;
    case Portal0Md::Kind::kUserPing:
    case Portal0Md::Kind::kPeerPing:
    case Portal0Md::Kind::kPush:
      request_event(step, *record, event);
      break;
  }
  return true;
}

void start_user_ping(Step& step, const call::Ping& call) {
  const PingRequest& request = call.request;
  std::vector<std::byte> bytes;
  bytes.swap(step.s.portal0.spare_bytes);
  bytes.resize(kUserPingBytes);
  Portal0Md& record = make_record(step, Portal0Md::Kind::kUserPing, std::move(bytes));
  record.target = request.target;
  if (record.target.pid.is_any()) record.target.pid = Pid::lustre();
  record.source = request.source;
  record.ticket = call.ticket;
  record.caller = call.caller;
  record.deadline = step.now + request.timeout;
  step.s.timers.arm(record, record.deadline);
  send_ping(step, record);
}

void on_letter(Step& step, std::uint32_t, const letter::CallEnded& in) {
  step.out.emplace_back(std::in_place_type<Done>, Done(in.done));
}

void on_ping_timeout(Step& step, const Portal0Md& record) {
  end_ping(step, record, -ETIMEDOUT);
  abort_once(step, record.md, -ETIMEDOUT);
}

void stop_portal0(Step& step) {
  std::vector<MdHandle> mds;
  step.s.portal0.mds.for_each([&](Handle, Portal0Md& record) { mds.push_back(record.md); });
  if (ULNET_CANARY(kOwnMdLeft) && !mds.empty()) mds.pop_back();
  for (const MdHandle md : mds) abort_once(step, md, -ESHUTDOWN);
}

}  // namespace ulnet::core
