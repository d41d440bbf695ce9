// Converts the shares of the memory budget into the numbers that the core counts: a router's
// buffers, and answers that wait. Source: decisions 109 and 111.
#pragma once

#include <array>
#include <cstdint>

#include "lnet/base/memory_budget.h"
#include "lnet/core/contract/config.h"

namespace ulnet::node {

/// The default number of a router's buffers of each kind: LNet's defaults, or as many as fit into
/// `bytes`, but at least one of each kind.
std::array<std::int32_t, 3> buffers_within(std::uint64_t bytes);
/// The bytes of all buffers that the router may allocate.
std::uint64_t buffer_bytes_of(const core::Routing& routing);
/// How many ACKs and REPLYs fit into about `bytes` while they wait.
std::uint32_t answers_within(std::uint64_t bytes);

}  // namespace ulnet::node
