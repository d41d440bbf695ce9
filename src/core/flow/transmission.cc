#include "core/flow/transmission.h"

#include <algorithm>
#include <utility>

#include "base/canary.h"
#include "core/flow/accounting.h"
#include "core/flow/message_records.h"
#include "core/flow/operation.h"
#include "core/path/health.h"

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

void submit_to_driver(Step& step, Msg& msg) {
  msg.on(MsgEvent::kSubmit);
  count_sent(msg);
  Send& send = step.act<Send>(msg.ni->config.id, msg.hop, msg.header);
  send.tx = msg.self;
  send.deadline = msg.deadline;
  if (msg.md == nullptr && msg.remote_md == nullptr) return;
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
  if (msg.ni->loopback()) return submit_to_driver(step, msg);
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
  submit_to_driver(step, msg);
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
  GlobalStats& global = step.s.counters.global;
  if (status != 0) {
    ++global.errors;
    return;
  }
  ++global.send_count;
  if (msg.tries != 0) ++global.successful_resends;
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
  step.s.counters.drop(DropReason::kQueuedTooLong);
  ++count_of(msg.ni->traffic.dropped, msg.header.type());
  if (!ULNET_CANARY(kExpiryNotCharged)) ++count_of(msg.peer->traffic.dropped, msg.header.type());
  end_send(step, msg, -ETIMEDOUT, Health::kNetworkTimeout);
}

bool is_aborted(const Msg& msg) {
  if (msg.remote_md != nullptr) return msg.remote_md->aborted;
  return msg.md != nullptr && msg.md->state == MdState::kAborted;
}

/// Selects a path for the message, from scratch, and goes on to its credits.
void begin_transmission(Step& step, Msg& msg) {
  ShardState& s = step.s;
  SendIntent intent;
  intent.target = {msg.header.dest_nid, msg.header.dest_pid};
  intent.source = msg.source;
  intent.internal = msg.internal;
  PeerNi* known = s.peers.find(intent.target.nid);
  intent.peer = known;
  const Choice choice = select(s.nis, intent);
  if (choice.status != 0) {
    step.note(Note::Level::kDebug, choice.reason, intent.target.nid);
    return end_send(step, msg, choice.status, Health::kOk);
  }
  LocalNi& ni = *choice.ni;
  PeerNi& target = known != nullptr
                       ? *known
                       : s.peers.use(intent.target.nid, peer_credits_for(s, intent.target.nid));
  if (choice.fix_source) target.fixed_source = ni.config.id;
  if (choice.in_turn) ni.sequence = ++ni.net->sequence;
  msg.ni = &ni;
  msg.hop = choice.hop;
  msg.header.src_nid = ni.nid();
  msg.peer = choice.hop.nid == target.nid ? &target : &peer_of(s, choice.hop.nid);
  if (msg.tries == 0) msg.deadline = message_deadline(step, ni);
  ++ni.in_flight;
  ++msg.peer->in_flight;
  if (is_answer(msg)) ++msg.peer->answers;
  msg.peer->queued_bytes += bytes_of(msg);
  if (msg.waits_answer && msg.md != nullptr) msg.md->awaited.peer = msg.hop.nid;
  advance_to_driver(step, msg);
}

/// The transmission of the message on its path is over: gives its credits back, and accounts for
/// the health of the NI and the peer NI.
void end_transmission(Step& step, Msg& msg, int status, Health health) {
  if (is_answer(msg)) --msg.peer->answers;
  msg.peer->queued_bytes -= bytes_of(msg);
  if (ULNET_CANARY(kCreditLeaked) && status == -ECANCELED) msg.has_ni_credit = false;
  return_credits(step, msg);
  if (ULNET_CANARY(kPeerCreditTwice) && status == -EHOSTUNREACH) msg.peer->tx.give();
  if (status != 0) return account_failure(step, msg, health);
  msg.peer->met = true;
  account_success(step, *msg.ni, *msg.peer, false);
}

/// Whether there may be another way for a message whose transmission failed like that (5.2): for
/// local trouble another NI, for trouble of the peer another NID of it.
bool another_way(const ShardState& s, const Msg& msg, Health health) {
  if (health == Health::kOk || msg.ni->loopback()) return false;
  const HealthRow& row = health_row(health);
  if (!row.resend) return false;
  const std::size_t loopbacks = s.nis.loopback() == nullptr ? 0 : 1;
  return row.blames_ni ? s.nis.configured().size() - loopbacks > 1 : msg.peer->peer->nis.size() > 1;
}

/// Whether a message whose transmission failed is sent again (5.3). A REPLY or a GET whose data
/// the driver itself moves is bound to its NI.
bool may_be_sent_again(Step& step, const Msg& msg, Health health) {
  if (!another_way(step.s, msg, health) || msg.rx.value != 0 || msg.optimised) return false;
  if (step.s.shut_down || is_aborted(msg) || step.now > msg.deadline) return false;
  if (msg.tries < step.config().globals.retry_count) return true;
  if (msg.tries != 0) ++step.s.counters.global.failed_resends;
  return false;
}

void send_again(Step& step, Msg& msg) {
  ++step.s.counters.global.resend_count;
  ++msg.tries;
  msg.on(MsgEvent::kRetry);
  leave_path(step, msg);
  begin_transmission(step, msg);
}

}  // namespace

void start_send(Step& step, Msg& msg, const SendIntent& intent) {
  msg.header.src_pid = step.config().pid;
  msg.source = intent.source;
  msg.internal = intent.internal;
  begin_transmission(step, msg);
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
    if (is_aborted(msg))
      end_send(step, msg, -ECANCELED, Health::kOk);  // its MD was unlinked as it got the credit
    else if (msg.deadline < step.now)
      expire(step, msg);
    else
      advance_to_driver(step, msg);
  }
}

void end_send(Step& step, Msg& msg, int status, Health health) {
  if (msg.ni != nullptr) {
    // The health of the failed path is lowered first: it counts when another one is selected.
    end_transmission(step, msg, status, health);
    if (status != 0 && may_be_sent_again(step, msg, health)) return send_again(step, msg);
  }
  // This REPLY to an optimised GET was never given to the driver, which still waits for it.
  if (msg.rx.value != 0 && msg.state != MsgState::kSending)
    step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{msg.rx_ni, msg.rx, 0});
  msg.on(MsgEvent::kEnd);
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

void on_letter(Step& step, std::uint32_t, const letter::Transmit& in) {
  Msg& msg = make_message(step);
  msg.outgoing = true;
  msg.header = in.header;
  msg.rlength = msg.mlength = in.rlength;
  msg.waits_answer = in.waits_answer;
  msg.memory = in.memory;
  msg.started = in.started;
  step.s.remote_mds.add(in.md, msg);
  SendIntent intent;
  intent.target = {in.header.dest_nid, in.header.dest_pid};
  intent.source = in.source;
  intent.internal = in.internal;
  start_send(step, msg, intent);
}

}  // namespace ulnet::core
