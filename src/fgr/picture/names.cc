#include "fgr/picture/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "lnet/base/text.h"
#include "text/chart/svg.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kMaxDigits = 9;  // fit into 32 bits
constexpr std::size_t kMinCount = 3;   // the fewest numbers that become a range

struct Numbered {
  std::string before;
  std::size_t digits = 0;  ///< 0: the name has no number, or other letters than words have
  std::vector<std::uint32_t> numbers;
};

Numbered numbered(const std::string& name) {
  const std::size_t start = name.find_last_not_of("0123456789") + 1;
  const std::size_t digits = name.size() - start;
  if (digits == 0 || digits > kMaxDigits || name.find_first_of("[]") != std::string::npos)
    return {name, 0, {}};
  const auto number = text::number(name.substr(start), UINT32_MAX);
  return {name.substr(0, start), digits, {number.value_or(0)}};
}

/// How many numbers from `first` on have the same distance.
std::size_t run_of(const std::vector<std::uint32_t>& numbers, std::size_t first) {
  if (first + 1 >= numbers.size()) return 1;
  const std::uint32_t step = numbers[first + 1] - numbers[first];
  std::size_t count = 2;
  while (first + count < numbers.size() &&
         numbers[first + count] - numbers[first + count - 1] == step)
    ++count;
  return count;
}

std::string word_of(Numbered& names) {
  if (names.digits == 0) return names.before;
  const auto digits = [&](std::uint32_t number) {
    return fmt::format("{:0{}}", number, names.digits);
  };
  auto& numbers = names.numbers;
  if (numbers.size() == 1) return names.before + digits(numbers.front());
  std::ranges::sort(numbers);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::size_t count = run_of(numbers, i);
    if (count < kMinCount) {
      parts.push_back(digits(numbers[i++]));
      continue;
    }
    const std::uint32_t step = numbers[i + 1] - numbers[i];
    parts.push_back(digits(numbers[i]) + "-" + digits(numbers[i + count - 1]) +
                    (step == 1 ? "" : fmt::format("/{}", step)));
    i += count;
  }
  return fmt::format("{}[{}]", names.before, fmt::join(parts, ","));
}

/// Whether all numbers have only the digits that they need, without leading zeros.
bool natural(const Numbered& names) {
  return names.digits != 0 && std::ranges::all_of(names.numbers, [&](std::uint32_t number) {
           return std::to_string(number).size() == names.digits;
         });
}

/// Joins numbers without leading zeros into one word, even if they have different numbers of
/// digits.
void join_naturals(std::vector<Numbered>& found) {
  std::map<std::string, std::size_t> places;
  std::vector<Numbered> joined;
  for (Numbered& one : found) {
    if (natural(one)) {
      const auto [place, fresh] = places.emplace(one.before, joined.size());
      one.digits = 1;
      if (!fresh) {
        auto& into = joined[place->second].numbers;
        into.insert(into.end(), one.numbers.begin(), one.numbers.end());
        continue;
      }
    }
    joined.push_back(std::move(one));
  }
  found = std::move(joined);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  std::vector<Numbered> found;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;
  for (const std::string& name : names) {
    Numbered one = numbered(name);
    const auto [place, fresh] = places.emplace(std::pair(one.before, one.digits), found.size());
    if (fresh)
      found.push_back(std::move(one));
    else if (one.digits != 0)
      found[place->second].numbers.push_back(one.numbers.front());
  }
  join_naturals(found);
  std::vector<std::string> words;
  for (Numbered& one : found) words.push_back(word_of(one));
  return words;
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t letters) {
  std::vector<std::string> lines;
  do {
    std::size_t end = 0, good = 0, count = 0;
    while (end < text.size() && count < letters) {
      const auto letter = text::first_letter(text.substr(end));
      end += letter ? letter->bytes : 1;
      ++count;
      if (std::string_view(" ,/").find(text[end - 1]) != std::string_view::npos) good = end;
    }
    if (end < text.size() && good != 0) end = good;
    std::string_view line = text.substr(0, end);
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty() || text.empty()) lines.emplace_back(line);
    text.remove_prefix(end);
  } while (!text.empty());
  if (lines.empty()) lines.emplace_back();
  return lines;
}

double padded_width(std::string_view text, int size, bool bold) {
  return (bold ? 1.16 : 1.04) * chart::width_of(text, size);
}

}  // namespace ulnet::tools::fgr
