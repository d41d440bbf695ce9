// How connections end, and which messages and peers end with them. Source: spec/wire-socklnd.md
// 4.6, 8, 10.
#pragma once

#include <optional>
#include <vector>

#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class Closer {
 public:
  explicit Closer(EngineParts& parts) : parts_(parts) {}

  /// As Engine::ended() and Engine::siblings().
  void ended(Handle conn, int error);
  void siblings(Handle conn, std::vector<Handle>& siblings);
  /// Closes a connection that is open or being dialled, and ends its messages.
  void close_conn(Conn& conn, const Failure& failure);
  // These close several connections of a peer, which may be gone afterwards. `reset`: as in
  // PeerDown.
  /// Closes every connection of the peer to that address (spec/wire-socklnd.md 10).
  void close_address(Peer& peer, const Address& address, const Failure& failure,
                     bool reset = false);
  /// Closes all open connections of the peer. The core learns of a restart also if no connection
  /// was open, because its knowledge of the peer is out of date.
  void close_all(Peer& peer, const Failure& failure, bool reset);
  /// Closes all connections of the peer, also the one being dialled, and ends its messages.
  void close_peer(Peer& peer, const Failure& failure);

 private:
  /// Closes the open connections. Returns the remote end of the one that was closed last; nothing
  /// if no connection was open.
  std::optional<Endpoint> close_conns(Peer& peer, const Failure& failure);
  void peer_emptied(Peer& peer, const Endpoint& last, const Failure& failure, bool reset);

  EngineParts& parts_;
};

}  // namespace ulnet::lnd::sock
