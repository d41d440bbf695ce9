// What the engine asks of its owner, a reactor or a simulator, which has the descriptors.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/ports.h"
#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/engine/address_shares.h"
#include "lnet/lnd/sock/engine/report.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

/// A connection to be made. connected() or dial_failed() reports the outcome, never before
/// Outlet::dial() has returned.
struct DialOrder {
  Address local;
  Endpoint remote;
  std::int32_t tos = -1;  ///< the NI's type of service; -1: leave alone
};
/// An accepted connection whose peer belongs to another engine, with the bytes that were read from
/// it so far.
struct Arrival {
  Endpoint remote;
  bool user = false;  ///< Conn::user
  core::NiId ni;
  wire::ReceivedHello hello;
  std::vector<std::byte> rest;  ///< bytes that were read after the hello
};

/// What the engine asks of its owner, which has the descriptors. An implementation must not call
/// the engine back, with two exceptions. When deliver() of a HeaderArrived does not return true, it
/// gives the commands that answer the header to Engine::command() before it returns. And it may
/// always look at the engine through view.h.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Passes an input to the core. Returns what lnd::Inlet::deliver() returns.
  virtual bool deliver(const core::Input& input) = 0;
  /// Begins a dial for `conn`.
  virtual void dial(Handle conn, const DialOrder& order) = 0;
  /// Closes the connection's descriptor. The handle must not be used afterwards.
  virtual void close(Handle conn) = 0;
  /// As close(), but with a TCP reset: the peer sent bytes that the engine did not read.
  virtual void abort(Handle conn) { close(conn); }
  /// As close(), but the peer learns of it only by a reset that reset_left() sends. The link of the
  /// connection's NI is down, and a FIN would arrive only when TCP retransmits it.
  virtual void leave(Handle conn, core::NiId) { close(conn); }
  /// Whether TCP retransmits within about a second after a path works again, even if the path
  /// failed for long.
  virtual bool resends_soon() { return false; }
  /// Resets the connections of this NI that leave() gave up.
  virtual void reset_left(core::NiId) {}
  /// Stops or resumes reading the connection.
  virtual void pause(Handle conn, bool paused) = 0;
  /// The connection carries messages from now on. `tos` is its NI's type of service; -1: leave
  /// alone.
  virtual void opened(Handle conn, wire::ConnType type, std::int32_t tos) = 0;
  /// The number of written bytes that the peer's TCP has not acknowledged.
  virtual std::uint32_t unacknowledged(Handle conn) = 0;
  /// Passes an accepted connection to the engine that its peer belongs to. True: another engine
  /// owns the peer, and now has the descriptor and `arrival`. False: this engine owns the peer;
  /// nothing was done.
  virtual bool pass_to_owner(Handle conn, const core::Hop& peer, Arrival& arrival) = 0;
  /// Something happened that the log may mention; the engine has counted it.
  virtual void report(const Report&) {}
  // Limits that all engines of the driver share. The default is no limits.
  /// Reserves this many connections for a peer at this address that opens them.
  virtual Share take_connections(const Address&, std::uint16_t) { return Share::kTaken; }
  virtual void give_connections(const Address&, std::uint16_t) {}
  /// Reserves memory for payload that is held, in bytes.
  virtual Share take_memory(const Address&, std::size_t) { return Share::kTaken; }
  virtual void give_memory(const Address&, std::size_t) {}
};

}  // namespace ulnet::lnd::sock
