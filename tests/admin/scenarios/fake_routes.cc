#include "fake_routes.h"

#include "admin/conf/route_entry.h"

namespace ulnet::ctl::test {

namespace {

constexpr const char* kExists = "Route already exists or the specified network is local";

Result<std::vector<conf::RouteItem>> routes_in(const Tree& body) {
  conf::RouteEntry entry{
      body.at("net").get<std::string>(), body.at("gateway").get<std::string>(), {}, {}};
  if (body.contains("hop")) entry.hop = body["hop"].get<std::int64_t>();
  if (body.contains("priority")) entry.priority = body["priority"].get<std::int64_t>();
  return conf::routes_of(entry);
}

bool same(const Tree& row, const conf::RouteItem& route) {
  return row["net"] == route.net.to_string() && row["gateway"] == route.gateway.to_string();
}

Result<void> add_route(FakeRoutes& node, const Tree& own, const Tree& body) {
  std::set<std::string> nets;
  for (const Tree& net : own) nets.insert(net["net type"].get<std::string>());
  const auto routes = routes_in(body);
  if (!routes) return tl::unexpected(routes.error());
  std::set<std::pair<std::string, std::string>> present;
  for (const Tree& row : node.routes)
    present.emplace(row["net"].get<std::string>(), row["gateway"].get<std::string>());
  for (const conf::RouteItem& route : *routes) {
    if (route.gateway.net() == route.net)
      return fail(-EINVAL, "invalid settings for route creation");
    if (nets.contains(route.net.to_string())) return fail(-EEXIST, kExists);
    if (!nets.contains(route.gateway.net().to_string()))
      return fail(-EHOSTUNREACH, "No interface configured on the same net as gateway");
    if (present.contains({route.net.to_string(), route.gateway.to_string()}))
      return fail(-EEXIST, kExists);
  }
  for (const conf::RouteItem& route : *routes) {
    const bool up = !node.dead.contains(route.gateway.to_string());
    Tree row = {{"net", route.net.to_string()},
                {"gateway", route.gateway.to_string()},
                {"hop", route.hops},
                {"priority", route.priority},
                {"state", up ? "up" : "down"},
                {"type", "multi-hop"}};
    if (!up) row["why"] = "the gateway does not answer";
    node.routes.push_back(std::move(row));
  }
  return {};
}

Result<void> del_route(FakeRoutes& node, const Tree& body) {
  const auto routes = routes_in(body);
  if (!routes) return tl::unexpected(routes.error());
  Result<void> done;
  for (const conf::RouteItem& route : *routes) {
    Tree left = Tree::array();
    for (const Tree& row : node.routes)
      if (!same(row, route)) left.push_back(row);
    if (left.size() == node.routes.size()) done = fail(-ENOENT, "failed to delete route");
    node.routes = std::move(left);
  }
  return done;
}

Result<void> set_routing(FakeRoutes& node, const Tree& body) {
  for (const auto& [name, value] : body.items()) {
    if (name != "enable") {
      if (value.get<std::int64_t>() < 0) return fail(-EINVAL, "'" + name + "' is out of range");
      node.buffers[name] = value;
      continue;
    }
    if (value == 1 && node.stopping) return fail(-EBUSY, "routing is being turned off");
    node.on = value == 1;
    node.was_on |= node.on;
  }
  return {};
}

Tree show_routing(const FakeRoutes& node) {
  Tree out = {{"routing", Tree::array()}, {"buffers", Tree::object()}};
  out["wanted"] = {{"enable", node.on ? 1 : 0}};
  for (const auto& [name, value] : node.buffers.items()) out["wanted"][name] = value;
  if (!node.was_on) return out;
  Tree of_cpt = Tree::object();
  for (const auto& [name, pages] : {std::pair("tiny", 0), {"small", 1}, {"large", 256}}) {
    const int given = node.buffers[name].get<int>(), normal = pages == 0 ? 2048 : 16384;
    const int count = !node.on ? 0 : given != 0 ? given : pages == 256 ? 1024 : normal;
    of_cpt[name] = {
        {"npages", pages}, {"nbuffers", count}, {"credits", count}, {"mincredits", count}};
    out["buffers"][name] = count;
  }
  out["routing"].push_back({{"cpt[0]", std::move(of_cpt)}});
  out["routing"].push_back({{"enable", node.stopping ? 2 : node.on ? 1 : 0}});
  return out;
}

}  // namespace

Result<void> change_routes(FakeRoutes& node, const Tree& nets, const std::string& method,
                           const Tree& body) {
  if (method == "POST") return add_route(node, nets, body);
  return method == "DELETE" ? del_route(node, body) : set_routing(node, body);
}

Tree show_routes(const FakeRoutes& node, const std::string& path) {
  if (path == "/v1/routing") return show_routing(node);
  return {{"route", node.routes}};
}

}  // namespace ulnet::ctl::test
