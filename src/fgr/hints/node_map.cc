#include "fgr/hints/node_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "lnet/base/printable.h"
#include "lnet/base/text.h"

namespace ulnet::plan {
namespace {

constexpr std::size_t kMaxMistakes = 20;
constexpr std::size_t kLongestName = 255;
constexpr std::uint32_t kLongestSide = 65'535;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct MapWord {
  std::string_view text;
  int column = 0;
};

/// Returns the words of a line up to its comment. Stops at one word more than a line may have.
std::vector<MapWord> words_of_line(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<MapWord> words;
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos && words.size() <= NodeMap::kMaxDimensions + 1) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace

class NodeMapReading {
 public:
  tl::expected<NodeMap, conf::Problems> read(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    while (!text.empty() && mistakes_.size() < kMaxMistakes) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(words_of_line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!begun_ && mistakes_.empty()) {
      line_ = std::max(line_, 1);
      wrong(1, "there is no first line: 'torus 24x24x24', or 'graph'");
    }
    if (!mistakes_.empty()) return tl::unexpected(std::move(mistakes_));
    if (!map_.is_torus()) settle_links();
    return std::move(map_);
  }

 private:
  struct Pair {
    std::uint32_t a = 0, b = 0, weight = 1;
  };

  void wrong(int column, std::string reason) {
    mistakes_.push_back({{line_, column}, std::move(reason)});
  }

  void take(const std::vector<MapWord>& words) {
    if (words.empty()) return;
    if (!begun_) {
      begun_ = true;
      take_head(words);
    } else if (map_.is_torus()) {
      take_place(words);
    } else if (graph_) {
      take_link(words);
    }
  }

