// Keeps the ping target and the push target attached, handles the events of their MDs, and runs the
// pings of the API. Source: spec/core-semantics.md 14, spec/wire-lnet.md 4, 5, spec/multirail.md
// 4.4, 4.6, 4.8.
#include "lnet/core/flow/portal0.h"

#include "lnet/core/flow/attach.h"
#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/net_visits.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/portal0_requests.h"
#include "lnet/core/flow/recovery.h"
#include "lnet/core/flow/router_check.h"
#include "lnet/core/flow/routing_loops.h"
#include "lnet/core/flow/unlink.h"

namespace ulnet::core {

namespace {

/// The size of the first buffer of a ping through the API, in bytes (spec/wire-lnet.md 4.1).
constexpr std::size_t kUserPingBytes = 3960;

/// Attaches `record` as a target on portal 0 for every initiator.
void post_target(Step& step, Portal0Md& record, std::uint32_t options, std::int32_t threshold) {
  const iovec fragment{record.bytes.data(), record.bytes.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = threshold;
  spec.options = options;
  spec.user_ptr = &record;
  MeHandle me;
  Check check = attach_me(step, kReservedPortal, {Nid::any(), Pid::any()}, kPortal0Bits, {},
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

void push_arrived(Step& step, Portal0Md& record, const Event& event) {
  if (event.type != EventType::kPut) return step.s.portal0.mds.erase(record.self);  // unlinked
  const ByteView landed = ByteView(record.bytes).first(event.mlength);
  const PushReading reading = read_push(event.status, event.rlength, landed, step.config().globals);
  step.s.portal0.mds.erase(record.self);
  if (step.s.shut_down) return;
  step.s.portal0.push_bytes = std::max(step.s.portal0.push_bytes, reading.needed);
  post_push_target(step);
  if (reading.refused != DropReason::kCount) step.s.counters.drop(reading.refused);
  info_came(step, reading, {event.source, event.initiator.pid}, event.target.nid);
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
  step.send_to_shard(record.caller,
                     shard_msg::CallEnded{{record.ticket, status, std::move(reply)}});
}

/// Handles the end of a ping through the API. Returns whether the ping was sent again, with a
/// larger buffer.
bool user_ping_ended(Step& step, Portal0Md& record) {
  if (!record.armed()) return false;  // on_ping_timeout() has ended the call already
  const auto ends = [&](int status, PingReply reply = {}) {
    end_ping(step, record, status, std::move(reply));
    return false;
  };
  // The end of the deadline unlinks the MD. A GET that waits for a credit then ends with
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

void request_ended(Step& step, Portal0Md& record) {
  if (record.kind == Portal0Md::Kind::kUserPing && user_ping_ended(step, record)) return;
  if (record.kind == Portal0Md::Kind::kPeerPing && discovery_ping_ended(step, record)) return;
  if (record.kind == Portal0Md::Kind::kPush) discovery_push_ended(step, record);
  if (record.kind == Portal0Md::Kind::kRecoveryPing) recovery_ping_ended(step, record);
  if (record.kind == Portal0Md::Kind::kRouterCheck && router_check_ended(step, record)) return;
  if (record.kind == Portal0Md::Kind::kNetPing && record.armed()) net_ping_ended(step, record);
  if (record.kind == Portal0Md::Kind::kLoopPing) loop_ping_ended(step, record);
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
    record.answerer = event.source;
  } else if (!record.answered) {
    record.status = event.status;
    if (event.type == EventType::kSend) record.left_by = event.source;
  }
  if (event.unlinked) return request_ended(step, record);
  const bool no_answer_will_come = event.type == EventType::kSend && event.status != 0;
  if (no_answer_will_come) abort_once(step, record.md, event.status);
}

/// Whether the only change is that discovery was turned on.
bool is_turned_on(wire::PingInfo before, const wire::PingInfo& now) {
  if (before.has(wire::kPingDiscovery) || !now.has(wire::kPingDiscovery)) return false;
  before.features |= wire::kPingDiscovery;
  return before == now;
}

}  // namespace

void refresh_node_info(Step& step) {
  Portal0State& portal0 = step.s.portal0;
  portal0.stale = false;
  if (step.s.shut_down || step.s.index != kControlShard) return;
  const bool routes = step.s.router.state == RoutingState::kEnabled;
  wire::PingInfo info = describe_node(step.config(), step.s.nis, routes, step.s.visits);
  const bool first = portal0.info.sequence == 0;
  info.sequence = first ? step.config().ping_sequence : portal0.info.sequence;
  if (!first && info == portal0.info) return;
  // Changed features and statuses are pushed under the same number, also to peers that have
  // acknowledged it (spec/multirail.md 4.4, 4.8).
  const bool other_nids = first || nids_of(info) != nids_of(portal0.info);
  // Peers see at their next ping that discovery is on again (multirail.md 4.8).
  const bool turned_on = !first && is_turned_on(portal0.info, info);
  if (first || other_nids) ++info.sequence;
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
    retire_md(step, *md);  // it is removed when the REPLYs that read it have been sent
  own_info_changed(step, turned_on    ? InfoChange::kNone
                         : other_nids ? InfoChange::kNids
                                      : InfoChange::kOthers);
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
  ULNET_ASSERT(record != nullptr);  // it is removed with the last event of its MD
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
    case Portal0Md::Kind::kRecoveryPing:
    case Portal0Md::Kind::kRouterCheck:
    case Portal0Md::Kind::kNetPing:
    case Portal0Md::Kind::kLoopPing:
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
  send_ping_for(step, record, request.timeout);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::CallEnded& in) {
  step.out.emplace_back(std::in_place_type<Done>, Done(in.done));
}

void on_ping_timeout(Step& step, const Portal0Md& record) {
  if (record.kind == Portal0Md::Kind::kRouterCheck)
    router_check_timed_out(step, record);
  else if (record.kind == Portal0Md::Kind::kNetPing)
    net_ping_ended(step, record);
  else if (record.kind == Portal0Md::Kind::kUserPing)
    end_ping(step, record, -ETIMEDOUT);
  abort_once(step, record.md, -ETIMEDOUT);
}

void stop_portal0(Step& step) {
  std::vector<MdHandle> mds;
  step.s.portal0.mds.for_each([&](Handle, Portal0Md& record) { mds.push_back(record.md); });
  for (const MdHandle md : mds) abort_once(step, md, -ESHUTDOWN);
}

}  // namespace ulnet::core
