// How a message gets to the driver, in the shard of its peer NI: first the credits, then the Send.
// Source: spec/core-semantics.md 10.2, 11.
#pragma once

#include <algorithm>
#include <utility>

#include "lnet/core/flow/message_records.h"

namespace ulnet::core {

/// Begins the transmission by `ni`, or by the NI that this shard picks if `ni` is null. Afterwards
/// the caller has to call advance_to_driver(). `known`: the peer NI of the hop; null: it is looked
/// up, or made.
void begin_transmission(Step& step, Msg& msg, LocalNi* ni, PeerNi* known = nullptr);
/// Takes the credit of the peer NI, then that of the NI, then gives the message to the driver
/// (10.2). Without a credit the message waits in the queue of that gate.
void advance_to_driver(Step& step, Msg& msg);
/// Gives the driver a message that has its credits.
void give_to_driver(Step& step, Msg& msg);

/// The payload of the message, or the sink of a GET.
Region memory_of(const Msg& msg);
/// Whether the message is an answer of this node, for which its peer waits
/// (limits::kAnswersPerPeer).
inline bool answers_here(const Msg& msg) { return is_answer(msg) && !msg.routed; }
/// Counts an answer for which answers_here() is true: answer_waits() when it begins to wait for its
/// peer, answer_is_over() when it stops waiting.
inline void answer_waits(ShardState& s, const Msg& msg) {
  if (!answers_here(msg)) return;
  ++msg.peer->answers;
  s.most_answers = std::max(s.most_answers, ++s.answers);
}
inline void answer_is_over(ShardState& s, const Msg& msg) {
  if (!answers_here(msg)) return;
  --msg.peer->answers;
  --s.answers;
}
inline void return_ni_credit(Step& step, Msg& msg) {
  if (std::exchange(msg.has_ni_credit, false))
    if (Msg* next = msg.ni->tx.give()) make_ready(step, *next);
}
/// Returns the credit of the NI first, then that of the peer NI (10.2).
inline void return_credits(Step& step, Msg& msg) {
  return_ni_credit(step, msg);
  if (std::exchange(msg.has_peer_credit, false))
    if (Msg* next = msg.peer->tx.give()) make_ready(step, *next);
  step.s.peers.changed(*msg.peer->known);
}

}  // namespace ulnet::core
