// What the parts that take messages in share: the message that arrives in this step, and what is
// done with it. Included by inbound.cc, request.cc and answer.cc only. Source:
// spec/core-semantics.md 7, 8, 9.
#pragma once

#include "core/step.h"

namespace ulnet::core {

/// A received message while its step lasts.
struct Arrival {
  const HeaderArrived& in;
  LocalNi& ni;
  PeerNi* peer = nullptr;  ///< of the last hop

  const wire::LnetHeader& header() const { return *in.header; }
};

/// The driver is done with it: `rlen` bytes of it are to be discarded.
void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen);
/// The same, and it is counted.
void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason);
Msg& make_incoming(Step& step, const Arrival& a);
/// Not for this shard alone to decide: the driver waits meanwhile. A GET without a payload is done
/// with for it, unless it moves the data itself.
void defer(Step& step, const Arrival& a, Msg& msg);
/// Into memory of an MD of this shard.
void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength);
/// A GET or an ACK was taken.
void count_taken(Step& step, LocalNi& ni, PeerNi& peer);

/// request.cc: a PUT or a GET; answer.cc: an ACK or a REPLY.
void take_request(Step& step, const Arrival& a);
void take_answer(Step& step, const Arrival& a);

}  // namespace ulnet::core
