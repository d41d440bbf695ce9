// Selects the path of each message, transmits it here or in another shard, and at the end sends it
// again or ends it. Source: spec/core-semantics.md 6, 10.2, 11, spec/multirail.md 3.1, 3.5, 5.2,
// 5.3.
#include "lnet/core/flow/transmission.h"

#include <algorithm>
#include <utility>

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/faults.h"
#include "lnet/core/flow/forwarded.h"
#include "lnet/core/flow/loop_signs.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/ni_health.h"
#include "lnet/core/flow/notify.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/other_way.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/submit.h"
#include "lnet/core/flow/unroutable.h"
#include "lnet/core/path/health.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

namespace {

/// Counts a message that is not given to the driver as a drop of the NI and of the peer NI
/// (spec/core-semantics.md 9). The global drop_count leaves such a message out, because it counts
/// received messages only, so that what one node has sent is what the other has received or dropped
/// (core-semantics.md 11, 18.12).
[[gnu::noinline]] void charge_drop(const Msg& msg) {
  ++count_of(msg.ni->traffic.dropped, msg.header.type());
  ++count_of(msg.peer->traffic.dropped, msg.header.type());
}

/// Ends a message that has waited for credits past its deadline.
void expire(Step& step, Msg& msg) {
  step.s.counters.drop(DropReason::kQueuedTooLong);
  charge_drop(msg);
  end_transmission(step, msg, -ETIMEDOUT, Health::kNetworkTimeout);
}

bool is_aborted(const Msg& msg) {
  if (msg.remote_md != nullptr) return msg.remote_md->aborted;
  return msg.md != nullptr && msg.md->state == MdState::kAborted;
}

/// Whether the message began in another shard, and this one transmits it.
bool is_of_other_shard(const Msg& msg) { return static_cast<bool>(msg.remote.msg); }

/// Gives the driver a DropPayload if the message is the REPLY to an optimised GET. The driver still
/// waits for this REPLY, but will not get it.
void drop_unanswered(Step& step, const Msg& msg) {
  if (msg.rx.value != 0 && msg.state != MsgState::kSending)
    step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{msg.rx_ni, msg.rx, 0});
}

// ---- transmission, in the shard of the peer NI

/// Whether this shard cannot use a path that another shard chose by an earlier configuration.
bool is_stale(const ShardState& s, const Path& path) {
  if (path.generation == s.config->generation) return false;
  if (s.placement.of(path.hop.nid) != s.index) return true;
  const LocalNi* ni = s.nis.find(path.ni);
  if (path.ni.value != 0) return ni == nullptr || ni->phase != NiPhase::kUp;
  return s.nis.find(path.hop.nid.net()) == nullptr;
}

void refuse(Step& step, const shard_msg::Transmit& in, int status) {
  shard_msg::Returned returned;
  returned.msg = in.msg;
  returned.taken = false;
  returned.status = status;
  returned.deadline = in.deadline;
  returned.generation = step.config().generation;
  step.send_to_shard(shard_of(in.msg), std::move(returned));
}

/// Gives a message back to the shard where it began, with what that shard has to learn of it.
void hand_back(Step& step, Msg& msg, shard_msg::Returned returned) {
  returned.msg = msg.remote.msg;
  returned.peer_health = msg.peer->known->health;
  returned.deadline = msg.deadline;
  const std::uint32_t shard = msg.remote.shard;
  if (msg.remote_md != nullptr) step.s.remote_mds.remove(msg);
  msg.on(MsgEvent::kEnd);
  release_message(step, msg);
  --step.s.of_others;
  step.send_to_shard(shard, std::move(returned));
}

/// Gives back a message whose transmission has ended.
void give_back(Step& step, Msg& msg, int status, Health health, bool bound) {
  drop_unanswered(step, msg);
  shard_msg::Returned returned;
  returned.bound = bound || is_aborted(msg);
  returned.status = status;
  returned.health = health;
  returned.ni = msg.ni->config.id;
  returned.source = msg.header.src_nid;
  if (blames_ni(health) && !was_withdrawn(*msg.ni, status, health)) see_failure(step, *msg.ni);
  hand_back(step, msg, std::move(returned));
}

/// Gives back a message that no driver had, so that another path is selected for it.
void return_unsent(Step& step, Msg& msg) {
  shard_msg::Returned returned;
  returned.taken = false;
  returned.generation = step.config().generation;
  hand_back(step, msg, std::move(returned));
}

// ---- selection, and the end, in the shard where the message began

