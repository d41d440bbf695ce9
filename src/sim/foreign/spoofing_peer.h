// A hostile peer that takes over the NID of a node: it sends another node valid hellos with that
// NID, from an address and with an incarnation of its own, then reads and sends nothing more.
// Source: spec/observed.md 8.
#pragma once

#include <memory>

#include "lnet/base/rng.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {

class SimNode;

class SpoofingPeer {
 public:
  /// Sends hellos as `claimed` to the node with the NID `whom`, from `address`, which no node may
  /// have. `world` must outlive it.
  SpoofingPeer(World& world, const Nid& whom, const Nid& claimed, const Nid& address);

  /// Attacks the node `whom` as `claimed`, on a net where both have a small NID over TCP, from a
  /// random address. Null: there is no such net.
  static std::unique_ptr<SpoofingPeer> between(World& world, const SimNode& whom,
                                               const SimNode& claimed, Rng& rng);

  /// Dials and sends a hello twice for each connection type: the node refuses the first one if it
  /// knows another incarnation of `claimed`.
  void take_over();
  /// The number of connections whose hello the node has accepted and that are still open.
  std::size_t holds() const;
  const RawPeer& conn() const { return conn_; }

 private:
  RawPeer conn_;
  const Nid whom_;
  const Nid claimed_;
};

}  // namespace ulnet::sim
