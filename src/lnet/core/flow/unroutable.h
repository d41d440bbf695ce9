// What the log is told of messages that are dropped for want of a right route, since nobody else on
// this node is: once a minute for each kind and peer (DropNotes). Source: spec/multirail.md 9.6,
// 9.7, spec/observed-routing.md 2.1, 4.1.
#pragma once

#include "lnet/core/flow/step.h"
#include "lnet/core/path/select.h"

namespace ulnet::core {

/// A message from `source` came by `hop`, which this node would not use for the way back.
void note_asymmetric(Step& step, const Nid& source, const Nid& hop);
/// No path was found for the message. Who began a request here is told by its event; an answer of
/// this node and a message that it forwards are dropped.
void note_unreachable(Step& step, const Msg& msg, const Choice& choice);

}  // namespace ulnet::core
