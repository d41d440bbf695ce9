// Whoever acts on a world from outside: a load, a source of faults, a script. It acts at virtual
// times of its own choosing and draws from a generator of its own. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/rng.h"
#include "sim/checker.h"
#include "sim/event_queue.h"

namespace ulnet::sim {

class Actor : private Task {
 public:
  /// The name decides what it draws: two actors of one world have different ones.
  explicit Actor(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  /// The world begins, or the actor joined it: usually asks for its first act().
  virtual void begin(World& world) { act_in(world, {}); }
  /// Its time has come. Asks for the next one with act_in() or act_at().
  virtual void act(World& world) = 0;
  /// After a node changed. A load forgets what a crashed node promised. kConfigured comes within a
  /// step of the node, where its API may not be called: ask for that with SimNode::after().
  virtual void node_changed(World&, SimNode&, NodeChange) {}
  /// Faults end here: whatever it broke is mended, and it breaks nothing from now on. A load begins
  /// nothing new.
  virtual void wind_down(World&) {}

 protected:
  Rng& rng() { return rng_; }
  void act_in(World& world, Duration delay);
  void act_at(World& world, Instant when);
  /// While it says so the world is not quiet: something it began has not ended.
  void set_busy(World& world, bool busy);
  /// For the trace and its digest.
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
