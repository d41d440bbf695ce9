// Begins the transmission of a message by an NI, takes its credits, and gives it to the driver.
// Source: spec/core-semantics.md 6.5, 10.2, 11, spec/multirail.md 3.4.
#include "lnet/core/flow/submit.h"

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/faults.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

namespace {

/// The deadline of an outgoing message (spec/core-semantics.md 11).
Instant message_deadline(const Step& step, const LocalNi& ni) {
  const Globals& globals = step.config().globals;
  if (ni.config.lnd_timeout > Duration::zero())
    return step.now + ni.config.lnd_timeout * (globals.retry_count + 1) + std::chrono::seconds(1);
  return step.now + std::chrono::seconds(globals.transaction_timeout);
}

bool is_get(const Msg& msg) { return msg.header.type() == wire::MsgType::kGet; }

/// 0@lo has no credits. The data of an optimised GET are a part of the GET, which has credits of
/// its initiator. If they needed credits of this node too, two nodes that ask each other for data
/// would wait for each other.
bool needs_no_credit(const Msg& msg) {
  return msg.ni->loopback() || (msg.rx.value != 0 && msg.ni->config.rdma_get);
}

void submit_to_driver(Step& step, Msg& msg) {
  if (has_faults(step.s) && stopped_by_fault(step, msg)) return;
  give_to_driver(step, msg);
}

}  // namespace

Region memory_of(const Msg& msg) {
  if (msg.md == nullptr) return msg.memory;
  return is_get(msg) ? region_of(*msg.md, 0, msg.rlength)
                     : region_of(*msg.md, msg.offset, msg.header.payload_length);
}

void give_to_driver(Step& step, Msg& msg) {
  msg.on(MsgEvent::kSubmit);
  count_sent(msg);
  Send& send = step.act<Send>(msg.ni->config.id, msg.hop, msg.header);
  send.tx = msg.self;
  send.deadline = msg.deadline;
  if (!is_get(msg)) {
    send.payload = memory_of(msg);
    send.answers = msg.rx;
  } else if (msg.ni->config.rdma_get && msg.hop.nid == msg.header.dest_nid) {
    msg.optimised = true;
    send.sink = memory_of(msg);
  }
}

void advance_to_driver(Step& step, Msg& msg) {
  if (needs_no_credit(msg)) return submit_to_driver(step, msg);
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

void begin_transmission(Step& step, Msg& msg, LocalNi* ni, PeerNi* known) {
  if (known == nullptr) known = peer_ni_of(step, msg.hop.nid);
  ULNET_ASSERT(known != nullptr);  // the caller has checked that this shard owns the NID
  PeerNi& peer = *known;
  if (ni == nullptr) {
    const Choice choice = pick_source(step.s.nis, *step.config().udsp, peer.nid, peer.fixed_source,
                                      memory_cpt_of(msg));
    ni = choice.ni;
    take_turn(step.s.nis, choice);
  }
  // A peer without multi-rail always sees the same NI of this node (multirail.md 3.4), unless it is
  // a gateway.
  const bool to_peer = msg.hop.nid == msg.header.dest_nid && !msg.routed;
  const bool sees_one_ni = to_peer && !msg.internal && !peer.multi_rail();
  if (!ni->loopback() && sees_one_ni) peer.fixed_source = ni->config.id;
  msg.ni = ni;
  msg.peer = &peer;
  // A forwarded message keeps its source, and has no deadline (core-semantics.md 11).
  if (!msg.routed) {
    msg.header.src_nid = ni->nid();
    if (msg.deadline == kNever) msg.deadline = message_deadline(step, *ni);
  }
  if (!msg.recovery) peer.known->used = true;
  ++ni->in_flight;
  ++peer.in_flight;
  if (peer.life_cycle == PeerNiLifeState::kCreated) peer.on(PeerNiLifeEvent::kSend);
  answer_waits(step.s, msg);
  peer.queued_bytes += bytes_of(msg);
  step.s.peers.changed(*peer.known);
}

}  // namespace ulnet::core
