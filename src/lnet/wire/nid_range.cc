#include "lnet/wire/nid_range.h"

#include <fmt/format.h>

#include <unordered_set>

#include "lnet/wire/text.h"

namespace ulnet::wire {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool brackets_pair(std::string_view text) {
  bool inside = false;
  for (const char c : text) {
    if (c != '[' && c != ']') continue;
    if (inside == (c == '[')) return false;
    inside = !inside;
  }
  return !inside;
}

// Splits `text` at separators outside brackets; keeps empty pieces.
template <class IsSeparator>
std::vector<std::string_view> cut(std::string_view text, IsSeparator is_separator) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') inside = text[i] == '[';
    if (inside || !is_separator(text[i])) continue;
    pieces.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

tl::unexpected<Error> because(std::string_view word, const Error& error) {
  return fail(error.code, fmt::format("{}: {}", text::quoted(word), error.reason));
}

// Expands a word of a list of other nodes' NIDs. A valid pattern may still name no other node.
Result<std::vector<Nid>> expand_word(std::string_view word, std::size_t limit) {
  const Result<NidPattern> pattern = NidPattern::parse(word);
  if (!pattern) return because(word, pattern.error());
  if (pattern->net.type() == NetType::kLo)
    return fail(-EINVAL, fmt::format("{} is this node itself", text::quoted(word)));
  auto nids = pattern->expand(limit);
  if (!nids) return because(word, nids.error());
  return nids;
}

}  // namespace

Result<NidPattern> NidPattern::parse(std::string_view text) {
  NidPattern pattern;
  if (text == "*") return pattern;
  const std::size_t at = text.find('@');
  const std::string_view net_text = at == std::string_view::npos ? "tcp" : text.substr(at + 1);
  Result<NetPattern> net = NetPattern::parse(net_text);
  if (!net) return tl::unexpected(net.error());
  Result<AddressPattern> address = AddressPattern::parse(text.substr(0, at), net->type());
  if (!address) return tl::unexpected(address.error());
  pattern.net = *std::move(net);
  pattern.address = *std::move(address);
  return pattern;
}

Result<std::vector<Nid>> NidPattern::expand(std::size_t limit) const {
  const auto nets = net.expand(limit);
  if (!nets) return tl::unexpected(nets.error());
  std::vector<Nid> nids;
  for (const NetId& each : *nets) {
    const auto more = address.expand(each, limit - nids.size());
    if (!more) return tl::unexpected(more.error());
    nids.insert(nids.end(), more->begin(), more->end());
  }
  return nids;
}

std::string NidPattern::to_string() const {
  if (net.is_all()) return "*";
  return fmt::format("{}@{}", address.to_string(), net.to_string());
}

Result<std::vector<std::string_view>> split_list(std::string_view text) {
  if (!brackets_pair(text))
    return fail(-EINVAL, fmt::format("{}: brackets do not pair", text::quoted(text)));
  std::vector<std::string_view> words;
  const auto pieces = cut(text, [](char c) { return c == ','; });
  for (const std::string_view piece : pieces) {
    const std::size_t before = words.size();
    for (const std::string_view word : cut(piece, is_blank))
      if (!word.empty()) words.push_back(word);
    if (pieces.size() > 1 && words.size() == before) {
      return fail(-EINVAL, fmt::format("{}: nothing beside a comma", text::quoted(text)));
    }
  }
  return words;
}

Result<std::vector<NidPattern>> parse_nid_patterns(std::string_view text) {
  const auto words = split_list(text);
  if (!words) return tl::unexpected(words.error());
  std::vector<NidPattern> patterns;
  for (const std::string_view word : *words) {
    Result<NidPattern> pattern = NidPattern::parse(word);
    if (!pattern) return because(word, pattern.error());
    patterns.push_back(*std::move(pattern));
  }
  return patterns;
}

Result<std::vector<Nid>> expand_nids(std::string_view text, std::size_t limit) {
  const auto words = split_list(text);
  if (!words) return tl::unexpected(words.error());
  if (words->empty()) return fail(-EINVAL, "no NID given");
  std::vector<Nid> nids;
  std::unordered_set<Nid, NidHash> seen;
  std::size_t named = 0;
  for (const std::string_view word : *words) {
    const auto more = expand_word(word, limit);
    if (!more) return tl::unexpected(more.error());
    named += more->size();
    if (named > limit) return fail(-E2BIG, fmt::format("more than {} NIDs", limit));
    for (const Nid& nid : *more)
      if (seen.insert(nid).second) nids.push_back(nid);
  }
  return nids;
}

}  // namespace ulnet::wire
