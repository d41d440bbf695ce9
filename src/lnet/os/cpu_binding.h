// Binds threads to the CPUs of their partition. Source: the SMP node affinity design, "Change CPU
// affinity of thread"; spec/core-semantics.md 13.3.
#pragma once

#include "lnet/cpt/table.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

/// Binds the calling thread to the partition's CPUs, for cpt::kAny to all CPUs of the table. Does
/// nothing if one partition covers the machine. -EPERM or -EINVAL: the system refuses (for example
/// in a container without the right); the thread then runs where it ran before.
Result<void> bind_thread(const cpt::Table& table, std::int32_t cpt);

/// The CPU that the calling thread is on; it may have moved already.
std::uint32_t current_cpu();

}  // namespace ulnet::node
