// Sequencing of what goes out: put, get, answers; selection, credits, hand-over, completion.
// Source: spec/core-semantics.md 6, 10.2, 11.
#pragma once

#include "core/select.h"
#include "core/step.h"

namespace ulnet::core {

/// Begins LNetPut or LNetGet on an MD that may be used for it. Failures come as SEND events. The
/// response is awaited until `response_deadline`, or as the tunables say.
void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline = kNever);
void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline = kNever);

/// Sends a message whose header is filled in but for the source NID. From here on it ends in
/// end_send().
void launch(Step& step, Msg& msg, const Route& route);
/// The end of an outgoing message, wherever it is (but in a queue): credits, counters, health, the
/// event of its MD. `msg` is gone afterwards.
void end_send(Step& step, Msg& msg, int status, Health health);

/// The messages of an MD that goes: those that wait end, those with a driver are cancelled.
void cancel_messages(Step& step, MdMessages& messages);

bool waits_for_credit(const Msg& msg);
/// Takes a waiting message out of its queue.
void leave_queue(Msg& msg);
/// A message that has just been given the credit it waited for.
void make_ready(Step& step, Msg* msg);
/// Lets all ready messages go on. Last thing of every step.
void run_ready(Step& step);

void send_done(Step& step, const SendDone& in);
void reply_landed(Step& step, const ReplyLanded& in);
void take(Step& step, std::uint32_t from, const letter::Transmit& in);
void take(Step& step, std::uint32_t from, const letter::Ended& in);
void take(Step& step, std::uint32_t from, const letter::Abort& in);
void take(Step& step, std::uint32_t from, const letter::ReplyInPlace& in);
void take(Step& step, std::uint32_t from, const letter::Health& in);
/// Responses that did not come in time.
void expire_responses(Step& step);

/// Makes a message record, forgets one (its MD and its credits are settled).
Msg& make_message(Step& step);
void release_message(Step& step, Msg& msg);

/// What the end of a message says about the health of its path (multirail.md 5.2). `received`: it
/// came from that peer.
void account_success(Step& step, LocalNi& ni, PeerNi& peer, bool received);
void account_failure(Step& step, const Msg& msg, Health health);
/// Says that an NI is drained, and forgets it, once nothing is in flight on it.
void settle_ni(Step& step, LocalNi& ni);
/// Credits of a peer NI (10.2).
std::int32_t peer_credits_for(const ShardState& s, const Nid& nid);
/// The peer NI of this NID, made when it is new.
PeerNi& peer_of(ShardState& s, const Nid& nid);

}  // namespace ulnet::core
