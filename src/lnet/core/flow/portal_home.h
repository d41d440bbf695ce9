// PUTs and GETs that found no buffer where they were first looked for: the decisions of the
// portal's home, and the search that a shard makes for messages of others. Home parks such a
// message in the portal's `held`, in the order of arrival at home: in state kHeld while it waits
// on a lazy portal, in state kOffered while another shard looks for a buffer. Source: letter.h,
// spec/core-semantics.md 4.3, 7.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// At home: a PUT that came in here waits on the lazy portal. Only for a portal on which no other
/// shard has ever attached an entry, so that no other shard need look for a buffer.
void hold(Step& step, PortalState& portal, Msg& msg);
/// At home: keeps a message and has further shards look for a buffer. The shards `asked` have
/// found none. The driver has been told to wait (defer()).
void park(Step& step, PortalState& portal, Msg& msg, const ShardSet& asked);

/// Whether `msg` came in at this shard and is not decided yet: it waits on a lazy portal, or for
/// the answer of another shard.
bool waits_for_verdict(const Msg& msg);
/// Drops such a message for `reason`. A message that waits on a portal at home here is dropped at
/// once; one that waits at another home is withdrawn by letter; one that another shard is looking
/// at is dropped when the answer comes, unless a buffer took it.
void give_up(Step& step, Msg& msg, DropReason reason);

/// The MD of `me` was just attached. At home: offers the MD to the messages that wait on its
/// portal, oldest first, until it is exhausted (4.3). Elsewhere: announces it to home by
/// BufferPosted.
void offer_held(Step& step, Me& me);
/// This shard has just learnt that these NIDs are one peer's. A waiting message from one of them
/// may fit an entry that names another. So home has buffers looked for again for the messages of
/// that peer (3). Each Match brings the card, so what the shard that looks knows does not matter.
void search_again(Step& step, const PeerCardRef& card);
/// By this generation of the directory the NID is not one of several of a peer.
void forget_card(Step& step, const Nid& nid, std::uint64_t generation);
/// At home: drops the messages held on a portal, all of them or those that came in on the NI
/// `only` (7.1). A message that another shard is looking at is dropped when its answer comes.
/// Returns how many.
std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason);

void on_letter(Step& step, std::uint32_t from, const letter::Match& in);
void on_letter(Step& step, std::uint32_t from, const letter::Matched& in);
void on_letter(Step& step, std::uint32_t from, const letter::Dropped& in);
void on_letter(Step& step, std::uint32_t from, const letter::Park& in);
void on_letter(Step& step, std::uint32_t from, const letter::Searched& in);
void on_letter(Step& step, std::uint32_t from, const letter::Held& in);
void on_letter(Step& step, std::uint32_t from, const letter::Withdraw& in);
void on_letter(Step& step, std::uint32_t from, const letter::BufferPosted& in);
void on_letter(Step& step, std::uint32_t from, const letter::NoneWaits& in);

}  // namespace ulnet::core
