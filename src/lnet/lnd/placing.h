// What a driver's owner gives it about CPU partitions: the list of partitions, the function that
// maps a peer to a partition, and what a thread of a partition calls first. Source: DESIGN.md 3,
// spec/core-semantics.md 13.3.
#pragma once

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>

#include "lnet/core/contract/ports.h"

namespace ulnet::lnd {

struct Placing {
  std::uint32_t partitions = 1;
  /// Returns the partition of a peer: one of those in the span, which is not empty. Any thread
  /// calls it; not called if there is only one partition.
  std::uint32_t (*of)(const Nid&, std::span<const std::uint32_t>) = nullptr;
  /// Each thread of the driver calls this first, with its partition.
  std::function<void(std::uint32_t)> begin;
  /// The memory resource from which the driver allocates what it keeps for a partition; it must
  /// outlive the driver. Null: the default heap.
  std::function<std::pmr::memory_resource*(std::uint32_t)> memory = nullptr;
};

}  // namespace ulnet::lnd
