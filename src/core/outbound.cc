#include "core/outbound.h"

#include <algorithm>

#include "base/canary.h"
#include "core/buffers.h"
#include "core/health.h"
#include "core/inbound.h"

namespace ulnet::core {

namespace {

std::int64_t bytes_of(const Msg& msg) {
  const bool small = msg.header.dest_nid.is_small() && msg.header.src_nid.is_small();
  return static_cast<std::int64_t>(small ? wire::kHeaderBytesNid4 : wire::kHeaderBytesNid16) +
         msg.header.payload_length;
}

/// When an outgoing message is given up (11).
Instant message_deadline(const Step& step, const LocalNi& ni) {
  const Globals& globals = step.config().globals;
  if (ni.config.lnd_timeout > Duration::zero())
    return step.now + ni.config.lnd_timeout * (globals.retry_count + 1) + std::chrono::seconds(1);
  return step.now + std::chrono::seconds(globals.transaction_timeout);
}

void count_sent(const Msg& msg) {
  ++count_of(msg.ni->traffic.sent, msg.header.type());
  ++count_of(msg.peer->traffic.sent, msg.header.type());
}

void hand_over(Step& step, Msg& msg) {
  msg.on(MsgEvent::kHandOver);
  count_sent(msg);
  Send& send = step.act<Send>(msg.ni->config.id, msg.hop, msg.header);
  send.tx = msg.self;
  send.deadline = msg.deadline;
  if (msg.md == nullptr && msg.away == nullptr) return;
  if (msg.header.type() != wire::MsgType::kGet) {
    send.payload =
        msg.md == nullptr ? msg.memory : region_of(*msg.md, msg.offset, msg.header.payload_length);
    send.answers = msg.rx;
  } else if (msg.ni->config.rdma_get) {
    msg.optimised = true;
    send.sink = msg.md == nullptr ? msg.memory : region_of(*msg.md, 0, msg.rlength);
  }
}

/// Takes the credit of the peer NI, then that of the NI, then gives the message to the driver
/// (10.2). Without a credit the message waits in the queue of that gate.
void advance_to_driver(Step& step, Msg& msg) {
  if (msg.ni->loopback()) return hand_over(step, msg);
  if (ULNET_CANARY(kNiCreditFirst) && !msg.has_ni_credit && msg.ni->tx.credits() > 0)
    msg.has_ni_credit = msg.ni->tx.take(msg);
  if (!msg.has_peer_credit) {
    if (!msg.peer->tx.take(msg)) return msg.on(MsgEvent::kNoPeerCredit);
    msg.has_peer_credit = true;
  }
  if (!msg.has_ni_credit) {
    if (!msg.ni->tx.take(msg)) return msg.on(MsgEvent::kNoNiCredit);
    msg.has_ni_credit = true;
  }
  hand_over(step, msg);
}

bool is_answer(const Msg& msg) {
  const wire::MsgType type = msg.header.type();
  return type == wire::MsgType::kAck || type == wire::MsgType::kReply;
}

/// Returns the credit of the NI first, then that of the peer NI (10.2).
void return_credits(Step& step, Msg& msg) {
  if (std::exchange(msg.has_ni_credit, false)) make_ready(step, msg.ni->tx.give());
  if (std::exchange(msg.has_peer_credit, false)) make_ready(step, msg.peer->tx.give());
}

void count_end(Step& step, const Msg& msg, int status) {
  GlobalStats& global = step.s.tally.global;
  if (status != 0) {
    ++global.errors;
    return;
  }
  ++global.send_count;
  global.send_length += msg.header.payload_length;
  if (msg.header.type() != wire::MsgType::kPut) return;
  // At least 1 ns, although no time passes within a step: a minimum of 0 would look as if nothing
  // had been measured.
  const Duration egress = std::max(step.now - msg.started, Duration(1));
  msg.ni->traffic.put_egress.add(egress);
  msg.peer->traffic.put_egress.add(egress);
}

/// Ends a message that has waited for credits past its deadline. It counts as a drop of the NI
/// and of the peer NI, but not in the global drop_count: that one counts received messages only,
/// so that what one node has sent is what the other has received or dropped (11, 18.12).
void expire(Step& step, Msg& msg) {
  step.s.tally.drop(DropReason::kQueuedTooLong);
  ++count_of(msg.ni->traffic.dropped, msg.header.type());
  if (!ULNET_CANARY(kExpiryNotCharged)) ++count_of(msg.peer->traffic.dropped, msg.header.type());
  end_send(step, msg, -ETIMEDOUT, Health::kNetworkTimeout);
}

void await_response(Step& step, Msg& msg, bool get, Instant deadline) {
  Md& md = *msg.md;
  const Globals& globals = step.config().globals;
  if (deadline == kNever && is_tracked(md.options, get, globals.response_tracking) &&
      !(ULNET_CANARY(kDeadlineForgotten) && get))
    deadline = step.now + std::chrono::seconds(globals.transaction_timeout);
  step.s.responses.begin(md.awaited, get, step.now, deadline);
  msg.waits_answer = true;
}

/// Begins an operation on the MD and makes its message, with all that a PUT and a GET have in
/// common.
Msg& begin_request(Step& step, Md& md, const ProcessId& target) {
  begin_operation(md);
  retire_if_exhausted(md);
  Msg& msg = make_message(step);
  msg.outgoing = true;
  msg.md = &md;
  md.messages.push_back(msg);
  msg.rlength = msg.mlength = md.length;
  msg.header.dest_nid = target.nid;
  msg.header.dest_pid = target.pid.is_any() ? Pid::lustre() : target.pid;
  return msg;
}

wire::WireHandle wire_handle(const Step& step, const Md& md) {
  return {step.config().interface_cookie, md.handle.cookie};
}

Route route_of(const Msg& msg, Portal portal, const Nid& self) {
  Route route;
  route.target = {msg.header.dest_nid, msg.header.dest_pid};
  route.source = self;
  route.internal = portal.index == 0;
  return route;
}

/// Sends the message by letter to the target's shard, which has the credits, and ends it here
/// (letter.h).
void transmit(Step& step, Msg& msg, const Route& route, std::uint32_t shard) {
  Md& md = *msg.md;
  letter::Transmit letter;
  letter.md = md.handle;
  letter.header = msg.header;
  letter.source = route.source;
  letter.internal = route.internal;
  letter.waits_answer = msg.waits_answer;
  letter.memory = region_of(md, 0, md.length);
  letter.rlength = msg.rlength;
  letter.started = msg.started;
  md.away.insert(shard);
  if (msg.waits_answer) md.awaited.peer = route.target.nid;
  md.messages.erase(md.messages.iterator_to(msg));
  msg.on(MsgEvent::kEnd);
  release_message(step, msg);
  step.tell(shard, std::move(letter));
}

/// Removes the entry of a peer NI with which no message was ever exchanged.
void forget_if_unmet(ShardState& s, PeerNi& peer) {
  if (peer.in_flight != 0 || peer.met || ULNET_CANARY(kEntryLeft)) return;
  if (peer.peer->only_a_target()) s.peers.erase(peer);
}

/// Launches a PUT or GET, here or in the target's shard.
void dispatch(Step& step, Msg& msg, const Route& route) {
  const std::uint32_t shard = step.s.placement.of(route.target.nid);
  shard == step.s.index ? launch(step, msg, route) : transmit(step, msg, route, shard);
}

}  // namespace

Msg& make_message(Step& step) {
  auto [self, msg] = step.s.messages.make();
  ULNET_ASSERT(self.slot >> kTicketSlotBits == 0);
  msg->self = step.s.name(self);
  msg->started = step.now;
  GlobalStats& global = step.s.tally.global;
  global.msgs_max = std::max<std::uint64_t>(global.msgs_max, step.s.messages.size());
  return *msg;
}

void release_message(Step& step, Msg& msg) {
  LocalNi* ni = msg.ni;
  PeerNi* peer = msg.peer;
  step.s.messages.erase(step.s.handle(msg.self));
  if (peer != nullptr) {
    --peer->in_flight;
    forget_if_unmet(step.s, *peer);
  }
  if (ni == nullptr) return;
  --ni->in_flight;
  settle_ni(step, *ni);
}

void settle_ni(Step& step, LocalNi& ni) {
  if (ni.phase != NiPhase::kDraining || ni.in_flight != 0) return;
  ni.on(NiEvent::kIdle);
  step.out.emplace_back(std::in_place_type<Drained>, Drained{ni.config.id});
  step.s.nis.erase(ni);
}

std::int32_t peer_credits_for(const ShardState& s, const Nid& nid) {
  const LocalNet* net = s.nis.find(nid.net());
  return net == nullptr || nid.is_loopback() ? 0 : net->peer_credits;
}

PeerNi& peer_of(ShardState& s, const Nid& nid) {
  PeerNi* known = s.peers.find(nid);
  return known != nullptr ? *known : s.peers.use(nid, peer_credits_for(s, nid));
}

void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline) {
  Msg& msg = begin_request(step, md, request.target);
  const bool ack = request.ack == AckRequest::kAck;
  wire::PutPart& part = msg.header.part.emplace<wire::PutPart>();
  if (ack) part.ack_wmd = wire_handle(step, md);
  part.match_bits = request.match_bits.value;
  part.hdr_data = request.hdr_data;
  part.portal = request.portal.index;
  part.offset = request.offset;
  msg.header.payload_length = md.length;
  if (ack) await_response(step, msg, false, response_deadline);
  dispatch(step, msg, route_of(msg, request.portal, request.self));
}

