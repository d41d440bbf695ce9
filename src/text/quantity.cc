#include "text/quantity.h"

#include <array>
#include <cerrno>
#include <charconv>

namespace ulnet::text {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t scale = 1;
};

constexpr std::array kTimes = {Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"min", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000}};
constexpr std::array kByteUnits = {
    Unit{"", 1},           Unit{"B", 1},          Unit{"KiB", 1U << 10},
    Unit{"MiB", 1U << 20}, Unit{"GiB", 1U << 30}, Unit{"KB", 1'000},
    Unit{"kB", 1'000},     Unit{"MB", 1'000'000}, Unit{"GB", 1'000'000'000}};
constexpr std::array kChances = {Unit{"%", 10'000}, Unit{"ppm", 1}};

constexpr std::uint64_t kYear = 365ULL * 24 * 3'600'000'000'000;

Error wrong(std::string_view text, std::string_view what) {
  return {-EINVAL, "'" + std::string(text) + "' is not " + std::string(what)};
}

/// Parses a decimal number with at most nine places and a unit.
template <std::size_t kUnits>
Result<std::uint64_t> parse(std::string_view text, const std::array<Unit, kUnits>& units,
                            std::uint64_t most, std::string_view what) {
  if (text.starts_with('-')) return fail(-EINVAL, "'" + std::string(text) + "' is negative");
  std::uint64_t whole = 0;
  const char* const end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc{}) return tl::unexpected(wrong(text, what));
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
  if (rest != end && *rest == '.') {
    for (++rest; rest != end && *rest >= '0' && *rest <= '9' && parts < 1'000'000'000; ++rest) {
      part = part * 10 + static_cast<std::uint64_t>(*rest - '0');
      parts *= 10;
    }
    if (parts == 1) return tl::unexpected(wrong(text, what));
  }
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  if (whole == 0 && part == 0 && name.empty()) return std::uint64_t{0};
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const unsigned __int128 value = static_cast<unsigned __int128>(whole) * unit.scale +
                                    static_cast<unsigned __int128>(part) * unit.scale / parts;
    if (value > most) return fail(-ERANGE, "'" + std::string(text) + "' is too much");
    return static_cast<std::uint64_t>(value);
  }
  return tl::unexpected(wrong(text, what));
}

Result<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return fail(-EINVAL, "not a number");
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

std::optional<bool> parse_truth(std::string_view text) {
  for (std::string_view yes : {"true", "True", "TRUE", "yes", "Yes", "on", "1"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"false", "False", "FALSE", "no", "No", "off", "0"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

Result<Duration> parse_duration(std::string_view text) {
  return parse(text, kTimes, kYear, "a time (20us, 1.5s, 2min)").map([](std::uint64_t value) {
    return Duration(static_cast<std::int64_t>(value));
  });
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  return parse(text, kByteUnits, std::uint64_t{1} << 40, "a size (4096, 4KiB, 1MB)");
}

Result<std::uint64_t> parse_rate(std::string_view text) {
  constexpr std::string_view kWhat = "a rate (100MB/s, 0 for no limit)";
  if (text != "0" && !text.ends_with("/s")) return tl::unexpected(wrong(text, kWhat));
  const std::string_view bytes = text == "0" ? text : text.substr(0, text.size() - 2);
  auto value = parse_bytes(bytes);
  if (!value && value.error().reason.find("is not") != std::string::npos)
    return tl::unexpected(wrong(text, kWhat));
  return value;
}

Result<std::uint32_t> parse_chance(std::string_view text) {
  return parse(text, kChances, 1'000'000, "a chance (1%, 20ppm)").map([](std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
  });
}

Result<Range> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::string_view low = text.substr(0, dots);
  const std::string_view high = dots == std::string_view::npos ? low : text.substr(dots + 2);
  Range range;
  const auto least = parse_whole(low);
  const auto most = parse_whole(high);
  const bool both = least && most;
  const bool open = dots != std::string_view::npos && (least || low.empty()) &&
                    (most || high.empty()) && (least || most);
  if (!both && !open)
    return tl::unexpected(wrong(text, "a number or a range of numbers (5, 5.., ..9, 5..9)"));
  if (least) range.least = *least;
  if (most) range.most = *most;
  if (range.least > range.most)
    return fail(-EINVAL, "'" + std::string(text) + "' is an empty range");
  return range;
}

std::string duration_text(Duration duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  if (count == 0) return "0";
  std::size_t unit = 0;
  while (unit + 1 < kTimes.size() && count % kTimes[unit + 1].scale == 0) ++unit;
  return std::to_string(count / kTimes[unit].scale) + std::string(kTimes[unit].name);
}

std::string range_text(const Range& range) {
  if (range.least == range.most) return std::to_string(range.least);
  std::string text = range.least == 0 ? "" : std::to_string(range.least);
  text += "..";
  if (range.most != std::numeric_limits<std::uint64_t>::max()) text += std::to_string(range.most);
  return text == ".." ? "0.." : text;
}

std::string counted(std::size_t count, std::string_view one) {
  const bool hisses = one.ends_with("ch") || one.ends_with("ss");
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace ulnet::text
