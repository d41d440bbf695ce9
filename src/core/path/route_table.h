// The routes as a shard chooses among them: those of the configuration, with what the control shard
// has told of their gateways, and whose turn it is. Source: spec/multirail.md 3.3, 9.3.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/contract/gateway_card.h"
#include "core/contract/ports.h"
#include "core/contract/route_list.h"

namespace ulnet::core {

struct Gateway {
  GatewayCard card;
};

/// A route of a shard.
struct RouteEntry {
  Gateway* gateway = nullptr;
  std::int32_t distance = 1;  ///< hops
  std::uint32_t priority = 0;
  std::uint64_t sequence = 0;  ///< RouteTable::turns when it was last chosen
};
struct RemoteNet {
  NetId id;
  std::vector<RouteEntry> routes;  ///< in the order of the list; never empty
};

class RouteTable {
 public:
  /// Takes over another list. Gateways that stay keep their cards; a new one gets `usable`. Turns
  /// begin anew.
  void apply(const std::shared_ptr<const RouteList>& list, bool usable);
  /// The control shard has told of a gateway, perhaps before the configuration with its first route
  /// has come, or after that without any.
  void take(const GatewayCard& card);
  /// Whether the control shard wants to be told of messages from any gateway.
  bool misses_any() const { return missed_ != 0; }

  /// Null: no route leads there.
  RemoteNet* find(NetId net) {
    const auto found = nets_.find(net);
    return found == nets_.end() ? nullptr : &found->second;
  }
  /// Null: no route names this NID as its gateway.
  const Gateway* gateway(const Nid& nid) const {
    const auto found = gateways_.find(nid);
    return found == gateways_.end() ? nullptr : &found->second;
  }
  bool empty() const { return nets_.empty(); }
  const std::map<NetId, RemoteNet>& nets() const { return nets_; }
  const std::map<Nid, Gateway>& gateways() const { return gateways_; }

  std::uint64_t turns = 0;  ///< how often a route was chosen
  /// The NI of this node that a peer without multi-rail behind routers saw last, by its NID
  /// (spec/multirail.md 3.4).
  std::map<Nid, NiId> seen_sources;

 private:
  void count_missed();

  std::shared_ptr<const RouteList> list_ = RouteList::none();
  std::map<NetId, RemoteNet> nets_;
  std::map<Nid, Gateway> gateways_;
  std::map<Nid, GatewayCard> told_;  ///< of all that were told, but those whose routes have gone
  std::uint32_t missed_ = 0;         ///< how many of them are
};

}  // namespace ulnet::core
