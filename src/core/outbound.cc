#include "core/outbound.h"

#include "base/canary.h"
#include "core/buffers.h"
#include "core/health.h"

namespace ulnet::core {

namespace {

std::int64_t bytes_of(const Msg& msg) {
  const bool small = msg.header.dest_nid.is_small() && msg.header.src_nid.is_small();
  return static_cast<std::int64_t>(small ? wire::kHeaderBytesNid4 : wire::kHeaderBytesNid16) +
         msg.header.payload_length;
}

/// Section 11.
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
  if (msg.md == nullptr) return;
  if (msg.header.type() != wire::MsgType::kGet) {
    send.payload = region_of(*msg.md, msg.offset, msg.header.payload_length);
    send.answers = msg.rx;
  } else if (msg.ni->config.rdma_get) {
    msg.optimised = true;
    send.sink = region_of(*msg.md, 0, msg.rlength);
  }
}

/// The peer's credit, then the NI's, then the driver (10.2); stops where there is none.
void advance_to_driver(Step& step, Msg& msg) {
  if (msg.ni->loopback()) return hand_over(step, msg);
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

/// NI first, then peer (10.2).
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
  msg.ni->traffic.put_egress.add(step.now - msg.started);
  msg.peer->traffic.put_egress.add(step.now - msg.started);
}

/// Waited for credits past its deadline: charged to the NI and the peer NI. The global drop_count
/// is that of received messages, so that what one node sent is what the other received or dropped
/// (11, 18.12).
void expire(Step& step, Msg& msg) {
  step.s.tally.drop(DropReason::kQueuedTooLong);
  ++count_of(msg.ni->traffic.dropped, msg.header.type());
  ++count_of(msg.peer->traffic.dropped, msg.header.type());
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

/// What a message of LNetPut or LNetGet has from its MD and its caller.
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

}  // namespace

Msg& make_message(Step& step) {
  auto [self, msg] = step.s.messages.make();
  msg->self = self;
  msg->started = step.now;
  GlobalStats& global = step.s.tally.global;
  global.msgs_max = std::max<std::uint64_t>(global.msgs_max, step.s.messages.size());
  return *msg;
}

void release_message(Step& step, Msg& msg) {
  LocalNi* ni = msg.ni;
  if (msg.peer != nullptr) --msg.peer->in_flight;
  step.s.messages.erase(msg.self);
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
  launch(step, msg, route_of(msg, request.portal, request.self));
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
  launch(step, msg, route_of(msg, request.portal, request.self));
}

void launch(Step& step, Msg& msg, const Route& wish) {
  ShardState& s = step.s;
  Route route = wish;
  msg.header.src_pid = step.config().pid;
  PeerNi& target = peer_of(s, route.target.nid);
  route.peer = &target;
  const Choice choice = select(s.nis, route);
  if (choice.status != 0) {
    step.note(Note::Level::kDebug, choice.reason, route.target.nid);
    return end_send(step, msg, choice.status, Health::kOk);
  }
  LocalNi& ni = *choice.ni;
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
  if (msg.waits_answer) {
    msg.md->awaited.ni = ni.config.id;
    msg.md->awaited.peer = msg.peer;
  }
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

void run_ready(Step& step) {
  while (!step.s.ready.empty()) {
    Msg& msg = step.s.ready.front();
    step.s.ready.pop_front();
    if (msg.md != nullptr && msg.md->state == MdState::kAborted)
      end_send(step, msg, -ECANCELED, Health::kOk);  // the credit came while its MD went
    else if (msg.deadline < step.now)
      expire(step, msg);
    else
      advance_to_driver(step, msg);
  }
}

void end_send(Step& step, Msg& msg, int status, Health health) {
  if (msg.rx.value != 0 && msg.state != MsgState::kSending)  // an optimised GET that gets no REPLY
    step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{msg.rx_ni, msg.rx, 0});
  msg.on(MsgEvent::kEnd);
  if (msg.ni != nullptr) {
    if (is_answer(msg)) --msg.peer->answers;
    msg.peer->queued_bytes -= bytes_of(msg);
    if (ULNET_CANARY(kCreditLeaked) && status == -ECANCELED) msg.has_ni_credit = false;
    return_credits(step, msg);
    if (ULNET_CANARY(kPeerCreditTwice) && status == -EHOSTUNREACH) msg.peer->tx.give();
    if (status == 0)
      account_success(step, *msg.ni, *msg.peer, false);
    else
      account_failure(step, msg, health);
  }
  count_end(step, msg, status);
  if (Md* md = std::exchange(msg.md, nullptr)) {
    md->messages.erase(md->messages.iterator_to(msg));
    const bool get = msg.header.type() == wire::MsgType::kGet;
    if (status != 0 && msg.waits_answer) step.s.responses.end(md->awaited, get, step.now);
    end_md_operation(step, *md, status, [&](Event& event) {
      if (msg.header.type() == wire::MsgType::kReply)
        fill_get(event, msg, step.s.peers.primary_of(msg.header.dest_nid));
      else
        fill_send(event, msg, step.config().pid);
    });
  }
  release_message(step, msg);
}

void send_done(Step& step, const SendDone& in) {
  Msg* msg = step.s.messages.find(in.tx);
  if (msg == nullptr || msg->state != MsgState::kSending) {
    step.note(Note::Level::kError, "a driver ended a send that it did not have");
    return;
  }
  end_send(step, *msg, in.status, in.health);
}

void reply_landed(Step& step, const ReplyLanded& in) {
  Msg* get = step.s.messages.find(in.tx);
  if (get == nullptr || !get->optimised || get->md == nullptr) {
    step.note(Note::Level::kError, "a driver answered a GET that it did not have");
    return;
  }
  Md& md = *get->md;
  if (md.state == MdState::kAborted || md.threshold == 0 || md.awaited.replies == 0)
    return step.s.tally.drop(DropReason::kReplyUnexpected);
  if (const auto took = step.s.responses.end(md.awaited, true, step.now)) {
    get->ni->traffic.get_rtt.add(*took);
    get->peer->traffic.get_rtt.add(*took);
  }
  begin_operation(md);
  if (in.status == 0) {
    ++step.s.tally.global.recv_count;
    step.s.tally.global.recv_length += in.mlength;
  }
  end_md_operation(step, md, in.status, [&](Event& event) {
    fill_optimised_reply(event, *get, std::min(in.mlength, md.length));
  });
}

void expire_responses(Step& step) {
  ShardState& s = step.s;
  const std::int32_t sensitivity = step.config().globals.health_sensitivity;
  while (Awaited* awaited = s.responses.expired(step.now)) {
    Md* md = s.memory.find(awaited->md);
    ULNET_ASSERT(md != nullptr);
    ++s.tally.global.response_timeout_count;
    PeerNi* peer = awaited->peer;
    if (peer != nullptr && s.nis.find(peer->nid) == nullptr)
      peer->health = worse(peer->health, sensitivity);
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
