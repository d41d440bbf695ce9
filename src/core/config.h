// What a shard knows of the node's configuration: an immutable snapshot, swapped by pointer
// (DESIGN.md 3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/time.h"
#include "core/ports.h"

namespace ulnet::core {

/// Per-net tunables (spec/cli-lnetctl.md 11.2), the same for every NI of a net but for
/// lnd_timeout's source.
struct NetTunables {
  std::int32_t peer_timeout = 180;       ///< s; 0 or -1: no aliveness
  std::int32_t peer_credits = 8;         ///< messages in flight per peer NI
  std::int32_t peer_buffer_credits = 0;  ///< router only
  std::int32_t credits = 256;            ///< messages in flight per NI
  bool operator==(const NetTunables&) const = default;
};

struct NiConfig {
  NiId id;
  Nid nid;
  NetTunables tunables;
  Duration lnd_timeout{};  ///< 0: the driver states none
  bool up = true;          ///< carried in the ping info
  bool rdma_get = false;   ///< driver capability
  /// The partitions that it is bound to, by number; empty: all (spec/core-semantics.md 13.3).
  std::vector<std::uint32_t> cpts;
};

/// Which partition looks first for a buffer on a wildcard portal (spec/core-semantics.md 7.3).
enum class PortalRotor : std::uint8_t { kOff, kOn, kRoundRobinRouted, kHashRouted };

/// The `global` section (spec/cli-lnetctl.md 4.6, 11.1).
struct Globals {
  std::int32_t numa_range = 0;
  std::int32_t max_interfaces = limits::kMaxInterfaces;
  std::int32_t discovery = 1;
  std::int32_t drop_asym_route = 0;
  std::int32_t retry_count = 2;
  std::int32_t transaction_timeout = 150;  ///< s
  std::int32_t health_sensitivity = 100;
  std::int32_t recovery_interval = 1;
  std::int32_t router_sensitivity = 100;
  std::int32_t response_tracking = 3;
  std::int32_t recovery_limit = 0;
  std::int32_t max_recovery_ping_interval = 900;
  bool local_nid_dist_zero = true;
  PortalRotor portal_rotor = PortalRotor::kHashRouted;
  bool operator==(const Globals&) const = default;
};
/// (transaction_timeout - 1) / (retry_count + 1) seconds: what drivers use when nothing else is
/// said.
constexpr std::int32_t lnd_timeout_seconds(const Globals& g) {
  return (g.transaction_timeout - 1) / (g.retry_count + 1);
}

struct NodeConfig {
  std::uint64_t generation = 0;        ///< grows with every snapshot
  std::uint64_t interface_cookie = 0;  ///< of this LNet instance (wire handles)
  Pid pid = Pid::lustre();
  std::uint32_t shards = 1;  ///< one per CPU partition; the same in every snapshot
  Globals globals;
  std::vector<NiConfig> nis;  ///< in net, NI order; 0@lo first
};

}  // namespace ulnet::core
