// The routes among which a shard chooses: those of the configuration, with the gateway entries from
// the control shard, and their round-robin state. Source: spec/multirail.md 3.3, 9.3.
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

  /// Takes over another list. Gateways that stay keep their entries; a new one gets `usable`. The
  /// round robin begins anew. `peers`: the table that has the gateways' NIDs.
  void apply(const std::shared_ptr<const RouteList>& list, bool usable, PeerTable& peers);
  /// Takes over a gateway entry from the control shard. The entry may come before the configuration
  /// with the gateway's first route, or after the configuration that removes its last route.
  void take(const GatewayEntry& entry);
  /// Moves the route, which was chosen, to the end of the round robin.
  void take_turn(RouteEntry& route);
  /// Whether messages from any gateway have to be reported to the control shard.
  bool misses_any() const { return missed_ != 0; }

  /// The routes to the net; null: no route leads there.
  RemoteNet* find(NetId net) {
    const auto found = nets_.find(net);
    return found == nets_.end() ? nullptr : &found->second;
  }
  /// The gateway with this NID; null: no route names this NID as its gateway.
  const Gateway* gateway(const Nid& nid) const {
    const auto found = gateways_.find(nid);
    return found == gateways_.end() ? nullptr : &found->second;
  }
  bool empty() const { return nets_.empty(); }
  const std::map<NetId, RemoteNet>& nets() const { return nets_; }
  const std::map<Nid, Gateway>& gateways() const { return gateways_; }
  /// The usable routes to the net in their current order. The cost is proportional to the changes
  /// since the last call: mostly the gateway chosen then, and the gateways of messages that have
  /// ended.
  const RoutesInOrder& in_order(RemoteNet& net, const NiTable& nis, PeerTable& peers) {
    if (net.order.seen != log_.now() || nis_are_other(nis)) put_in_order(net, nis, peers);
    return net.order;
  }

  std::uint64_t turns = 0;  ///< the number of routes chosen
  /// The NI of this node that a peer without multi-rail behind routers last saw, by the peer's NID
  /// (spec/multirail.md 3.4).
  std::map<Nid, NiId> seen_sources;
  /// Records that the peer `target` saw NI `source`. When the table has more than `most` entries, a
  /// neighbour of the new one in NID order is removed. So a sender that forges consecutive NIDs
  /// mostly displaces its own entries.
  void saw_source(const Nid& target, NiId source, std::size_t most);

 private:
  bool nis_are_other(const NiTable& nis) const;
  void put_in_order(RemoteNet& net, const NiTable& nis, PeerTable& peers);

  std::shared_ptr<const RouteList> list_ = RouteList::none();
  std::map<NetId, RemoteNet> nets_;
  std::map<Nid, Gateway> gateways_;
  /// All gateway entries received, but those whose routes are gone.
  std::map<Nid, GatewayEntry> received_;
  std::uint32_t missed_ = 0;  ///< the number of gateway entries with misses_any()
  GatewayLog log_;
  std::uint64_t nis_version_ = 0;  ///< NiTable::version() at which the gateways were linked
};

}  // namespace ulnet::core
