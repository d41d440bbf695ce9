// A message that came in, from its record to its end: the payload lands or is dropped, the event
// is posted, the ACK is sent. Source: spec/core-semantics.md 7, 8, 9.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// The message that arrives in this step.
struct Arrival {
  const HeaderArrived& in;
  LocalNi& ni;
  PeerNi* peer = nullptr;  ///< of the last hop; not null once the header has been accepted
  Msg* record = nullptr;   ///< the record of a message that was delayed, which has one already

  const wire::LnetHeader& header() const { return *in.header; }
};

/// Gives the driver a DropPayload: it discards `rlen` bytes and is done with the message.
inline void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen) {
  step.act<DropPayload>(in.ni, in.rx, rlen);
}
/// Drops the message with all its payload, and counts the drop.
void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason);
/// The primary NID of the peer that sent the message, also if a router forwarded it. `peer`: the
/// last hop.
const Nid& initiator_of(const ShardState& s, const PeerNi& peer, const Nid& source);
/// Makes the record of the message, or returns its existing record.
Msg& make_incoming(Step& step, const Arrival& a);
/// Makes the driver wait (Hold::kDefer), because another shard will decide about the message. For a
/// GET the driver is done instead, unless the driver itself moves the data (rdma_get).
void defer(Step& step, const Arrival& a, Msg& msg);

/// Lets the payload of the message that arrives land in an MD of this shard, for which
/// begin_operation() was called. A short payload that is already in memory lands in this step, and
/// `md` may be gone afterwards.
void land_arrival(Step& step, const Arrival& a, Md& md, std::uint32_t offset,
                  std::uint32_t mlength);
/// Does the same as land_arrival() for a message that has a record because it waited.
void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength);
/// Ends a message that was landing: updates counters, posts the event, sends the ACK. `msg` is gone
/// afterwards.
void end_landing(Step& step, Msg& msg, int status, Health health);
/// Drops a message that came in here and has waited for a buffer or for another shard. Gives the
/// driver DropPayload, if the connection still exists. `msg` is gone afterwards.
void drop_message(Step& step, Msg& msg, DropReason reason);

}  // namespace ulnet::core
