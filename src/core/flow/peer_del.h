// Deletes a peer, or some of its NIDs, in every shard. Source: spec/multirail.md 2.2.
#pragma once

#include "core/contract/api.h"
#include "core/flow/step.h"

namespace ulnet::core {

Check delete_peer(Step& step, call::PeerDel& call);

}  // namespace ulnet::core
