// Peers that make no progress, keepalives, links of this node's NIs that go down and come up. Each
// peer has one timer, which is armed only while there is something to wait for. Source:
// spec/wire-socklnd.md 7.2, 10; decision 129.
#pragma once

#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class PeerWatch {
 public:
  explicit PeerWatch(EngineParts& parts) : parts_(parts) {}

  /// From now on check() looks at the peer from time to time.
  void watch(Peer& peer);
  /// The peer's timer has fired. The peer may be gone afterwards.
  void check(Peer& peer);
  /// As Engine::link_changed().
  void link_changed(core::NiId ni, bool up);

 private:
  bool check_conn(Peer& peer, Conn& conn, Instant& next);
  void check_waiting(Peer& peer, Instant& next);
  void check_keepalive(Peer& peer, Instant& next);
  void link_down(core::NiId ni);
  void link_up(core::NiId ni);
  bool is_cut_off(const Peer& peer);
  void leave(Peer& peer);

  EngineParts& parts_;
};

}  // namespace ulnet::lnd::sock
