// Fills in the fields of events from the message and the MD of the operation that ended. Source:
// spec/core-semantics.md 5.
#pragma once

#include "lnet/core/memory/md.h"
#include "lnet/core/memory/message.h"

namespace ulnet::core {

/// A PUT or REPLY whose data is in an MD.
struct LandedMessage {
  const wire::LnetHeader& header;
  const Nid& sender;          ///< the last hop
  std::uint32_t offset = 0;   ///< bytes into the MD
  std::uint32_t mlength = 0;  ///< bytes
};

// In all these functions `initiator` is the primary NID of the peer at the other end.

/// Fills in the fields that describe the MD; every event has them.
inline void fill_md(Event& event, const Md& md) {
  event.md = md.handle;
  event.md_start = md.fragment_count == 0 ? nullptr : md.fragments[0].iov_base;
  event.md_user_ptr = md.user_ptr;
  event.md_options = md.options;
}
/// Fills in a SEND event: a PUT or GET of this node was sent, or failed. `own_pid` is this node's
/// PID.
void fill_send(Event& event, const Msg& msg, Pid own_pid);
/// Fills in a PUT or REPLY event: the data of a PUT, or of a GET of this node, is in memory.
void fill_landed(Event& event, const LandedMessage& message, const Nid& initiator);
/// Fills in a GET event: the data that a GET requested has been sent, in `reply`. The fields are
/// those of the GET, because the REPLY may have left by another NI and gone to another NID of the
/// initiator.
void fill_get(Event& event, const Msg& reply, const Nid& initiator);
/// Fills in an ACK event: a peer has acknowledged a PUT of this node. `sender`: the last hop.
void fill_ack(Event& event, const wire::LnetHeader& ack, const Nid& sender, const Nid& initiator);
/// Fills in the REPLY event of an optimised GET. The driver has handled the REPLY itself, so the
/// fields come from `get`, the GET.
void fill_optimised_reply(Event& event, const Msg& get, std::uint32_t mlength);

}  // namespace ulnet::core
