#include "lnet/base/nearest_word.h"

#include <algorithm>
#include <array>

namespace ulnet::text {

namespace {

constexpr std::size_t kLongest = 64;
constexpr std::size_t kLettersPerSlip = 3;

/// The optimal string alignment distance between `a` and `b`, computed with three rows of its
/// table.
std::size_t slips_between(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongest + 1>;
  Row before{};  // the row before `last`
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> words) {
  std::string_view nearest;
  std::size_t fewest = kLongest;
  if (typed.size() > kLongest) return nearest;
  for (const std::string_view word : words) {
    if (word.size() > kLongest) continue;
    const std::size_t slips = slips_between(typed, word);
    const std::size_t bearable = std::max(typed.size(), word.size()) / kLettersPerSlip;
    if (slips > bearable || slips >= fewest) continue;
    nearest = word;
    fewest = slips;
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> words) {
  const std::string_view word = nearest_word(typed, words);
  return word.empty() ? std::string() : "Did you mean '" + std::string(word) + "'?";
}

}  // namespace ulnet::text
