// How much memory this process may have: the lowest of the machine's memory, the limits of the
// process's control groups (versions 1 and 2), and its own resource limits.
#pragma once

#include <cstdint>
#include <string>

namespace ulnet::node {

/// The files from which the limits are read; tests have their own folder.
struct MemorySources {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
  bool resource_limits = true;  ///< RLIMIT_AS and RLIMIT_DATA count too
};

/// The memory of this process in bytes. A limit that cannot be read does not count; if none can be
/// read, the answer is 1 GiB.
std::uint64_t machine_memory(const MemorySources& from = {});

/// The budget (lnet/base/memory_budget.h) in bytes for a value of the parameter `memory_budget`: a
/// number of MiB; 0: a quarter of the machine's memory.
std::uint64_t memory_budget_bytes(std::int64_t mebibytes, const MemorySources& from = {});

}  // namespace ulnet::node
