// Log notes about messages that are dropped because a right route is missing. Nothing else on this
// node reports them. Each kind is noted once a minute per peer (DropNotes). Source:
// spec/multirail.md 9.6, 9.7, spec/observed-routing.md 2.1, 4.1.
#pragma once

#include "lnet/core/flow/step.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

/// Notes that a message from `source` came by `hop`, which this node would not use for the way
/// back.
void note_asymmetric(Step& step, const Nid& source, const Nid& hop);
/// Notes that no path was found for the message, if it is an answer of this node or a message that
/// this node forwards: it is dropped. A request of this node is not noted, because its event
/// reports the error.
void note_unreachable(Step& step, const Msg& msg, const Choice& choice);

}  // namespace ulnet::core
