#include "lnet/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ulnet::text {
namespace {

/// The number of bytes that follow this first byte of a code point; nothing if no code point begins
/// with it.
std::optional<unsigned> followers(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead < 0xc2 || lead > 0xf4) return std::nullopt;
  return lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
}

}  // namespace

std::optional<Letter> first_letter(std::string_view utf8) {
  if (utf8.empty()) return std::nullopt;
  const auto lead = static_cast<unsigned char>(utf8[0]);
  const auto extra = followers(lead);
  if (!extra || utf8.size() <= *extra) return std::nullopt;
  char32_t point = *extra == 0 ? lead : lead & (0x3fU >> *extra);
  for (unsigned k = 1; k <= *extra; ++k) {
    const auto next = static_cast<unsigned char>(utf8[k]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    point = point << 6 | (next & 0x3fU);
  }
  const bool overlong = (*extra == 2 && point < 0x800) || (*extra == 3 && point < 0x10000);
  if (overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return std::nullopt;
  return Letter{point, *extra + 1};
}

std::size_t bytes_of_utf8(std::string_view text) {
  std::string_view rest = text;
  while (const auto letter = first_letter(rest)) rest.remove_prefix(letter->bytes);
  return text.size() - rest.size();
}

std::string quoted(std::string_view word) {
  constexpr std::size_t kShown = 64;
  std::string shown(word.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", shown, word.size() > kShown ? "..." : "");
}

}  // namespace ulnet::text