void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline) {
  Msg& msg = begin_request(step, md, request.target);
  wire::GetPart& part = msg.header.part.emplace<wire::GetPart>();
  part.return_wmd = wire_handle(step, md);
  part.match_bits = request.match_bits.value;
  part.portal = request.portal.index;
  part.src_offset = request.offset;
  part.sink_length = md.length;
  await_response(step, msg, true, response_deadline);
  dispatch(step, msg, route_of(msg, request.portal, request.self));
}

void launch(Step& step, Msg& msg, const Route& wish) {
  ShardState& s = step.s;
  Route route = wish;
  msg.header.src_pid = step.config().pid;
  PeerNi* known = s.peers.find(route.target.nid);
  route.peer = known;
  const Choice choice = select(s.nis, route);
  if (choice.status != 0) {
    step.note(Note::Level::kDebug, choice.reason, route.target.nid);
    return end_send(step, msg, choice.status, Health::kOk);
  }
  LocalNi& ni = *choice.ni;
  PeerNi& target = known != nullptr
                       ? *known
                       : s.peers.use(route.target.nid, peer_credits_for(s, route.target.nid));
  if (choice.fix_source) target.fixed_source = ni.config.id;
  if (choice.in_turn) ni.sequence = ++ni.net->sequence;
  msg.ni = &ni;
  msg.hop = choice.hop;
  msg.header.src_nid = ni.nid();
  msg.peer = choice.hop.nid == target.nid ? &target : &peer_of(s, choice.hop.nid);
  msg.deadline = message_deadline(step, ni);
  ++ni.in_flight;
  ++msg.peer->in_flight;
  if (is_answer(msg)) ++msg.peer->answers;
  msg.peer->queued_bytes += bytes_of(msg);
  if (msg.waits_answer && msg.md != nullptr) msg.md->awaited.peer = msg.hop.nid;
  advance_to_driver(step, msg);
}

