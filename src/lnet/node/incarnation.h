// Incarnation numbers: the wall clock in nanoseconds, made larger than every number used before in
// this process. Peers recognise a restart by a different number, whether it is larger or smaller
// (spec/wire-socklnd.md 8, spec/wire-lnet.md 2.5). So ulnet keeps no number on disk: a process that
// starts again repeats its old number only if the clock was set back to the very nanosecond. Any
// thread.
#pragma once

#include <cstdint>

namespace ulnet::node {

/// A number larger than every number that this process used before.
std::uint64_t next_incarnation();
/// The largest that this process used; 0: it has not used one yet.
std::uint64_t last_incarnation();
/// Records a number that a driver gave out, so that later ones are larger.
void use_incarnation(std::uint64_t number);

}  // namespace ulnet::node
