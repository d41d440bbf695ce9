// How far apart the data of two threads must be so that writes of one do not slow reads of the
// other.
#pragma once

#include <cstddef>

namespace ulnet {

/// In bytes: two cache lines, because processors prefetch the neighbour of a line.
inline constexpr std::size_t kCacheLinePair = 128;

}  // namespace ulnet
