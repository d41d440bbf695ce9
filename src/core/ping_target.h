// What this node tells about itself: the contents of the ping target and of pushes. Source:
// spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3.
#pragma once

#include "core/config.h"
#include "core/ni.h"
#include "wire/ping_info.h"

namespace ulnet::core {

/// The info for this configuration; its `sequence` is 0, the caller numbers it.
wire::PingInfo describe_node(const NodeConfig& config, const NiTable& nis);
std::vector<std::byte> encode(const wire::PingInfo& info);
/// All NIDs that an info tells, its primary first.
std::vector<Nid> nids_of(const wire::PingInfo& info);

}  // namespace ulnet::core
