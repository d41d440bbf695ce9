// The fault rules of a random world.
#pragma once

#include "lnet/core/contract/fault.h"
#include "sim/scenario/dice.h"
#include "sim/world/node.h"

namespace ulnet::sim {

/// A rule of `node` for messages between it and `other`, or, if it drops them, for any messages.
/// Incoming messages are dropped and not delayed: the checkers expect that the step in which a
/// header arrives also decides about the message.
core::FaultRule draw_fault_rule(Dice& dice, const NodeSetup& node, const NodeSetup& other);

}  // namespace ulnet::sim
