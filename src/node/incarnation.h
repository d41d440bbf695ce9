// A number that names one life of a node or of an interface: the wall clock in nanoseconds, and
// larger than all before it in this process. Peers tell a restart by its being another, not by its
// order (spec/wire-socklnd.md 8, spec/wire-lnet.md 2.5), so it is kept nowhere: a process that
// starts again meets its own old number only if the clock was stepped back to the very nanosecond.
// Any thread.
#pragma once

#include <cstdint>

namespace ulnet::node {

/// Larger than every number that this process used before.
std::uint64_t next_incarnation();
/// The largest that this process used; 0: none yet.
std::uint64_t last_incarnation();
/// Notes a number that somebody else gave out.
void use_incarnation(std::uint64_t number);

}  // namespace ulnet::node
