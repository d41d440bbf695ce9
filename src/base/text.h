// Small pieces of text parsing that every reader of text shares.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ulnet::text {

/// All of `word` as an unsigned number of this base: digits only, at most `max`.
inline std::optional<std::uint32_t> number(std::string_view word, std::uint32_t max,
                                           int base = 10) {
  std::uint32_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value, base);
  if (word.empty() || error != std::errc{} || stop != end || value > max) return std::nullopt;
  return value;
}

inline std::string_view trim(std::string_view word) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = word.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(kBlank) - begin + 1);
}

/// The letter (code point) that well-formed UTF-8 begins with, and how many bytes it takes; nothing
/// for an empty text and for bytes that are none (overlong forms and surrogates included).
struct Letter {
  char32_t point = 0;
  std::size_t bytes = 0;
};
std::optional<Letter> first_letter(std::string_view utf8);

/// In small letters.
inline std::string lower(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

/// For reasons: the word in quotes, cut when it is long, what cannot be printed as '?'.
std::string quoted(std::string_view word);

}  // namespace ulnet::text
