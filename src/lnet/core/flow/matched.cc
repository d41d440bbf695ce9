// Carries out a match: a PUT lands in the matched MD, a REPLY answers a GET. The MD is in this
// shard, or in another one that lends its memory. Source: spec/core-semantics.md 3, 4.5, 6.4.
#include "lnet/core/flow/matched.h"

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

/// Makes the REPLY to a GET that came in on `ni`; the caller sets the memory of its payload. `rx`:
/// that of the GET if the driver itself moves the data, else 0. `from`: the neighbour from which
/// the GET came.
Msg& make_reply(Step& step, const wire::LnetHeader& get, const Nid& from, NiId ni, RxTicket rx,
                std::uint32_t offset, std::uint32_t mlength) {
  const auto& part = std::get<wire::GetPart>(get.part);
  Msg& reply = make_message(step);
  reply.outgoing = true;
  reply.hop.nid = from;
  reply.rx = rx;
  reply.rx_ni = ni;
  reply.offset = offset;
  reply.rlength = part.sink_length;
  reply.mlength = mlength;
  reply.request_portal = {part.portal};
  reply.request_bits = {part.match_bits};
  reply.request_sender = from;
  reply.header.dest_nid = get.src_nid;
  reply.header.dest_pid = get.src_pid;
  reply.header.payload_length = mlength;
  reply.header.part.emplace<wire::ReplyPart>().dst_wmd = part.return_wmd;
  return reply;
}

}  // namespace

Portal portal_of(const wire::LnetHeader& header) {
  const auto* put = std::get_if<wire::PutPart>(&header.part);
  return {put != nullptr ? put->portal : std::get<wire::GetPart>(header.part).portal};
}

MatchRequest request_of(const wire::LnetHeader& header, const PeerEntry* initiator) {
  MatchRequest request;
  request.initiator = initiator == nullptr ? header.src_nid : initiator->primary();
  if (initiator != nullptr) request.other_nids = initiator->others();
  request.pid = header.src_pid;
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) {
    request.match_bits = {put->match_bits};
    request.offset = put->offset;
    request.rlength = header.payload_length;
  } else {
    const auto& get = std::get<wire::GetPart>(header.part);
    request.get = true;
    request.match_bits = {get.match_bits};
    request.offset = get.src_offset;
    request.rlength = get.sink_length;
  }
  return request;
}

Md& use_match(Step& step, const Match& match, const Nid& source) {
  if (match.by_other_nid)
    step.note(Note::Level::kWarning, "matched through another NID of the same peer", source);
  Md& md = *match.me->md;
  begin_operation(md);
  advance(md, match.offset, match.mlength);
  take_from_match_if_exhausted(step, md);
  return md;
}

void answer_get(Step& step, const wire::LnetHeader& get, LocalNi& ni, PeerNi& peer, RxTicket rx,
                const Match& match) {
  Md& md = use_match(step, match, get.src_nid);
  count_taken(step, ni, peer);
  Msg& reply = make_reply(step, get, peer.nid, ni.config.id, rx, match.offset, match.mlength);
  reply.md = &md;
  md.messages.push_back(reply);
  start_send(step, reply, ni.nid());
}

void give_match(Step& step, Msg& msg, const Match& match) {
  if (msg.header.type() == MsgType::kGet) {
    answer_get(step, msg.header, *msg.ni, *msg.peer, msg.rx, match);
    msg.on(MsgEvent::kEnd);
    return release_message(step, msg);
  }
  Md& md = use_match(step, match, msg.header.src_nid);
  land(step, msg, md, match.offset, match.mlength);
}

void land_remote(Step& step, Msg& msg, const shard_msg::Matched& in) {
  if (msg.header.type() == MsgType::kGet) {
    count_taken(step, *msg.ni, *msg.peer);
    Msg& reply =
        make_reply(step, msg.header, msg.hop.nid, msg.rx_ni, msg.rx, in.offset, in.mlength);
    step.s.remote_mds.add(in.md, reply);
    reply.memory = in.memory;
    start_send(step, reply, msg.ni->nid());
    msg.on(MsgEvent::kEnd);
    return release_message(step, msg);
  }
  if (auto* put = std::get_if<wire::PutPart>(&msg.header.part); put != nullptr && in.ack_disabled)
    put->ack_wmd = wire::WireHandle::none();
  msg.on(MsgEvent::kLand);
  step.s.remote_mds.add(in.md, msg);
  msg.offset = in.offset;
  msg.mlength = in.mlength;
  if (msg.rx_lost) return end_landing(step, msg, -ECONNRESET, Health::kOk);
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self, in.memory, msg.rlength);
}

}  // namespace ulnet::core
