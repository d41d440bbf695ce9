// Sequencing of what comes in: the checks of an arriving header, matching, landing. Source:
// spec/core-semantics.md 6.3, 6.4, 7, 8.
#pragma once

#include "core/match.h"
#include "core/step.h"

namespace ulnet::core {

void header_arrived(Step& step, const HeaderArrived& in);
void payload_landed(Step& step, const PayloadLanded& in);

/// What a PUT or GET asks for, as this shard knows its peer.
MatchRequest request_of(const ShardState& s, const wire::LnetHeader& header);
/// The portal that a PUT or GET names.
Portal portal_of(const wire::LnetHeader& header);
/// The matched MD is used from here on: threshold, offset, and off the ME when that was the last of
/// it (4.5).
Md& use_match(Step& step, const Match& match, const Nid& source);
/// A PUT or GET that came in here, and what takes it.
void give_match(Step& step, Msg& msg, const Match& match);
/// The end of a message that was landing.
void end_landing(Step& step, Msg& msg, int status, Health health);
/// A PUT, GET or REPLY that came in here gets memory of an MD of another shard.
void land_away(Step& step, Msg& msg, const letter::Matched& in);
/// A message that came in here and waited goes, for `reason`; its driver is told if it still waits.
void drop_message(Step& step, Msg& msg, DropReason reason);
/// An answer that was awaited came, `took` after its request.
void count_round_trip(LocalNi& ni, PeerNi& peer, bool reply, Duration took);
void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason);

/// An ACK or a REPLY for an MD of this shard that came in at another.
void take(Step& step, std::uint32_t from, const letter::Answer& in);

}  // namespace ulnet::core
