// What a shard reports of its state: NIs, peers, counters. Source: spec/core-semantics.md 16.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

void show(const Step& step, call::Show& call);
void next_peers(const Step& step, call::NextPeers& call);
void next_peer_nis(const Step& step, call::NextPeerNis& call);
GlobalStats statistics_of(const ShardState& s);
void reset_stats(ShardState& s);
void reset_minima(ShardState& s, bool nis, bool peers);

}  // namespace ulnet::core
