// Common code of tests of pictures: checks whether a text is an XML document as Svg writes it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ulnet::tools::chart {
namespace detail {

/// Removes from the front all characters that are in `letters`, and returns them.
inline std::string_view take(std::string_view& rest, std::string_view letters) {
  const std::string_view taken = rest.substr(0, rest.find_first_not_of(letters));
  rest.remove_prefix(taken.size());
  return taken;
}

inline bool take_word(std::string_view& rest, std::string_view word) {
  if (!rest.starts_with(word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

/// Removes an attribute, ` a="b"`.
inline bool take_attribute(std::string_view& rest) {
  constexpr std::string_view kKey =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
  if (!take_word(rest, " ") || take(rest, kKey).empty() || !take_word(rest, "=\"")) return false;
  rest.remove_prefix(std::min(rest.find_first_of("\"<&"), rest.size()));
  return take_word(rest, "\"");
}

/// Removes the next element: `<name a="b">`, `<name/>` or `</name>`. Returns false for anything
/// else, and for an end that does not match the last open element.
inline bool take_element(std::string_view& rest, std::vector<std::string>& open) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz";
  if (take_word(rest, "</")) {
    if (open.empty() || take(rest, kName) != open.back()) return false;
    open.pop_back();
    return take_word(rest, ">");
  }
  if (!take_word(rest, "<")) return false;
  const std::string name(take(rest, kName));
  while (rest.starts_with(" "))
    if (!take_attribute(rest)) return false;
  if (!take_word(rest, "/")) open.push_back(name);
  return !name.empty() && take_word(rest, ">");
}

inline bool take_entity(std::string_view& rest) {
  constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  return std::ranges::any_of(kEntities, [&](auto each) { return take_word(rest, each); });
}

}  // namespace detail

/// Checks that elements are closed in the right order, that there is one root, that text has no
/// bare '&' or '>', and that no figure is NaN or infinite. Returns what is wrong; empty when the
/// text passes.
inline std::string svg_problem(const std::string& svg) {
  std::vector<std::string> open;
  std::string_view rest = svg;
  if (!rest.starts_with("<")) return "no root";
  do {
    const std::string here(rest.substr(0, 60));
    if (rest.starts_with("<")) {
      if (!detail::take_element(rest, open)) return "no element: " + here;
    } else if (rest.starts_with("&")) {
      if (!detail::take_entity(rest)) return "no entity: " + here;
    } else {
      if (rest.starts_with(">")) return "not escaped: " + here;
      rest.remove_prefix(1);
    }
  } while (!open.empty() && !rest.empty());
  if (!open.empty()) return "still open: " + open.back();
  if (rest != "\n") return "after the root: " + std::string(rest.substr(0, 60));
  for (const char* figure : {"\"nan", "\"-nan", "\"inf", "\"-inf", ",nan", ",inf", ",-"})
    if (svg.find(figure) != std::string::npos) return "has " + std::string(figure);
  return {};
}

}  // namespace ulnet::tools::chart
