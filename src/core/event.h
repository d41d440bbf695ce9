// Events: what is told about an operation that ended, built from the message and its MD. Source:
// spec/core-semantics.md 5.
#pragma once

#include "core/md.h"
#include "core/message.h"

namespace ulnet::core {

/// What every event of an MD says about the MD.
void fill_md(Event& event, const Md& md);
/// An own PUT or GET left, or failed: `own_pid` is ours.
void fill_send(Event& event, const Msg& msg, Pid own_pid);
/// A remote PUT's data are in memory. `initiator`: primary NID of the requester's peer, here and
/// below.
void fill_put(Event& event, const Msg& put, const Nid& initiator);
/// A remote GET's data have left, in `reply`.
void fill_get(Event& event, const Msg& reply, const Nid& initiator);
/// The ACK of an own PUT.
void fill_ack(Event& event, const wire::LnetHeader& ack, const Nid& sender, const Nid& initiator);
/// The data of an own GET are in place. `msg` is the REPLY that was received.
void fill_reply(Event& event, const Msg& msg, const Nid& initiator);
/// The same for an optimised GET, whose REPLY was never seen: `get` is the GET itself.
void fill_optimised_reply(Event& event, const Msg& get, std::uint32_t mlength);

}  // namespace ulnet::core
