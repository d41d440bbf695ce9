// A load is an actor that has nodes exchange messages. Source: DESIGN.md 6.
#pragma once

#include "sim/world/actor.h"

namespace ulnet::sim {

class Load : public Actor {
 public:
  using Actor::Actor;

  /// Everything that it is to begin has begun, and ended as far as it waits for that. False without
  /// an end: then only the end of the run ends it.
  virtual bool done() const = 0;
  /// Unlinks MDs that it attached, on nodes that are up, so that nothing of it is left. Not from
  /// inside a step.
  virtual void take_back(World& world) = 0;
};

}  // namespace ulnet::sim
