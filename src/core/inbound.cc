#include "core/inbound.h"

#include "base/canary.h"
#include "core/buffers.h"
#include "core/outbound.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

/// A received message while its step lasts.
struct Arrival {
  const HeaderArrived& in;
  LocalNi& ni;
  PeerNi* peer = nullptr;  ///< of the last hop

  const wire::LnetHeader& header() const { return *in.header; }
};

void drop_payload(Step& step, const HeaderArrived& in, std::uint32_t rlen) {
  step.out.emplace_back(std::in_place_type<DropPayload>, DropPayload{in.ni, in.rx, rlen});
}

void count_drop(Step& step, LocalNi* ni, const wire::LnetHeader& header, DropReason reason) {
  step.s.tally.drop(reason);
  ++step.s.tally.global.drop_count;
  step.s.tally.global.drop_length += header.payload_length;
  if (ni != nullptr) ++count_of(ni->traffic.dropped, header.type());
}

void drop(Step& step, const HeaderArrived& in, LocalNi* ni, DropReason reason) {
  drop_payload(step, in, in.header->payload_length);
  count_drop(step, ni, *in.header, reason);
}

void refuse(Step& step, const HeaderArrived& in, DropReason reason) {
  step.s.tally.drop(reason);
  step.out.emplace_back(std::in_place_type<Reject>, Reject{in.ni, in.rx, to_string(reason)});
}

// ---- the checks of section 8
// ----------------------------------------------------------------------------------------

enum class Verdict : std::uint8_t { kTake, kDrop, kRefuse };
struct Judgement {
  Verdict verdict = Verdict::kTake;
  DropReason reason = DropReason::kCount;
};

/// 8.1, 8.2.
Judgement judge_payload(const wire::LnetHeader& header) {
  const bool carries = header.type() == MsgType::kPut || header.type() == MsgType::kReply;
  if (!carries && header.payload_length != 0)
    return {Verdict::kRefuse, DropReason::kPayloadNotAllowed};
  if (header.payload_length > limits::kMtu) return {Verdict::kRefuse, DropReason::kPayloadTooLong};
  return {};
}

/// 8.4.
Judgement judge_destination(const NiTable& nis, const LocalNi& ni, const Nid& dest) {
  if (dest == ni.nid()) return {};
  if (dest.net() == ni.nid().net()) return {Verdict::kRefuse, DropReason::kNotThisNi};
  if (nis.find(dest) != nullptr) return {Verdict::kRefuse, DropReason::kOtherNet};
  return {Verdict::kDrop, DropReason::kRoutingOff};
}

/// No peer has the wildcard for a name, and 0@lo is ours alone (spec/wire-lnet.md 3.5).
bool impossible_source(const LocalNi& ni, const Nid& source, const Nid& hop) {
  if (source.is_any() || hop.is_any()) return true;
  return !ni.loopback() && (source.is_loopback() || hop.is_loopback());
}

Judgement judge(Step& step, const HeaderArrived& in, const LocalNi& ni) {
  const wire::LnetHeader& header = *in.header;
  if (const Judgement j = judge_payload(header); j.verdict != Verdict::kTake) return j;
  if (const Judgement j = judge_destination(step.s.nis, ni, header.dest_nid);
      j.verdict != Verdict::kTake)
    return j;
  if (impossible_source(ni, header.src_nid, in.hop.nid))
    return {Verdict::kDrop, DropReason::kBadSource};
  if (step.s.failures.hit(header.src_nid)) return {Verdict::kDrop, DropReason::kSimulatedFailure};
  // Nobody is a gateway to anywhere as long as this node knows no routes.
  const bool routed = header.src_nid.net() != in.hop.nid.net();
  if (routed && step.config().globals.drop_asym_route != 0)
    return {Verdict::kDrop, DropReason::kAsymmetricRoute};
  return {};
}

// ---- taking a message
// -----------------------------------------------------------------------------------------------

Msg& make_incoming(Step& step, const Arrival& a) {
  Msg& msg = make_message(step);
  msg.header = a.header();
  msg.hop = a.in.hop;
  msg.rx = a.in.rx;
  msg.rx_ni = a.in.ni;
  msg.ni = &a.ni;
  msg.peer = a.peer;
  msg.rlength = a.header().payload_length;
  ++a.ni.in_flight;
  ++a.peer->in_flight;
  return msg;
}

/// The peer that sent it, whatever router stood between.
const Nid& initiator_of(const ShardState& s, const Msg& msg) {
  const Nid& source = msg.header.src_nid;
  return msg.peer->nid == source ? msg.peer->peer->primary : s.peers.primary_of(source);
}

