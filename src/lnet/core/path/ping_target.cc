// Builds and encodes the node's own ping info, and lists the NIDs of a ping info. Source:
// spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3.
#include "lnet/core/path/ping_target.h"

namespace ulnet::core {

namespace {

/// The largest number of NIs in a ping info that fits into one message.
constexpr std::size_t kEntriesMax = (limits::kMtu - 64) / 24;

}  // namespace

wire::PingInfo describe_node(const NodeConfig& config, const NiTable& nis, bool routes,
                             const NetVisits& visits) {
  wire::PingInfo info;
  info.features = wire::kPingNiStatus | wire::kPingMultiRail;
  if (!routes) info.features |= wire::kPingRoutingDisabled;
  if (config.globals.discovery != 0) info.features |= wire::kPingDiscovery;
  info.pid = config.pid;
  info.sequence = 0;
  bool first = true;
  for (const LocalNi* ni : nis.configured()) {
    if (ni->loopback()) continue;
    if (info.legacy.size() + info.large.size() == kEntriesMax) break;
    const bool large = !ni->nid().is_small();
    if (first && large) info.features |= wire::kPingPrimaryLarge;
    if (large) info.features |= wire::kPingLargeAddr;
    first = false;
    const bool up = ni->up() && !visits.is_down(ni->nid().net());
    (large ? info.large : info.legacy)
        .push_back({ni->nid(), up ? wire::NiStatus::kUp : wire::NiStatus::kDown});
  }
  return info;
}

std::vector<std::byte> encode(const wire::PingInfo& info) {
  std::vector<std::byte> bytes(wire::ping_info_bytes(info));
  wire::encode_ping_info(info, bytes);
  return bytes;
}

std::vector<Nid> nids_of(const wire::PingInfo& info) {
  const Nid primary = info.primary();
  std::vector<Nid> nids;
  const auto add = [&](const Nid& nid) {
    if (!nid.is_any() && !nid.is_loopback()) nids.push_back(nid);
  };
  add(primary);
  for (const auto* entries : {&info.legacy, &info.large})
    for (const wire::PingEntry& entry : *entries)
      if (entry.nid != primary) add(entry.nid);
  return nids;
}

}  // namespace ulnet::core
