// How cards of peers get to the shards. The home of a NID tells the control shard when it has met
// it; whoever uses a NID for the first time asks for its card; a card that is new goes to all
// shards, and each keeps it if it uses one of its NIDs. Source: spec/multirail.md 1.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: tells all shards, this one too, what a change of the directory has made.
void publish(Step& step, const Directory::Changes& changes);
/// In the control shard: these NIDs are no peer's any more, and forgotten everywhere. Who waits for
/// their discovery is taken out before (discovery.h).
void remove_nids(Step& step, const std::vector<Nid>& nids);

void on_letter(Step& step, std::uint32_t from, const letter::PeerMet& in);
void on_letter(Step& step, std::uint32_t from, const letter::CardWanted& in);
void on_letter(Step& step, std::uint32_t from, const letter::Card& in);
void on_letter(Step& step, std::uint32_t from, const letter::Publish& in);

}  // namespace ulnet::core
