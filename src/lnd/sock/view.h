// An engine as it can be seen from outside: its peers and their connections, to be read and not to
// be changed. For checkers of the simulator, and for whoever shows connections. A view is as good
// as a reference: read at once, not kept over the engine's next call, in the engine's thread.
#pragma once

#include "lnd/sock/conn.h"
#include "lnd/sock/peer.h"

namespace ulnet::lnd::sock {

class PeerView;

class ConnView {
 public:
  explicit ConnView(const Conn& conn) : conn_(&conn) {}

  Handle handle() const { return conn_->self; }
  /// We dialled it.
  bool active() const { return conn_->active; }
  /// In our view.
  wire::ConnType type() const { return conn_->type; }
  std::uint32_t version() const { return conn_->version; }
  const Endpoint& remote() const { return conn_->remote; }
  /// It is not read: a message on it waits for its verdict, or is held and finds no room.
  bool paused() const { return conn_->paused; }
  /// Something waits to be written.
  bool has_unsent() const { return conn_->has_unsent(); }
  /// An open connection has one.
  PeerView peer() const;

 private:
  const Conn* conn_;
};

class PeerView {
 public:
  explicit PeerView(const Peer& peer) : peer_(&peer) {}

  core::NiId ni() const { return peer_->key.ni; }
  const core::Hop& hop() const { return peer_->key.hop; }
  /// As its connections said since it was met; 0: not met, or forgotten.
  std::uint64_t incarnation() const { return peer_->known.met ? peer_->known.incarnation : 0; }
  /// How many connections of each type there may be with one address of its (conns_per_peer).
  std::int32_t allowed() const { return peer_->bulk; }
  /// The LND time-out that its connections are held to.
  Duration timeout() const { return peer_->ni->timeout; }
  /// It is this very node: each of its connections has both its ends here.
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
