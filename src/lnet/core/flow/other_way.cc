// Finds another path for a message whose NI has failed, or whose peer has a healthier NID. Moves a
// message that waits for a credit to another NI of the same net. Source: spec/multirail.md 3.1,
// 3.2, 3.4, 5.2, 5.3, decision 127.
#include "lnet/core/flow/other_way.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/submit.h"
#include "lnet/core/path/health.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

LocalNi* instead_of(const LocalNi& failed, const Msg& msg) {
  LocalNi* other = failed.net == nullptr ? nullptr : best_of(*failed.net, memory_cpt_of(msg));
  return other == nullptr || other->fatal ? nullptr : other;
}

bool is_for_one_nid(const ShardState& s, const Msg& msg, const Nid& to) {
  if (!is_answer(msg)) return msg.recovery;
  const LocalNet* const net = s.nis.find(to.net());
  return net == nullptr || net->works();
}

bool has_working_way(Step& step, const Msg& msg) {
  ShardState& s = step.s;
  if (msg.recovery || !may_leave_by_another(s, msg)) return false;
  if (msg.routed && msg.from == nullptr) return false;  // `from` is known only where it came in
  PeerNid* const target = s.peers.find(msg.header.dest_nid);
  SendIntent intent{msg.header.dest_nid, msg.header.dest_pid, Nid::any(), target, nullptr,
                    msg.internal,        memory_cpt_of(msg)};
  if (target != nullptr && target->multi_rail() && !msg.routed &&
      !is_for_one_nid(s, msg, target->nid))
    intent.rails = &s.peers.rails_of(*target, *s.config);
  const RouteView routes{s.routes, s.peers, *s.config};
  intent.routes = s.routes.empty() ? nullptr : &routes;
  if (msg.routed) intent.came_from = &msg.from->nid;
  if (is_answer(msg)) intent.back_to = &msg.hop.nid;
  const Choice choice = select(s.nis, intent);
  return choice.ni != nullptr && !choice.ni->fatal;
}

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
  return_ni_credit(step, msg);
  --failed.in_flight;
  ++other->in_flight;
  msg.peer->queued_bytes -= bytes_of(msg);  // the size depends on the source
  msg.ni = other;
  if (!msg.routed) msg.header.src_nid = other->nid();
  msg.peer->queued_bytes += bytes_of(msg);
  step.s.peers.changed(*msg.peer->known);
  if (waits_here && other->tx.take(msg)) make_ready(step, msg);
}

bool has_better_nid(const Step& step, const Msg& msg) {
  const PeerNid& chosen = *msg.peer->known;
  if (msg.has_ni_credit) return false;  // it would have to wait for that credit again
  if (msg.routed || !msg.source.is_any() || msg.recovery || is_answer(msg) || !chosen.multi_rail())
    return false;
  // For a message by a router: the gateway's better NID may be on a net without the NI that the
  // peer always sees. Then the present NID would be chosen again, for ever.
  if (msg.hop.nid != msg.header.dest_nid) return false;
  const auto is_better = [&](const Nid& nid) {
    if (step.s.nis.find(nid.net()) == nullptr) return false;
    const PeerNid* known = step.s.peers.find(nid);
    return (known == nullptr ? kHealthMax : known->health) > chosen.health;
  };
  return std::ranges::any_of(chosen.peer_entry->nids, is_better);
}

bool may_have_another_way(const ShardState& s, const Msg& msg, Health health) {
  if (health == Health::kOk) return false;
  const HealthRow& row = health_row(health);
  if (!row.resend) return false;
  const std::size_t loopbacks = s.nis.loopback() == nullptr ? 0 : 1;
  if (row.blames_ni) return s.nis.configured().size() - loopbacks > 1;
  const PeerNid* peer = s.peers.find(msg.hop.nid);
  return peer != nullptr && !peer->others().empty();
}

}  // namespace ulnet::core
