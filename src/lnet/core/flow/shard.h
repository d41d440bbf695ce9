// A shard: LNet's decisions for one CPU partition, as a state machine that takes inputs and returns
// actions. It has no I/O, no threads and no clock. A host (node or simulator) brings the inputs and
// carries out the actions. Source: DESIGN.md 2, 3.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "lnet/base/placed.h"
#include "lnet/base/time.h"
#include "lnet/core/contract/actions.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

struct ShardState;

/// Not thread-safe: the host lets one thread in at a time.
class Shard {
 public:
  /// `index` is the number of the partition. `memory` is where the state lies; it must outlive the
  /// shard.
  explicit Shard(std::uint32_t index,
                 std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Takes one input and appends actions, which the host carries out in order. `now` must never be
  /// less than in an earlier step. Before its first Config a shard has no NI: it drops every
  /// message and can send none.
  void step(Instant now, const Input& input, Actions& actions);
  /// When the host has to send a Tick; kNever when no time-out runs. Cheap: the host calls it
  /// after every step.
  Instant next_deadline() const { return next_deadline_; }
  /// For checkers and tests, which only read. The type is in lnet/core/flow/step.h.
  const ShardState& observe() const { return *state_; }

 private:
  Placed<ShardState> state_;
  Instant next_deadline_ = kNever;
};

}  // namespace ulnet::core
