// Checks the header of a message that arrives, finds or makes the peer NI of the last hop, and
// hands the message on by its type and destination. Handles the end of its payload. Source:
// spec/core-semantics.md 8.
#include "lnet/core/flow/arrival.h"

#include <algorithm>

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/fault_arrival.h"
#include "lnet/core/flow/faults.h"
#include "lnet/core/flow/forward.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/idle_peers.h"
#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/incoming_request.h"
#include "lnet/core/flow/incoming_response.h"
#include "lnet/core/flow/loop_signs.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/portal_owner.h"
#include "lnet/core/flow/unroutable.h"
#include "lnet/core/path/select_route.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

void refuse(Step& step, const HeaderArrived& in, DropReason reason) {
  step.s.counters.drop(reason);
  step.out.emplace_back(std::in_place_type<Reject>, Reject{in.ni, in.rx, to_string(reason)});
}

enum class Verdict : std::uint8_t { kTake, kForward, kDrop, kRefuse };
struct Judgement {
  Verdict verdict = Verdict::kTake;
  DropReason reason = DropReason::kCount;
};

/// Makes the checks 8.1 and 8.2: the length of the payload.
Judgement judge_payload(const wire::LnetHeader& header) {
  const bool carries = header.type() == MsgType::kPut || header.type() == MsgType::kReply;
  if (!carries && header.payload_length != 0)
    return {Verdict::kRefuse, DropReason::kPayloadNotAllowed};
  if (header.payload_length > limits::kMtu) return {Verdict::kRefuse, DropReason::kPayloadTooLong};
  return {};
}

/// Check 8.3: whether the message is a ping of another node.
bool visits(const ShardState& s, const LocalNi& ni, const wire::LnetHeader& header) {
  const auto* get = std::get_if<wire::GetPart>(&header.part);
  return get != nullptr && get->portal == kReservedPortal.index && !ni.loopback() &&
         s.nis.find(header.src_nid) == nullptr;
}

/// Makes check 8.4: whether the message is for this NI, is forwarded, or is refused or dropped.
Judgement judge_destination(const ShardState& s, const LocalNi& ni, const Nid& dest) {
  if (dest == ni.nid()) return {};
  if (dest.net() == ni.nid().net()) return {Verdict::kRefuse, DropReason::kNotThisNi};
  if (s.nis.find(dest) != nullptr) return {Verdict::kRefuse, DropReason::kOtherNet};
  if (s.router.forwards() && !ni.loopback()) return {Verdict::kForward};
  return {Verdict::kDrop, DropReason::kRoutingOff};
}

/// Check 8.9: whether this node would use the router by which the message came for the way back.
bool came_by_own_route(ShardState& s, const Nid& source, const Nid& hop) {
  const RemoteNet* net = s.routes.find(source.net());
  if (net == nullptr) return false;
  return std::ranges::any_of(net->routes, [&](const RouteEntry& route) {
    return is_of_gateway(s.peers, route.gateway->entry.gateway, hop);
  });
}

/// Whether the source or the hop cannot be right: the NID any belongs to no peer, and only this
/// node itself sends from 0@lo (spec/wire-lnet.md 3.5).
bool impossible_source(const LocalNi& ni, const Nid& source, const Nid& hop) {
  if (source.is_any() || hop.is_any()) return true;
  return !ni.loopback() && (source.is_loopback() || hop.is_loopback());
}

Judgement judge(Step& step, const HeaderArrived& in, const LocalNi& ni) {
  const wire::LnetHeader& header = *in.header;
  if (const Judgement j = judge_payload(header); j.verdict != Verdict::kTake) return j;
  if (step.s.router.forwards() && visits(step.s, ni, header))
    step.send_to_shard(kControlShard, shard_msg::NetVisited{ni.nid().net()});
  const Judgement whose = judge_destination(step.s, ni, header.dest_nid);
  if (whose.verdict == Verdict::kRefuse || whose.verdict == Verdict::kDrop) return whose;
  if (impossible_source(ni, header.src_nid, in.hop.nid))
    return {Verdict::kDrop, DropReason::kBadSource};
  if (whose.verdict == Verdict::kForward && step.s.nis.find(header.src_nid) != nullptr) {
    came_back(step, header);
    return {Verdict::kDrop, DropReason::kCameBack};
  }
  if (step.s.failures.hit(header.src_nid)) return {Verdict::kDrop, DropReason::kSimulatedFailure};
  if (has_faults(step.s) && lost_by_fault(step, in, ni))
    return {Verdict::kDrop, DropReason::kFaultRule};
  const bool routed = header.src_nid.net() != in.hop.nid.net();
  if (routed && whose.verdict == Verdict::kTake && step.config().globals.drop_asym_route != 0 &&
      !came_by_own_route(step.s, header.src_nid, in.hop.nid)) {
    note_asymmetric(step, header.src_nid, in.hop.nid);
    return {Verdict::kDrop, DropReason::kAsymmetricRoute};
  }
  return whose;
}

