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
  std::int32_t peer_timeout = 180;       ///< s; 0 or -1: nobody checks whether peers are alive
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

/// Globals::discovery: peers are pinged and pushed to, what they tell changes nothing, is compared
/// with what this node has of them (spec/multirail.md 4.9).
inline constexpr std::int32_t kDiscoveryVerifies = 2;

/// The `global` section (spec/cli-lnetctl.md 4.6, 11.1). "Unused": nothing in the core reads it
/// yet.
struct Globals {
  std::int32_t numa_range = 0;                           ///< NUMA distance; nearer counts as this
  std::int32_t max_interfaces = limits::kMaxInterfaces;  ///< most NIDs of this node, or of a peer
  std::int32_t discovery = 1;                            ///< 0, 1, or kDiscoveryVerifies
  std::int32_t drop_asym_route = 0;                      ///< 0 or 1
  std::int32_t retry_count = 2;                          ///< how often a message is sent again
  std::int32_t transaction_timeout = 150;                ///< s
  std::int32_t health_sensitivity = 100;                 ///< how much health changes, 0 to 1000
  std::int32_t recovery_interval = 1;                    ///< s; unused
  std::int32_t router_sensitivity = 100;                 ///< percent; unused
  std::int32_t response_tracking = 3;                    ///< bit 0: GETs, bit 1: PUTs with ACK
  std::int32_t recovery_limit = 0;                       ///< s without a sign of life; 0: none
  std::int32_t max_recovery_ping_interval = 900;         ///< s
  std::int32_t alive_router_check_interval = 60;         ///< s; 0: gateways are not checked
  std::int32_t router_ping_timeout = 50;                 ///< s that a gateway may take to answer
  std::int32_t peer_idle_timeout = 600;  ///< s without a message; 0: peers are never forgotten
  std::int32_t max_peers = 65536;        ///< more than these no stranger can make, by messages
  /// ACKs and REPLYs that may wait in all partitions together, an equal share in each.
  std::uint32_t max_answers = ~0U;
  bool lock_prim_nid = true;  ///< primary NIDs that services above LNet have been told stay
  /// A route is down if all of its gateway's NIDs on its net are (spec/multirail.md 9.3).
  bool avoid_asym_router_failure = true;
  bool auto_down = true;            ///< drivers that lose a gateway or a peer may take it down
  bool local_nid_dist_zero = true;  ///< LNetDist to a NID of this node: 0, else 1
  PortalRotor portal_rotor = PortalRotor::kHashRouted;
  bool operator==(const Globals&) const = default;
};

/// The driver time-out in seconds when no tunable says another.
constexpr std::int32_t lnd_timeout_seconds(const Globals& g) {
  const std::int32_t share = (g.transaction_timeout - 1) / (g.retry_count + 1);
  return share < 1 ? 1 : share;
}

/// The partitions in which the peer NIs of a net live. They are fixed when the net comes, and stay
/// while it exists, whatever NIs it gets: so no credit and no queue of a peer NI moves. When a net
/// has gone and comes with other homes, busy peer NIs of the old ones go with their last message.
struct NetHomes {
  NetId net;
  std::vector<std::uint32_t> cpts;  ///< sorted; empty: all
};

/// How many buffers a router has in all, where nothing else is said (spec/core-semantics.md 10.3).
inline constexpr std::array<std::int32_t, 3> kRouterBuffers{2048, 16384, 1024};

/// Whether this node forwards messages of others, and with what (spec/multirail.md 9.1,
/// spec/core-semantics.md 10.3).
struct Routing {
  bool on = false;
  /// Peers are told at once that it is on, not after the time that they need to notice (9.1): the
  /// module parameter forwarding=enabled.
  bool at_once = false;
  /// Buffers of the whole node: without payload, of one page, of 1 MiB. 0: as `standard` says.
  std::array<std::int32_t, 3> buffers{};
  std::array<std::int32_t, 3> standard = kRouterBuffers;
  bool check_before_use = false;  ///< a gateway is taken for dead until it has answered
  bool operator==(const Routing&) const = default;
};

struct NodeConfig {
  std::uint64_t generation = 0;        ///< grows with every snapshot
  std::uint64_t interface_cookie = 0;  ///< of this incarnation of the node, in its wire handles
  /// The last sequence number of the ping info of the node that was here before this one, so that
  /// its peers see the number go on (spec/multirail.md 4.8); 0: none was. The first snapshot's
  /// counts.
  std::uint32_t ping_sequence = 0;
  Pid pid = Pid::lustre();
  std::uint32_t shards = 1;  ///< one per CPU partition; the same in every snapshot
  /// The NUMA distances between the partitions, row by row (spec/core-semantics.md 13.4). Empty:
  /// no NI is nearer to any memory than another.
  std::vector<std::uint32_t> distances;
  Globals globals;
  std::vector<NiConfig> nis;  ///< in net, NI order; 0@lo first
  /// A net that is not here has its peer NIs where its NIs are bound to, all of them together.
  std::vector<NetHomes> homes;
  Routing routing;
  /// Never null; shared like `udsp`.
  std::shared_ptr<const RouteList> routes = RouteList::none();
  /// The selection policies (lnet/core/udsp/policy.h says what they mean); never null. Snapshots
  /// between which the policies have not changed share one list, so the pointer tells whether they
  /// have.
  std::shared_ptr<const udsp::RuleList> udsp = udsp::RuleList::none();
};

}  // namespace ulnet::core
