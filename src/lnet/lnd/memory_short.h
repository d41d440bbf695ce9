// Whether the process has no memory to spare. What peers may do without is then refused, so that
// what is left serves those that are here. Memory is the process's, not a node's, hence one flag
// for all; whoever installs a reserve of memory keeps it (lnet/os/memory_reserve.h), without
// one it stays false.
#pragma once

#include <atomic>

namespace ulnet::lnd {

/// Any thread.
inline std::atomic<bool> memory_is_short{false};

}  // namespace ulnet::lnd
