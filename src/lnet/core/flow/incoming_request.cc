// Looks for the buffer of an incoming PUT or GET in this shard, asks other shards to look for it,
// and drops requests when too many ACKs and REPLYs wait. Source: spec/core-semantics.md 3, 4.5, 7,
// decision 111.
#include "lnet/core/flow/incoming_request.h"

#include "lnet/core/flow/matched.h"
#include "lnet/core/flow/portal_owner.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

void note_too_long(Step& step, const wire::LnetHeader& header, const Match& match) {
  step.note(Note::Level::kError,
            "a message from {nid} is dropped: longer than the matching buffer, {} bytes",
            header.src_nid, match.mlength);
}

bool needs_answer(const Arrival& a) {
  const auto* put = std::get_if<wire::PutPart>(&a.header().part);
  return put == nullptr || !put->ack_wmd.is_none();
}

/// Whether too many ACKs and REPLYs wait already, to this peer or to all peers, to accept one more
/// request that needs an answer. So peers that send requests but do not read the answers cannot
/// fill this node's memory. When many wait in all, the limit for one peer is lower, so that peers
/// that read their answers still get some.
bool answers_pile_up(const ShardState& s, const Arrival& a) {
  if (!needs_answer(a)) return false;
  const std::uint32_t most = s.config->globals.max_answers / s.placement.shards();
  const std::uint32_t of_peer =
      s.answers < most / 2 ? limits::kAnswersPerPeer : limits::kAnswersPerPeerWhenMany;
  return a.peer->answers >= of_peer || s.answers >= most;
}

/// The entry of the NID that sent the message; null: it has none.
PeerNid* source_of(const ShardState& s, const Arrival& a) {
  const Nid& source = a.header().src_nid;
  return a.peer->nid == source ? a.peer->known : s.peers.find(source);
}

/// Makes the record of a message that waits for a buffer.
Msg& make_waiting(Step& step, const Arrival& a) {
  Msg& msg = make_incoming(step, a);
  const PeerNid* source = source_of(step.s, a);
  if (source != nullptr) msg.peer_entry = source->peer_entry_if_several();
  return msg;
}

/// Returns the shard that looks for a buffer first (spec/core-semantics.md 3, 7.3).
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

/// Asks the other shards to look for a buffer (shard_msg.h), because this shard has none, or
/// because shard `first` looks first. If no other shard can have a buffer, the message waits or is
/// dropped here.
void ask_others(Step& step, const Arrival& a, Portal index, std::uint32_t first) {
  ShardState& s = step.s;
  const std::uint32_t owner = s.placement.owner_of(index);
  const bool searched = first == s.index;
  PortalState* portal = s.portals.find(index);
  if (searched && owner == s.index && (portal == nullptr || (portal->users & s.others()).empty())) {
    const bool put = a.header().type() == MsgType::kPut;
    if (!put || portal == nullptr || !portal->lazy)
      return drop(step, a.in, &a.ni, DropReason::kNoMatch);
    return hold(step, *portal, make_waiting(step, a));
  }
  Msg& msg = make_waiting(step, a);
  defer(step, a, msg);
  const ShardSet asked = searched ? ShardSet{s.index} : ShardSet{};
  if (owner == s.index && searched) return park(step, s.portals.use(index), msg, asked);
  msg.on(MsgEvent::kAsk);
  if (searched) s.portals.use(index).refuse();
  const bool of_neighbour = a.header().src_nid == a.in.hop.nid;
  if (searched)
    step.send_to_shard(
        owner, shard_msg::Park{s.index, msg.self, a.header(), asked, msg.peer_entry, of_neighbour});
  else
    step.send_to_shard(
        first, shard_msg::Match{
                   s.index, msg.self, a.header(), {}, asked, {}, msg.peer_entry, of_neighbour});
}

}  // namespace

void on_request(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const Portal index = portal_of(a.header());
  if (!Portals::exists(index)) return drop(step, a.in, &a.ni, DropReason::kPortalRange);
  if (answers_pile_up(s, a)) return drop(step, a.in, &a.ni, DropReason::kAnswersWait);
  const std::uint32_t first = first_searched(step, a, index);
  PeerNid* const source = source_of(s, a);
  if (source != nullptr) source->used = true;  // nothing else marks a source behind routers
  PortalState* portal = s.portals.find(index);
  Match match;
  if (portal != nullptr && first == s.index) {
    match = portal->entries.search(
        request_of(a.header(), source == nullptr ? nullptr : source->peer_entry.get()),
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
  Md& md = use_match(step, match, a.header().src_nid);
  land_arrival(step, a, md, match.offset, match.mlength);
}

}  // namespace ulnet::core