bool waits_for_credit(const Msg& msg) {
  return msg.state == MsgState::kPeerQueue || msg.state == MsgState::kNiQueue;
}

void leave_queue(Msg& msg) {
  (msg.state == MsgState::kPeerQueue ? msg.peer->tx : msg.ni->tx).leave(msg);
}

void make_ready(Step& step, Msg* msg) {
  if (msg == nullptr) return;
  (msg->state == MsgState::kPeerQueue ? msg->has_peer_credit : msg->has_ni_credit) = true;
  msg->on(MsgEvent::kCredit);
  step.s.ready.push_back(*msg);
}

namespace {

bool is_aborted(const Msg& msg) {
  if (msg.away != nullptr) return msg.away->aborted;
  return msg.md != nullptr && msg.md->state == MdState::kAborted;
}

/// A response did not come in time: lowers the health of the peer NI that it was to come from.
void blame_for_silence(Step& step, PeerNi& peer) {
  if (step.s.nis.find(peer.nid) != nullptr) return;
  peer.health = worse(peer.health, step.config().globals.health_sensitivity);
}

/// blame_for_silence() in the shard of the peer NI.
void blame(Step& step, const Nid& nid) {
  if (nid.is_any()) return;
  const std::uint32_t shard = step.s.placement.of(nid);
  if (shard != step.s.index)
    return step.tell(shard, letter::Health{letter::Health::What::kResponseTimeout, nid, {}, {}});
  if (PeerNi* peer = step.s.peers.find(nid)) blame_for_silence(step, *peer);
}

}  // namespace

