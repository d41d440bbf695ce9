#include "lnet/lnd/sock/engine/conn_table.h"

#include "lnet/base/assert.h"

namespace ulnet::lnd::sock {

Conn& ConnTable::make(ConnState state, const Endpoint& remote) {
  const auto [handle, conn] = conns_.make();
  conn->self = handle;
  conn->state = state;
  conn->remote = remote;
  conn->handshake = std::make_unique<Handshake>();
  conn->handshake->timer.conn = conn;
  return *conn;
}

void ConnTable::step(Conn& conn, ConnEvent event) {
  const auto next = next_state(kConnLifeCycle, conn.state, event);
  ULNET_ASSERT(next.has_value());
  conn.state = *next;
  // The connection may be in closed_ when its timer would fire.
  if (conn.state == ConnState::kClosed && conn.handshake) conn.handshake->timer.cancel();
}

void ConnTable::reap(const Conn* used) {
  for (const Handle handle : closed_)
    if (used == nullptr || handle != used->self) conns_.erase(handle);
  closed_.clear();
}

void ConnTable::mark_writable(Conn& conn) {
  if (conn.marked_writable) return;
  conn.marked_writable = true;
  writable_.push_back(conn.self);
}

}  // namespace ulnet::lnd::sock
