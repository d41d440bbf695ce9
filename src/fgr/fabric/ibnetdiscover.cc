#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "fgr/fabric/fabric.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"

namespace ulnet::plan {
namespace {

constexpr std::size_t kLongestDescription = 128;

/// Returns the text between the next two quotes; nothing when a quote is missing. `rest` continues
/// after it.
std::optional<std::string_view> next_quoted(std::string_view& rest) {
  const std::size_t begin = rest.find('"');
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = rest.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view word = rest.substr(begin + 1, end - begin - 1);
  rest.remove_prefix(end + 1);
  return word;
}

/// Reads "[12]" at the beginning. `rest` continues after it.
std::optional<std::uint32_t> next_port(std::string_view& rest) {
  const std::size_t close = rest.find(']');
  if (!rest.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  const auto port = text::number(rest.substr(1, close - 1), UINT16_MAX);
  rest.remove_prefix(close + 1);
  return port;
}

std::string description_of(std::optional<std::string_view> quoted) {
  return text::printable(quoted.value_or("").substr(0, kLongestDescription));
}

/// A switch, an adapter or an InfiniBand router.
struct Node {
  char kind = 0;  ///< 'S', 'H' or 'R'
  Guid guid = 0;
};
/// Parses the id of a node: "S-0002c90200423e60".
std::optional<Node> node_in(std::string_view id) {
  if (id.size() < 2 || id[1] != '-' || std::string_view("SHR").find(id[0]) == id.npos)
    return std::nullopt;
  const auto guid = parse_guid(id.substr(2));
  if (!guid) return std::nullopt;
  return Node{id[0], *guid};
}

class Reading {
 public:
  Result<Fabric> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      fabric_.ends_within_line = end == std::string_view::npos;
      take(text::trim(text.substr(0, end)));
      text.remove_prefix(std::min(text.size(), end == text.npos ? end : end + 1));
    }
    if (!any_port_)
      return fail(-EINVAL,
                  "the text has no switch with a port: is it the output of ibnetdiscover?");
    count_one_sided();
    for (auto& [end, link] : links_) fabric_.links.push_back(std::move(link));
    return std::move(fabric_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Rt"))
      begin_node(line);
    else if (line.starts_with('['))
      take_port(line);
  }

  /// Reads the first line of a node:
  ///   Switch 36 "S-0002c90200423e60" # "MF0;left0:IS5035/U1" enhanced port 0 lid 1 lmc 0
  ///   Ca 2 "H-0002c90300a10010" # "nid00750 HCA-1"
  void begin_node(std::string_view line) {
    const auto id = next_quoted(line);
    at_ = id ? node_in(*id) : std::nullopt;
    if (!at_) return not_understood();
    describe(*at_, next_quoted(line));
  }

  /// Reads the line of a port. At a switch:
  ///   [1] "H-0002c90300a10010"[1](2c90300a10011) # "nid00750 HCA-1" lid 12 4xQDR
  /// At an adapter:
  ///   [1](2c90300a10011) "S-0002c90200423e60"[1] # lid 12 lmc 0 "left0" lid 1 4xQDR
  void take_port(std::string_view line) {
    const auto port = next_port(line);
    const auto id = next_quoted(line);
    const auto peer = id ? node_in(*id) : std::nullopt;
    const auto peer_port = next_port(line);
    const auto description = next_quoted(line);
    if (!at_ || !port || !peer || !peer_port || !description) return not_understood();
    any_port_ = any_port_ || at_->kind == 'S';
    ends_.push_back({at_->guid, *port, peer->guid, *peer_port});
    describe(*peer, description);
    if (at_->kind == 'S' && peer->kind == 'H')
      add({peer->guid, *peer_port, at_->guid, *port, rate_in(line)});
    else if (at_->kind == 'H' && peer->kind == 'S')
      add({at_->guid, *port, peer->guid, *peer_port, rate_in(line)});
  }

  /// Returns the rate, which is the last word of the line.
  static std::string rate_in(std::string_view line) {
    constexpr std::size_t kLongest = 16;
    line = text::trim(line);
    const std::string_view word = line.substr(line.find_last_of(" \t") + 1);
    return word.find('x') == word.npos ? "" : text::printable(word.substr(0, kLongest));
  }

  void add(FabricLink link) {
    const auto end = std::pair(link.adapter, link.adapter_port);
    links_.emplace(end, std::move(link));
  }

  /// Notes the description of a node. The node's own line and the lines of its links have the same
  /// description, and any of them may come first.
  void describe(const Node& node, std::optional<std::string_view> quoted) {
    if (node.kind == 'R') return;
    auto& nodes = node.kind == 'S' ? fabric_.switches : fabric_.adapters;
    std::string& description = nodes[node.guid];
    if (description.empty()) description = description_of(quoted);
  }

  void count_one_sided() {
    std::ranges::sort(ends_);
    const auto again = std::ranges::unique(ends_);
    ends_.erase(again.begin(), again.end());
    for (const auto& [node, port, peer, peer_port] : ends_)
      if (!std::ranges::binary_search(ends_, End{peer, peer_port, node, port})) ++fabric_.one_sided;
  }

  void not_understood() { ++fabric_.not_understood; }

  using End = std::array<std::uint64_t, 4>;  ///< node, port, and the node and port at the other end
  Fabric fabric_;
  std::optional<Node> at_;
  std::vector<End> ends_;
  std::map<std::pair<Guid, std::uint32_t>, FabricLink> links_;  ///< by the adapter's end
  bool any_port_ = false;
};

}  // namespace

Result<Fabric> read_ibnetdiscover(std::string_view text) { return Reading().read(text); }

}  // namespace ulnet::plan
