// Messages that had a path and leave for another one, because an NI of this node has failed, or a
// NID of the peer is not well any more. Source: spec/multirail.md 3.2, 3.4, 5.
#pragma once

#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Whether the peer that gets the message may see any NI of this node (3.4). Of a message by a
/// router that is the peer behind it, whatever the router has. What this node forwards keeps its
/// source.
inline bool may_see_any_ni(const ShardState& s, const Msg& msg) {
  if (msg.routed || msg.hop.nid == msg.header.dest_nid) return msg.peer->multi_rail();
  const PeerNid* target = s.peers.find(msg.header.dest_nid);
  return target != nullptr && target->multi_rail();
}
/// Whether a message that waits may leave by another NI than the one that was chosen for it: its
/// caller has not named that, and its peer does not always see the same one. An answer goes back
/// from the NI that was asked as long as that works (3.1); a peer that knows the other NIDs of this
/// node takes it from them too. That of an optimised GET is bound to its driver.
inline bool may_leave_by_another(const ShardState& s, const Msg& msg) {
  if (is_answer(msg)) return msg.rx.value == 0 && may_see_any_ni(s, msg);
  return msg.source.is_any() && (msg.internal || may_see_any_ni(s, msg));
}
/// The NI from which a message has to leave, by its caller or as an answer; or any.
inline Nid source_of(const ShardState& s, const Msg& msg, const PeerNid& target) {
  if (!is_answer(msg) || !target.multi_rail() || msg.rx.value != 0) return msg.source;
  const LocalNi* asked = s.nis.find(msg.source);
  return asked != nullptr && asked->fatal ? Nid::any() : msg.source;
}
/// The best other NI of the net of one that has failed; null: all have failed. One whose health is
/// 0 will do (5.2): a selection takes it too.
LocalNi* instead_of(const LocalNi& failed, const Msg& msg);
/// Has a message that waits for a credit, or was given one, leave by another NI of the net, if one
/// has not failed. It keeps its credit of the peer NI, or its place in the queue for that.
void take_another_ni(Step& step, Msg& msg);
/// Whether the message, which is for the NID `to`, goes to no other NID of its peer: a recovery
/// ping; an answer, unless no NI of that NID's net works (spec/multirail.md 3.1).
bool is_for_one_nid(const ShardState& s, const Msg& msg, const Nid& to);
/// Whether a message whose NI has failed would leave by one that works, of whichever net, if its
/// path was selected now.
bool has_working_way(Step& step, const Msg& msg);
/// Whether the driver of an NI that has failed has given the message back before its first byte,
/// because this node wanted to send it by another one: it says nothing of the NI.
inline bool was_withdrawn(const LocalNi& ni, int status, Health health) {
  return ni.fatal && status == -ECANCELED && health == Health::kLocalDropped;
}
/// Whether there may be another way for a message whose transmission failed like that (5.2): for
/// local trouble another NI, for trouble of the peer another NID of it.
bool may_have_another_way(const ShardState& s, const Msg& msg, Health health);
/// Whether a message that has waited for a credit of its peer NI goes to a NID that is less well
/// than another one of its peer by now, and may go to that.
bool has_better_nid(const Step& step, const Msg& msg);

}  // namespace ulnet::core
