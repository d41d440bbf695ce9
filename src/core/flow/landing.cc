#include "core/flow/landing.h"

#include "base/canary.h"
#include "core/flow/accounting.h"
#include "core/flow/message_records.h"
#include "core/flow/operation.h"
#include "core/flow/transmission.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

/// The primary NID of the peer that sent the message, also if a router forwarded it.
const Nid& initiator_of(const ShardState& s, const Msg& msg) {
  const Nid& source = msg.header.src_nid;
  return msg.peer->nid == source ? msg.peer->peer->primary : s.peers.primary_of(source);
}

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
  start_send(step, ack, put.dest_nid);
}

/// Whether a PUT that has landed is answered by an ACK. For an MD of another shard with
/// ACK_DISABLE land_remote() has cleared the handle.
bool wants_ack(const Msg& msg, int status) {
  const auto* put = std::get_if<wire::PutPart>(&msg.header.part);
  return put != nullptr && status == 0 && !put->ack_wmd.is_none() &&
         (msg.md == nullptr || !msg.md->has(kAckDisable));
}

void count_landing(Step& step, const Msg& msg, int status, Health health) {
  GlobalStats& global = step.s.counters.global;
  if (status != 0) {
    ++global.errors;
    if (account_failure(step, msg, health)) blame_ni(step, *msg.ni, health);
    return;
  }
  ++global.recv_count;
  global.recv_length += msg.header.payload_length;
  account_success(step, *msg.ni, *msg.peer, true);
}

}  // namespace

void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen) {
  step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{in.ni, in.rx, rlen});
}

void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason) {
  drop_payload(step, in, in.header->payload_length);
  count_drop(step, ni, *in.header, reason);
}

Msg& make_incoming(Step& step, const Arrival& a) {
  Msg& msg = make_message(step);
  msg.header = a.header();
  msg.hop = a.in.hop;
  msg.rx = a.in.rx;
  msg.rx_ni = a.in.ni;
  msg.ni = &a.ni;
  msg.peer = a.peer;
  msg.rlength = a.header().payload_length;
  ++a.ni.in_flight;
  ++a.peer->in_flight;
  return msg;
}

void defer(Step& step, const Arrival& a, Msg& msg) {
  if (a.header().type() == wire::MsgType::kGet && !a.ni.config.rdma_get) {
    drop_payload(step, a.in, 0);
    msg.rx = {};
    return;
  }
  msg.deferred = true;
  step.out.emplace_back(std::in_place_type<HoldPayload>,
                        HoldPayload{a.in.ni, a.in.rx, msg.self, Hold::kDefer});
}

void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength) {
  msg.on(MsgEvent::kLand);
  msg.md = &md;
  md.messages.push_back(msg);
  msg.offset = offset;
  msg.mlength = mlength;
  const std::uint32_t place = ULNET_CANARY(kLandsTooEarly) && offset != 0 ? offset - 1 : offset;
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self,
                 region_of(md, place, md.has(kDiscard) ? 0 : mlength), msg.rlength);
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

void drop_message(Step& step, Msg& msg, DropReason reason) {
  if (!msg.rx_lost && msg.rx.value != 0)
    step.out.emplace_back(std::in_place_type<DropPayload>,
                          DropPayload{msg.rx_ni, msg.rx, msg.header.payload_length});
  if (msg.state == MsgState::kHeld) ++step.s.counters.global.errors;
  msg.on(MsgEvent::kEnd);
  if (!(ULNET_CANARY(kDropUncounted) && reason == DropReason::kTooLong))
    count_drop(step, msg.ni, msg.header, reason);
  release_message(step, msg);
}

}  // namespace ulnet::core
