// The routes of a node: the gateways through which it reaches remote nets. A value; a list that is
// shared is const. Source: spec/multirail.md 9.2.
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

/// The value of Route::hops if no hops were configured; the route then counts as 1 hop.
inline constexpr std::int32_t kHopsUndefined = -1;
inline constexpr std::int32_t kHopsMax = 255;

struct Route {
  NetId net;  ///< the remote net
  Nid gateway;
  std::int32_t hops = kHopsUndefined;  ///< 1 to kHopsMax, or kHopsUndefined
  std::uint32_t priority = 0;          ///< lower is preferred

  std::int32_t distance() const { return hops == kHopsUndefined ? 1 : hops; }
  bool operator==(const Route&) const = default;
};

class RouteList {
 public:
  /// A list without routes, for all that share an empty list.
  static std::shared_ptr<const RouteList> none();

  /// Puts the route at position `place` among those to its net, or at the end if the net has fewer.
  /// The route that was at that position moves to the end. The caller draws `place` at random, so
  /// that nodes with the same routes begin with different ones. The cost does not grow with the
  /// number of routes. -EINVAL: invalid hops. -EEXIST: the list has a route to that net by that
  /// gateway, whatever its hops and priority.
  Result<void> add(const Route& route, std::size_t place);
  /// Deletes the route to `net` by `gateway`; without `net` all by that gateway, without `gateway`
  /// all to that net. Returns the number of routes deleted. -ENOENT: there was no such route.
  Result<std::size_t> del(std::optional<NetId> net, const std::optional<Nid>& gateway);

  /// The routes of each net, in their order.
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
