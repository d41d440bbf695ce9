// How shared peer entries get to the shards. The owner shard of a NID notifies the control shard of
// the first message exchanged with it. A shard that uses a NID for the first time asks for its peer
// entry. A new entry goes to all shards. Each shard keeps the entry if it uses one of the entry's
// NIDs. Source: spec/multirail.md 1.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// In the control shard: sends a change of the directory to all shards, this one too.
void publish(Step& step, const Directory::Changes& changes);
/// In the control shard: these NIDs belong to no peer any more, and every shard forgets them. The
/// caller has already called take_askers() for them (discovery.h).
void remove_nids(Step& step, const std::vector<Nid>& nids);

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerMet& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerEntryWanted& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::PeerEntryAnswer& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Publish& in);

}  // namespace ulnet::core
