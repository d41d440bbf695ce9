#include "lnet/base/printable.h"

#include <algorithm>

#include "lnet/base/text.h"

namespace ulnet::text {

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto letter = first_letter(text);
    const std::size_t bytes = letter ? letter->bytes : 1;
    const bool control =
        !letter || letter->point < 0x20 || (letter->point >= 0x7f && letter->point < 0xa0);
    if (control)
      shown += '?';
    else
      shown += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return shown;
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

}  // namespace ulnet::text
