// PUTs and GETs that found no buffer in the shard that looked first: the decisions of the portal's
// owner shard, and the search of a shard for messages of others. The owner shard parks such a
// message in the portal's `held`, in the order of arrival there: in state kHeld while it waits on a
// lazy portal, in state kOffered while another shard looks for a buffer. Source: shard_msg.h,
// spec/core-semantics.md 4.3, 7.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the owner shard: lets a PUT that came in here wait on the lazy portal. To be called only for
/// a portal on which no other shard has ever attached an entry, so that no other shard has to look
/// for a buffer.
void hold(Step& step, PortalState& portal, Msg& msg);
/// In the owner shard: keeps a message and asks further shards to look for a buffer. The shards
/// `asked` have found none. The driver already waits (defer()).
void park(Step& step, PortalState& portal, Msg& msg, const ShardSet& asked);

/// Whether `msg` came in at this shard and is not decided yet: it waits on a lazy portal, or for
/// the answer of another shard.
bool waits_for_verdict(const Msg& msg);
/// Drops a message for which waits_for_verdict() is true, for `reason`. A message that waits on a
/// portal of this shard is dropped at once. A message that waits in another owner shard is
/// withdrawn by an inter-shard message. A message for which another shard is looking for a buffer
/// is dropped when the answer comes, unless a buffer took it.
void give_up(Step& step, Msg& msg, DropReason reason);

/// The MD of `me` was just attached. In the portal's owner shard: offers the MD to the messages
/// that wait on the portal, oldest first, until the MD is exhausted (4.3). In another shard:
/// announces the MD to the owner shard by BufferPosted.
void offer_held(Step& step, Me& me);
/// To be called when this shard has learned that the NIDs of `peer_entry` belong to one peer. A
/// waiting message from one of the NIDs may fit a match entry that names another one. So the owner
/// shard starts a new search for the messages of that peer (3). Each Match carries the shared peer
/// entry, so the shard that looks need not know the peer.
void search_again(Step& step, const PeerEntryRef& peer_entry);
/// In generation `generation` of the directory the NID is not one of several NIDs of a peer:
/// removes the shared peer entries from the waiting messages of the NID, except newer ones.
void forget_peer_entry(Step& step, const Nid& nid, std::uint64_t generation);
/// In the owner shard: drops the messages held on a portal, all of them or those that came in on
/// the NI `only` (7.1). A message for which another shard is looking is dropped when that shard
/// answers. Returns the number of dropped messages.
std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason);

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Match& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Matched& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Dropped& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Park& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Searched& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Held& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Withdraw& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::BufferPosted& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NoneWaits& in);

}  // namespace ulnet::core
