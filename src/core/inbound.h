// What a shard does with incoming messages: it checks the header, finds the buffer, lets the
// payload land and ends the message. Source: spec/core-semantics.md 6.3, 6.4, 7, 8.
#pragma once

#include "core/match.h"
#include "core/step.h"

namespace ulnet::core {

void header_arrived(Step& step, const HeaderArrived& in);
void payload_landed(Step& step, const PayloadLanded& in);

/// What an incoming PUT or GET asks for, with the initiator's NIDs as far as this shard knows
/// them.
MatchRequest request_of(const ShardState& s, const wire::LnetHeader& header);
/// The portal that a PUT or GET names.
Portal portal_of(const wire::LnetHeader& header);
/// Begins the operation on the matched MD: lowers its threshold, advances its offset, and
/// detaches it from its ME if it is exhausted (4.5). `source`: the NID that the message came
/// from, for the log.
Md& use_match(Step& step, const Match& match, const Nid& source);
/// Gives a PUT or GET that came in here to the MD of this shard that `match` names: the PUT
/// lands, the GET is answered.
void give_match(Step& step, Msg& msg, const Match& match);
/// Ends a message that was landing: counters, the event, the ACK. `msg` is gone afterwards.
void end_landing(Step& step, Msg& msg, int status, Health health);
/// Gives a PUT, GET or REPLY that came in here to the MD of another shard that `in` names: a PUT
/// or REPLY lands in its memory, a GET is answered from it.
void land_away(Step& step, Msg& msg, const letter::Matched& in);
/// Drops a message that came in here and has waited for a buffer or for another shard. Gives the
/// driver DropPayload, if the connection still exists. `msg` is gone afterwards.
void drop_message(Step& step, Msg& msg, DropReason reason);
/// Counts the round-trip time of a GET (`reply`) or of a PUT with ACK.
void count_round_trip(LocalNi& ni, PeerNi& peer, bool reply, Duration took);
void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason);

/// An ACK or a REPLY for an MD of this shard that came in at another shard.
void take(Step& step, std::uint32_t from, const letter::Answer& in);

}  // namespace ulnet::core