void run_ready(Step& step) {
  while (!step.s.ready.empty()) {
    Msg& msg = step.s.ready.front();
    step.s.ready.pop_front();
    if (is_aborted(msg))
      end_send(step, msg, -ECANCELED, Health::kOk);  // its MD was unlinked as it got the credit
    else if (msg.deadline < step.now)
      expire(step, msg);
    else
      advance_to_driver(step, msg);
  }
}

void end_send(Step& step, Msg& msg, int status, Health health) {
  // This REPLY to an optimised GET was never given to the driver, which still waits for it.
  if (msg.rx.value != 0 && msg.state != MsgState::kSending)
    step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{msg.rx_ni, msg.rx, 0});
  msg.on(MsgEvent::kEnd);
  if (msg.ni != nullptr) {
    if (is_answer(msg)) --msg.peer->answers;
    msg.peer->queued_bytes -= bytes_of(msg);
    if (ULNET_CANARY(kCreditLeaked) && status == -ECANCELED) msg.has_ni_credit = false;
    return_credits(step, msg);
    if (ULNET_CANARY(kPeerCreditTwice) && status == -EHOSTUNREACH) msg.peer->tx.give();
    if (status == 0) {
      msg.peer->met = true;
      account_success(step, *msg.ni, *msg.peer, false);
    } else {
      account_failure(step, msg, health);
    }
  }
  count_end(step, msg, status);
  end_message_operation(step, msg, status, status != 0 && msg.waits_answer, [&](Event& event) {
    if (msg.header.type() == wire::MsgType::kReply)
      fill_get(event, msg, step.s.peers.primary_of(msg.header.dest_nid));
    else
      fill_send(event, msg, step.config().pid);
  });
  release_message(step, msg);
}

void cancel_messages(Step& step, MdMessages& messages) {
  MsgQueue waiting;
  for (Msg& msg : messages)
    if (waits_for_credit(msg)) {
      leave_queue(msg);
      waiting.push_back(msg);
    }
  for (const Msg& msg : messages) {
    if (msg.state != MsgState::kSending) continue;
    if (ULNET_CANARY(kAbortedStaysWithDriver) && msg.header.payload_length == 0) continue;
    step.out.emplace_back(std::in_place_type<Cancel>, Cancel{msg.ni->config.id, msg.hop, msg.self});
  }
  while (!waiting.empty()) {  // the end of the last message may end the MD, and `messages` with it
    Msg& msg = waiting.front();
    waiting.pop_front();
    end_send(step, msg, -ECANCELED, Health::kOk);
  }
}

void send_done(Step& step, const SendDone& in) {
  Msg* msg = step.s.find(in.tx);
  if (msg == nullptr || msg->state != MsgState::kSending) {
    step.note(Note::Level::kError, "a driver ended a send that it did not have");
    return;
  }
  end_send(step, *msg, in.status, in.health);
}

void reply_landed(Step& step, const ReplyLanded& in) {
  Msg* get = step.s.find(in.tx);
  if (get == nullptr || !get->optimised || (get->md == nullptr && get->away == nullptr)) {
    step.note(Note::Level::kError, "a driver answered a GET that it did not have");
    return;
  }
  letter::ReplyInPlace reply;
  reply.md = get->md != nullptr ? get->md->handle : get->away->md;
  reply.status = in.status;
  reply.hop = get->hop.nid;
  reply.ni = get->ni->config.id;
  fill_optimised_reply(reply.event, *get, in.mlength);
  if (get->md != nullptr) return take(step, step.s.index, reply);
  step.tell(shard_of_cookie(reply.md.cookie), std::move(reply));
}

