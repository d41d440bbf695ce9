#include "lab/topology/rate.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "lnet/base/text.h"
#include "text/quantity.h"

namespace ulnet::tools::lab {
namespace {

struct BitUnit {
  std::string_view name;
  std::string_view bytes;  ///< the matching unit of bytes in scenarios
  std::uint64_t scale = 1;
};
constexpr std::array kBitUnits = {BitUnit{"gbit", "GB", 1'000'000'000},
                                  BitUnit{"mbit", "MB", 1'000'000}, BitUnit{"kbit", "kB", 1'000},
                                  BitUnit{"bit", "B", 1}};

}  // namespace

Result<std::uint64_t> parse_bit_rate(std::string_view text) {
  std::string small = text::lower(text);
  if (small.ends_with("bit/s")) small.resize(small.size() - 2);
  for (const BitUnit& unit : kBitUnits) {
    if (!small.ends_with(unit.name)) continue;
    // The number is parsed as a number of bytes, by the same rules.
    const std::string number = small.substr(0, small.size() - unit.name.size());
    const auto value = text::parse_bytes(number + std::string(unit.bytes));
    if (value) return value;
    if (value.error().code == -ERANGE || text.starts_with('-'))
      return fail(value.error().code,
                  text::quoted(text) + (text.starts_with('-') ? " is negative" : " is too much"));
    break;
  }
  if (small == "0") return std::uint64_t{0};
  const auto bytes = text::parse_rate(text);
  if (bytes) return *bytes * 8;
  if (bytes.error().code == -ERANGE) return tl::unexpected(bytes.error());
  return fail(-EINVAL, text::quoted(text) + " is not a rate (10mbit, 1gbit, 100MB/s, 0: no limit)");
}

std::string bit_rate_text(std::uint64_t bits_per_second) {
  if (bits_per_second == 0) return "0";
  for (const BitUnit& unit : kBitUnits)
    if (bits_per_second % unit.scale == 0)
      return std::to_string(bits_per_second / unit.scale) + std::string(unit.name);
  return {};
}

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
