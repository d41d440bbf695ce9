// The troubles that lines of a log name in generic words: error numbers of Linux and English words,
// not the texts of one version of Lustre.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ulnet::plan {

enum class Trouble : std::uint8_t {
  kTimedOut,  ///< "timed out", "timeout", -110, -62
  kRefused,   ///< "refused", -111
  kNoRoute,   ///< "no route", "unreachable", -113, -101
  kLost,      ///< "lost", "reset by peer", "not connected", -104, -107, -108
  kDown,      ///< "down", as a word of its own
  kEvicted,   ///< "evict..."
  kDropped,   ///< "dropped", "dropping"
  kCorrupt,   ///< "checksum", "corrupt..."
};
inline constexpr std::size_t kTroubles = 8;

std::string_view name_of(Trouble trouble);

/// A set of troubles: bit 1 << trouble for each trouble that the line has a word for. Upper and
/// lower case are equal.
using TroubleSet = std::uint8_t;
TroubleSet troubles_in(std::string_view line);

}  // namespace ulnet::plan