/// Passes the message to the shard that transmits it.
void transmit_elsewhere(Step& step, Msg& msg, const LocalNi* ni, std::uint32_t shard) {
  shard_msg::Transmit shard_msg;
  shard_msg.msg = msg.self;
  if (msg.md != nullptr) shard_msg.md = msg.md->handle;
  if (msg.remote_md != nullptr) shard_msg.md = msg.remote_md->md;
  if (ni != nullptr) shard_msg.path.ni = ni->config.id;
  shard_msg.path.hop = msg.hop;
  shard_msg.path.generation = step.config().generation;
  shard_msg.header = msg.header;
  shard_msg.internal = msg.internal;
  shard_msg.routed = msg.routed;
  shard_msg.ni_given = !msg.source.is_any();
  shard_msg.memory = memory_of(msg);
  shard_msg.memory_cpt = memory_cpt_of(msg);
  shard_msg.rlength = msg.rlength;
  shard_msg.rx = msg.rx;
  shard_msg.rx_ni = msg.rx_ni;
  shard_msg.started = msg.started;
  shard_msg.deadline = msg.deadline;
  msg.on(MsgEvent::kTransmit);
  msg.remote.shard = shard;
  if (PeerNid* hop = step.s.peers.find(msg.hop.nid)) {
    ++hop->elsewhere;
    step.s.peers.changed(*hop);
  }
  step.send_to_shard(shard, std::move(shard_msg));
}

/// Ends the operation of the message.
void end_operation(Step& step, Msg& msg, int status) {
  if (msg.routed) return end_forwarding(step, msg, status);
  if (msg.state != MsgState::kElsewhere) drop_unanswered(step, msg);
  msg.on(MsgEvent::kEnd);
  count_end(step, msg, status);
  if (status != 0) forget_if_unknown(step.s, msg.target);
  end_message_operation(step, msg, status, status != 0 && msg.waits_answer, [&](Event& event) {
    if (msg.header.type() == wire::MsgType::kReply)
      fill_get(event, msg, step.s.peers.primary_of(msg.target));
    else
      fill_send(event, msg, step.config().pid);
  });
  release_message(step, msg);
}

/// Whether the message is a user's request to a peer that has to be discovered first (multirail.md
/// 3.5). Answers go back where their request came from, LNet's own messages are how it discovers
/// peers, and a process that connects from an unprivileged port cannot be pinged.
bool needs_discovery(const Step& step, const Msg& msg, const PeerNid& target) {
  return !target.discovered && !msg.internal && !is_answer(msg) && !msg.header.dest_pid.is_user() &&
         step.s.nis.find(msg.target) == nullptr;
}

[[gnu::noinline]] void wait_for_discovery(Step& step, Msg& msg, PeerNid& target) {
  step.s.path_waiters.wait_for_discovery(msg);
  want_discovery(step, target, msg.header.dest_pid);
}

}  // namespace

void end_without_path(Step& step, Msg& msg, int status) { end_operation(step, msg, status); }

