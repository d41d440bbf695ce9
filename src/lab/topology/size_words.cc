#include "lab/topology/size_words.h"

#include <fmt/format.h>

#include <array>

namespace ulnet::tools::lab {

std::string size_words(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // A value that would be shown as 1000 becomes 1 of the next unit.
  for (; value >= 999.5; ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

}  // namespace ulnet::tools::lab
