#include "fgr/existing/printed_routes.h"

#include <algorithm>
#include <utility>

namespace ulnet::tools::fgr {
namespace {

using conf::YamlNode;

constexpr std::string_view kHead = "route:\n";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether a text is a plain word in YAML, wherever it stands.
bool is_word(std::string_view text) {
  return !text.empty() && is_letter_or_digit(text.front()) && text != "null" &&
         std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '@' || c == '.' || c == '_' || c == '-';
         });
}

/// Reads the lines of the section one after the other.
class Lines {
 public:
  explicit Lines(YamlNode& list) : list_(list) { list_.kind = YamlNode::Kind::kSequence; }

  bool take(std::string_view line, int number) {
    std::size_t at = std::min(line.find_first_not_of(' '), line.size());
    const bool first = line.substr(at).starts_with("- ");
    if (first) {
      if (list_.items.empty()) dash_ = at;
      if (at != dash_) return false;
      at = std::min(line.find_first_not_of(' ', at + 1), line.size());
      key_ = at;
      YamlNode& item = list_.items.emplace_back();
      item.kind = YamlNode::Kind::kMap;
      item.place = {number, static_cast<int>(at) + 1};
    }
    if (list_.items.empty() || at != key_) return false;
    return take_entry(line.substr(at), {number, static_cast<int>(at) + 1});
  }

 private:
  bool take_entry(std::string_view text, conf::Place place) {
    const std::size_t colon = std::min(text.find(": "), text.size());
    const std::string_view key = text.substr(0, colon);
    const std::size_t begin = text.find_first_not_of(' ', colon + 1);
    if (!is_word(key) || begin >= text.size() || !is_word(text.substr(begin))) return false;
    conf::YamlEntry& entry = list_.items.back().entries.emplace_back();
    entry.key = key;
    entry.value.kind = YamlNode::Kind::kScalar;
    entry.value.text = text.substr(begin);
    entry.value.key_place = place;
    entry.value.place = {place.line, place.column + static_cast<int>(begin)};
    return true;
  }

  YamlNode& list_;
  std::size_t dash_ = 0, key_ = 0;  ///< columns of dashes and keys
};

}  // namespace

std::optional<PrintedRoutes> cut_printed_routes(std::string_view text) {
  std::size_t at = text.starts_with(kHead) ? 0 : text.find("\n" + std::string(kHead));
  if (at == std::string_view::npos) return std::nullopt;
  if (at != 0) ++at;
  PrintedRoutes routes;
  routes.line = 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
  at += kHead.size();
  routes.rest = text.substr(0, at);
  Lines lines(routes.list);
  int number = routes.line;
  while (at < text.size() && (text[at] == ' ' || text[at] == '-')) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!lines.take(text.substr(at, end - at), ++number)) return std::nullopt;
    routes.rest += '\n';
    at = std::min(end + 1, text.size());
  }
  if (routes.list.items.empty()) return std::nullopt;
  routes.rest += text.substr(at);
  return routes;
}

}  // namespace ulnet::tools::fgr
