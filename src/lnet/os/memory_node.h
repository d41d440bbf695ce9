// On which NUMA node memory lies, so that NIs near it can be preferred for what is sent from it.
// Source: spec/multirail.md 3.2 B 5, spec/core-semantics.md 13.4.
#pragma once

#include <cstdint>
#include <optional>

namespace ulnet::node {

/// The NUMA node of the page with this byte; nothing if no page is there yet (it has not been
/// written), or if the system does not say. One system call; the page is not touched.
std::optional<std::uint32_t> node_of_memory(const void* byte);

}  // namespace ulnet::node
