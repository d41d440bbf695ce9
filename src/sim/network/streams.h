// Virtual TCP on the wire model: listeners, dials, and byte streams between addresses. As with
// sockets, a call never calls back; Streams reports its events to the user later. The bytes of one
// direction arrive in order and once, in pieces of any size, until the connection ends: by a close,
// by a reset, or by silence, which only its users can notice. Source: DESIGN.md 6, 2 (socket
// failures).
#pragma once

#include <sys/uio.h>

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/slab.h"
#include "sim/kernel/trace.h"
#include "sim/network/wire_model.h"

namespace ulnet::sim {

struct StreamModel {
  /// Per direction: the most bytes that are written and not read.
  std::uint32_t window = 256 << 10;
  std::uint32_t piece = 64 << 10;    ///< bytes: the most that travel as one piece
  std::uint32_t split_ppm = 50'000;  ///< how many of a million reads return less than there is
  /// How many of a million writes take less than there is room for.
  std::uint32_t short_ppm = 50'000;
  /// A lost SYN is sent again after `dial_retry`, and each further time after twice as long. The
  /// dial fails with ETIMEDOUT when `dial_limit` has passed.
  Duration dial_retry = std::chrono::seconds(1);
  Duration dial_limit = std::chrono::seconds(127);
};

/// TCP's keepalive of a socket. When `idle` has passed without any segment from the other machine,
/// this machine sends a probe every `interval`. After `count` probes without an answer it gives the
/// connection up. Zeros: no probes are sent.
struct KeepAlive {
  Duration idle{}, interval{};
  std::int32_t count = 0;

  bool on() const { return idle > Duration{} && interval > Duration{} && count > 0; }
};

enum class StreamChange : std::uint8_t {
  kDialled,
  kConnected,
  kRefused,
  kDialTimedOut,
  kAccepted,
  kEnded,  ///< the other side closed in order
  kReset,
  kClosed,
};
inline constexpr std::array kStreamWords = {"dialled",  "connected", "refused", "dial timed out",
                                            "accepted", "ended",     "reset",   "closed"};
static_assert(kStreamWords.size() == static_cast<std::size_t>(StreamChange::kClosed) + 1);
inline const char* to_string(StreamChange change) {
  return kStreamWords[static_cast<std::size_t>(change)];
}

/// Hook of a socket in the list of its user's sockets.
struct SocketHook
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
};

/// The owner of sockets. Streams makes all its calls as events of their own, from the event queue.
class SocketUser {
 public:
  virtual ~SocketUser() = default;
  /// The node's number in the trace, or kNoNode.
  virtual std::uint32_t number() const = 0;
  /// The dial ended: `error` is 0, or a positive errno. On an error the socket no longer exists.
  virtual void on_dialled(Handle socket, int error) = 0;
  virtual void on_accepted(Handle socket, const Endpoint& local, const Endpoint& remote) = 0;
  /// There is something to read: bytes, the end, or an error. Streams does not call on_readable()
  /// again before a read has returned all there was, or the user has called rearm().
  virtual void on_readable(Handle socket) = 0;
  /// Called after a write that took less than it was given: a third of the window is free again.
  virtual void on_writable(Handle socket) = 0;

 private:
  friend class Streams;
  boost::intrusive::list<SocketHook, boost::intrusive::constant_time_size<false>> sockets_;
  std::vector<Endpoint> listening_;
};

/// The result of a read or a write: bytes, or a positive errno (EAGAIN: nothing now). A read with
/// 0 bytes and error 0 has reached the end.
struct Transfer {
  std::size_t bytes = 0;
  int error = 0;
};

