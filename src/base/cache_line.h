// How far apart the data of two threads must be so that neither's writes slow the other's reads.
#pragma once

#include <cstddef>

namespace ulnet {

/// Bytes. Two lines: processors fetch the neighbour of a line along with it.
inline constexpr std::size_t kCacheLinePair = 128;

}  // namespace ulnet
