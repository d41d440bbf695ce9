// Brings the payload of an incoming message into its MD, or drops it, and posts the event, counts
// the message and sends the ACK. Source: spec/core-semantics.md 6.3, 7, 8, 9.
#include "lnet/core/flow/landing.h"

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

void send_ack(Step& step, const wire::LnetHeader& put, const Hop& from, std::uint32_t mlength) {
  const auto& part = std::get<wire::PutPart>(put.part);
  Msg& ack = make_message(step);
  ack.outgoing = true;
  ack.hop = from;
  ack.header.dest_nid = put.src_nid;
  ack.header.dest_pid = put.src_pid;
  wire::AckPart& answer = ack.header.part.emplace<wire::AckPart>();
  answer.dst_wmd = part.ack_wmd;
  answer.match_bits = part.match_bits;
  answer.mlength = mlength;
  start_send(step, ack, put.dest_nid);
}

/// Whether a message that has landed is answered by an ACK. `md` is null for an MD of another
/// shard; if that MD has ACK_DISABLE, land_remote() has cleared the handle in the header.
bool wants_ack(const wire::LnetHeader& header, const Md* md) {
  const auto* put = std::get_if<wire::PutPart>(&header.part);
  return put != nullptr && !put->ack_wmd.is_none() && (md == nullptr || !md->has(kAckDisable));
}

/// Sends the ACK of a PUT that came from the neighbour `from`.
void acknowledge(Step& step, const wire::LnetHeader& put, const Hop& from, std::uint32_t mlength) {
  send_ack(step, put, from, mlength);
}

void count_landed(Step& step, const wire::LnetHeader& header, LocalNi& ni, PeerNi& peer) {
  count_taken(step, ni, peer);
  count_payload(ni, header);
  step.s.counters.global.recv_length += header.payload_length;
}

Region sink_of(const Md& md, std::uint32_t offset, std::uint32_t mlength) {
  return region_of(md, offset, md.has(kDiscard) ? 0 : mlength);
}

/// Returns the memory to which the host can copy the payload in this step, if the payload is short
/// and already in memory; else nullopt. The span is empty for kDiscard and for a message without
/// payload.
std::optional<ByteSpan> at_once_to(const HeaderArrived& in, const Md& md, std::uint32_t offset,
                                   std::uint32_t mlength) {
  if (!in.whole || in.header->payload_length > limits::kCopyAtOnce) return std::nullopt;
  // The shard itself reads its own MDs in this step, before the host copies anything.
  if (md.owner == MdOwner::kShard) return std::nullopt;
  return one_piece(sink_of(md, offset, mlength));
}

/// Lets the host copy the payload, and ends the message.
void land_at_once(Step& step, const Arrival& a, Md& md, ByteSpan to, std::uint32_t offset,
                  std::uint32_t mlength) {
  const wire::LnetHeader& header = a.header();
  step.act<CopyPayload>(a.in.immediate.first(to.size()), to);
  drop_payload(step, a.in, header.payload_length);
  count_landed(step, header, a.ni, *a.peer);
  const bool ack = wants_ack(header, &md);
  end_md_operation(step, md, 0, [&](Event& event) {
    fill_landed(event, {header, a.in.hop.nid, offset, mlength},
                initiator_of(step.s, *a.peer, header.src_nid));
  });
  if (ack) acknowledge(step, header, a.in.hop, mlength);
}

}  // namespace

const Nid& initiator_of(const ShardState& s, const PeerNi& peer, const Nid& source) {
  return peer.nid == source ? peer.known->primary() : s.peers.primary_of(source);
}

void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason) {
  drop_payload(step, in, in.header->payload_length);
  count_drop(step, ni, *in.header, reason);
}

Msg& make_incoming(Step& step, const Arrival& a) {
  if (a.record != nullptr) return *a.record;
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
  if (msg.staged) return;  // its driver waits already
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
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self, sink_of(md, offset, mlength), msg.rlength);
}

void land_arrival(Step& step, const Arrival& a, Md& md, std::uint32_t offset,
                  std::uint32_t mlength) {
  if (const std::optional<ByteSpan> to = at_once_to(a.in, md, offset, mlength))
    return land_at_once(step, a, md, *to, offset, mlength);
  land(step, make_incoming(step, a), md, offset, mlength);
}

void end_landing(Step& step, Msg& msg, int status, Health health) {
  msg.on(MsgEvent::kEnd);
  if (status == 0) {
    count_landed(step, msg.header, *msg.ni, *msg.peer);
  } else {
    ++step.s.counters.global.errors;
    if (account_failure(step, msg, health)) blame_ni(step, *msg.ni, health);
  }
  const bool ack = status == 0 && wants_ack(msg.header, msg.md);
  end_message_operation(step, msg, status, false, [&](Event& event) {
    fill_landed(event, {msg.header, msg.hop.nid, msg.offset, msg.mlength},
                initiator_of(step.s, *msg.peer, msg.header.src_nid));
  });
  if (ack) acknowledge(step, msg.header, msg.hop, msg.mlength);
  release_message(step, msg);
}

void drop_message(Step& step, Msg& msg, DropReason reason) {
  if (!msg.rx_lost && msg.rx.value != 0)
    step.out.emplace_back(std::in_place_type<DropPayload>,
                          DropPayload{msg.rx_ni, msg.rx, msg.header.payload_length});
  if (msg.state == MsgState::kHeld) ++step.s.counters.global.errors;
  msg.on(MsgEvent::kEnd);
  count_drop(step, msg.ni, msg.header, reason);
  release_message(step, msg);
}

}  // namespace ulnet::core
