// What inbound.cc, request.cc and answer.cc share: the message that arrives in this step, and
// what can be done with it. No other file includes this one. Source: spec/core-semantics.md 7, 8,
// 9.
#pragma once

#include "core/step.h"

namespace ulnet::core {

/// The message that arrives in this step.
struct Arrival {
  const HeaderArrived& in;
  LocalNi& ni;
  PeerNi* peer = nullptr;  ///< of the last hop; not null once the header has been accepted

  const wire::LnetHeader& header() const { return *in.header; }
};

/// Gives the driver a DropPayload: it discards `rlen` bytes and is done with the message.
void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen);
/// Drops the message with all its payload, and counts the drop.
void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason);
/// Makes the record of the message.
Msg& make_incoming(Step& step, const Arrival& a);
/// Another shard will decide about the message, so the driver has to wait (HoldPayload{soon}).
/// For a GET the driver is done instead, unless it moves the data itself (rdma_get).
void defer(Step& step, const Arrival& a, Msg& msg);
/// Lets the payload land in an MD of this shard.
void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength);
/// Counts a GET or an ACK that was accepted; a PUT and a REPLY are counted when they have landed.
void count_taken(Step& step, LocalNi& ni, PeerNi& peer);

/// A PUT or a GET (request.cc).
void take_request(Step& step, const Arrival& a);
/// An ACK or a REPLY (answer.cc).
void take_answer(Step& step, const Arrival& a);

}  // namespace ulnet::core
