// Messages that have a path and take another one, because an NI of this node has failed, or because
// a NID of the peer is not healthy any more. Source: spec/multirail.md 3.2, 3.4, 5.
#pragma once

#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Whether the peer that gets the message may see any NI of this node (3.4). For a message by a
/// router, the peer behind the router is asked about. A message that this node forwards keeps its
/// source.
inline bool may_see_any_ni(const ShardState& s, const Msg& msg) {
  if (msg.routed || msg.hop.nid == msg.header.dest_nid) return msg.peer->multi_rail();
  const PeerNid* target = s.peers.find(msg.header.dest_nid);
  return target != nullptr && target->multi_rail();
}
/// Whether a message that waits may leave by another NI than the chosen one: its caller has not
/// named that NI, and its peer does not always see the same NI. An answer leaves from the NI that
/// got the request as long as that NI works (3.1); a peer that knows this node's other NIDs accepts
/// the answer from these NIDs too. The answer to an optimised GET is bound to its driver.
inline bool may_leave_by_another(const ShardState& s, const Msg& msg) {
  if (is_answer(msg)) return msg.rx.value == 0 && may_see_any_ni(s, msg);
  return msg.source.is_any() && (msg.internal || may_see_any_ni(s, msg));
}
/// Returns the NID of the NI from which a message has to leave, because its caller named the NI or
/// because the message is an answer; or any.
inline Nid source_of(const ShardState& s, const Msg& msg, const PeerNid& target) {
  if (!is_answer(msg) || !target.multi_rail() || msg.rx.value != 0) return msg.source;
  const LocalNi* asked = s.nis.find(msg.source);
  return asked != nullptr && asked->fatal ? Nid::any() : msg.source;
}
/// Returns the best other NI of the net of a failed NI; null if all have failed. An NI with health
/// 0 is accepted (5.2), as a selection accepts it too.
LocalNi* instead_of(const LocalNi& failed, const Msg& msg);
/// Lets a message that waits for a credit, or has just got one, leave by another NI of the net, if
/// one has not failed. The message keeps its credit of the peer NI, or its place in the queue for
/// that credit.
void take_another_ni(Step& step, Msg& msg);
/// Whether the message for the NID `to` must not go to another NID of its peer. True for a recovery
/// ping. True for an answer too, unless no NI of that NID's net works (spec/multirail.md 3.1).
bool is_for_one_nid(const ShardState& s, const Msg& msg, const Nid& to);
/// Whether a message whose NI has failed would leave by a working NI, on any net, if its path was
/// selected now.
bool has_working_way(Step& step, const Msg& msg);
/// Whether the driver of a failed NI has given the message back before its first byte, because this
/// node wanted to send it by another NI. Such an end does not lower the NI's health.
inline bool was_withdrawn(const LocalNi& ni, int status, Health health) {
  return ni.fatal && status == -ECANCELED && health == Health::kLocalDropped;
}
/// Whether another path may exist for a message whose transmission failed in this way (5.2): by
/// another NI after local trouble, to another NID of the peer after trouble of the peer.
bool may_have_another_way(const ShardState& s, const Msg& msg, Health health);
/// Whether a message that has waited for a credit of its peer NI goes to a NID that is now less
/// healthy than another NID of its peer, and may go to that one.
bool has_better_nid(const Step& step, const Msg& msg);

}  // namespace ulnet::core
