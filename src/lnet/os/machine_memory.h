// How much memory this process may have: what the machine has, what the control groups of the
// process allow (versions 1 and 2), and its own resource limits; the least of them counts.
#pragma once

#include <cstdint>
#include <string>

namespace ulnet::node {

/// Where the system says it; tests have their own folder.
struct MemorySources {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
  bool resource_limits = true;  ///< RLIMIT_AS and RLIMIT_DATA count too
};

/// In bytes. What cannot be read does not count; if nothing can, it is 1 GiB.
std::uint64_t machine_memory(const MemorySources& from = {});

/// The budget (lnet/base/memory_budget.h) in bytes that the parameter `memory_budget` asks for: so
/// many MiB; 0: a quarter of the machine's memory.
std::uint64_t memory_budget_bytes(std::int64_t mebibytes, const MemorySources& from = {});

}  // namespace ulnet::node
