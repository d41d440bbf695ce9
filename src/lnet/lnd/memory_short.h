// Whether the process has no memory to spare. If so, the driver refuses what peers can do without,
// such as new connections, so that the rest of the memory serves the peers that are connected.
// Memory belongs to the process, not to a node, so there is one flag for all nodes. The reserve of
// memory sets it (lnet/os/memory_reserve.h); in a process without a reserve it stays false.
#pragma once

#include <atomic>

namespace ulnet::lnd {

/// Any thread.
inline std::atomic<bool> memory_is_short{false};

}  // namespace ulnet::lnd
