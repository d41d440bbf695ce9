// The configuration of the node as the shards need it: an immutable snapshot. A new configuration
// is a new snapshot, which the host gives to each shard as the input Config (DESIGN.md 3).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/base/time.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/route_list.h"
#include "lnet/core/udsp/rule_list.h"

namespace ulnet::core {

/// The tunables of an NI (spec/cli-lnetctl.md 11.2).
struct NetTunables {
  std::int32_t peer_timeout = 180;       ///< s; 0 or -1: peers are not checked for being alive
  std::int32_t peer_credits = 8;         ///< messages in flight per peer NI
  std::int32_t peer_buffer_credits = 0;  ///< for routers; only shown
  std::int32_t credits = 256;            ///< messages in flight per NI, all shards together
  bool operator==(const NetTunables&) const = default;
};

struct NiConfig {
  NiId id;
  Nid nid;
  NetTunables tunables;
  Duration lnd_timeout{};  ///< the driver's time-out; 0: transaction_timeout is used instead
  bool up = true;          ///< false: the NI is shown as down, in the ping info too
  bool rdma_get = false;   ///< the driver moves the data of a GET itself (ports.h)
  /// The partitions to which the NI is bound, by number; empty: all (spec/core-semantics.md 13.3).
  std::vector<std::uint32_t> cpts;
  std::int32_t dev_cpt = -1;  ///< the partition at its device; -1: not known, or none
};

/// Which partition looks first for a buffer on a wildcard portal (spec/core-semantics.md 7.3).
enum class PortalRotor : std::uint8_t { kOff, kOn, kRoundRobinRouted, kHashRouted };

/// The value of Globals::discovery with which this node pings peers and pushes to them, but does
/// not take over their ping info. It only compares the info with its entries for the peers
/// (spec/multirail.md 4.9).
inline constexpr std::int32_t kDiscoveryVerifies = 2;

/// The `global` section (spec/cli-lnetctl.md 4.6, 11.1). "Unused": nothing in the core reads it
/// yet.
struct Globals {
  /// NUMA distance; a smaller distance counts as this one.
  std::int32_t numa_range = 0;
  std::int32_t max_interfaces = limits::kMaxInterfaces;  ///< most NIDs of this node, or of a peer
  std::int32_t discovery = 1;                            ///< 0, 1, or kDiscoveryVerifies
  std::int32_t drop_asym_route = 0;                      ///< 0 or 1
  std::int32_t retry_count = 2;                          ///< how often a message is sent again
  std::int32_t transaction_timeout = 150;                ///< s
  std::int32_t health_sensitivity = 100;                 ///< by how much health changes, 0 to 1000
  std::int32_t recovery_interval = 1;                    ///< s; unused
  std::int32_t router_sensitivity = 100;                 ///< percent; unused
  std::int32_t response_tracking = 3;                    ///< bit 0: GETs, bit 1: PUTs with ACK
  std::int32_t recovery_limit = 0;                       ///< s without a message; 0: no limit
  std::int32_t max_recovery_ping_interval = 900;         ///< s
  std::int32_t alive_router_check_interval = 60;         ///< s; 0: gateways are not checked
  std::int32_t router_ping_timeout = 50;                 ///< s that a gateway may take to answer
  std::int32_t peer_idle_timeout = 600;  ///< s without a message; 0: peers are never forgotten
  /// Messages from unknown NIDs make no more peers than this.
  std::int32_t max_peers = 65536;
  /// ACKs and REPLYs that may wait in all partitions together, an equal share in each.
  std::uint32_t max_answers = ~0U;
  bool lock_prim_nid = true;  ///< a primary NID returned to a service above LNet never changes
  /// A route is down if all NIDs of its gateway on the route's net are down (spec/multirail.md
  /// 9.3).
  bool avoid_asym_router_failure = true;
  bool auto_down = true;            ///< a driver that loses a gateway or a peer may set it down
  bool local_nid_dist_zero = true;  ///< LNetDist to a NID of this node: 0, else 1
  PortalRotor portal_rotor = PortalRotor::kHashRouted;
  bool operator==(const Globals&) const = default;
};

/// The driver's time-out in seconds, unless a tunable sets it.
constexpr std::int32_t lnd_timeout_seconds(const Globals& g) {
  const std::int32_t share = (g.transaction_timeout - 1) / (g.retry_count + 1);
  return share < 1 ? 1 : share;
}

/// The partitions in which the peer NIs of a net live. They are fixed when the net is added, and
/// stay while it exists, whatever NIs are added. So no credit and no queue of a peer NI moves. When
/// a net is removed and added with other owner shards, a busy peer NI of the old owner is removed
/// after its last message.
struct NetOwners {
  NetId net;
  std::vector<std::uint32_t> cpts;  ///< sorted; empty: all
};

/// The default number of buffers of a router (spec/core-semantics.md 10.3).
inline constexpr std::array<std::int32_t, 3> kRouterBuffers{2048, 16384, 1024};

/// Whether this node is a router, and with which buffers (spec/multirail.md 9.1,
/// spec/core-semantics.md 10.3).
struct Routing {
  bool on = false;
  /// This node advertises at once that it routes, without the delay of 9.1: the module parameter
  /// forwarding=enabled.
  bool at_once = false;
  /// The number of buffers of the whole node: without payload, of one page, of 1 MiB. 0: the number
  /// in `standard`.
  std::array<std::int32_t, 3> buffers{};
  std::array<std::int32_t, 3> standard = kRouterBuffers;
  bool check_before_use = false;  ///< a gateway counts as dead until it has answered
  bool operator==(const Routing&) const = default;
};

struct NodeConfig {
  std::uint64_t generation = 0;  ///< grows with every snapshot
  /// Names this incarnation of the node in its wire handles.
  std::uint64_t interface_cookie = 0;
  /// The last sequence number of the ping info of this node's previous incarnation, so that the
  /// sequence continues for its peers (spec/multirail.md 4.8); 0: there was no previous
  /// incarnation. Only the value of the first snapshot is used.
  std::uint32_t ping_sequence = 0;
  Pid pid = Pid::lustre();
  std::uint32_t shards = 1;  ///< one per CPU partition; the same in every snapshot
  /// A driver of the node wants AttachMemory and DetachMemory; the same in every snapshot.
  bool announces_memory = false;
  /// The NUMA distances between the partitions, row by row (spec/core-semantics.md 13.4). Empty:
  /// no NI is nearer to any memory than another.
  std::vector<std::uint32_t> distances;
  Globals globals;
  std::vector<NiConfig> nis;  ///< in net, NI order; 0@lo first
  /// The peer NIs of a net that is not listed live in all partitions to which its NIs are bound.
  std::vector<NetOwners> owners;
  Routing routing;
  /// Never null; shared like `udsp`.
  std::shared_ptr<const RouteList> routes = RouteList::none();
  /// The selection policies (lnet/core/udsp/policy.h says what they mean); never null. Snapshots
  /// share one list until the policies change, so comparing pointers shows a change.
  std::shared_ptr<const udsp::RuleList> udsp = udsp::RuleList::none();
};

}  // namespace ulnet::core
