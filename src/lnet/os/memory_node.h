// On which NUMA node memory lies, so that messages sent from it can prefer NIs near it. Source:
// spec/multirail.md 3.2 B 5, spec/core-semantics.md 13.4.
#pragma once

#include <cstdint>
#include <optional>

namespace ulnet::node {

/// The NUMA node of the page with this byte; nothing if the page does not exist yet (it has not
/// been written), or if the system does not say. One system call; the page is not touched.
std::optional<std::uint32_t> node_of_memory(const void* byte);

}  // namespace ulnet::node
