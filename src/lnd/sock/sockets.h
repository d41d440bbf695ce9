// The system's sockets, as the reactor needs them: dialling from a privileged port, listening, and
// the options of a connection. Source: spec/wire-socklnd.md 2.
#pragma once

#include <sys/socket.h>

#include "lnd/sock/address.h"
#include "lnd/sock/engine.h"
#include "lnd/sock/tunables.h"

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

/// How a dial began. error 0: under way (or done, `connected`).
struct DialStart {
  Descriptor socket;
  int error = 0;
  bool connected = false;
  bool unprivileged = false;
};
/// Tries source ports from 1023 down to 512; where none is permitted, any port (when the tunable
/// allows). Never blocks. ENETDOWN: its own interface is down; EADDRNOTAVAIL: its address is gone.
DialStart start_dial(const DialOrder& order, const SockTunables& tunables);
/// What became of a dial under way: 0 or a positive errno.
int dial_result(int fd);

/// A listening socket. -EADDRINUSE and others with the reason.
Result<Descriptor> listen_on(const Endpoint& endpoint, const SockTunables& tunables);
/// The next accepted connection, non-blocking; no descriptor: `error` says why (EAGAIN: none
/// waits).
Descriptor accept_next(int listener, Endpoint& remote, int& error);

/// The options of a connection that was dialled or accepted.
void set_options(int fd, const SockTunables& tunables, std::int32_t tos);
void set_tos(int fd, std::int32_t tos);
/// Whether TCP acknowledges at once, or leaves it to the answer or the delayed-ACK timer. The
/// system falls back to a mixture of its own: to be said again now and then.
void set_quick_ack(int fd, bool quick);
/// Closing it sends a reset.
void set_reset_at_close(int fd);
/// Bytes that TCP has not seen acknowledged.
std::uint32_t unacknowledged_bytes(int fd);

/// Whether the system takes this congestion control. -EINVAL with the reason.
Result<void> check_congestion(const std::string& name);
/// Whether a socket can be bound to the address: it is one of this machine's.
Result<void> check_local(const Address& address);

}  // namespace ulnet::lnd::sock
