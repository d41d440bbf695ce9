// The messages of an MD whose user gives it up. Source: spec/core-semantics.md 4, 6.
#pragma once

#include "core/flow/step.h"

namespace ulnet::core {

/// For an MD that is unlinked: ends its messages that wait, with -ECANCELED, has drivers cancel
/// those that they have, and writes Abort to the shards that transmit the others and to
/// `elsewhere`.
void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere = {});

}  // namespace ulnet::core
