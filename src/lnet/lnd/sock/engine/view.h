// Read-only views of an engine's peers and connections, for the checkers of the simulator and for
// displays of connections. A view is no safer than a reference: use it at once, in the engine's
// thread, and not after the next call of the engine.
#pragma once

#include "lnet/lnd/sock/engine/conn.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

class PeerView;

class ConnView {
 public:
  explicit ConnView(const Conn& conn) : conn_(&conn) {}

  Handle handle() const { return conn_->self; }
  /// True if this node dialled it.
  bool active() const { return conn_->active; }
  /// The type in this node's view.
  wire::ConnType type() const { return conn_->type; }
  std::uint32_t version() const { return conn_->version; }
  const Endpoint& remote() const { return conn_->remote; }
  /// True if the reactor does not read it: a message on it waits for its verdict, or is held and
  /// has no memory to be staged in.
  bool paused() const { return conn_->paused; }
  /// True if something waits to be written.
  bool has_unsent() const { return conn_->has_unsent(); }
  /// The peer of the connection, which must be open.
  PeerView peer() const;

 private:
  const Conn* conn_;
};

class PeerView {
 public:
  explicit PeerView(const Peer& peer) : peer_(&peer) {}

  core::NiId ni() const { return peer_->key.ni; }
  const core::Hop& hop() const { return peer_->key.hop; }
  /// The peer's incarnation as the hellos of its connections gave it; 0: not known, or forgotten.
  std::uint64_t incarnation() const { return peer_->known.met ? peer_->known.incarnation : 0; }
  /// How many connections of each type there may be with one address of the peer
  /// (conns_per_peer).
  std::int32_t allowed() const { return peer_->bulk; }
  /// The LND time-out of its connections.
  Duration timeout() const { return peer_->ni->timeout; }
  /// Bytes of payload that are staged, or are being staged, for held messages of this peer.
  std::size_t held_bytes() const { return peer_->held_bytes; }
  /// True if the peer is this NI itself: each of its connections has both its ends here.
  bool oneself() const { return peer_->address && *peer_->address == peer_->ni->address; }
  /// Calls fn(ConnView) for each open connection, oldest first.
  template <class Fn>
  void for_each_conn(Fn&& fn) const {
    for (const Conn* conn : peer_->conns) fn(ConnView(*conn));
  }

 private:
  const Peer* peer_;
};

inline PeerView ConnView::peer() const { return PeerView(*conn_->peer); }

}  // namespace ulnet::lnd::sock
