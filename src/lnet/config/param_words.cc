#include "lnet/config/param_words.h"

#include <algorithm>

#include "lnet/base/limits.h"
#include "lnet/base/text.h"

namespace ulnet::conf {

std::string quoted_word(std::string_view word) { return text::quoted(text::trim(word)); }

Result<void> check_param_text(std::string_view text) {
  if (text.size() > limits::kParamTextMax)
    return fail(-EINVAL, "the text is longer than 4096 bytes");
  if (!text::is_utf8(text)) return fail(-EINVAL, "the text is not UTF-8");
  return {};
}

Parsed<std::vector<std::string_view>> split(const PlainText& in, std::string_view part,
                                            std::string_view separators) {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  std::vector<std::string_view> parts;
  std::string open;                   // the brackets open at this point
  std::size_t opened = 0, begin = 0;  // the last of them; the piece's begin
  const auto unbalanced = [&](std::size_t at) {
    return in.wrong(part.substr(at), "unbalanced brackets in " + quoted_word(part.substr(begin)));
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (kOpening.find(c) != std::string_view::npos) {
      const bool nests = open.empty() || (open != "[" && open.size() == 1 && c == '[');
      if (!nests) return unbalanced(i);
      open += c;
      opened = i;
    } else if (const auto kind = kClosing.find(c); kind != std::string_view::npos) {
      if (open.empty() || open.back() != kOpening[kind]) return unbalanced(i);
      open.pop_back();
    } else if (open.empty() && separators.find(c) != std::string_view::npos) {
      parts.push_back(part.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (!open.empty()) return unbalanced(opened);
  parts.push_back(part.substr(begin));
  return parts;
}

Parsed<std::vector<std::string_view>> words_of(const PlainText& in, std::string_view part) {
  auto words = split(in, part, kBlanks);
  if (words) std::erase_if(*words, [](std::string_view word) { return word.empty(); });
  return words;
}

std::string_view from_to(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

}  // namespace ulnet::conf