/// Handles a message by its type.
void take(Step& step, const Arrival& a) {
  switch (a.header().type()) {
    case MsgType::kPut:
    case MsgType::kGet:
      return on_request(step, a);
    case MsgType::kAck:
    case MsgType::kReply:
      return on_response(step, a);
    case MsgType::kHello:
      break;
  }
  ULNET_ASSERT(false);  // an LNet header is a PUT, GET, ACK or REPLY
}

}  // namespace

void header_arrived(Step& step, const HeaderArrived& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return drop(step, in, nullptr, DropReason::kUnknownNi);
  if (ni->phase != NiPhase::kUp)
    return drop(step, in, ni, step.s.shut_down ? DropReason::kShutdown : DropReason::kNiRemoved);
  const Judgement judgement = judge(step, in, *ni);
  if (judgement.verdict == Verdict::kRefuse) return refuse(step, in, judgement.reason);
  if (judgement.verdict == Verdict::kDrop) return drop(step, in, ni, judgement.reason);

  Arrival a{in, *ni};
  a.peer = step.s.peers.find_ni(in.hop.nid);
  if (a.peer == nullptr) {
    if (!admit_peer_ni(step, in.hop.nid)) return drop(step, in, ni, DropReason::kTooManyPeers);
    a.peer = make_peer_ni(step, in.hop.nid);
  }
  if (a.peer == nullptr) return drop(step, in, ni, DropReason::kNiRemoved);
  a.peer->last_heard = step.now;
  a.peer->known->used = true;
  step.s.peers.hear(*a.peer->known);
  if (step.s.routes.misses_any()) gateway_heard(step, in.hop.nid, in.header->src_nid);
  // The peer NI is alive now, even if this message is dropped and raises no health.
  if (a.peer->known->health < kHealthMax) peer_ni_health_changed(step, *a.peer);
  meet(step, *a.peer);
  ++count_of(ni->traffic.received, in.header->type());
  ++count_of(a.peer->traffic.received, in.header->type());
  if (has_faults(step.s) && delayed_by_fault(step, a)) return;
  judgement.verdict == Verdict::kForward ? forward(step, a) : take(step, a);
}

void go_on_with_arrival(Step& step, Msg& msg) {
  const MsgTicket self = msg.self;
  const wire::LnetHeader header = msg.header;
  const HeaderArrived in{msg.rx_ni, msg.hop, &header, msg.rx, {}, false};
  msg.on(MsgEvent::kRetry);
  const Arrival a{in, *msg.ni, msg.peer, &msg};
  if (header.dest_nid != msg.ni->nid())
    return step.s.router.forwards() ? forward(step, a)
                                    : drop_message(step, msg, DropReason::kRoutingOff);
  take(step, a);
  Msg* const left = step.s.find(self);
  if (left == nullptr || left->state != MsgState::kFresh) return;
  left->on(MsgEvent::kEnd);  // the message does not wait for anything, so its record was not used
  release_message(step, *left);
}

void payload_landed(Step& step, const PayloadLanded& in) {
  Msg* msg = step.s.find(in.msg);
  if (msg != nullptr && msg->state == MsgState::kLanding)
    return msg->routed ? forward_landed(step, *msg, in.status, in.health)
                       : end_landing(step, *msg, in.status, in.health);
  if (msg != nullptr && waits_to_be_forwarded(*msg)) {
    msg->rx_lost = true;
    return drop_forwarding(step, *msg, DropReason::kHeldLost);
  }
  if (msg != nullptr && msg->state == MsgState::kDelayed && !msg->outgoing) {
    msg->rx_lost = true;
    return drop_message(step, *msg, DropReason::kHeldLost);
  }
  // The payload of a held message failed to land, and its DropPayload was on its way to the driver
  // then.
  if (in.status != 0 && (msg == nullptr || (msg->routed && msg->outgoing))) return;
  if (msg == nullptr || !waits_for_verdict(*msg) || msg->rx_lost) {
    step.note(Note::Level::kError, "a driver landed a message that it did not have");
    return;
  }
  msg->rx_lost = true;  // the connection died before the message was decided
  give_up(step, *msg, DropReason::kHeldLost);
}

}  // namespace ulnet::core
