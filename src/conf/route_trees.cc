#include "conf/route_trees.h"

#include <nlohmann/json.hpp>

namespace ulnet::conf {

namespace {
using Tree = nlohmann::ordered_json;
}  // namespace

Tree route_tree(std::span<const RouteItem> routes) {
  Tree list = Tree::array();
  for (const RouteItem& route : routes) {
    list.push_back({{"net", route.net.to_string()},
                    {"gateway", route.gateway.to_string()},
                    {"hop", route.hops},
                    {"priority", route.priority}});
  }
  Tree tree = Tree::object();
  tree["route"] = std::move(list);
  return tree;
}

Tree routing_tree(bool enabled, const Buffers& buffers) {
  Tree tree = Tree::object();
  tree["routing"] = {{"enable", enabled ? 1 : 0}};
  tree["buffers"] = {{"tiny", buffers.tiny}, {"small", buffers.small}, {"large", buffers.large}};
  return tree;
}

}  // namespace ulnet::conf
