// The routes of a node: by which gateways it reaches nets that it is not on. A value; who shares a
// list with others shares it unchangeable. Source: spec/multirail.md 9.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet::core {

/// Route::hops where nobody has said how many there are; it counts as 1.
inline constexpr std::int32_t kHopsUndefined = -1;
inline constexpr std::int32_t kHopsMax = 255;

struct Route {
  NetId net;  ///< that the gateway reaches
  Nid gateway;
  std::int32_t hops = kHopsUndefined;  ///< 1 to kHopsMax, or kHopsUndefined
  std::uint32_t priority = 0;          ///< lower is preferred

  std::int32_t distance() const { return hops == kHopsUndefined ? 1 : hops; }
  bool operator==(const Route&) const = default;
};

class RouteList {
 public:
  /// A list without routes, for those that share one.
  static std::shared_ptr<const RouteList> none();

  /// Puts the route at the place `place` among those to its net, or at the end when that has fewer;
  /// the one that was there goes to the end. Whoever adds draws the place, so that nodes with the
  /// same routes begin with different ones. What it costs does not grow with the routes.
  /// -EINVAL: hops that cannot be; -EEXIST: there is one to that net by that gateway, whatever its
  /// hops and priority.
  Result<void> add(const Route& route, std::size_t place);
  /// Deletes the route to `net` by `gateway`; without `net` all by that gateway, without `gateway`
  /// all to that net. How many they were; -ENOENT: none.
  Result<std::size_t> del(std::optional<NetId> net, const std::optional<Nid>& gateway);

  /// By net, in their order.
  const std::map<NetId, std::vector<Route>>& nets() const { return nets_; }
  std::size_t size() const { return size_; }
  bool has(NetId net, const Nid& gateway) const;
  /// Whether a route goes by this gateway.
  bool has_gateway(const Nid& gateway) const { return by_gateway_.contains(gateway); }
  /// Each gateway with the nets of its routes.
  const std::map<Nid, std::set<NetId>>& by_gateway() const { return by_gateway_; }

 private:
  std::size_t del_of_net(NetId net, const std::optional<Nid>& gateway);

  std::map<NetId, std::vector<Route>> nets_;
  std::map<Nid, std::set<NetId>> by_gateway_;
  std::size_t size_ = 0;
};

}  // namespace ulnet::core
