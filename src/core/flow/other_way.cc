#include "core/flow/other_way.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/flow/message_records.h"
#include "core/flow/operation.h"
#include "core/path/select.h"

namespace ulnet::core {

namespace {

/// The best other NI of the net of one that has failed; null: none can be used.
LocalNi* instead_of(const LocalNi& failed, const Msg& msg) {
  LocalNi* other = failed.net == nullptr ? nullptr : best_of(*failed.net, memory_cpt_of(msg));
  return other == nullptr || !other->up() ? nullptr : other;
}

}  // namespace

void take_another_ni(Step& step, Msg& msg) {
  LocalNi& failed = *msg.ni;
  LocalNi* const other = instead_of(failed, msg);
  if (other == nullptr) return;
  Choice choice;
  choice.ni = other;
  choice.in_turn = true;
  take_turn(step.s.nis, choice);
  const bool waits_here = msg.state == MsgState::kNiQueue;
  if (waits_here) failed.tx.leave(msg);
  --failed.in_flight;
  ++other->in_flight;
  msg.peer->queued_bytes -= bytes_of(msg);  // which depends on the source
  msg.ni = other;
  if (!msg.routed) msg.header.src_nid = other->nid();
  msg.peer->queued_bytes += bytes_of(msg);
  step.s.peers.changed(*msg.peer->known);
  if (waits_here && other->tx.take(msg)) make_ready(step, msg);
}

void leave_failed_ni(Step& step, LocalNi& ni) {
  std::vector<MsgTicket> leaving;
  for (const Msg& msg : ni.tx.queue())
    if (may_leave_by_another(step.s, msg)) leaving.push_back(msg.self);
  step.s.messages.for_each([&](Handle, const Msg& msg) {
    if (msg.ni != &ni || !may_leave_by_another(step.s, msg)) return;
    if (msg.state == MsgState::kPeerQueue) leaving.push_back(msg.self);
    // What the driver has not begun it gives back; what it has begun ends by itself.
    if (msg.state == MsgState::kSending && !msg.recovery && instead_of(ni, msg) != nullptr)
      step.out.emplace_back(std::in_place_type<Cancel>, Cancel{ni.config.id, msg.hop, msg.self});
  });
  for (const MsgTicket self : leaving) take_another_ni(step, *step.s.find(self));
}

bool has_better_nid(const Step& step, const Msg& msg) {
  const PeerNid& chosen = *msg.peer->known;
  if (msg.has_ni_credit) return false;  // it would have to wait for that once more
  if (msg.routed || !msg.source.is_any() || msg.recovery || is_answer(msg) || !chosen.multi_rail())
    return false;
  // For a peer that always sees one NI of this node a gateway's better NID may be on a net that the
  // NI is not on: the same one would be chosen for ever.
  if (msg.hop.nid != msg.header.dest_nid) return false;
  const auto is_better = [&](const Nid& nid) {
    if (step.s.nis.find(nid.net()) == nullptr) return false;
    const PeerNid* known = step.s.peers.find(nid);
    return (known == nullptr ? kHealthMax : known->health) > chosen.health;
  };
  return std::ranges::any_of(chosen.card->nids, is_better);
}

}  // namespace ulnet::core
