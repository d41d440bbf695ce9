// An actor changes a simulated world from outside: a load, a kind of fault, a script. It acts at
// virtual times that it chooses, and draws from a random generator of its own. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "lnet/base/rng.h"
#include "sim/kernel/event_queue.h"
#include "sim/world/checker.h"

namespace ulnet::sim {

class Actor : private Task {
 public:
  /// The name seeds the actor's generator, so two actors of one world need different names.
  explicit Actor(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// Called when the world starts to run, or the actor was added to a running world. The default
  /// calls act() at once.
  virtual void begin(World& world) { act_in(world, {}); }
  /// Runs at the time that act_in() or act_at() was given. It calls one of them for the next call.
  virtual void act(World& world) = 0;
  /// Called after a node changed. A load then forgets the operations that a crashed node had begun.
  /// kConfigured comes within a step of the node, where the node's API may not be called: use
  /// SimNode::after() to call it later.
  virtual void node_changed(World&, SimNode&, NodeChange) {}
  /// Called when the run is about to end: a fault restores what it broke and breaks nothing more; a
  /// load begins no new operation.
  virtual void wind_down(World&) {}

 protected:
  Rng& rng() { return rng_; }
  void act_in(World& world, Duration delay);
  void act_at(World& world, Instant when);
  /// While `busy` is true the world is not quiet: an operation of this actor has not ended.
  void set_busy(World& world, bool busy);
  /// Adds a record to the trace, and so to its digest.
  void write_down(World& world, std::uint8_t what, std::uint32_t node = ~0U, std::uint64_t a = 0,
                  std::uint64_t b = 0);

 private:
  friend class World;
  void run() final;

  const std::string name_;
  Rng rng_{0};
  World* world_ = nullptr;
  bool busy_ = false;
};

}  // namespace ulnet::sim
