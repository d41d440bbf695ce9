// The parts of a shard that are too small for a header of their own: API calls, configuration,
// peer deletion, what is shown.
#pragma once

#include "core/api.h"
#include "core/step.h"

namespace ulnet::core {

// ---- calls.cc

/// Answers an API call and writes the results into it.
void answer_call(Step& step, ApiCall& call);

// ---- reconfigure.cc

/// Takes over a new configuration; NIs that it does not name drain (spec/core-semantics.md 18.15).
void reconfigure(Step& step, const std::shared_ptr<const NodeConfig>& snapshot);
void ni_state_changed(Step& step, const NiState& in);
void peer_down(Step& step, const PeerDown& in);
void shut_down(Step& step);

// ---- peer_del.cc

Check delete_peer(Step& step, call::PeerDel& call);
void take(Step& step, std::uint32_t from, const letter::Forget& in);

// ---- show.cc

void show(const Step& step, call::Show& call);
ulnet::Counters counters_of(const ShardState& s);
void reset_stats(ShardState& s);
void reset_minima(ShardState& s, bool nis, bool peers);

}  // namespace ulnet::core