  void take_head(const std::vector<MapWord>& words) {
    graph_ = words.size() == 1 && words[0].text == "graph";
    if (graph_) return;
    if (words.size() != 2 || words[0].text != "torus")
      return wrong(words[0].column,
                   fmt::format("the first line is 'torus 24x24x24', or 'graph', and not {}",
                               text::quoted(words[0].text)));
    std::string_view rest = words[1].text;
    std::vector<std::uint32_t> sizes;
    while (sizes.size() <= NodeMap::kMaxDimensions) {
      const std::size_t end = std::min(rest.find('x'), rest.size());
      const auto size = text::number(rest.substr(0, end), kLongestSide);
      if (!size || *size == 0)
        return wrong(words[1].column,
                     fmt::format("{} are no sizes of a torus: numbers from 1 to {}, as 24x24x24",
                                 text::quoted(words[1].text), kLongestSide));
      sizes.push_back(*size);
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
    if (sizes.size() > NodeMap::kMaxDimensions)
      return wrong(words[1].column,
                   fmt::format("a torus has at most {} dimensions", NodeMap::kMaxDimensions));
    map_.sizes_ = std::move(sizes);
  }

  void take_place(const std::vector<MapWord>& words) {
    if (words.size() != map_.sizes_.size() + 1)
      return wrong(words[0].column,
                   fmt::format("a line is HOST and {} number{}", map_.sizes_.size(),
                               map_.sizes_.size() == 1 ? "" : "s"));
    if (map_.numbers_.contains(words[0].text))
      return wrong(words[0].column,
                   fmt::format("{} is there already", text::quoted(words[0].text)));
    const auto number = number_of(words[0]);
    if (!number) return;
    for (std::size_t i = 0; i < map_.sizes_.size(); ++i) {
      const auto place = text::number(words[i + 1].text, map_.sizes_[i] - 1);
      if (!place)
        return wrong(words[i + 1].column,
                     fmt::format("{} is not from 0 to {}", text::quoted(words[i + 1].text),
                                 map_.sizes_[i] - 1));
      map_.places_.push_back(static_cast<std::uint16_t>(*place));
    }
  }

  void take_link(const std::vector<MapWord>& words) {
    if (words.size() != 2 && words.size() != 3)
      return wrong(words[0].column, "a line is a link: A B, or A B WEIGHT");
    Pair pair;
    if (words.size() == 3) {
      const auto weight = text::number(words[2].text, NodeMap::kMaxWeight);
      if (!weight || *weight == 0)
        return wrong(words[2].column,
                     fmt::format("{} is no weight: 1 to {}", text::quoted(words[2].text),
                                 NodeMap::kMaxWeight));
      pair.weight = *weight;
    }
    const auto a = number_of(words[0]), b = a ? number_of(words[1]) : a;
    if (!a || !b) return;
    if (*a == *b) return wrong(words[1].column, "a link leads to another node");
    if (pairs_.size() == NodeMap::kMaxLinks)
      return wrong(words[0].column,
                   fmt::format("there are more than {} links", NodeMap::kMaxLinks));
    pair.a = *a;
    pair.b = *b;
    pairs_.push_back(pair);
    map_.heaviest_ = std::max(map_.heaviest_, pair.weight);
  }

  /// Returns the number of a name; a new name gets one.
  std::optional<std::uint32_t> number_of(const MapWord& name) {
    if (const auto known = map_.numbers_.find(name.text); known != map_.numbers_.end())
      return known->second;
    if (name.text.size() > kLongestName) {
      wrong(name.column, fmt::format("a name has at most {} bytes", kLongestName));
      return std::nullopt;
    }
    if (text::has_control_characters(name.text)) {
      wrong(name.column, fmt::format("{} has control characters", text::quoted(name.text)));
      return std::nullopt;
    }
    if (map_.names_.size() == NodeMap::kMaxNames) {
      wrong(name.column, fmt::format("there are more than {} names", NodeMap::kMaxNames));
      return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(map_.names_.size());
    map_.names_.emplace_back(name.text);
    map_.numbers_.emplace(name.text, number);
    return number;
  }

  void settle_links() {
    map_.first_links_.assign(map_.names_.size() + 1, 0);
    for (const Pair& pair : pairs_) {
      ++map_.first_links_[pair.a + 1];
      ++map_.first_links_[pair.b + 1];
    }
    for (std::size_t i = 0; i < map_.names_.size(); ++i)
      map_.first_links_[i + 1] += map_.first_links_[i];
    map_.links_.resize(pairs_.size() * 2);
    std::vector<std::size_t> next(map_.first_links_.begin(), map_.first_links_.end() - 1);
    for (const Pair& pair : pairs_) {
      map_.links_[next[pair.a]++] = {pair.b, pair.weight};
      map_.links_[next[pair.b]++] = {pair.a, pair.weight};
    }
  }

  NodeMap map_;
  std::vector<Pair> pairs_;
  conf::Problems mistakes_;
  int line_ = 0;
  bool begun_ = false, graph_ = false;
};

tl::expected<NodeMap, conf::Problems> NodeMap::read(std::string_view text) {
  return NodeMapReading().read(text);
}

std::optional<std::size_t> NodeMap::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::uint32_t> NodeMap::distances_from(std::size_t from) const {
  return is_torus() ? torus_distances(from) : graph_distances(from);
}

/// Returns the hops to all nodes. Messages take the shorter direction in each dimension.
std::vector<std::uint32_t> NodeMap::torus_distances(std::size_t from) const {
  const std::size_t dimensions = sizes_.size();
  std::vector<std::uint32_t> distances(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i)
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::uint32_t a = places_[from * dimensions + k], b = places_[i * dimensions + k];
      const std::uint32_t apart = a > b ? a - b : b - a;
      distances[i] += std::min(apart, sizes_[k] - apart);
    }
  return distances;
}

/// Returns the distances to all nodes, by Dial's variant of Dijkstra's algorithm: nodes wait in a
/// ring of buckets, one for each distance that may come next.
std::vector<std::uint32_t> NodeMap::graph_distances(std::size_t from) const {
  std::vector<std::uint32_t> distances(names_.size(), kUnreachable);
  std::vector<std::vector<std::uint32_t>> ring(heaviest_ + 1);
  distances[from] = 0;
  ring[0].push_back(static_cast<std::uint32_t>(from));
  std::size_t waiting = 1;
  std::vector<std::uint32_t> bucket;
  for (std::uint32_t now = 0; waiting > 0; ++now) {
    bucket.clear();
    bucket.swap(ring[now % ring.size()]);
    waiting -= bucket.size();
    for (const std::uint32_t node : bucket) {
      if (distances[node] != now) continue;  // a shorter path has been found since
      for (const Link& link : std::span(links_).subspan(
               first_links_[node], first_links_[node + 1] - first_links_[node])) {
        if (now + link.weight >= distances[link.to]) continue;
        distances[link.to] = now + link.weight;
        ring[(now + link.weight) % ring.size()].push_back(link.to);
        ++waiting;
      }
    }
  }
  return distances;
}

}  // namespace ulnet::plan
