// How counters, round-trip times and health change when messages arrive, end or fail. Source:
// spec/core-semantics.md 18, spec/multirail.md 5.2.
#pragma once

#include <algorithm>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// A message has ended well: raises the health of its NI and its peer NI, up to kHealthMax
/// (multirail.md 5.2). `received`: the message came from that peer NI.
void raise_health(Step& step, LocalNi& ni, PeerNi& peer, bool received);
inline void account_success(Step& step, LocalNi& ni, PeerNi& peer, bool received) {
  if (ni.health < kHealthMax || peer.known->health < kHealthMax)
    raise_health(step, ni, peer, received);
}
/// Counts a failure and lowers the health of the peer NI, not yet that of the NI. Returns false if
/// the failure lowers no health: the failure came after the message's deadline, or the message was
/// cancelled or went over 0@lo.
bool account_failure(Step& step, const Msg& msg, Health health);
/// Lowers the health of the NI if this kind of failure blames the NI.
void blame_ni(Step& step, LocalNi& ni, Health health);
/// Counts a GET or an ACK that was accepted; a PUT and a REPLY are counted when they have landed.
void count_taken(Step& step, LocalNi& ni, PeerNi& peer);
/// Counts the payload of a message once all of it has arrived, for this node or for another node.
/// The header only announces the length.
inline void count_payload(LocalNi& ni, const wire::LnetHeader& header) {
  ni.bytes.received += header.payload_length;
}
/// Counts a message that is given to a driver.
inline void count_sent(const Msg& msg) {
  ++count_of(msg.ni->traffic.sent, msg.header.type());
  ++count_of(msg.peer->traffic.sent, msg.header.type());
  msg.ni->bytes.sent += msg.header.payload_length;
}
/// Counts a message that has been sent. For a PUT it also counts the time from the user's call to
/// now.
inline void count_left(Step& step, const Msg& msg) {
  GlobalStats& global = step.s.counters.global;
  ++global.send_count;
  global.send_length += msg.header.payload_length;
  if (msg.header.type() != wire::MsgType::kPut) return;
  // At least 1 ns, although no time passes within a step: a minimum of 0 means that nothing has
  // been measured.
  const Duration egress = std::max(step.now - msg.started, Duration(1));
  msg.ni->traffic.put_egress.add(egress);
  msg.peer->traffic.put_egress.add(egress);
}
/// Counts the end of an operation, with its status.
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
/// Counts a round-trip time as count_round_trip() does, if another shard owns the peer NI. The NI
/// of this node can be gone by now.
void count_round_trip_elsewhere(Step& step, NiId ni, const Nid& peer, bool reply, Duration took);
/// Lowers the health of the peer NI with this NID, in its owner shard, because its response did not
/// come in time. Does nothing for the NID any.
void blame(Step& step, const Nid& nid);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::RoundTrip& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::ResponseTimeout& in);

}  // namespace ulnet::core
