// The routes as a shard chooses among them: those of the configuration, with what the control shard
// has told of their gateways, and whose turn it is. Source: spec/multirail.md 3.3, 9.3.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "lnet/core/contract/route_list.h"
#include "lnet/core/path/routes_in_order.h"

namespace ulnet::core {

class NiTable;
class PeerTable;

struct RemoteNet {
  NetId id;
  std::vector<RouteEntry> routes;  ///< in the order of the list; never empty
  RoutesInOrder order;             ///< RouteTable::in_order() brings it up to date
};

class RouteTable {
 public:
  RouteTable() = default;
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  /// Takes over another list. Gateways that stay keep their cards; a new one gets `usable`. Turns
  /// begin anew. `peers`: those among which the gateways are.
  void apply(const std::shared_ptr<const RouteList>& list, bool usable, PeerTable& peers);
  /// The control shard has told of a gateway, perhaps before the configuration with its first route
  /// has come, or after that without any.
  void take(const GatewayCard& card);
  /// The route was chosen: it goes to the end of the line.
  void take_turn(RouteEntry& route);
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
  /// The usable routes to the net in their order now. It costs what has changed since the last
  /// look: mostly the gateway that was chosen then, and those with which a message has ended.
  const RoutesInOrder& in_order(RemoteNet& net, const NiTable& nis, PeerTable& peers) {
    if (net.order.seen != log_.now() || nis_are_other(nis)) put_in_order(net, nis, peers);
    return net.order;
  }

  std::uint64_t turns = 0;  ///< how often a route was chosen
  /// The NI of this node that a peer without multi-rail behind routers saw last, by its NID
  /// (spec/multirail.md 3.4).
  std::map<Nid, NiId> seen_sources;
  /// It saw this NI. Beyond `most` entries another one goes, a neighbour in their order: so NIDs
  /// that are invented one after the other, and answered, displace each other first.
  void saw_source(const Nid& target, NiId source, std::size_t most);

 private:
  void count_missed();
  bool nis_are_other(const NiTable& nis) const;
  void put_in_order(RemoteNet& net, const NiTable& nis, PeerTable& peers);

  std::shared_ptr<const RouteList> list_ = RouteList::none();
  std::map<NetId, RemoteNet> nets_;
  std::map<Nid, Gateway> gateways_;
  std::map<Nid, GatewayCard> told_;  ///< of all that were told, but those whose routes have gone
  std::uint32_t missed_ = 0;         ///< how many of them are
  GatewayLog log_;
  std::uint64_t nis_version_ = 0;  ///< NiTable::version() for which the gateways are linked
};

}  // namespace ulnet::core