namespace {

/// Begins the transmission in this shard. Returns false if the message has ended, because its
/// deadline has passed or because this router knows that the next hop is not alive
/// (core-semantics.md 11). The deadline can have passed if the message was sent again, waited for a
/// discovery, or was on its way between shards for too long (multirail.md 5.3).
bool transmit_here(Step& step, Msg& msg, LocalNi* ni, PeerNi* known = nullptr) {
  begin_transmission(step, msg, ni, known);
  if (msg.deadline < step.now) return expire(step, msg), false;
  if (msg.routed && sends_nothing_to(step, *msg.peer)) {
    charge_drop(msg);
    return end_transmission(step, msg, -EHOSTUNREACH, Health::kRemoteDropped, true), false;
  }
  advance_to_driver(step, msg);
  return true;
}

/// Sends the message on its chosen path. `known`: the peer NI of the hop, or null.
void go_by(Step& step, Msg& msg, const Choice& choice, PeerNi* known) {
  msg.hop = choice.hop;
  msg.header.dest_nid = choice.destination;
  if (msg.waits_answer) msg.md->awaited.peer = msg.hop.nid;
  if (known == nullptr || known->moved) {
    const std::uint32_t shard = step.s.placement.of(msg.hop.nid);
    if (shard != step.s.index) return transmit_elsewhere(step, msg, choice.ni, shard);
  }
  (void)transmit_here(step, msg, choice.ni, known);
}

/// The peer NI of the hop of a choice, if this shard has one.
PeerNi* met_hop(const ShardState& s, const Choice& choice) {
  return choice.rail != nullptr ? choice.rail->nid->ni : s.peers.find_ni(choice.hop.nid);
}

void end_unreachable(Step& step, Msg& msg, const Choice& choice) {
  note_unreachable(step, msg, choice);
  end_operation(step, msg, choice.status);
}

bool is_neighbour(const ShardState& s, const PeerNid& peer) {
  return std::ranges::any_of(peer.peer_entry->nids,
                             [&](const Nid& nid) { return s.nis.find(nid.net()) != nullptr; });
}

/// Whether a message that this node forwards may go to another NID of its target's peer than the
/// one that it names (multirail.md 3.1, MR-forwarding). A neighbour takes no message for a NID that
/// it has on another net than the one over which the message comes (core-semantics.md 8.4). So the
/// message goes to a NID that the neighbour has on this net.
bool may_be_redirected(const ShardState& s, const Msg& msg, const PeerNid* target) {
  if (target == nullptr || !target->multi_rail()) return false;
  if (s.nis.find(msg.target.net()) == nullptr)
    return is_neighbour(s, *target) && !target->peer_entry->has(msg.from->nid);
  if (target->health == kHealthMax) return false;
  const PeerNid* source = s.peers.find(msg.header.src_nid);
  return source != nullptr && source->multi_rail();
}

/// Sends a message that this node forwards on its second leg, to the next hop.
[[gnu::noinline]] void send_on(Step& step, Msg& msg) {
  ShardState& s = step.s;
  if (!s.router.forwards()) return end_operation(step, msg, -ECANCELED);
  PeerNid* const target = s.peers.find(msg.target);
  const RouteView routes{s.routes, s.peers, *s.config};
  SendIntent intent{msg.target, msg.header.dest_pid, msg.source, target, nullptr, false, -1};
  if (!s.routes.empty()) intent.routes = &routes;
  intent.came_from = &msg.from->nid;
  if (may_be_redirected(s, msg, target)) intent.rails = &s.peers.rails_of(*target, *s.config);
  const Choice choice = select(s.nis, intent);
  if (choice.status != 0) return end_unreachable(step, msg, choice);
  take_turn(s.nis, choice, &routes);
  if (choice.route != nullptr) watch_for_loop(step, msg, choice);
  go_by(step, msg, choice, met_hop(s, choice));
}

/// Sends a message of this node to a NID behind routers.
[[gnu::noinline]] void send_by_route(Step& step, Msg& msg, PeerNid& target, SendIntent intent) {
  ShardState& s = step.s;
  const RouteView routes{s.routes, s.peers, *s.config};
  intent.routes = &routes;
  const Nid back_to = msg.hop.nid;
  if ((is_answer(msg) || msg.recovery) && !back_to.is_any()) intent.back_to = &back_to;
  const Choice choice = select(s.nis, intent);
  if (choice.status != 0) return end_unreachable(step, msg, choice);
  take_turn(s.nis, choice, &routes);
  if (!msg.internal && !target.multi_rail())
    s.routes.saw_source(msg.target, choice.ni->config.id, share_of_peers(s));
  go_by(step, msg, choice, met_hop(s, choice));
}

/// Whether only a router can take the message, because no NI on a net of the target works. If
/// `source` is given: because the NI `source` is on another net.
bool is_remote(const ShardState& s, const Msg& msg, const Nid& source, const PeerNid& target) {
  if (!source.is_any()) return source.net() != msg.target.net();
  if (is_for_one_nid(s, msg, msg.target) || !target.multi_rail())
    return s.nis.find(msg.target.net()) == nullptr;
  return std::ranges::none_of(target.peer_entry->nids,
                              [&](const Nid& nid) { return s.nis.works(nid.net()); });
}

}  // namespace

void send_on_new_path(Step& step, Msg& msg) {
  ShardState& s = step.s;
  if (msg.routed) return send_on(step, msg);
  PeerNid* target = s.peers.find(msg.target);
  if (target == nullptr) target = &know(step, msg.target);
  if (!msg.recovery) target->used = true;
  if (needs_discovery(step, msg, *target)) return wait_for_discovery(step, msg, *target);
  SendIntent intent{msg.target, msg.header.dest_pid, source_of(s, msg, *target), target,
                    nullptr,    msg.internal,        memory_cpt_of(msg)};
  if (target->multi_rail() && intent.source.is_any() && !is_for_one_nid(s, msg, msg.target))
    intent.rails = &s.peers.rails_of(*target, *s.config);
  if (!s.routes.empty() && is_remote(s, msg, intent.source, *target))
    return send_by_route(step, msg, *target, intent);
  const Choice choice = select(s.nis, intent);
  if (choice.status != 0) return end_unreachable(step, msg, choice);
  take_turn(s.nis, choice);
  go_by(step, msg, choice, choice.rail == nullptr ? target->ni : choice.rail->nid->ni);
}

