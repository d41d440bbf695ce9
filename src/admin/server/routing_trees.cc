#include "admin/server/routing_trees.h"

#include <array>
#include <nlohmann/json.hpp>

namespace ulnet::node::control {

namespace {

constexpr std::array kPools = {"tiny", "small", "large"};

Json tree_of(const core::PoolRow& pool) {
  return {{"npages", pool.pages},
          {"nbuffers", pool.buffers},
          {"credits", pool.credits},
          {"mincredits", pool.min}};
}

}  // namespace

Json route_tree(const core::RouteRow& row) {
  Json route = {{"net", row.route.net.to_string()},
                {"gateway", row.route.gateway.to_string()},
                {"hop", row.route.hops},
                {"priority", row.route.priority},
                {"state", row.up() ? "up" : "down"},
                {"type", row.multi_hop ? "multi-hop" : "single-hop"}};
  if (!row.up()) route["why"] = to_string(row.trouble);
  return route;
}

Json routing_tree(const Node::RoutingShow& shown) {
  Json list = Json::array();
  std::array<std::int64_t, kPools.size()> sums{};
  if (shown.was_on) {
    const auto& pools = shown.now.pools;  // by shard, three for each
    for (std::size_t first = 0; first + kPools.size() <= pools.size(); first += kPools.size()) {
      Json of_cpt = Json::object();
      for (std::size_t i = 0; i < kPools.size(); ++i) {
        of_cpt[kPools[i]] = tree_of(pools[first + i]);
        sums[i] += pools[first + i].buffers;
      }
      list.push_back({{"cpt[" + std::to_string(pools[first].shard) + "]", std::move(of_cpt)}});
    }
    list.push_back({{"enable", static_cast<int>(shown.now.state)}});
  }
  Json tree = Json::object();
  tree["routing"] = std::move(list);
  tree["buffers"] = Json::object();
  tree["wanted"] = {{"enable", shown.wanted.on ? 1 : 0}};
  for (std::size_t i = 0; i < kPools.size(); ++i) {
    if (shown.was_on) tree["buffers"][kPools[i]] = sums[i];
    tree["wanted"][kPools[i]] = shown.wanted.buffers[i];
  }
  return tree;
}

}  // namespace ulnet::node::control
