// The system's sockets, as the reactor needs them: dialling from a privileged port, listening,
// and the options of a connection. No call blocks. Source: spec/wire-socklnd.md 2.
#pragma once

#include <sys/socket.h>

#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/engine/engine.h"
#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::lnd::sock {

/// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// The result of start_dial().
struct DialStart {
  Descriptor socket;
  int error = 0;  ///< 0: the dial is under way, or done (`connected`); else an errno
  bool connected = false;
  bool unprivileged = false;  ///< dialled from a port above 1023
};
/// Begins a dial. Tries the source ports from 1023 down to 512; if this process may not use them,
/// any port (if the tunable unprivileged_connect allows). ENETDOWN: the interface of order.local
/// is down. EADDRNOTAVAIL: the address order.local is gone.
DialStart start_dial(const DialOrder& order, const SockTunables& tunables);
/// How a dial that was under way ended: 0 or a positive errno.
int dial_result(int fd);

/// Makes a listening socket. -EADDRINUSE, -EACCES and others; the reason says why.
Result<Descriptor> listen_on(const Endpoint& endpoint, const SockTunables& tunables);
/// Whether a listening socket could be made at `endpoint` now: 0 or a positive errno. Does not
/// listen.
int bind_error(const Endpoint& endpoint);
/// The next accepted connection, non-blocking; an empty descriptor: `error` is the errno (EAGAIN:
/// no connection waits).
Descriptor accept_next(int listener, Endpoint& remote, int& error);

/// Sets the options of a connection that is dialled or was accepted. `tos` -1: leave alone.
void set_options(int fd, const SockTunables& tunables, std::int32_t tos);
void set_tos(int fd, std::int32_t tos);
/// Whether the system lets TCP retransmit after at most a second, which set_options() requests.
bool tcp_resends_soon();
/// Whether TCP acknowledges at once, or with data or by the delayed-ACK timer. After a while the
/// system returns to its own mixture of the two, so the caller has to repeat the setting.
void set_quick_ack(int fd, bool quick);
/// From now on close() of this socket sends a TCP reset.
void set_reset_at_close(int fd);
/// The number of written bytes that the peer's TCP has not acknowledged.
std::uint32_t unacknowledged_bytes(int fd);

/// Checks whether the system has this congestion control (empty: its own choice). -EINVAL; the
/// reason says why not.
Result<void> check_congestion(const std::string& name);
/// Checks whether the address is one of this machine's: a socket can be bound to it.
/// -EADDRNOTAVAIL.
Result<void> check_local(const Address& address);

}  // namespace ulnet::lnd::sock
