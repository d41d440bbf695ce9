// What a shard does with outgoing messages, from LNetPut or LNetGet, or the request that an ACK
// or REPLY answers, to SendDone: selection of the path, credits, the Send to the driver, the end.
// And what the end of any message says about health. Source: spec/core-semantics.md 6, 10.2, 11.
#pragma once

#include "core/select.h"
#include "core/step.h"

namespace ulnet::core {

/// Begins an LNetPut or LNetGet on `md`, which is active and has an operation left. A failure is
/// reported by a SEND event. The response must come until `response_deadline`; with kNever the
/// MD's options and `response_tracking` say until when.
void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline = kNever);
void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline = kNever);

/// Sends a message whose header is complete but for the source. launch() selects the path and
/// takes the credits; without one the message waits in a credit queue. The message ends in
/// end_send(), which may happen inside launch(): `msg` may be gone afterwards.
void launch(Step& step, Msg& msg, const Route& route);
/// Ends an outgoing message that is in no credit queue: returns its credits, counts it, accounts
/// for health and posts the event of its MD. `msg` is gone afterwards. The event of an MD of the
/// shard's own is handled inside, which may send another ping and so call launch() and end_send()
/// again.
void end_send(Step& step, Msg& msg, int status, Health health);

/// For an MD that is unlinked: ends its messages that wait for a credit, with -ECANCELED, and has
/// drivers cancel those that they have.
void cancel_messages(Step& step, MdMessages& messages);

bool waits_for_credit(const Msg& msg);
/// Takes a message that waits for a credit out of its queue.
void leave_queue(Msg& msg);
/// Puts a message that has just got the credit it waited for on the ready list. Null: does
/// nothing.
void make_ready(Step& step, Msg* msg);
/// Lets all ready messages go on: to the next credit or to the driver. Runs at the end of every
/// step.
void run_ready(Step& step);

void send_done(Step& step, const SendDone& in);
void reply_landed(Step& step, const ReplyLanded& in);
void take(Step& step, std::uint32_t from, const letter::Transmit& in);
void take(Step& step, std::uint32_t from, const letter::Ended& in);
void take(Step& step, std::uint32_t from, const letter::Abort& in);
void take(Step& step, std::uint32_t from, const letter::ReplyInPlace& in);
void take(Step& step, std::uint32_t from, const letter::Health& in);
/// Unlinks the MDs whose responses did not come in time.
void expire_responses(Step& step);

/// Makes a message record.
Msg& make_message(Step& step);
/// Forgets a message that is off its MD and has returned its credits. Its peer NI is forgotten
/// too if no message was ever exchanged with it, and its NI if it is drained now.
void release_message(Step& step, Msg& msg);

/// Changes the health of the NI and the peer NI that a message used, when it ends (multirail.md
/// 5.2). `received`: the message came from that peer NI.
void account_success(Step& step, LocalNi& ni, PeerNi& peer, bool received);
void account_failure(Step& step, const Msg& msg, Health health);
/// If the NI is draining and no message names it any more: reports Drained and forgets it.
void settle_ni(Step& step, LocalNi& ni);
/// How many credits a peer NI with this NID gets (10.2).
std::int32_t peer_credits_for(const ShardState& s, const Nid& nid);
/// The peer NI with this NID; made if it is new.
PeerNi& peer_of(ShardState& s, const Nid& nid);

}  // namespace ulnet::core
