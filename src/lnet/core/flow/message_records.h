// The records of the messages that a shard handles. Source: spec/core-semantics.md 10.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Makes a message record.
Msg& make_message(Step& step);
/// Forgets a message that has left its MD and returned its credits. Also forgets the peer NI of the
/// message if no message was ever exchanged with that peer NI, and the NI of the message if that NI
/// has now drained.
void release_message(Step& step, Msg& msg);
/// Removes a message from its NI and its peer NI, as release_message() does. The message must have
/// returned its credits.
void leave_path(Step& step, Msg& msg);
/// If the NI is draining and no message names it any more: reports Drained and forgets it.
void end_drain_if_idle(Step& step, LocalNi& ni);

/// Puts a message that has just got its credit on the ready list.
void make_ready(Step& step, Msg& msg);
/// Whether the message is an ACK or a REPLY, which goes back to the node that sent the request.
inline bool is_answer(const Msg& msg) {
  const wire::MsgType type = msg.header.type();
  return type == wire::MsgType::kAck || type == wire::MsgType::kReply;
}

/// The size of the message on the wire, header included.
inline std::int64_t bytes_of(const Msg& msg) {
  const bool small = msg.header.dest_nid.is_small() && msg.header.src_nid.is_small();
  return static_cast<std::int64_t>(small ? wire::kHeaderBytesNid4 : wire::kHeaderBytesNid16) +
         msg.header.payload_length;
}

}  // namespace ulnet::core
