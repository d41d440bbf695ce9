// The parts of a snapshot besides nets: policies, routes, and whether the node routes. Source:
// spec/multirail.md 2.1, 9.1, 9.2.
#include <algorithm>
#include <utility>

#include "lnet/config/routes_text.h"
#include "lnet/node/nets.h"
#include "lnet/node/runtime/log_levels.h"

namespace ulnet::node {

namespace {

constexpr const char* kExists = "Route already exists or the specified network is local";
constexpr const char* kUnreachable = "No interface configured on the same net as gateway";

}  // namespace

void Nets::apply(std::shared_ptr<const core::udsp::RuleList> udsp) {
  {
    const std::lock_guard lock(mutex_);
    udsp_ = std::move(udsp);
  }
  publish();
}

std::shared_ptr<const core::udsp::RuleList> Nets::udsp() const {
  const std::lock_guard lock(mutex_);
  return udsp_;
}

void Nets::apply(const core::Routing& routing) {
  if (routing == this->routing()) return;
  {
    const std::lock_guard lock(mutex_);
    routing_ = routing;
  }
  publish();
}

core::Routing Nets::routing() const {
  const std::lock_guard lock(mutex_);
  return routing_;
}

bool Nets::has_nid(const Nid& nid) const {
  return std::ranges::any_of(nis_, [&](const Ni& ni) { return ni.started.nid == nid; });
}

core::RouteList& Nets::routes_to_change() {
  if (next_routes_ == nullptr) next_routes_ = std::make_shared<core::RouteList>(*routes_);
  return *next_routes_;
}

Result<void> Nets::add_route(const core::Route& route) {
  const NetId on = route.gateway.net();
  if (route.gateway.is_any() || on == NetId::loopback() || route.net == NetId::loopback() ||
      route.net.is_any() || on == route.net)
    return fail(-EINVAL, "invalid settings for route creation");
  if (has_net(route.net)) return fail(-EEXIST, kExists);
  if (!has_net(on)) return fail(-EHOSTUNREACH, kUnreachable);
  core::RouteList& routes = routes_to_change();
  if (routes.size() >= conf::kRoutesMax) return fail(-E2BIG, conf::kTooManyRoutes);
  if (routes.has(route.net, route.gateway)) return fail(-EEXIST, kExists);
  if (!std::exchange(seeded_, true)) {
    const auto seed = std::random_device{}();
    places_.seed(seed);
    say(kInfo, "places of new routes: drawn with seed " + std::to_string(seed));
  }
  const auto to_net = routes.nets().find(route.net);
  const std::size_t others = to_net == routes.nets().end() ? 0 : to_net->second.size();
  if (auto added = routes.add(route, places_() % (others + 1)); !added) return added;
  publish();
  return {};
}

Result<std::size_t> Nets::del_routes(std::optional<NetId> net, const std::optional<Nid>& gateway) {
  auto gone = routes_to_change().del(net, gateway);
  if (!gone) return fail(gone.error().code, "failed to delete route");
  publish();
  return gone;
}

void Nets::del_routes_of_lost_nets() {
  std::vector<Nid> lost;
  for (const auto& [gateway, to] : routes_now().by_gateway())
    if (!has_net(gateway.net())) lost.push_back(gateway);
  for (const Nid& gateway : lost) (void)routes_to_change().del({}, gateway);
}

}  // namespace ulnet::node