/// `hop` is the peer NI that it came from: mostly the source itself.
MatchRequest request_of(const ShardState& s, const wire::LnetHeader& header, const PeerNi& hop) {
  MatchRequest request;
  const PeerNi* source = hop.nid == header.src_nid ? &hop : s.peers.find(header.src_nid);
  request.initiator = source == nullptr ? header.src_nid : source->peer->primary;
  if (source != nullptr) request.other_nids = source->peer->others();
  request.pid = header.src_pid;
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) {
    request.match_bits = {put->match_bits};
    request.offset = put->offset;
    request.rlength = header.payload_length;
  } else {
    const auto& get = std::get<wire::GetPart>(header.part);
    request.get = true;
    request.match_bits = {get.match_bits};
    request.offset = get.src_offset;
    request.rlength = get.sink_length;
  }
  return request;
}

/// The matched MD is used from here on: threshold, offset, and off the ME when that was the last of
/// it (4.5).
Md& use_match(Step& step, const Match& match, const Nid& source) {
  if (match.by_other_nid)
    step.note(Note::Level::kWarning, "matched through another NID of the same peer", source);
  Md& md = *match.me->md;
  begin_operation(md);
  advance(md, match.offset, match.mlength);
  take_from_match_if_exhausted(step, md);
  return md;
}

void land(Step& step, Msg& msg, Md& md, std::uint32_t offset, std::uint32_t mlength) {
  msg.on(MsgEvent::kLand);
  msg.md = &md;
  md.messages.push_back(msg);
  msg.offset = offset;
  msg.mlength = mlength;
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self,
                 region_of(md, offset, md.has(kDiscard) ? 0 : mlength), msg.rlength);
}

void answer_get(Step& step, const Arrival& a, const Match& match) {
  const auto& part = std::get<wire::GetPart>(a.header().part);
  const bool driver_moves_data = a.ni.config.rdma_get;
  Md& md = use_match(step, match, a.header().src_nid);
  if (!driver_moves_data) drop_payload(step, a.in, 0);
  ++step.s.tally.global.recv_count;
  account_success(step, a.ni, *a.peer, true);

  Msg& reply = make_message(step);
  reply.outgoing = true;
  reply.md = &md;
  md.messages.push_back(reply);
  if (driver_moves_data) reply.rx = a.in.rx;
  reply.rx_ni = a.in.ni;
  reply.offset = match.offset;
  reply.rlength = part.sink_length;
  reply.mlength = match.mlength;
  reply.request_portal = {part.portal};
  reply.request_bits = {part.match_bits};
  reply.header.dest_nid = a.header().src_nid;
  reply.header.dest_pid = a.header().src_pid;
  reply.header.payload_length = match.mlength;
  reply.header.part.emplace<wire::ReplyPart>().dst_wmd = part.return_wmd;
  Route route;
  route.target = {reply.header.dest_nid, reply.header.dest_pid};
  route.source = a.ni.nid();
  launch(step, reply, route);
}

void hold(Step& step, const Arrival& a, PortalState& portal) {
  Msg& msg = make_incoming(step, a);
  msg.on(MsgEvent::kHold);
  portal.held.push_back(msg);
  step.out.emplace_back(std::in_place_type<HoldPayload>, HoldPayload{a.in.ni, a.in.rx, msg.self});
}

/// A peer that asks and does not read what it asked for is not answered without end.
bool answers_pile_up(const Arrival& a) {
  if (a.peer->answers < limits::kAnswersPerPeer) return false;
  const auto* put = std::get_if<wire::PutPart>(&a.header().part);
  return put == nullptr || !put->ack_wmd.is_none();
}

/// PUT and GET: the buffer that takes it, or what happens without one (7.1, 7.2, 4.5).
void match_request(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const auto* put = std::get_if<wire::PutPart>(&a.header().part);
  const Portal index{put != nullptr ? put->portal
                                    : std::get<wire::GetPart>(a.header().part).portal};
  if (!Portals::exists(index)) return drop(step, a.in, &a.ni, DropReason::kPortalRange);
  if (answers_pile_up(a)) return drop(step, a.in, &a.ni, DropReason::kAnswersWait);
  PortalState* portal = s.portals.find(index);
  if (portal == nullptr) return drop(step, a.in, &a.ni, DropReason::kNoMatch);
  const Match match = portal->entries.search(request_of(s, a.header(), *a.peer), portal->unique());
  if (match.kind == Match::Kind::kTooLong) {
    step.note(Note::Level::kError, "dropped: longer than the matching buffer", a.header().src_nid,
              match.mlength);
    return drop(step, a.in, &a.ni, DropReason::kTooLong);
  }
  if (match.kind == Match::Kind::kNone) {
    if (put != nullptr && portal->lazy) return hold(step, a, *portal);
    return drop(step, a.in, &a.ni, DropReason::kNoMatch);
  }
  if (put == nullptr) return answer_get(step, a, match);
  Msg& msg = make_incoming(step, a);
  Md& md = use_match(step, match, a.header().src_nid);
  land(step, msg, md, match.offset, match.mlength);
}

