// The engine's connections, and lists of those that have something to write and of those that are
// closed and not destroyed yet.
#pragma once

#include <vector>

#include "lnet/base/slab.h"
#include "lnet/lnd/sock/engine/conn.h"

namespace ulnet::lnd::sock {

class ConnTable {
 public:
  /// A new connection with a handshake.
  Conn& make(ConnState state, const Endpoint& remote);
  /// Null: the connection was destroyed. One that is closed may still be there.
  Conn* find(Handle conn) { return conns_.find(conn); }
  const Conn* find(Handle conn) const { return conns_.find(conn); }
  /// Changes the state of the connection. A connection that closes has no timer any more.
  static void step(Conn& conn, ConnEvent event);
  /// The connection is closed: reap() destroys it.
  void closed(const Conn& conn) { closed_.push_back(conn.self); }
  /// Destroys the closed connections, except for `used` (null: none), which the caller still uses.
  void reap(const Conn* used);

  /// Puts the connection on the list of writable(), if it is not there.
  void mark_writable(Conn& conn);
  std::vector<Handle>& writable() { return writable_; }

 private:
  Slab<Conn> conns_;
  std::vector<Handle> writable_, closed_;
};

}  // namespace ulnet::lnd::sock
