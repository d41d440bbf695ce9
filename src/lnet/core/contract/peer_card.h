// What the shards of a node share about a peer, which is another node: its NIDs, and whether it may
// be reached by any of them. The control shard writes cards and tells all shards of them
// (letter::Publish). Source: spec/multirail.md 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/slab.h"
#include "ulnet/nid.hpp"

namespace ulnet::core {

/// Never changed once it is shared: what is learnt of a peer makes another card.
struct PeerCard {
  std::vector<Nid> nids;  ///< the primary NID first; never empty
  bool multi_rail = false;
  std::uint64_t generation = 0;  ///< of the directory, when it made the card

  const Nid& primary() const { return nids.front(); }
  std::span<const Nid> others() const { return std::span(nids).subspan(1); }
  bool has(const Nid& nid) const { return std::find(nids.begin(), nids.end(), nid) != nids.end(); }
};
/// Null: no more is known of a NID than that it is one. It counts as a peer without multi-rail that
/// has this NID only.
using PeerCardRef = std::shared_ptr<const PeerCard>;

/// Where a walk in parts over the peers of the directory has come to; at first before all of them.
struct PeerPlace {
  Handle last;               ///< of the last peer
  std::uint64_t number = 0;  ///< of its creation; peers that were made later have larger ones
};

}  // namespace ulnet::core