// ---- answers to our own requests
// ------------------------------------------------------------------------------------

/// The MD that a wire handle of ours names, if it may still take an answer (6.3, 6.4,
/// spec/wire-lnet.md 2.5).
Md* answered_md(ShardState& s, const wire::WireHandle& handle) {
  Md* md = s.memory.find(MdHandle{handle.object_cookie});
  const bool fit =
      md != nullptr && !md->passive && md->state == MdState::kActive && md->threshold != 0;
  return fit ? md : nullptr;
}

void take_ack(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const auto& ack = std::get<wire::AckPart>(a.header().part);
  drop_payload(step, a.in, 0);
  const auto dropped = [&](DropReason reason) { count_drop(step, &a.ni, a.header(), reason); };
  if (ack.dst_wmd.interface_cookie != step.config().interface_cookie &&
      !ULNET_CANARY(kOldLifeBelieved))
    return dropped(DropReason::kOldLife);
  Md* md = answered_md(s, ack.dst_wmd);
  if (md == nullptr) return dropped(DropReason::kAckNoMd);
  if (md->awaited.acks == 0) return dropped(DropReason::kAckUnexpected);
  if (const auto took = s.responses.end(md->awaited, false, step.now)) {
    a.ni.traffic.put_ack.add(*took);
    a.peer->traffic.put_ack.add(*took);
  }
  ++s.tally.global.recv_count;
  account_success(step, a.ni, *a.peer, true);
  begin_operation(*md);
  end_md_operation(step, *md, 0, [&](Event& event) {
    fill_ack(event, a.header(), a.in.hop.nid, s.peers.primary_of(a.header().src_nid));
  });
}

void take_reply(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const auto& reply = std::get<wire::ReplyPart>(a.header().part);
  if (reply.dst_wmd.interface_cookie != step.config().interface_cookie)
    return drop(step, a.in, &a.ni, DropReason::kOldLife);
  Md* md = answered_md(s, reply.dst_wmd);
  if (md == nullptr) return drop(step, a.in, &a.ni, DropReason::kReplyNoMd);
  if (md->awaited.replies == 0) return drop(step, a.in, &a.ni, DropReason::kReplyUnexpected);
  const std::uint32_t rlength = a.header().payload_length;
  if (rlength > md->length && !md->has(kTruncate))
    return drop(step, a.in, &a.ni, DropReason::kReplyTooLong);
  if (const auto took = s.responses.end(md->awaited, true, step.now)) {
    a.ni.traffic.get_rtt.add(*took);
    a.peer->traffic.get_rtt.add(*took);
  }
  Msg& msg = make_incoming(step, a);
  begin_operation(*md);
  retire_if_exhausted(*md);
  land(step, msg, *md, 0, std::min(rlength, md->length));
}

// ---- the end of a landing
// -------------------------------------------------------------------------------------------

void send_ack(Step& step, const wire::LnetHeader& put, std::uint32_t mlength) {
  const auto& part = std::get<wire::PutPart>(put.part);
  Msg& ack = make_message(step);
  ack.outgoing = true;
  ack.header.dest_nid = put.src_nid;
  ack.header.dest_pid = put.src_pid;
  wire::AckPart& answer = ack.header.part.emplace<wire::AckPart>();
  answer.dst_wmd = part.ack_wmd;
  answer.match_bits = part.match_bits;
  answer.mlength = mlength;
  Route route;
  route.target = {put.src_nid, put.src_pid};
  route.source = put.dest_nid;
  launch(step, ack, route);
}

bool wants_ack(const Msg& msg, int status) {
  const auto* put = std::get_if<wire::PutPart>(&msg.header.part);
  return put != nullptr && status == 0 && !put->ack_wmd.is_none() && !msg.md->has(kAckDisable);
}

void count_landing(Step& step, const Msg& msg, int status, Health health) {
  GlobalStats& global = step.s.tally.global;
  if (status != 0) {
    ++global.errors;
    account_failure(step, msg, health);
    return;
  }
  ++global.recv_count;
  global.recv_length += msg.header.payload_length;
  account_success(step, *msg.ni, *msg.peer, true);
}

