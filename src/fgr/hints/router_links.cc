#include "fgr/hints/router_links.h"

#include <algorithm>
#include <map>
#include <span>

namespace ulnet::plan {
namespace {

using Place = std::vector<std::uint16_t>;

/// Follows the paths of messages, and counts the links at places with routers.
class Ways {
 public:
  Ways(const NodeMap& map, std::vector<RouterLinks>& all) : sizes_(map.sizes()), all_(all) {
    for (std::size_t i = 0; i < all.size(); ++i) numbers_.emplace(all[i].place, i);
  }

  void go(std::span<const std::uint16_t> from, const Place& to, double load) {
    Place at(from.begin(), from.end());
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const std::uint32_t size = sizes_[k], upwards = (to[k] + size - at[k]) % size;
      const bool up = upwards * 2 <= size;
      while (at[k] != to[k]) {
        count(at, 2 * k + (up ? 0 : 1), load);
        at[k] = static_cast<std::uint16_t>((at[k] + (up ? 1 : size - 1)) % size);
        count(at, 2 * k + (up ? 1 : 0), load);
      }
    }
  }

 private:
  void count(const Place& at, std::size_t link, double load) {
    if (const auto found = numbers_.find(at); found != numbers_.end())
      all_[found->second].loads[link] += load;
  }

  const std::vector<std::uint32_t>& sizes_;
  std::vector<RouterLinks>& all_;
  std::map<Place, std::size_t> numbers_;
};

}  // namespace

std::vector<RouterLinks> links_of_routers(const ClientSystem& clients,
                                          const std::vector<RouterLoad>& loads, const NodeMap& map,
                                          const std::vector<RankedNode>& nodes) {
  std::vector<RouterLinks> all;
  for (const RouterLoad& load : loads) {
    const auto place = map.place_of(*place_in(map, clients.routers[load.router]));
    auto at = std::ranges::find_if(
        all, [&](const RouterLinks& each) { return std::ranges::equal(each.place, place); });
    if (at == all.end())
      at = all.insert(at,
                      {{}, {place.begin(), place.end()}, 0, std::vector<double>(2 * place.size())});
    at->routers.push_back(load.router);
    at->share += load.share;
  }
  Ways ways(map, all);
  for (const RankedNode& node : nodes)
    for (const RouterLinks& each : all)
      ways.go(map.place_of(node.node), each.place, each.share / static_cast<double>(nodes.size()));
  return all;
}

}  // namespace ulnet::plan
