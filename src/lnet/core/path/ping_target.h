// The node's own ping info, which pings read and pushes carry. Source: spec/core-semantics.md 14,
// spec/wire-lnet.md 4.2, 4.3.
#pragma once

#include "lnet/core/contract/config.h"
#include "lnet/core/path/net_visits.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

/// The info for this configuration. Its `sequence` is 0; the caller sets it. `routes`: the info
/// advertises that this node routes; `visits`: the nets that it then advertises as down.
wire::PingInfo describe_node(const NodeConfig& config, const NiTable& nis, bool routes = false,
                             const NetVisits& visits = {});
std::vector<std::byte> encode(const wire::PingInfo& info);
/// All NIDs in an info but 0@lo, the primary NID first.
std::vector<Nid> nids_of(const wire::PingInfo& info);

}  // namespace ulnet::core
