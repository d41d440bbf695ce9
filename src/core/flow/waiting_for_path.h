// Messages that waited until a path can be chosen for them (core/memory/path_waiters.h) go on.
// Source: spec/multirail.md 3.5, DESIGN.md 3.
#pragma once

#include "core/flow/step.h"

namespace ulnet::core {

/// This shard has a newer configuration, or is shut down: chooses paths for the messages that
/// waited for it, or ends them.
void go_on_with_config(Step& step);
/// This shard has been told of the NID: chooses paths for the messages that waited for that.
void go_on_with_card(Step& step, const Nid& nid);
/// The same for all NIDs, because this shard is shut down.
void go_on_without_cards(Step& step);

}  // namespace ulnet::core
