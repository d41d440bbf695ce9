// Whose buffer takes a message that found none where it came in: the decisions of a portal's home
// shard, and the search on behalf of others. A message in custody is in its portal's `held`, in the
// order in which it came to home: kHeld while it waits on a lazy portal, kOffered while another
// shard looks for a buffer. Source: letter.h, spec/core-semantics.md 4.3, 7.
#pragma once

#include "core/step.h"

namespace ulnet::core {

/// Keeps a PUT that came in here, on a lazy portal with no other user than this shard.
void hold(Step& step, PortalState& portal, Msg& msg);
/// Home: a message, fresh and deferred, that nobody of `asked` takes.
void take_custody(Step& step, PortalState& portal, Msg& msg, const ShardSet& asked);

/// It came in here, and it is neither decided nor landing.
bool waits_for_verdict(const Msg& msg);
/// Such a message shall be dropped for `reason`: at once, or as soon as whoever has the word knows.
void give_up(Step& step, Msg& msg, DropReason reason);

/// A fresh MD: the messages that wait on its portal are offered to it, oldest first, until it is
/// exhausted (4.3).
void offer_held(Step& step, Me& me);
/// NIDs of `peer` are known to be one peer's since now. What waits from one of them may fit an
/// entry that names another: it is searched again, as far as this shard has to do with it (3).
void search_again(Step& step, const Peer& peer);
/// Drops the messages held on a portal: all, or those of one NI (7.1). How many.
std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason);

void take(Step& step, std::uint32_t from, const letter::Match& in);
void take(Step& step, std::uint32_t from, const letter::Matched& in);
void take(Step& step, std::uint32_t from, const letter::Dropped& in);
void take(Step& step, std::uint32_t from, const letter::Park& in);
void take(Step& step, std::uint32_t from, const letter::Searched& in);
void take(Step& step, std::uint32_t from, const letter::Held& in);
void take(Step& step, std::uint32_t from, const letter::Withdraw& in);
void take(Step& step, std::uint32_t from, const letter::Buffers& in);
void take(Step& step, std::uint32_t from, const letter::Quiet& in);

}  // namespace ulnet::core
