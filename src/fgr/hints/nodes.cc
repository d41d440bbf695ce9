#include "fgr/hints/nodes.h"

#include <fmt/format.h>

#include <cerrno>

#include "fgr/plan/planned.h"
#include "fgr/site/site_file.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

/// Returns the text with blanks in place of comments.
std::string without_comments(std::string_view text) {
  std::string rest;
  bool comment = false;
  for (const char c : text) {
    comment = c != '\n' && (comment || c == '#');
    rest += comment ? ' ' : c;
  }
  return rest;
}

/// Splits at commas and blanks. Commas within brackets do not end a word.
std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  bool bracket = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\n';
    bracket = c == '[' || (bracket && c != ']');
    const bool between = c == ' ' || c == '\t' || c == '\r' || c == '\n' || (c == ',' && !bracket);
    if (!between) continue;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    begin = i + 1;
    bracket = false;
  }
  return words;
}

}  // namespace

Result<std::vector<std::string>> node_names(std::string_view text, std::size_t limit) {
  std::vector<std::string> names;
  const std::string rest = without_comments(text);
  for (const std::string_view word : words_in(rest)) {
    auto some = expand_word(word, limit);
    if (!some) return tl::unexpected(some.error());
    if (names.size() + some->size() > limit)
      return fail(-E2BIG, fmt::format("there are more than {} names", limit));
    names.insert(names.end(), std::make_move_iterator(some->begin()),
                 std::make_move_iterator(some->end()));
  }
  if (names.empty()) return fail(-EINVAL, "there is no name");
  return names;
}

Result<std::vector<std::size_t>> nodes_in(const plan::NodeMap& map,
                                          const std::vector<std::string>& names) {
  std::vector<std::size_t> nodes;
  std::vector<bool> taken(map.names().size());
  for (const std::string& name : names) {
    const auto node = map.find(name);
    if (!node) {
      const std::vector<std::string_view> known(map.names().begin(), map.names().end());
      return fail(-ENOENT, fmt::format("the coordinates have no {}{}", text::quoted(name),
                                       plan::suggestion(name, known)));
    }
    if (!taken[*node]) nodes.push_back(*node);
    taken[*node] = true;
  }
  return nodes;
}

std::vector<std::size_t> nodes_but_routers(const plan::NodeMap& map, const plan::Site& site) {
  std::vector<bool> router(map.names().size());
  for (const plan::ClientSystem& clients : site.clients)
    for (const plan::Router& each : clients.routers)
      for (const std::string& name : {each.host, each.physical})
        if (const auto node = map.find(name)) router[*node] = true;
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < router.size(); ++i)
    if (!router[i]) nodes.push_back(i);
  return nodes;
}

}  // namespace ulnet::tools::fgr
