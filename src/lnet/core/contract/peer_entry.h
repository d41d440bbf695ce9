// The peer entry that the shards of a node share, read-only: the NIDs of a peer, and whether the
// peer may be reached by any of them. The control shard makes the entries and sends them to all
// shards (shard_msg::Publish). Source: spec/multirail.md 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/slab.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// Never changed once it is shared: new information on a peer makes another entry.
struct PeerEntry {
  std::vector<Nid> nids;  ///< the primary NID first; never empty
  bool multi_rail = false;
  std::uint64_t generation = 0;  ///< of the directory, when it made the entry

  const Nid& primary() const { return nids.front(); }
  std::span<const Nid> others() const { return std::span(nids).subspan(1); }
  bool has(const Nid& nid) const { return std::find(nids.begin(), nids.end(), nid) != nids.end(); }
};
/// Null: nothing is known of the NID. The NID then counts as a peer without multi-rail that has
/// this NID only.
using PeerEntryRef = std::shared_ptr<const PeerEntry>;

/// The position of a walk in parts over the peers of the directory; at first it is before the first
/// peer.
struct PeerPlace {
  Handle last;               ///< the last peer visited
  std::uint64_t number = 0;  ///< of its creation; peers made later have larger numbers
};

}  // namespace ulnet::core
