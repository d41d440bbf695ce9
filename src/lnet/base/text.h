// Small pieces of parsing for all code that reads text.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ulnet::text {

/// The whole of `word` as an unsigned number in this base; nothing if it has another character than
/// digits, or exceeds `max`.
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

/// The first code point of a UTF-8 text, and its size in bytes. Nothing for an empty text, and for
/// bytes that are not well-formed UTF-8 (overlong forms and surrogates included).
struct Letter {
  char32_t point = 0;
  std::size_t bytes = 0;
};
std::optional<Letter> first_letter(std::string_view utf8);
/// The number of bytes, from the beginning, that are well-formed UTF-8.
std::size_t bytes_of_utf8(std::string_view text);
/// True for well-formed UTF-8 (no surrogates, no overlong forms).
inline bool is_utf8(std::string_view text) { return bytes_of_utf8(text) == text.size(); }

/// The word with ASCII capitals in lower case.
inline std::string lower(std::string_view word) {
  std::string small(word);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

/// The word in quotes, for error messages: cut after 64 bytes, with '?' for what is not printable
/// ASCII.
std::string quoted(std::string_view word);

}  // namespace ulnet::text
