// A load is an actor that has nodes exchange messages. Source: DESIGN.md 6.
#pragma once

#include "sim/world/actor.h"

namespace ulnet::sim {

class Load : public Actor {
 public:
  using Actor::Actor;

  /// Whether the load has begun all its operations, and those for which it waits have ended. A load
  /// without an end always returns false: it stops only when the run ends.
  virtual bool done() const = 0;
  /// Unlinks MDs that the load attached, on nodes that are up, so that nothing of it is left. Not
  /// to be called inside a step.
  virtual void take_back(World& world) = 0;
};

}  // namespace ulnet::sim
