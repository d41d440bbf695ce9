// A PUT or GET that has found its buffer: the PUT lands, a REPLY answers the GET. Source:
// spec/core-semantics.md 3, 4.5, 7.
#pragma once

#include "lnet/core/flow/landing.h"
#include "lnet/core/memory/match.h"

namespace ulnet::core {

/// The portal that a PUT or GET names.
Portal portal_of(const wire::LnetHeader& header);
/// What an incoming PUT or GET asks for. `initiator`: the shared peer entry of the peer that sent
/// it; null if there is no such entry.
MatchRequest request_of(const wire::LnetHeader& header, const PeerEntry* initiator);

/// Begins the operation on the matched MD: lowers its threshold, advances its offset, and
/// detaches it from its ME if it is exhausted (4.5). `source`: the NID that the message came
/// from, for the log.
Md& use_match(Step& step, const Match& match, const Nid& source);
/// Sends the REPLY to a GET from the MD of this shard that `match` names. `rx`: the RxTicket of the
/// GET if the driver itself moves the data, else 0.
void answer_get(Step& step, const wire::LnetHeader& get, LocalNi& ni, PeerNi& peer, RxTicket rx,
                const Match& match);
/// Gives a PUT or GET that came in here to the MD of this shard that `match` names: the PUT
/// lands, the GET is answered.
void give_match(Step& step, Msg& msg, const Match& match);
/// Gives a PUT, GET or REPLY that came in here to the MD of another shard that `in` names: a PUT
/// or REPLY lands in its memory, a GET is answered from it.
void land_remote(Step& step, Msg& msg, const shard_msg::Matched& in);

}  // namespace ulnet::core
