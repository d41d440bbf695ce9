// Resuming of messages that waited until a path can be chosen for them
// (lnet/core/memory/path_waiters.h). Source: spec/multirail.md 3.5, DESIGN.md 3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// This shard has a newer configuration, or is shut down: chooses paths for the messages that
/// waited for it, or ends them.
void go_on_with_config(Step& step);
/// Chooses paths for the messages that waited for the discovery, or ends them.
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Discovered& in);
/// Ends all messages that wait for a discovery, because this shard is shut down.
void go_on_without_discovery(Step& step);

}  // namespace ulnet::core
