// Fills in the fields of the events SEND, PUT, GET, ACK and REPLY. Source: spec/core-semantics.md
// 5.
#include "lnet/core/memory/event.h"

namespace ulnet::core {

namespace {

/// Fills in the target, the initiator, the source and the sender of a message that came in
/// (spec/core-semantics.md 5).
void fill_parties(Event& event, const wire::LnetHeader& header, const Nid& sender,
                  const Nid& initiator) {
  event.target = {header.dest_nid, header.dest_pid};
  event.initiator = {initiator, header.src_pid};
  event.source = header.src_nid;
  event.sender = sender;
}

}  // namespace

void fill_send(Event& event, const Msg& msg, Pid own_pid) {
  event.type = EventType::kSend;
  event.msg_type = static_cast<std::uint32_t>(msg.header.type());
  event.target = {msg.header.dest_nid, msg.header.dest_pid};
  event.initiator = {Nid::any(), own_pid};
  event.source = msg.header.src_nid;
  event.rlength = msg.rlength;
  event.mlength = msg.mlength;
  if (const auto* put = std::get_if<wire::PutPart>(&msg.header.part)) {
    event.portal = {put->portal};
    event.match_bits = {put->match_bits};
    event.offset = put->offset;
    event.hdr_data = put->hdr_data;
  } else if (const auto* get = std::get_if<wire::GetPart>(&msg.header.part)) {
    event.portal = {get->portal};
    event.match_bits = {get->match_bits};
    event.offset = get->src_offset;
  }
}

void fill_landed(Event& event, const LandedMessage& message, const Nid& initiator) {
  event.rlength = message.header.payload_length;
  event.mlength = message.mlength;
  const auto* put = std::get_if<wire::PutPart>(&message.header.part);
  if (put == nullptr) {
    event.type = EventType::kReply;
    return fill_parties(event, message.header, message.sender, initiator);
  }
  event.type = EventType::kPut;
  fill_parties(event, message.header, message.sender, initiator);
  event.portal = {put->portal};
  event.match_bits = {put->match_bits};
  event.hdr_data = put->hdr_data;
  event.offset = message.offset;
}

void fill_get(Event& event, const Msg& reply, const Nid& initiator) {
  event.type = EventType::kGet;
  event.target = {reply.source, reply.header.src_pid};
  event.initiator = {initiator, reply.header.dest_pid};
  event.source = reply.target;
  event.sender = reply.request_sender;
  event.portal = reply.request_portal;
  event.match_bits = reply.request_bits;
  event.rlength = reply.rlength;
  event.mlength = reply.mlength;
  event.offset = reply.offset;
}

void fill_ack(Event& event, const wire::LnetHeader& ack, const Nid& sender, const Nid& initiator) {
  const auto& part = std::get<wire::AckPart>(ack.part);
  event.type = EventType::kAck;
  fill_parties(event, ack, sender, initiator);
  event.match_bits = {part.match_bits};
  event.rlength = event.mlength = part.mlength;
}

void fill_optimised_reply(Event& event, const Msg& get, std::uint32_t mlength) {
  event.type = EventType::kReply;
  event.target = {get.header.src_nid, get.header.src_pid};
  event.initiator = {get.header.dest_nid, get.header.dest_pid};
  event.source = event.sender = get.header.dest_nid;
  event.rlength = event.mlength = mlength;
}

}  // namespace ulnet::core
