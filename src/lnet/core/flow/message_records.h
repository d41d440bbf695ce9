// The records of the messages that a shard handles. Source: spec/core-semantics.md 10.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Makes a message record.
Msg& make_message(Step& step);
/// Forgets a message that is off its MD and has returned its credits. Its peer NI is forgotten
/// too if no message was ever exchanged with it, and its NI if it is drained now.
void release_message(Step& step, Msg& msg);
/// Takes a message off the NI and the peer NI that it names, as release_message() does. The message
/// has returned its credits.
void leave_path(Step& step, Msg& msg);
/// If the NI is draining and no message names it any more: reports Drained and forgets it.
void end_drain_if_idle(Step& step, LocalNi& ni);

/// Puts a message that has just got the credit it waited for on the ready list.
void make_ready(Step& step, Msg& msg);
/// ACKs and REPLYs go back where their request came from.
inline bool is_answer(const Msg& msg) {
  const wire::MsgType type = msg.header.type();
  return type == wire::MsgType::kAck || type == wire::MsgType::kReply;
}

/// What it takes on the wire, header included.
inline std::int64_t bytes_of(const Msg& msg) {
  const bool small = msg.header.dest_nid.is_small() && msg.header.src_nid.is_small();
  return static_cast<std::int64_t>(small ? wire::kHeaderBytesNid4 : wire::kHeaderBytesNid16) +
         msg.header.payload_length;
}

}  // namespace ulnet::core