namespace {

/// Whether a message whose transmission failed is sent again (multirail.md 5.3).
bool may_be_sent_again(Step& step, const Msg& msg, Health health) {
  if (msg.recovery) return false;
  if (!may_have_another_way(step.s, msg, health)) return false;
  if (step.s.shut_down || is_aborted(msg) || step.now > msg.deadline) return false;
  const std::int32_t most = step.config().globals.retry_count;
  if (msg.tries < most) return true;
  if (msg.tries != 0) ++step.s.counters.global.failed_resends;
  return false;
}

void send_again(Step& step, Msg& msg) {
  step.note(Note::Level::kUnlogged, Note::About::kResend,
            "a message that failed there is sent again", msg.hop.nid);
  ++step.s.counters.global.resend_count;
  ++msg.tries;
  msg.on(MsgEvent::kRetry);
  leave_path(step, msg);
  send_on_new_path(step, msg);
}

/// Handles the end of a transmission of the message by `ni`, here or in another shard. `bound`: the
/// message may not be sent again, because the neighbour may have got it, or because its data are
/// bound to that NI: it is a REPLY or a GET whose data the driver itself moves.
void transmission_ended(Step& step, Msg& msg, int status, Health health, LocalNi* ni, bool bound) {
  if (status == 0) return end_operation(step, msg, 0);
  // The health of the failed path is lowered first, so that it counts in the next selection.
  if (ni != nullptr && !was_withdrawn(*ni, status, health)) blame_ni(step, *ni, health);
  if (!bound && may_be_sent_again(step, msg, health)) return send_again(step, msg);
  end_operation(step, msg, status);
}

/// Selects another path, because another shard has refused the message: its path was stale. Waits
/// until this shard has the newer configuration.
void select_again(Step& step, Msg& msg, std::uint64_t generation) {
  if (is_aborted(msg)) return end_operation(step, msg, -ECANCELED);
  if (generation <= step.config().generation || step.s.shut_down)
    return send_on_new_path(step, msg);
  step.s.path_waiters.wait_for_config(msg, generation);
}

}  // namespace

void start_send(Step& step, Msg& msg, const Nid& source, bool internal) {
  msg.header.src_pid = step.config().pid;
  msg.target = msg.header.dest_nid;
  msg.source = source;
  msg.internal = internal;
  send_on_new_path(step, msg);
}

bool waits_for_credit(const Msg& msg) {
  return msg.state == MsgState::kPeerQueue || msg.state == MsgState::kNiQueue;
}

void leave_queue(Step& step, Msg& msg) {
  (msg.state == MsgState::kPeerQueue ? msg.peer->tx : msg.ni->tx).leave(msg);
  step.s.peers.changed(*msg.peer->known);
}

namespace {

/// The message is in no queue: returns its queued bytes and its credits. Inlined into its callers,
/// because a call costs a PUT 20 instructions.
[[gnu::always_inline]] inline void leave_gates(Step& step, Msg& msg) {
  answer_is_over(step.s, msg);
  msg.peer->queued_bytes -= bytes_of(msg);
  return_credits(step, msg);
}

}  // namespace

/// The message waits for a credit, or was given one, and another path is to be selected for it.
void go_another_way(Step& step, Msg& msg) {
  leave_gates(step, msg);
  if (is_of_other_shard(msg)) return return_unsent(step, msg);
  msg.on(MsgEvent::kRetry);
  leave_path(step, msg);
  send_on_new_path(step, msg);
}

namespace {

/// A fault rule ends the message, which no driver has: it fails as if a driver had reported so, or
/// it is lost without a sign on this node (multirail.md 11.2).
[[gnu::noinline]] void end_faulted(Step& step, Msg& msg) {
  if (msg.fault != Health::kOk) return end_transmission(step, msg, -EIO, msg.fault);
  leave_gates(step, msg);
  step.s.counters.drop(DropReason::kFaultRuleSent);
  ++count_of(msg.ni->traffic.dropped, msg.header.type());
  ++count_of(msg.peer->traffic.dropped, msg.header.type());
  is_of_other_shard(msg) ? give_back(step, msg, 0, Health::kOk, false)
                         : end_operation(step, msg, 0);
}

void go_on_with_credit(Step& step, Msg& msg) {
  // When the NI of the message failed, the message may have been bound to that NI, or there was no
  // other NI.
  if (msg.ni->fatal && may_leave_by_another(step.s, msg)) take_another_ni(step, msg);
  if ((msg.peer->known->health < kHealthMax && has_better_nid(step, msg)) ||
      (msg.ni->fatal && has_working_way(step, msg)))
    go_another_way(step, msg);
  else
    advance_to_driver(step, msg);
}

}  // namespace

