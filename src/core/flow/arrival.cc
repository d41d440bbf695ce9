#include "core/flow/arrival.h"

#include "base/canary.h"
#include "core/flow/accounting.h"
#include "core/flow/fault_arrival.h"
#include "core/flow/faults.h"
#include "core/flow/in_recovery.h"
#include "core/flow/incoming_request.h"
#include "core/flow/incoming_response.h"
#include "core/flow/message_records.h"
#include "core/flow/peers.h"
#include "core/flow/portal_home.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

void refuse(Step& step, const HeaderArrived& in, DropReason reason) {
  step.s.counters.drop(reason);
  step.out.emplace_back(std::in_place_type<Reject>, Reject{in.ni, in.rx, to_string(reason)});
}

enum class Verdict : std::uint8_t { kTake, kDrop, kRefuse };
struct Judgement {
  Verdict verdict = Verdict::kTake;
  DropReason reason = DropReason::kCount;
};

/// The checks 8.1 and 8.2.
Judgement judge_payload(const wire::LnetHeader& header) {
  const bool carries = header.type() == MsgType::kPut || header.type() == MsgType::kReply;
  if (!carries && header.payload_length != 0)
    return {Verdict::kRefuse, DropReason::kPayloadNotAllowed};
  if (header.payload_length > limits::kMtu) return {Verdict::kRefuse, DropReason::kPayloadTooLong};
  return {};
}

/// The check 8.4.
Judgement judge_destination(const NiTable& nis, const LocalNi& ni, const Nid& dest) {
  if (dest == ni.nid()) return {};
  if (dest.net() == ni.nid().net()) return {Verdict::kRefuse, DropReason::kNotThisNi};
  if (nis.find(dest) != nullptr) return {Verdict::kRefuse, DropReason::kOtherNet};
  return {Verdict::kDrop, DropReason::kRoutingOff};
}

/// No peer has the NID any, and 0@lo can only come from this node itself (spec/wire-lnet.md 3.5).
bool impossible_source(const LocalNi& ni, const Nid& source, const Nid& hop) {
  if (source.is_any() || hop.is_any()) return true;
  return !ni.loopback() && (source.is_loopback() || hop.is_loopback());
}

Judgement judge(Step& step, const HeaderArrived& in, const LocalNi& ni) {
  const wire::LnetHeader& header = *in.header;
  if (const Judgement j = judge_payload(header); j.verdict != Verdict::kTake) return j;
  if (const Judgement j = judge_destination(step.s.nis, ni, header.dest_nid);
      j.verdict != Verdict::kTake)
    return j;
  if (impossible_source(ni, header.src_nid, in.hop.nid))
    return {Verdict::kDrop, DropReason::kBadSource};
  if (step.s.failures.hit(header.src_nid)) return {Verdict::kDrop, DropReason::kSimulatedFailure};
  if (has_faults(step.s) && lost_by_fault(step, in, ni))
    return {Verdict::kDrop, DropReason::kFaultRule};
  // This node knows no routes, so the last hop is not a gateway to the source's net.
  const bool routed = header.src_nid.net() != in.hop.nid.net();
  if (routed && step.config().globals.drop_asym_route != 0)
    return {Verdict::kDrop, DropReason::kAsymmetricRoute};
  return {};
}

/// Gives a message to what its type asks for.
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
  if (ni->phase != NiPhase::kUp && !ULNET_CANARY(kTakenAfterShutdown))
    return drop(step, in, ni, step.s.shut_down ? DropReason::kShutdown : DropReason::kNiRemoved);
  const Judgement judgement = judge(step, in, *ni);
  if (judgement.verdict == Verdict::kRefuse) return refuse(step, in, judgement.reason);
  if (judgement.verdict == Verdict::kDrop) return drop(step, in, ni, judgement.reason);

  Arrival a{in, *ni};
  a.peer = peer_ni_of(step, in.hop.nid);
  if (a.peer == nullptr) return drop(step, in, ni, DropReason::kNiRemoved);
  a.peer->last_heard = step.now;
  // It is alive now, even if this message is dropped and raises no health.
  if (a.peer->known->health < kHealthMax) peer_ni_health_changed(step, *a.peer);
  meet(step, *a.peer);
  ++count_of(ni->traffic.received, in.header->type());
  if (!ULNET_CANARY(kPeerUncounted)) ++count_of(a.peer->traffic.received, in.header->type());
  if (has_faults(step.s) && delayed_by_fault(step, a)) return;
  take(step, a);
}

void go_on_with_arrival(Step& step, Msg& msg) {
  const MsgTicket self = msg.self;
  const wire::LnetHeader header = msg.header;
  const HeaderArrived in{msg.rx_ni, msg.hop, &header, msg.rx, {}, false};
  msg.on(MsgEvent::kRetry);
  take(step, Arrival{in, *msg.ni, msg.peer, &msg});
  Msg* const left = step.s.find(self);
  if (left == nullptr || left->state != MsgState::kFresh) return;
  left->on(MsgEvent::kEnd);  // nothing of it has to wait, so nobody has used its record
  release_message(step, *left);
}

void payload_landed(Step& step, const PayloadLanded& in) {
  Msg* msg = step.s.find(in.msg);
  if (msg != nullptr && msg->state == MsgState::kLanding)
    return end_landing(step, *msg, in.status, in.health);
  if (msg != nullptr && msg->state == MsgState::kDelayed && !msg->outgoing) {
    msg->rx_lost = true;
    return drop_message(step, *msg, DropReason::kHeldLost);
  }
  if (msg == nullptr && in.status != 0) return;  // of a held message; it crossed the DropPayload
  if (msg == nullptr || !waits_for_verdict(*msg) || msg->rx_lost) {
    step.note(Note::Level::kError, "a driver landed a message that it did not have");
    return;
  }
  msg->rx_lost = true;  // the connection died before the message was decided
  give_up(step, *msg, DropReason::kHeldLost);
}

}  // namespace ulnet::core
