// Decides in a portal's owner shard about the messages that found no buffer: asks the other shards
// in turn, holds the message on a lazy portal, or drops it. Also looks for buffers for messages of
// other shards. Source: spec/core-semantics.md 3, 4.3, 7.
#include "lnet/core/flow/portal_owner.h"

#include "lnet/core/flow/matched.h"
#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/peers.h"

namespace ulnet::core {

namespace {

MatchRequest request_of(const Msg& msg) {
  return core::request_of(msg.header, msg.peer_entry.get());
}

bool is_put(const Msg& msg) { return msg.header.type() == wire::MsgType::kPut; }

void leave(PortalState& portal, Msg& msg) { portal.held.erase(portal.held.iterator_to(msg)); }

/// Makes the owner shard's record of a message that came in at another shard.
Msg& make_parked(Step& step, const shard_msg::Park& in) {
  Msg& msg = make_message(step);
  msg.parked = true;
  msg.remote = {in.origin, in.msg};
  msg.header = in.header;
  return msg;
}

/// Ends the owner shard's record of a message that came in at another shard.
void forget_parked(Step& step, Msg& msg) {
  msg.on(MsgEvent::kEnd);
  release_message(step, msg);
}

/// Gives a message that came in at `origin` the buffer of this shard that `match` names.
void lend(Step& step, std::uint32_t origin, MsgTicket msg, const wire::LnetHeader& header,
          const Match& match) {
  Md& md = use_match(step, match, header.src_nid);
  md.remote_shards.insert(origin);
  const std::uint32_t length = md.has(kDiscard) ? 0 : match.mlength;
  step.send_to_shard(origin, shard_msg::Matched{msg, md.handle, region_of(md, match.offset, length),
                                                match.offset, match.mlength, md.has(kAckDisable)});
}

/// In the owner shard: drops a message that is no longer in `held`.
void drop_parked(Step& step, Msg& msg, DropReason reason) {
  if (!msg.parked) return drop_message(step, msg, reason);
  step.send_to_shard(msg.remote.shard, shard_msg::Dropped{msg.remote.msg, reason});
  forget_parked(step, msg);
}

/// In the owner shard: gives a message of `held` the buffer of this shard that `match` names, or
/// drops it if `match` is kTooLong.
void settle_here(Step& step, PortalState& portal, Msg& msg, const Match& match) {
  leave(portal, msg);
  if (match.kind == Match::Kind::kTooLong) return drop_parked(step, msg, DropReason::kTooLong);
  if (!msg.parked) return give_match(step, msg, match);
  lend(step, msg.remote.shard, msg.remote.msg, msg.header, match);
  forget_parked(step, msg);
}

/// In the owner shard, when no shard has a buffer for the message or the message is `unwanted`:
/// drops the message if it is `unwanted`, is no PUT, or is not on a lazy portal. Otherwise the
/// message waits.
void wait_or_drop(Step& step, PortalState& portal, Msg& msg) {
  if (msg.unwanted != DropReason::kCount || !is_put(msg) || !portal.lazy) {
    leave(portal, msg);
    return drop_parked(step, msg,
                       msg.unwanted == DropReason::kCount ? DropReason::kNoMatch : msg.unwanted);
  }
  msg.on(MsgEvent::kHold);
  if (msg.parked) {
    if (!msg.deferred)
      step.send_to_shard(msg.remote.shard, shard_msg::Held{msg.remote.msg, msg.self});
    msg.deferred = true;
  } else if (msg.deferred) {
    msg.deferred = false;
    step.out.emplace_back(std::in_place_type<HoldPayload>,
                          HoldPayload{msg.rx_ni, msg.rx, msg.self});
  }
}

/// The shards that the owner shard can still ask to look for a buffer for `msg`: first those that
/// have entries. A shard without entries announces its next buffer to the owner shard, so it is
/// asked only about a message that must not wait.
ShardSet candidates(const ShardState& s, const PortalState& portal, const Msg& msg) {
  const bool may_wait = is_put(msg) && portal.lazy;
  ShardSet left = portal.users - msg.asked;
  if (portal.entries.empty()) left.erase(s.index);  // the owner shard knows its own entries
  const ShardSet active = left & portal.active;
  return !active.empty() || may_wait ? active : left;
}

/// The shard of `left` that looks next: on a unique portal the shard of the initiator, else each
/// shard in turn (spec/core-semantics.md 7.3).
std::uint32_t next_asked(const ShardState& s, PortalState& portal, const Msg& msg,
                         const ShardSet& left) {
  if (portal.unique()) {
    const std::uint32_t own =
        s.placement.of(msg.peer_entry == nullptr ? msg.header.src_nid : msg.peer_entry->primary());
    return left.contains(own) ? own : left.next(0);
  }
  std::uint32_t next = left.next(portal.turn);
  if (next == limits::kMaxCpts) next = left.next(0);
  portal.turn = next + 1;
  return next;
}

/// In the owner shard: asks the next shard to look for a buffer. If no shard is left, the message
/// waits or is dropped. `counted`: the entry of that shard for which the owner shard counts the
/// message, if any (shard_msg::Match::me).
void offer_on(Step& step, PortalState& portal, Msg& msg, Handle counted = {}) {
  ShardState& s = step.s;
  while (true) {
    if (msg.unwanted != DropReason::kCount) return wait_or_drop(step, portal, msg);
    const ShardSet left = candidates(s, portal, msg);
    if (left.empty() && portal.changes == msg.seen) return wait_or_drop(step, portal, msg);
    if (left.empty()) {  // a buffer came while other shards looked: every shard looks again
      msg.seen = portal.changes;
      msg.asked = {};
      continue;
    }
    const std::uint32_t next = next_asked(s, portal, msg, left);
    if (next != s.index) {
      if (msg.state != MsgState::kOffered) msg.on(MsgEvent::kOffer);
      const std::uint32_t origin = msg.parked ? msg.remote.shard : s.index;
      const MsgTicket name = msg.parked ? msg.remote.msg : msg.self;
      return step.send_to_shard(
          next, shard_msg::Match{origin, name, msg.header, msg.self, {}, counted, msg.peer_entry});
    }
    msg.asked.insert(s.index);
    const Match match = portal.entries.search(request_of(msg), portal.unique());
    if (match.kind != Match::Kind::kNone) return settle_here(step, portal, msg, match);
  }
}

/// Finds the message of this ticket, if it is still parked here; else returns null.
Msg* find_parked(ShardState& s, MsgTicket ticket) {
  Msg* msg = s.find(ticket);
  const bool is =
      msg != nullptr && (msg->state == MsgState::kHeld || msg->state == MsgState::kOffered);
  return is ? msg : nullptr;
}

/// Returns the message that the inter-shard message Matched or Dropped names. The message came in
/// at this shard. If it waits in `held`, because this shard owns the portal, takes it out of
/// `held`.
Msg& decided(Step& step, MsgTicket name) {
  Msg* msg = step.s.find(name);
  ULNET_ASSERT(msg != nullptr && waits_for_verdict(*msg));
  if (msg->state == MsgState::kOffered) leave(step.s.portals.use(portal_of(msg->header)), *msg);
  return *msg;
}

/// The owner shard has counted a message for the entry `counted`, and has kept that space from
/// other messages. But the message has not used the space: it was too long, or another entry took
/// it. So this shard announces the entry to the owner shard again, with its present space.
void offer_remaining_space(Step& step, Handle counted) {
  Me* me = step.s.mes.find(counted);
  if (me != nullptr && me->md != nullptr && me->md->state == MdState::kActive &&
      !exhausted(*me->md))
    offer_held(step, *me);
}

/// In the owner shard: offers the buffer `me` to the waiting messages, oldest first, until it is
/// exhausted. Calls `take(msg, match)` for each message that the buffer matches, even if the buffer
/// is too short.
template <class Take>
void offer_to_all(PortalState& portal, Me& me, Take&& take) {
  const Md& md = *me.md;
  for (auto it = portal.held.begin(); it != portal.held.end();) {
    Msg& msg = *it++;
    if (msg.state != MsgState::kHeld) continue;
    const Match match = try_match(me, request_of(msg));
    if (match.kind == Match::Kind::kNone) continue;
    take(msg, match);
    if (match.kind == Match::Kind::kMatch && (md.state != MdState::kActive || exhausted(md)))
      return;  // the exhausted MD may have removed `me`
  }
}

/// Whether a message carries a newer shared peer entry than the owner shard has.
bool has_newer_peer_entry(const Msg& msg, std::uint64_t generation) {
  return msg.peer_entry != nullptr && msg.peer_entry->generation > generation;
}

/// In the owner shard: all shards look again for buffers for the waiting messages from that peer,
/// oldest first.
void ask_again(Step& step, PortalState& portal, const PeerEntryRef& peer_entry) {
  ++portal.changes;  // so messages in state kOffered are searched again too, after their answers
  for (auto it = portal.held.begin(); it != portal.held.end();) {
    Msg& msg = *it++;
    if (!peer_entry->has(msg.header.src_nid) || has_newer_peer_entry(msg, peer_entry->generation))
      continue;
    msg.peer_entry = peer_entry;
    if (msg.state != MsgState::kHeld) continue;
    msg.on(MsgEvent::kOffer);
    msg.asked = {};
    msg.seen = portal.changes;
    offer_on(step, portal, msg);
  }
}

}  // namespace

void hold(Step& step, PortalState& portal, Msg& msg) {
  msg.on(MsgEvent::kHold);
  msg.seen = portal.changes;
  portal.held.push_back(msg);
  if (msg.staged) return;
  step.out.emplace_back(std::in_place_type<HoldPayload>, HoldPayload{msg.rx_ni, msg.rx, msg.self});
}

void park(Step& step, PortalState& portal, Msg& msg, const ShardSet& asked) {
  msg.on(MsgEvent::kOffer);
  msg.asked = asked;
  msg.seen = portal.changes;
  portal.held.push_back(msg);
  offer_on(step, portal, msg);
}

bool waits_for_verdict(const Msg& msg) {
  return !msg.parked && (msg.state == MsgState::kAsking || msg.state == MsgState::kHeld ||
                         msg.state == MsgState::kOffered);
}

void give_up(Step& step, Msg& msg, DropReason reason) {
  const bool withdrawn_before = msg.unwanted != DropReason::kCount;
  msg.unwanted = reason;
  if (msg.state != MsgState::kHeld) return;  // `unwanted` takes effect when the answer comes
  if (msg.remote.msg) {
    if (!withdrawn_before)
      step.send_to_shard(msg.remote.shard, shard_msg::Withdraw{msg.remote.msg, reason});
    return;
  }
  leave(step.s.portals.use(portal_of(msg.header)), msg);
  drop_message(step, msg, reason);
}

void offer_held(Step& step, Me& me) {
  ShardState& s = step.s;
  PortalState& portal = s.portals.use(me.portal);
  const std::uint32_t owner = s.placement.owner_of(me.portal);
  if (owner != s.index) {
    if (!portal.reports) return;
    const Md& md = *me.md;
    return step.send_to_shard(
        owner,
        shard_msg::BufferPosted{me.portal, me.self, me.match_id, me.match, me.ignore, md.options,
                                md.threshold, md.length, md.offset, md.max_size, portal.refusals});
  }
  ++portal.changes;
  offer_to_all(portal, me,
               [&](Msg& msg, const Match& match) { settle_here(step, portal, msg, match); });
}

void search_again(Step& step, const PeerEntryRef& peer_entry) {
  step.s.portals.for_each([&](PortalState& portal) {
    if (!portal.held.empty()) ask_again(step, portal, peer_entry);
  });
}

void forget_peer_entry(Step& step, const Nid& nid, std::uint64_t generation) {
  step.s.portals.for_each([&](PortalState& portal) {
    for (Msg& msg : portal.held)
      if (msg.header.src_nid == nid && !has_newer_peer_entry(msg, generation))
        msg.peer_entry = nullptr;
  });
}

std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason) {
  std::size_t dropped = 0;
  for (auto it = portal.held.begin(); it != portal.held.end();) {
    Msg& msg = *it++;
    if (only != nullptr && (msg.parked || msg.ni != only)) continue;
    ++dropped;
    msg.unwanted = reason;
    if (msg.state == MsgState::kOffered) continue;  // dropped when the answer comes
    leave(portal, msg);
    drop_parked(step, msg, reason);
  }
  return dropped;
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Match& in) {
  ShardState& s = step.s;
  const Portal index = portal_of(in.header);
  const std::uint32_t owner = s.placement.owner_of(index);
  PortalState& portal = s.portals.use(index);
  const Match match =
      portal.entries.search(request_of(in.header, in.peer_entry.get()), portal.unique());
  const bool taken = match.kind != Match::Kind::kNone;
  // Computed here, because lend() may remove the entry that `match` names.
  const bool elsewhere = taken && !(match.kind == Match::Kind::kMatch && match.me->self == in.me);
  if (match.kind == Match::Kind::kMatch) lend(step, in.origin, in.msg, in.header, match);
  if (match.kind == Match::Kind::kTooLong)
    step.send_to_shard(in.origin, shard_msg::Dropped{in.msg, DropReason::kTooLong});
  if (owner != s.index && (!taken || portal.entries.empty())) portal.refuse();
  if (in.parked) {
    // If the owner shard is the origin, Matched or Dropped is its answer already.
    if (!taken || in.parked != in.msg)
      step.send_to_shard(from, shard_msg::Searched{in.parked, taken, portal.entries.empty()});
  } else if (!taken) {
    step.send_to_shard(owner,
                       shard_msg::Park{in.origin, in.msg, in.header, in.asked | ShardSet{s.index},
                                       in.peer_entry, in.of_neighbour});
  }
  if (elsewhere) offer_remaining_space(step, in.me);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Matched& in) {
  land_remote(step, decided(step, in.msg), in);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Dropped& in) {
  Msg& msg = decided(step, in.msg);
  drop_message(step, msg, msg.unwanted == DropReason::kCount ? in.reason : msg.unwanted);
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Held& in) {
  Msg* msg = step.s.find(in.msg);
  if (msg == nullptr || msg->state != MsgState::kAsking) return;  // Matched or Dropped came first
  msg->on(MsgEvent::kHold);
  msg->remote = {from, in.parked};
  if (msg->unwanted != DropReason::kCount)
    return step.send_to_shard(from, shard_msg::Withdraw{in.parked, msg->unwanted});
  if (msg->staged) return;
  step.out.emplace_back(std::in_place_type<HoldPayload>,
                        HoldPayload{msg->rx_ni, msg->rx, msg->self});
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Park& in) {
  // Null, unless the message came in here and the rotor chose another shard to look first.
  Msg* const own = in.origin == step.s.index ? step.s.find(in.msg) : nullptr;
  ULNET_ASSERT(in.origin != step.s.index || (own != nullptr && waits_for_verdict(*own)));
  Msg& msg = own != nullptr ? *own : make_parked(step, in);
  const PeerNid* source =
      in.of_neighbour ? &know(step, in.header.src_nid) : ask(step, in.header.src_nid);
  const std::uint64_t reported = source == nullptr ? 0 : source->reported;
  const bool is_newer = in.peer_entry != nullptr && in.peer_entry->generation > reported;
  msg.peer_entry = is_newer || source == nullptr ? in.peer_entry : source->peer_entry_if_several();
  // The shards that have looked (`in.asked`) with another peer entry may have a buffer for one of
  // the new NIDs.
  const ShardSet asked = msg.peer_entry == in.peer_entry ? in.asked : ShardSet{};
  park(step, step.s.portals.use(portal_of(in.header)), msg, asked);
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Searched& in) {
  Msg* msg = find_parked(step.s, in.parked);
  ULNET_ASSERT(msg != nullptr && msg->state == MsgState::kOffered);
  PortalState& portal = step.s.portals.use(portal_of(msg->header));
  if (in.empty) portal.active.erase(from);
  if (in.taken) {
    leave(portal, *msg);
    return forget_parked(step, *msg);
  }
  msg->asked.insert(from);
  offer_on(step, portal, *msg);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Withdraw& in) {
  Msg* msg = find_parked(step.s, in.parked);
  if (msg == nullptr) return;  // Matched or Dropped is on its way to the origin
  msg->unwanted = in.reason;
  if (msg->state == MsgState::kOffered) return;
  leave(step.s.portals.use(portal_of(msg->header)), *msg);
  drop_parked(step, *msg, in.reason);
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::BufferPosted& in) {
  PortalState& portal = step.s.portals.use(in.portal);
  portal.active.insert(from);
  ++portal.changes;
  if (portal.held.empty())
    return step.send_to_shard(from, shard_msg::NoneWaits{in.portal, in.refusals});
  // `me` and `md` stand for the announced buffer. Matching against them shows which waiting
  // messages fit it; the shard is asked only for those. The space that each message would use is
  // counted here.
  Md md;
  md.options = in.options;
  md.threshold = in.threshold;
  md.length = in.length;
  md.offset = in.offset;
  md.max_size = in.max_size;
  Me me;
  me.match_id = in.match_id;
  me.match = in.match;
  me.ignore = in.ignore;
  me.md = &md;
  offer_to_all(portal, me, [&](Msg& msg, const Match& match) {
    msg.asked = ShardSet::below(limits::kMaxCpts) - ShardSet{from};
    msg.seen = portal.changes;
    const bool counted = match.kind == Match::Kind::kMatch;
    if (counted) {
      if (md.threshold != kThresholdInfinite) --md.threshold;
      advance(md, match.offset, match.mlength);
    }
    offer_on(step, portal, msg, counted ? in.me : Handle{});
  });
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::NoneWaits& in) {
  PortalState& portal = step.s.portals.use(in.portal);
  if (portal.refusals == in.refusals) portal.reports = false;
}

}  // namespace ulnet::core