void run_ready(Step& step) {
  while (!step.s.ready.empty()) {
    Msg& msg = step.s.ready.front();
    step.s.ready.pop_front();
    if (is_aborted(msg) || (msg.routed && !step.s.router.forwards()))
      end_transmission(step, msg, -ECANCELED, Health::kOk);  // cancelled as it got the credit
    else if (msg.state == MsgState::kFaulted)
      end_faulted(step, msg);
    else if (msg.ni->phase == NiPhase::kDraining)
      end_transmission(step, msg, -ESHUTDOWN, Health::kOk);  // like those that wait for its credits
    else if (msg.deadline < step.now)
      expire(step, msg);
    else
      go_on_with_credit(step, msg);
  }
}

void end_transmission(Step& step, Msg& msg, int status, Health health, bool begun) {
  leave_gates(step, msg);
  if (status == 0) {
    // The peer NI of an answer was met when the request came. If the peer NI is new now, it was
    // deleted since.
    if (!is_answer(msg)) meet(step, *msg.peer);
    account_success(step, *msg.ni, *msg.peer, false);
    if (!msg.routed) count_left(step, msg);
  } else if (!account_failure(step, msg, health)) {
    health = Health::kOk;
  }
  if (status == 0 && !is_of_other_shard(msg)) return end_operation(step, msg, 0);
  const bool bound = begun || msg.optimised || msg.rx.value != 0;
  if (is_of_other_shard(msg)) return give_back(step, msg, status, health, bound);
  transmission_ended(step, msg, status, health, msg.ni, bound);
}

void send_done(Step& step, const SendDone& in) {
  Msg* msg = step.s.find(in.tx);
  if (msg == nullptr || msg->state != MsgState::kSending) {
    step.note(Note::Level::kError, "a driver ended a send that it did not have");
    return;
  }
  end_transmission(step, *msg, in.status, in.health, in.begun);
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Transmit& in) {
  ShardState& s = step.s;
  if (s.shut_down) return refuse(step, in, -ESHUTDOWN);
  if (in.path.generation > s.config->generation) return s.early.push_back(ShardMsg{in});
  if (is_stale(s, in.path)) return refuse(step, in, 0);
  ++s.of_others;
  Msg& msg = make_message(step);
  msg.outgoing = true;
  msg.remote = {from, in.msg};
  msg.header = in.header;
  msg.hop = in.path.hop;
  msg.internal = in.internal;
  msg.routed = in.routed;
  if (in.ni_given) msg.source = s.nis.find(in.path.ni)->nid();
  msg.memory_cpt = in.memory_cpt;
  msg.rlength = msg.mlength = in.rlength;
  msg.memory = in.memory;
  msg.rx = in.rx;
  msg.rx_ni = in.rx_ni;
  msg.started = in.started;
  msg.deadline = in.deadline;
  if (in.md.cookie != 0) s.remote_mds.add(in.md, msg);
  LocalNi* const ni = in.path.ni.value == 0 ? nullptr : s.nis.find(in.path.ni);
  if (!transmit_here(step, msg, ni)) return;
  // The shard that has chosen the NI may not have learned yet that the NI failed.
  if (waits_for_credit(msg) && msg.ni->fatal && may_leave_by_another(s, msg))
    take_another_ni(step, msg);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Returned& in) {
  Msg* msg = step.s.find(in.msg);
  ULNET_ASSERT(msg != nullptr && msg->state == MsgState::kElsewhere);
  msg->deadline = in.deadline;
  PeerNid* const hop = step.s.peers.find(msg->hop.nid);
  if (hop != nullptr && hop->elsewhere > 0) {  // it may be another entry by now
    --hop->elsewhere;
    step.s.peers.changed(*hop);
  }
  if (in.taken) {
    msg->header.src_nid = in.source;
    see_peer_health(step, msg->hop.nid, in.peer_health);
    return transmission_ended(step, *msg, in.status, in.health, step.s.nis.find(in.ni), in.bound);
  }
  if (in.peer_health < kHealthMax) see_peer_health(step, msg->hop.nid, in.peer_health);
  msg->on(MsgEvent::kRetry);
  in.status != 0 ? end_operation(step, *msg, in.status) : select_again(step, *msg, in.generation);
}

}  // namespace ulnet::core
