// Incoming PUTs and GETs: the search for a buffer, and what happens if this shard has none.
// Source: spec/core-semantics.md 3, 4.5, 7.
#include "core/arrival.h"
#include "core/buffers.h"
#include "core/custody.h"
#include "core/inbound.h"
#include "core/outbound.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

/// `source`: the entry of the initiator's NID; null: there is none.
MatchRequest request_of(const wire::LnetHeader& header, const PeerNi* source) {
  MatchRequest request;
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

/// Makes the REPLY to a GET that came in on `ni`; the caller sets the memory of its payload.
/// `rx`: that of the GET if the driver itself moves the data, else 0.
Msg& make_reply(Step& step, const wire::LnetHeader& get, NiId ni, RxTicket rx, std::uint32_t offset,
                std::uint32_t mlength) {
  const auto& part = std::get<wire::GetPart>(get.part);
  Msg& reply = make_message(step);
  reply.outgoing = true;
  reply.rx = rx;
  reply.rx_ni = ni;
  reply.offset = offset;
  reply.rlength = part.sink_length;
  reply.mlength = mlength;
  reply.request_portal = {part.portal};
  reply.request_bits = {part.match_bits};
  reply.header.dest_nid = get.src_nid;
  reply.header.dest_pid = get.src_pid;
  reply.header.payload_length = mlength;
  reply.header.part.emplace<wire::ReplyPart>().dst_wmd = part.return_wmd;
  return reply;
}

void send_reply(Step& step, Msg& reply, const LocalNi& ni) {
  Route route;
  route.target = {reply.header.dest_nid, reply.header.dest_pid};
  route.source = ni.nid();
  launch(step, reply, route);
}

void answer_get(Step& step, const wire::LnetHeader& get, LocalNi& ni, PeerNi& peer, RxTicket rx,
                const Match& match) {
  Md& md = use_match(step, match, get.src_nid);
  count_taken(step, ni, peer);
  Msg& reply = make_reply(step, get, ni.config.id, rx, match.offset, match.mlength);
  reply.md = &md;
  md.messages.push_back(reply);
  send_reply(step, reply, ni);
}

void note_too_long(Step& step, const wire::LnetHeader& header, const Match& match) {
  step.note(Note::Level::kError, "dropped: longer than the matching buffer", header.src_nid,
            match.mlength);
}

/// Whether too many ACKs and REPLYs to this peer wait already for one more request that needs an
/// answer. So a peer that sends requests but does not read the answers cannot fill this node's
/// memory.
bool answers_pile_up(const Arrival& a) {
  if (a.peer->answers < limits::kAnswersPerPeer) return false;
  const auto* put = std::get_if<wire::PutPart>(&a.header().part);
  return put == nullptr || !put->ack_wmd.is_none();
}

/// The shard that looks for a buffer first (3, 7.3).
std::uint32_t first_searched(Step& step, const Arrival& a, Portal index) {
  ShardState& s = step.s;
  if (s.placement.shards() == 1) return s.index;
  PortalState& portal = s.portals.use(index);
  const Nid& source = a.header().src_nid;
  if (portal.unique()) return s.placement.of(s.peers.primary_of(source));
  const PortalRotor rotor = step.config().globals.portal_rotor;
  const bool routed = source.net() != a.header().dest_nid.net();
  if (rotor == PortalRotor::kHashRouted && routed) return s.placement.of(source);
  if (rotor == PortalRotor::kOn || (rotor == PortalRotor::kRoundRobinRouted && routed))
    return portal.rotor++ % s.placement.shards();
  return s.index;
}

/// This shard has no buffer for the message, or is not the one that looks first (`first`). Has
/// the other shards look (letter.h); if none of them can have a buffer, the message waits or is
/// dropped here.
void ask_others(Step& step, const Arrival& a, Portal index, std::uint32_t first) {
  ShardState& s = step.s;
  const std::uint32_t home = s.placement.home_of(index);
  const bool searched = first == s.index;
  PortalState* portal = s.portals.find(index);
  if (searched && home == s.index && (portal == nullptr || (portal->users & s.others()).empty())) {
    const bool put = a.header().type() == MsgType::kPut;
    if (!put || portal == nullptr || !portal->lazy)
      return drop(step, a.in, &a.ni, DropReason::kNoMatch);
    return hold(step, *portal, make_incoming(step, a));
  }
  Msg& msg = make_incoming(step, a);
  defer(step, a, msg);
  const ShardSet asked = searched ? ShardSet{s.index} : ShardSet{};
  if (home == s.index && searched) return take_custody(step, s.portals.use(index), msg, asked);
  msg.on(MsgEvent::kAsk);
  if (searched) s.portals.use(index).refuse();
  if (searched)
    step.tell(home, letter::Park{s.index, msg.self, a.header(), asked});
  else
    step.tell(first, letter::Match{s.index, msg.self, a.header(), {}, asked});
}

}  // namespace

