// What messages change in counters, round-trip times and health when they arrive, end or fail.
// Source: spec/core-semantics.md 18, spec/multirail.md 5.2.
#pragma once

#include <algorithm>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// A message has ended well: raises the health of the NI and the peer NI that it used, as far as
/// it is not full (multirail.md 5.2). `received`: the message came from that peer NI.
void raise_health(Step& step, LocalNi& ni, PeerNi& peer, bool received);
inline void account_success(Step& step, LocalNi& ni, PeerNi& peer, bool received) {
  if (ni.health < kHealthMax || peer.known->health < kHealthMax)
    raise_health(step, ni, peer, received);
}
/// Counts a failure and lowers the health of the peer NI, not yet that of the NI. False: it counts
/// for nobody's health, because it came past the message's deadline, was cancelled, or on 0@lo.
bool account_failure(Step& step, const Msg& msg, Health health);
/// Lowers the health of the NI, if such a failure is held against it.
void blame_ni(Step& step, LocalNi& ni, Health health);
/// Counts a GET or an ACK that was accepted; a PUT and a REPLY are counted when they have landed.
void count_taken(Step& step, LocalNi& ni, PeerNi& peer);
/// Counts the payload of a message that has arrived whole, for this node or for another one. A
/// header only says how much is to come.
inline void count_payload(LocalNi& ni, const wire::LnetHeader& header) {
  ni.bytes.received += header.payload_length;
}
/// Counts a message that a driver gets.
inline void count_sent(const Msg& msg) {
  ++count_of(msg.ni->traffic.sent, msg.header.type());
  ++count_of(msg.peer->traffic.sent, msg.header.type());
  msg.ni->bytes.sent += msg.header.payload_length;
}
/// Counts a message that has left; of a PUT also how long that took.
inline void count_left(Step& step, const Msg& msg) {
  GlobalStats& global = step.s.counters.global;
  ++global.send_count;
  global.send_length += msg.header.payload_length;
  if (msg.header.type() != wire::MsgType::kPut) return;
  // At least 1 ns, although no time passes within a step: a minimum of 0 would look as if nothing
  // had been measured.
  const Duration egress = std::max(step.now - msg.started, Duration(1));
  msg.ni->traffic.put_egress.add(egress);
  msg.peer->traffic.put_egress.add(egress);
}
/// Counts how the operation that a message is has ended.
inline void count_end(Step& step, const Msg& msg, int status) {
  GlobalStats& global = step.s.counters.global;
  if (status != 0)
    ++global.errors;
  else if (msg.tries != 0)
    ++global.successful_resends;
}
void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason);
/// Counts the round-trip time of a GET (`reply`) or of a PUT with ACK.
void count_round_trip(LocalNi& ni, PeerNi& peer, bool reply, Duration took);
/// The same where the peer NI lives in another shard. The NI may be gone.
void count_round_trip_elsewhere(Step& step, NiId ni, const Nid& peer, bool reply, Duration took);
/// The response of the peer NI with this NID did not come in time: lowers its health, in the shard
/// where it lives. Does nothing for the NID any.
void blame(Step& step, const Nid& nid);
void on_letter(Step& step, std::uint32_t from, const letter::RoundTrip& in);
void on_letter(Step& step, std::uint32_t from, const letter::ResponseTimeout& in);

}  // namespace ulnet::core
