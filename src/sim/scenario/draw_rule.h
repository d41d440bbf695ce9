// The fault rules of a world that is drawn.
#pragma once

#include "lnet/core/contract/fault.h"
#include "sim/scenario/dice.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// A rule of `node` for messages between it and `other`, or, if it drops them, any. What comes in
/// is dropped and not delayed: the checkers take the step in which a header comes for that in which
/// it is decided.
core::FaultRule draw_fault_rule(Dice& dice, const NodeSetup& node, const NodeSetup& other);

}  // namespace ulnet::sim