void take_request(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const Portal index = portal_of(a.header());
  if (!Portals::exists(index)) return drop(step, a.in, &a.ni, DropReason::kPortalRange);
  if (answers_pile_up(a)) return drop(step, a.in, &a.ni, DropReason::kAnswersWait);
  const std::uint32_t first = first_searched(step, a, index);
  PortalState* portal = s.portals.find(index);
  Match match;
  if (portal != nullptr && first == s.index) {
    const Nid& source = a.header().src_nid;
    match = portal->entries.search(
        request_of(a.header(), a.peer->nid == source ? a.peer : s.peers.find(source)),
        portal->unique());
  }
  if (match.kind == Match::Kind::kNone) return ask_others(step, a, index, first);
  if (match.kind == Match::Kind::kTooLong) {
    note_too_long(step, a.header(), match);
    return drop(step, a.in, &a.ni, DropReason::kTooLong);
  }
  if (a.header().type() == MsgType::kGet) {
    const bool driver_moves_data = a.ni.config.rdma_get;
    if (!driver_moves_data) drop_payload(step, a.in, 0);
    return answer_get(step, a.header(), a.ni, *a.peer, driver_moves_data ? a.in.rx : RxTicket{},
                      match);
  }
  Msg& msg = make_incoming(step, a);
  Md& md = use_match(step, match, a.header().src_nid);
  land(step, msg, md, match.offset, match.mlength);
}

MatchRequest request_of(const ShardState& s, const wire::LnetHeader& header) {
  return request_of(header, s.peers.find(header.src_nid));
}

Portal portal_of(const wire::LnetHeader& header) {
  const auto* put = std::get_if<wire::PutPart>(&header.part);
  return {put != nullptr ? put->portal : std::get<wire::GetPart>(header.part).portal};
}

Md& use_match(Step& step, const Match& match, const Nid& source) {
  if (match.by_other_nid)
    step.note(Note::Level::kWarning, "matched through another NID of the same peer", source);
  Md& md = *match.me->md;
  begin_operation(md);
  advance(md, match.offset, match.mlength);
  take_from_match_if_exhausted(step, md);
  return md;
}

void give_match(Step& step, Msg& msg, const Match& match) {
  if (msg.header.type() == MsgType::kGet) {
    answer_get(step, msg.header, *msg.ni, *msg.peer, msg.rx, match);
    msg.on(MsgEvent::kEnd);
    return release_message(step, msg);
  }
  Md& md = use_match(step, match, msg.header.src_nid);
  land(step, msg, md, match.offset, match.mlength);
}

void land_away(Step& step, Msg& msg, const letter::Matched& in) {
  if (msg.header.type() == MsgType::kGet) {
    count_taken(step, *msg.ni, *msg.peer);
    Msg& reply = make_reply(step, msg.header, msg.rx_ni, msg.rx, in.offset, in.mlength);
    step.s.away.add(in.md, reply);
    reply.memory = in.memory;
    send_reply(step, reply, *msg.ni);
    msg.on(MsgEvent::kEnd);
    return release_message(step, msg);
  }
  if (auto* put = std::get_if<wire::PutPart>(&msg.header.part); put != nullptr && in.ack_disabled)
    put->ack_wmd = wire::WireHandle::none();
  msg.on(MsgEvent::kLand);
  step.s.away.add(in.md, msg);
  msg.offset = in.offset;
  msg.mlength = in.mlength;
  if (msg.rx_lost) return end_landing(step, msg, -ECONNRESET, Health::kOk);
  step.act<Land>(msg.ni->config.id, msg.rx, msg.self, in.memory, msg.rlength);
}

}  // namespace ulnet::core