/// One end of a connection, as a StreamTap sees it.
struct StreamEnd {
  std::uint64_t number = 0;      ///< of the connection, from 1
  bool dialled = false;          ///< this end dialled
  std::uint32_t user = kNoNode;  ///< SocketUser::number()
  Address local, remote;
};
/// Watches all streams. Streams calls it while users and faults call Streams.
class StreamTap {
 public:
  virtual ~StreamTap() = default;
  /// This end wrote the first `bytes` of `from`.
  virtual void on_written(const StreamEnd& end, const iovec* from, std::size_t bytes) = 0;
  /// `bytes` of what this end wrote have arrived at the other machine, and TCP has acknowledged
  /// them.
  virtual void on_acknowledged(const StreamEnd& end, std::size_t bytes) = 0;
  virtual void on_read(const StreamEnd& end, std::size_t bytes) = 0;
  /// The connection broke for this end, and its user will get the error (`let_go` false); or its
  /// user has closed it (true), and will never read the bytes that are left.
  virtual void on_over(const StreamEnd& end, bool let_go) = 0;
};

class Streams {
 public:
  /// All arguments must outlive Streams.
  Streams(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// From now on `tap` watches all streams. It must outlive Streams.
  void listen_in(StreamTap& tap);

  // Calls that a program makes
  /// Listens at `at`. -EADDRINUSE: another user already listens there.
  int listen(const Endpoint& at, SocketUser& user);
  void unlisten(const Endpoint& at);
  /// Dials from `from`; port 0 takes one above 1023.
  Handle dial(const Endpoint& from, const Endpoint& to, SocketUser& user);
  Transfer read(Handle socket, const iovec* to, std::size_t count);
  Transfer write(Handle socket, const iovec* from, std::size_t count);
  /// Streams calls on_readable() if there is something to read.
  void rearm(Handle socket);
  /// The positive errno of a broken connection, also while bytes can still be read; else 0.
  int error(Handle socket) const;
  /// Undoes the splitting of a read: the rest can be read at once, not only after an event.
  void join(Handle socket);
  /// Turns keepalive on from now on. It has an effect only when the other end is lost without
  /// notice (half_open(), a silent abandon()): while both ends hold the connection, every probe is
  /// answered.
  void keep_alive(Handle socket, const KeepAlive& how);
  /// StreamEnd::number of the connection.
  std::uint64_t number(Handle socket) const;
  /// Bytes written that have not arrived at the other machine.
  std::uint32_t unacknowledged(Handle socket) const;
  /// Closes in order: the bytes written still arrive, then the end. A dial that is under way is
  /// given up. When received bytes were not read, the other side gets a reset. With `reset` the
  /// other side always gets one, and the bytes that have not arrived are lost.
  void close(Handle socket, bool reset = false);
  /// The user will close the socket, and reads and writes it no more: for a StreamTap the
  /// connection is over.
  void leave(Handle socket);

  // Events that happen to programs and connections
  /// The user's process died: its listeners and sockets are gone. Its machine notifies the other
  /// ends (`silent` false), or died too: then they notice only when they send to it.
  void abandon(SocketUser& user, bool silent);
  /// Both ends get ECONNRESET at once.
  void reset(Handle socket);
  /// Makes a half-open connection: the user of this end gets ECONNRESET, and the other end is not
  /// notified. It notices when it sends something, or by its keepalive.
  void half_open(Handle socket);
  /// A stall begins or ends. While a stall lasts, nothing that this end writes travels, unless the
  /// user closes the socket. The other direction is not affected.
  void stall(Handle socket, bool begins);
  /// Appends to `sockets` the sockets at `a` of the open connections between two places, in the
  /// order in which the connections were made.
  void between(Place a, Place b, std::vector<Handle>& sockets) const;
  /// The number of pieces under way, and of reads whose rest waits for an event.
  std::size_t in_flight() const;
  /// When the oldest piece in flight was sent, or arrived if it is the rest of a read; kNever:
  /// nothing is in flight.
  Instant in_flight_since() const;
  /// Connections accepted so far between this node and users that are not nodes (number() is
  /// kNoNode).
  std::uint64_t with_foreign(std::uint32_t node) const;
  /// Bytes that were written and will never be read, because a connection broke or the other end
  /// was closed.
  std::uint64_t lost_bytes() const;
  /// How often each StreamChange happened.
  const std::array<std::uint64_t, 8>& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::sim