void end_landing(Step& step, Msg& msg, int status, Health health) {
  msg.on(MsgEvent::kEnd);
  count_landing(step, msg, status, health);
  const bool ack = wants_ack(msg, status);
  Md& md = *std::exchange(msg.md, nullptr);
  md.messages.erase(md.messages.iterator_to(msg));
  end_md_operation(step, md, status, [&](Event& event) {
    const Nid& initiator = initiator_of(step.s, msg);
    msg.header.type() == MsgType::kPut ? fill_put(event, msg, initiator)
                                       : fill_reply(event, msg, initiator);
  });
  if (ack) send_ack(step, msg.header, msg.mlength);
  if (ack && ULNET_CANARY(kAckTwice) && msg.mlength < msg.rlength) send_ack(step, msg.header, 0);
  release_message(step, msg);
}

/// A held message goes; the driver has let go of it already or is told to.
void end_held(Step& step, PortalState& portal, Msg& msg, DropReason reason) {
  portal.held.erase(portal.held.iterator_to(msg));
  msg.on(MsgEvent::kEnd);
  if (!(ULNET_CANARY(kDropUncounted) && reason == DropReason::kTooLong))
    count_drop(step, msg.ni, msg.header, reason);
  ++step.s.tally.global.errors;
  release_message(step, msg);
}

Portal portal_of(const Msg& put) { return {std::get<wire::PutPart>(put.header.part).portal}; }

}  // namespace

void header_arrived(Step& step, const HeaderArrived& in) {
  LocalNi* ni = step.s.nis.find(in.ni);
  if (ni == nullptr) return drop(step, in, nullptr, DropReason::kUnknownNi);
  if (ni->phase != NiPhase::kUp && !ULNET_CANARY(kTakenAfterShutdown))
    return drop(step, in, ni, step.s.shut_down ? DropReason::kShutdown : DropReason::kNiRemoved);
  const Judgement judgement = judge(step, in, *ni);
  if (judgement.verdict == Verdict::kRefuse) return refuse(step, in, judgement.reason);
  if (judgement.verdict == Verdict::kDrop) return drop(step, in, ni, judgement.reason);

  Arrival a{in, *ni};
  a.peer = &peer_of(step.s, in.hop.nid);
  a.peer->last_heard = step.now;
  ++count_of(ni->traffic.received, in.header->type());
  ++count_of(a.peer->traffic.received, in.header->type());
  switch (in.header->type()) {
    case MsgType::kPut:
    case MsgType::kGet:
      return match_request(step, a);
    case MsgType::kAck:
      return take_ack(step, a);
    case MsgType::kReply:
      return take_reply(step, a);
    case MsgType::kHello:
      break;
  }
  ULNET_ASSERT(false);  // a header's part is one of the four
}

void payload_landed(Step& step, const PayloadLanded& in) {
  Msg* msg = step.s.messages.find(in.msg);
  if (msg == nullptr || (msg->state != MsgState::kLanding && msg->state != MsgState::kHeld)) {
    step.note(Note::Level::kError, "a driver landed a message that it did not have");
    return;
  }
  if (msg->state == MsgState::kHeld)
    end_held(step, step.s.portals.use(portal_of(*msg)), *msg, DropReason::kHeldLost);
  else
    end_landing(step, *msg, in.status, in.health);
}

void offer_held(Step& step, Me& me) {
  PortalState& portal = step.s.portals.use(me.portal);
  for (auto it = portal.held.begin(); it != portal.held.end();) {
    Msg& msg = *it++;
    const Match match = try_match(me, request_of(step.s, msg.header, *msg.peer));
    if (match.kind == Match::Kind::kNone && ULNET_CANARY(kLazyForgotten)) return;
    if (match.kind == Match::Kind::kNone) continue;
    if (match.kind == Match::Kind::kTooLong) {
      step.out.emplace_back(std::in_place_type<DropPayload>,
                            DropPayload{msg.rx_ni, msg.rx, msg.header.payload_length});
      end_held(step, portal, msg, DropReason::kTooLong);
      continue;
    }
    portal.held.erase(portal.held.iterator_to(msg));
    Md& md = use_match(step, match, msg.header.src_nid);
    land(step, msg, md, match.offset, match.mlength);
    if (md.state != MdState::kActive || exhausted(md)) return;  // `me` may be gone
  }
}

std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason) {
  std::size_t dropped = 0;
  for (auto it = portal.held.begin(); it != portal.held.end();) {
    Msg& msg = *it++;
    if (only != nullptr && msg.ni != only) continue;
    step.out.emplace_back(std::in_place_type<DropPayload>,
                          DropPayload{msg.rx_ni, msg.rx, msg.header.payload_length});
    end_held(step, portal, msg, reason);
    ++dropped;
  }
  return dropped;
}

}  // namespace ulnet::core
