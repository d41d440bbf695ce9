#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ulnet::text {

std::string quoted(std::string_view word) {
  constexpr std::size_t kShown = 64;
  std::string shown(word.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", shown, word.size() > kShown ? "..." : "");
}

}  // namespace ulnet::text
