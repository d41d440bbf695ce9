// A peer that takes over the NID of a node: says sound hellos with that NID to another node, from
// an address and with an incarnation of its own, listens, and says nothing more. Source:
// spec/observed.md 8.
#pragma once

#include <cstdint>
#include <memory>

#include "base/rng.h"
#include "sim/raw_peer.h"

namespace ulnet::sim {

class SimNode;

class SpoofingPeer {
 public:
  /// Towards the node with the NID `whom`, as `claimed`, from `address`, which nobody has. `world`
  /// must outlive it.
  SpoofingPeer(World& world, const Nid& whom, const Nid& claimed, const Nid& address);

  /// Towards a node as another, on a net that both are on over TCP with a small NID, from an
  /// address that nobody has. Null: there is no such net.
  static std::unique_ptr<SpoofingPeer> between(World& world, const SimNode& whom,
                                               const SimNode& claimed, Rng& rng);

  /// Says hello for a connection of each type, each twice: the first is refused when the node knows
  /// another life.
  void take_over();
  /// Connections that were answered and are still there.
  std::size_t holds() const;
  const RawPeer& mouth() const { return mouth_; }

 private:
  RawPeer mouth_;
  const Nid whom_;
  const Nid claimed_;
};

}  // namespace ulnet::sim
