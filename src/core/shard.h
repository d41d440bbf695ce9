// One shard of the study: LNet's decisions for one CPU partition, as a machine that takes inputs
// and gives actions. It touches nothing: no I/O, no threads, no clock. It only sequences the leaves
// (match, memory, credit, select, ...). Source: DESIGN.md 2, 3.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "base/placed.h"
#include "base/rng.h"
#include "base/time.h"
#include "core/ports.h"

namespace ulnet::core {

struct ShardState;

/// Not thread-safe: its host lets one thread in at a time.
class Shard {
 public:
  /// `memory` is where its state is, and must outlive it.
  Shard(std::uint32_t index, Rng rng,
        std::pmr::memory_resource& memory = *std::pmr::new_delete_resource());
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Appends what is to be done to `actions`, in an order that the host keeps. `now` never steps
  /// back. A shard without a Config yet has no NI and refuses every operation.
  void step(Instant now, const Input& input, Actions& actions);
  /// When a Tick is due at the latest; kNever when nothing waits for time. Cheap: to be asked after
  /// every step.
  Instant next_deadline() const;
  /// For those who check a shard from outside and change nothing (core/step.h has the type).
  const ShardState& observe() const { return *state_; }

 private:
  Placed<ShardState> state_;
};

}  // namespace ulnet::core
