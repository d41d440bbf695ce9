// What the shares of the memory budget come to in numbers that the core counts by: buffers of a
// router, answers that wait. Source: decisions 109 and 111.
#pragma once

#include <array>
#include <cstdint>

#include "lnet/base/memory_budget.h"
#include "lnet/core/contract/config.h"

namespace ulnet::node {

/// A router's buffers where nobody says how many: LNet's defaults, or as many as take `bytes`. One
/// of each kind at least.
std::array<std::int32_t, 3> buffers_within(std::uint64_t bytes);
/// The bytes of all buffers that the router may come to have.
std::uint64_t buffer_bytes_of(const core::Routing& routing);
/// How many ACKs and REPLYs may wait so that they take about `bytes`.
std::uint32_t answers_within(std::uint64_t bytes);

}  // namespace ulnet::node
