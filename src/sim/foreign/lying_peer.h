// A hostile peer that sends false information about itself: pushes that are garbage, stale, huge,
// truncated or about another node, and malformed answers to pings. The node may accept only what
// concerns the liar. Its table of other peers must stay true, and the other peers must not notice.
// Source: spec/multirail.md 4.4, 4.6; spec/wire-lnet.md 4.4.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/rng.h"
#include "sim/foreign/foreign_node.h"

namespace ulnet::sim {

class SimNode;

class LyingPeer {
 public:
  enum class Lie : std::uint8_t {
    kGarbage,       ///< random bytes
    kStale,         ///< an info with a lower sequence number than the one before it
    kHuge,          ///< more NIDs than the node's first buffer takes
    kEndless,       ///< the largest possible number of NIDs
    kSomebodyElse,  ///< the NIDs of the attacked node itself, and not the liar's own
    kNobody,        ///< no NIDs at all
    kCut,           ///< fewer bytes than the info states
    kForged,        ///< the source NID in the header is a NID that no node has
    kCount
  };

  /// Lies to NI `ni` of `whom`: HostilePeer::can_trouble() must be true. `world` and `whom` must
  /// outlive it.
  LyingPeer(World& world, const SimNode& whom, std::size_t ni, Rng rng);

  /// Sends one random lie. Afterwards the answers to pings are as false as the push.
  void lie() { send_lie(static_cast<Lie>(below(static_cast<std::uint64_t>(Lie::kCount)))); }
  void send_lie(Lie lie);
  const ForeignNode& node() const { return *node_; }

 private:
  using Bytes = std::vector<std::byte>;

  Bytes bytes_of(Lie lie);
  wire::PingInfo honest() const { return node_->info; }
  Nid nobody();
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }

  const SimNode& whom_;
  const Nid target_;
  Rng rng_;
  std::unique_ptr<ForeignNode> node_;
};

}  // namespace ulnet::sim