void take(Step& step, std::uint32_t from, const letter::ReplyInPlace& in) {
  ShardState& s = step.s;
  Md* md = s.memory.find(in.md);
  if (md == nullptr || md->state == MdState::kAborted || md->threshold == 0 ||
      md->awaited.replies == 0)
    return s.tally.drop(DropReason::kReplyUnexpected);
  if (const auto took = s.responses.end(md->awaited, true, step.now)) {
    const letter::Health health{letter::Health::What::kGetRtt, in.hop, in.ni, *took};
    from == s.index ? take(step, from, health) : step.tell(from, health);
  }
  begin_operation(*md);
  if (in.status == 0) {
    ++s.tally.global.recv_count;
    s.tally.global.recv_length += in.event.mlength;
  }
  end_md_operation(step, *md, in.status, [&](Event& event) {
    event = in.event;
    event.rlength = event.mlength = std::min(event.mlength, md->length);
  });
}

void take(Step& step, std::uint32_t, const letter::Transmit& in) {
  Msg& msg = make_message(step);
  msg.outgoing = true;
  msg.header = in.header;
  msg.rlength = msg.mlength = in.rlength;
  msg.waits_answer = in.waits_answer;
  msg.memory = in.memory;
  msg.started = in.started;
  step.s.away.add(in.md, msg);
  Route route;
  route.target = {in.header.dest_nid, in.header.dest_pid};
  route.source = in.source;
  route.internal = in.internal;
  launch(step, msg, route);
}

void take(Step& step, std::uint32_t, const letter::Ended& in) {
  Md* md = step.s.memory.find(in.md);
  if (ULNET_CANARY(kAwayForgotten) && md == nullptr) return;
  ULNET_ASSERT(md != nullptr);
  if (in.no_answer) {
    const bool get = in.event.msg_type == static_cast<std::uint32_t>(wire::MsgType::kGet);
    step.s.responses.end(md->awaited, get, step.now);
  }
  end_md_operation(step, *md, in.status, [&](Event& event) { event = in.event; });
}

void take(Step& step, std::uint32_t, const letter::Abort& in) {
  AwayMd* away = step.s.away.find(in.md);
  if (away == nullptr) return;  // the MD's messages here have ended
  away->aborted = true;
  cancel_messages(step, away->messages);
}

void take(Step& step, std::uint32_t, const letter::Health& in) {
  ShardState& s = step.s;
  PeerNi* peer = s.peers.find(in.nid);
  if (peer == nullptr) return;
  if (in.what == letter::Health::What::kResponseTimeout) return blame_for_silence(step, *peer);
  LocalNi* ni = s.nis.find(in.ni);
  if (ni != nullptr)
    count_round_trip(*ni, *peer, in.what == letter::Health::What::kGetRtt, in.took);
}

void expire_responses(Step& step) {
  ShardState& s = step.s;
  while (Awaited* awaited = s.responses.expired(step.now)) {
    Md* md = s.memory.find(awaited->md);
    ULNET_ASSERT(md != nullptr);
    ++s.tally.global.response_timeout_count;
    blame(step, awaited->peer);
    abort_md(step, *md, -ETIMEDOUT);
  }
}

void account_success(Step& step, LocalNi& ni, PeerNi& peer, bool received) {
  if (ni.loopback()) return;
  const std::int32_t sensitivity = step.config().globals.health_sensitivity;
  if (received && peer.health < kHealthMax) peer.health = better(peer.health, sensitivity);
  if (ni.health < kHealthMax && set_health(ni, better(ni.health, sensitivity)))
    step.s.own.stale = true;
}

void account_failure(Step& step, const Msg& msg, Health health) {
  if (msg.ni->loopback() || health == Health::kOk || step.now > msg.deadline) return;
  LocalNi& ni = *msg.ni;
  PeerNi& peer = *msg.peer;
  const HealthRow& row = health_row(health);
  ++(step.s.tally.global.*row.counter);
  if (row.ni_counter != nullptr) ++(ni.errors.*row.ni_counter);
  if (row.peer_counter != nullptr) ++(peer.errors.*row.peer_counter);
  const std::int32_t sensitivity = step.config().globals.health_sensitivity;
  const bool own_nid = step.s.nis.find(peer.nid) != nullptr;
  if (row.blames_peer && !own_nid && peer.peer->nis.size() > 1)
    peer.health = worse(peer.health, sensitivity);
  if (row.blames_ni && set_health(ni, worse(ni.health, sensitivity))) step.s.own.stale = true;
}

}  // namespace ulnet::core
