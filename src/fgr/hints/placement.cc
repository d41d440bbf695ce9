#include "fgr/hints/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "fgr/log/log_explanation.h"
#include "lnet/base/shortest_items.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/// Returns the number at the end of a name: the index where it begins, at most nine digits before
/// the end.
std::size_t number_at(std::string_view name) {
  constexpr std::size_t kMaxDigits = 9;  // fit into 32 bits
  const std::size_t behind = name.find_last_not_of(kDigits) + 1;
  return std::max(behind, name.size() - std::min(name.size(), kMaxDigits));
}

std::vector<std::string> names_of(const plan::NodeMap& map, const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(map.names()[node]);
  return names;
}

std::vector<std::string> nearest_first(const RankedHints& ranked) {
  std::vector<std::string> names;
  for (const plan::RankedNode& node : ranked.ranking.nodes)
    names.push_back(ranked.map.names()[node.node]);
  return names;
}

/// Returns the file for MPICH_RANK_REORDER_METHOD=3: a line for each node of the job, in the order
/// of the candidates, with the ranks that it runs. The nearest node has the first `per_node` ranks.
std::string rank_order(const RankedHints& ranked, std::uint32_t per_node) {
  // by node: its rank by distance, with 0 for the nearest
  std::map<std::size_t, std::size_t> rank_of;
  for (const plan::RankedNode& node : ranked.ranking.nodes)
    rank_of.emplace(node.node, rank_of.size());
  std::string text =
      "# A line for each node, in the order in which the job has its nodes. For\n"
      "# MPICH_RANK_REORDER_METHOD=3: the node nearest to the routers has the first ranks.\n";
  for (const std::size_t candidate : ranked.candidates) {
    const auto at = rank_of.find(candidate);
    if (at == rank_of.end()) continue;
    std::vector<std::size_t> ranks(per_node);
    std::iota(ranks.begin(), ranks.end(), at->second * per_node);
    text += fmt::format("{}\n", fmt::join(ranks, ","));
  }
  return text;
}

/// Returns the file for Slurm's topology/tree: a leaf for each group, with the candidates that are
/// nearest to its routers, and a switch above the leaves.
std::string slurm_topology(const plan::Plan& plan, const Hints& hints) {
  const RankedHints& ranked = *hints.ranked;
  const auto nodes =
      plan::nodes_by_group(plan, ranked.client, hints.groups, ranked.map, ranked.candidates);
  std::string text =
      "# Each switch has the nodes that are nearest to the routers of an LNet group.\n";
  std::vector<std::string> leaves;
  std::size_t placed = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].empty()) continue;
    std::string leaf = "group-" + plan.name_of(plan.groups[hints.groups[i].group]);
    std::ranges::replace(leaf, ' ', '-');
    text +=
        fmt::format("SwitchName={} Nodes={}\n", leaf, slurm_list(names_of(ranked.map, nodes[i])));
    leaves.push_back(std::move(leaf));
    placed += nodes[i].size();
  }
  if (leaves.size() > 1)
    text += fmt::format("SwitchName=clients-{} Switches={}\n",
                        plan.site.clients[ranked.client].name, fmt::join(leaves, ","));
  if (placed < ranked.candidates.size())
    text += fmt::format("# Left out: {} with no way to the routers of any group.\n",
                        ranked.candidates.size() - placed);
  return text;
}

}  // namespace

std::string slurm_list(const std::vector<std::string>& names) {
  // the text before the number, and the number of its digits
  using Key = std::pair<std::string, std::size_t>;
  std::vector<std::pair<Key, std::vector<std::uint32_t>>> words;
  std::map<Key, std::size_t> places;
  for (const std::string& name : names) {
    const std::size_t at = number_at(name);
    const Key key(name.substr(0, at), name.size() - at);
    const auto [place, fresh] = places.emplace(key, words.size());
    if (fresh) words.push_back({key, {}});
    if (const auto number = text::number(name.substr(at), UINT32_MAX))
      words[place->second].second.push_back(*number);
  }
  std::string list;
  for (auto& [key, numbers] : words) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    const std::string items = shortest_items(numbers, Steps::kNone, key.second);
    list +=
        (list.empty() ? "" : ",") + key.first + (numbers.size() > 1 ? '[' + items + ']' : items);
  }
  return list;
}

Result<std::vector<plan::OutputFile>> placement_files(const plan::Plan& plan, const Hints& hints,
                                                      std::uint32_t per_node) {
  const RankedHints& ranked = *hints.ranked;
  for (const std::size_t node : ranked.candidates) {
    const std::string& name = ranked.map.names()[node];
    if (name.find_first_not_of(kLetters) != std::string::npos)
      return fail(-EINVAL, fmt::format("{} is no host name: letters, digits, '-', '_' and '.'",
                                       text::quoted(name)));
  }
  const std::vector<std::string> names = nearest_first(ranked);
  std::vector<plan::OutputFile> files = {{"hosts", fmt::format("{}\n", fmt::join(names, "\n"))},
                                         {"MPICH_RANK_ORDER", rank_order(ranked, per_node)},
                                         {"nodes.slurm", slurm_list(names) + "\n"},
                                         {"topology.conf", slurm_topology(plan, hints)}};
  if (ranked.map.is_torus()) files.push_back({"links.txt", links_table(plan, ranked)});
  return files;
}

}  // namespace ulnet::tools::fgr
