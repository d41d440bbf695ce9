#include "core/inbound.h"

#include "base/canary.h"
#include "core/arrival.h"
#include "core/buffers.h"
#include "core/custody.h"
#include "core/outbound.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

void refuse(Step& step, const HeaderArrived& in, DropReason reason) {
  step.s.tally.drop(reason);
  step.out.emplace_back(std::in_place_type<Reject>, Reject{in.ni, in.rx, to_string(reason)});
}

// ---- the checks of core-semantics.md 8 ----------------------------------------------------------

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
  // This node knows no routes, so the last hop is not a gateway to the source's net.
  const bool routed = header.src_nid.net() != in.hop.nid.net();
  if (routed && step.config().globals.drop_asym_route != 0)
    return {Verdict::kDrop, DropReason::kAsymmetricRoute};
  return {};
}

/// The primary NID of the peer that sent the message, also if a router forwarded it.
const Nid& initiator_of(const ShardState& s, const Msg& msg) {
  const Nid& source = msg.header.src_nid;
  return msg.peer->nid == source ? msg.peer->peer->primary : s.peers.primary_of(source);
}

// ---- the end of a landing -----------------------------------------------------------------------

void send_ack(Step& step, const wire::LnetHeader& put, std::uint32_t mlength) {
  const auto& part = std::get<wire::PutPart>(put.part);
  Msg& ack = make_message(step);
  ack.outgoing = true;
  ack.header.dest_nid = put.src_nid;
  ack.header.dest_pid = put.src_pid;
  wire::AckPart& answer = ack.header.part.emplace<wire::AckPart>();
  answer.dst_wmd = part.ack_wmd;
  answer.match_bits = part.match_bits;
  answer.mlength = mlength;
  Route route;
  route.target = {put.src_nid, put.src_pid};
  route.source = put.dest_nid;
  launch(step, ack, route);
}

/// Whether a PUT that has landed is answered by an ACK. For an MD of another shard with
/// ACK_DISABLE land_away() has cleared the handle.
bool wants_ack(const Msg& msg, int status) {
  const auto* put = std::get_if<wire::PutPart>(&msg.header.part);
  return put != nullptr && status == 0 && !put->ack_wmd.is_none() &&
         (msg.md == nullptr || !msg.md->has(kAckDisable));
}

void count_landing(Step& step, const Msg& msg, int status, Health health) {
  GlobalStats& global = step.s.tally.global;
  if (status != 0) {
    ++global.errors;
    account_failure(step, msg, health);
    return;
  }
  ++global.recv_count;
  global.recv_length += msg.header.payload_length;
  account_success(step, *msg.ni, *msg.peer, true);
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
  a.peer = &peer_of(step.s, in.hop.nid);
  a.peer->last_heard = step.now;
  a.peer->met = true;
  ++count_of(ni->traffic.received, in.header->type());
  if (!ULNET_CANARY(kPeerUncounted)) ++count_of(a.peer->traffic.received, in.header->type());
  switch (in.header->type()) {
    case MsgType::kPut:
    case MsgType::kGet:
      return take_request(step, a);
    case MsgType::kAck:
    case MsgType::kReply:
      return take_answer(step, a);
    case MsgType::kHello:
      break;
  }
  ULNET_ASSERT(false);  // an LNet header is a PUT, GET, ACK or REPLY
}

void end_landing(Step& step, Msg& msg, int status, Health health) {
  msg.on(MsgEvent::kEnd);
  count_landing(step, msg, status, health);
  const bool ack = wants_ack(msg, status);
  end_message_operation(step, msg, status, false, [&](Event& event) {
    const Nid& initiator = initiator_of(step.s, msg);
    msg.header.type() == MsgType::kPut ? fill_put(event, msg, initiator)
                                       : fill_reply(event, msg, initiator);
  });
  if (ack) send_ack(step, msg.header, msg.mlength);
  if (ack && ULNET_CANARY(kAckTwice) && msg.mlength < msg.rlength) send_ack(step, msg.header, 0);
  release_message(step, msg);
}

void payload_landed(Step& step, const PayloadLanded& in) {
  Msg* msg = step.s.find(in.msg);
  if (msg != nullptr && msg->state == MsgState::kLanding)
    return end_landing(step, *msg, in.status, in.health);
  if (msg == nullptr && in.status != 0) return;  // of a held message; it crossed the DropPayload
  if (msg == nullptr || !waits_for_verdict(*msg) || msg->rx_lost) {
    step.note(Note::Level::kError, "a driver landed a message that it did not have");
    return;
  }
  msg->rx_lost = true;  // the connection died before the message was decided
  give_up(step, *msg, DropReason::kHeldLost);
}

void drop_message(Step& step, Msg& msg, DropReason reason) {
  if (!msg.rx_lost && msg.rx.value != 0)
    step.out.emplace_back(std::in_place_type<DropPayload>,
                          DropPayload{msg.rx_ni, msg.rx, msg.header.payload_length});
  if (msg.state == MsgState::kHeld) ++step.s.tally.global.errors;
  msg.on(MsgEvent::kEnd);
  if (!(ULNET_CANARY(kDropUncounted) && reason == DropReason::kTooLong))
    count_drop(step, msg.ni, msg.header, reason);
  release_message(step, msg);
}

}  // namespace ulnet::core
