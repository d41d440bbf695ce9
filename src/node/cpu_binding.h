// Threads on the CPUs of their partition. Source: the SMP node affinity design, "Change CPU
// affinity of thread"; spec/core-semantics.md 13.3.
#pragma once

#include "cpt/table.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

/// The calling thread runs on the partition's CPUs from now on; for cpt::kAny on all of the
/// table's. Does nothing where one partition covers the machine. -EPERM, -EINVAL: the system does
/// not let it (a container without the right); it then runs where it did.
Result<void> bind_thread(const cpt::Table& table, std::int32_t cpt);

/// The CPU that the calling thread is on; it may have moved already.
std::uint32_t current_cpu();

}  // namespace ulnet::node
