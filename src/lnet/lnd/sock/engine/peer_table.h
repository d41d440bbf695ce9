// The engine's peers, by NI and by the peer's NID and PID.
#pragma once

#include <boost/intrusive/list.hpp>
#include <memory>
#include <unordered_map>

#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

class PeerTable {
 public:
  /// Null: there is no such peer.
  Peer* find(core::NiId ni, const core::Hop& hop);
  /// Returns the peer, or makes it. `ni` must outlive the peer.
  Peer& obtain(const NiInfo& ni, const core::Hop& hop);
  /// Removes the peer if nothing is under way with it and this node never dialled it.
  void forget_if_idle(Peer& peer);

  /// Calls fn(Peer&) for each peer, the one known longest first. `fn` may remove this peer, and no
  /// other.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (auto at = order_.begin(); at != order_.end();) fn(*at++);
  }
  /// All peers, the one known longest first.
  const auto& in_order() const { return order_; }

 private:
  std::unordered_map<PeerKey, std::unique_ptr<Peer>, PeerKeyHash> peers_;
  boost::intrusive::list<Peer> order_;  ///< all peers in the order of creation; peers_ is never
                                        ///< iterated
  Peer* last_ = nullptr;                ///< the peer that find() found last
};

}  // namespace ulnet::lnd::sock
