// Incoming ACKs and REPLYs, which answer PUTs and GETs of this node, and GETs that the driver
// itself has answered. Source: spec/core-semantics.md 6.3, 6.4.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Takes an ACK or a REPLY whose header was accepted.
void on_response(Step& step, const Arrival& a);
/// Takes an ACK or a REPLY that came in at another shard and is for an MD of this shard.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::ResponseArrived& in);
/// Takes the report that the driver itself has put the data of a GET into the GET's MD, or failed
/// to.
void reply_landed(Step& step, const ReplyLanded& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::ReplyInPlace& in);

}  // namespace ulnet::core
