#include "lab/topology/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/base/nearest_word.h"
#include "lnet/base/text.h"

namespace ulnet::tools::lab {
namespace {

constexpr std::uint32_t kMaxNumber = 999'999'999;
constexpr std::size_t kLongestPattern = 256;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Returns the number of digits of the first number in "[004-009]", if it has leading zeros; else
/// 0.
std::size_t digits_of(std::string_view list) {
  const std::size_t first = list.starts_with('[') ? 1 : 0;
  const std::size_t end = std::min(list.find_first_not_of("0123456789", first), list.size());
  return end - first > 1 && list[first] == '0' ? end - first : 0;
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_letter_or_digit(text.front()) &&
         text != "all" && std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_';
         });
}

bool NamePattern::is_one(std::string_view text) {
  return text.find_first_of("[]*") != std::string_view::npos;
}

Result<NamePattern> NamePattern::parse(std::string_view text) {
  if (text.size() > kLongestPattern)
    return fail(-EINVAL, text::quoted(text) + " is longer than 256 letters");
  const std::size_t begin = std::min(text.find_first_of("[]*"), text.size());
  const std::string_view before = text.substr(0, begin);
  if (!is_name(before)) return fail(-EINVAL, text::quoted(text) + ": " + std::string(kNameRule));
  auto numbers = ExprList::parse(text.substr(begin), kMaxNumber);
  if (!numbers) return fail(-EINVAL, text::quoted(text) + ": " + numbers.error().reason);
  return NamePattern{std::string(before), *std::move(numbers), digits_of(text.substr(begin))};
}

bool NamePattern::matches(std::string_view name) const {
  if (!name.starts_with(before)) return false;
  const std::string_view written = name.substr(before.size());
  const auto number = text::number(written, kMaxNumber);
  return number && numbers.matches(*number) &&
         (numbers.is_all() || written == fmt::format("{:0{}}", *number, digits));
}

Result<std::vector<std::string>> NamePattern::expand(std::size_t limit) const {
  const auto values = numbers.expand(limit);
  if (!values) return tl::unexpected(values.error());
  std::vector<std::string> names;
  names.reserve(values->size());
  for (const std::uint32_t value : *values)
    names.push_back(fmt::format("{}{:0{}}", before, value, digits));
  return names;
}

std::string nearest_of(std::string_view typed, std::span<const std::string_view> words) {
  const std::string_view word = text::nearest_word(typed, words);
  return word.empty() ? std::string() : ": did you mean '" + std::string(word) + "'?";
}

}  // namespace ulnet::tools::lab
