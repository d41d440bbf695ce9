// Virtual TCP on the wire model: listeners, dials, and byte streams between addresses. As with
// sockets, a call never calls back; the user gets its events later. The bytes of one direction
// arrive in order and once, in pieces of any size, until the connection ends: by a close, by a
// reset, or by silence, which only its users can notice. Source: DESIGN.md 6, 2 (socket
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
  std::uint32_t window = 256 << 10;  ///< per direction: bytes written and not read
  std::uint32_t piece = 64 << 10;    ///< bytes: the most that travels as one piece
  std::uint32_t split_ppm = 50'000;  ///< of a million reads: return less than there is
  std::uint32_t short_ppm = 50'000;  ///< of a million writes: take less than there is room for
  /// A lost SYN is sent again after `dial_retry`, then after twice as long each time. The dial
  /// fails with ETIMEDOUT when `dial_limit` has passed.
  Duration dial_retry = std::chrono::seconds(1);
  Duration dial_limit = std::chrono::seconds(127);
};

/// TCP's keepalive of a socket: after `idle` without anything from the other machine this one asks
/// every `interval` whether the connection is known there, and gives it up after `count` questions
/// without an answer. Zeros: none is sent.
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
const char* to_string(StreamChange change);

/// Hook of a socket in the list of its user's sockets.
struct SocketHook
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
};

/// A holder of sockets. Streams makes all its calls as events of their own, from the event queue.
class SocketUser {
 public:
  virtual ~SocketUser() = default;
  /// A node's number, or kNoNode, for the trace.
  virtual std::uint32_t number() const = 0;
  /// The dial ended: 0, or a positive errno; on an error the socket no longer exists.
  virtual void on_dialled(Handle socket, int error) = 0;
  virtual void on_accepted(Handle socket, const Endpoint& local, const Endpoint& remote) = 0;
  /// There is something to read: bytes, the end, or an error. Not called again until a read has
  /// returned all there was, or after rearm().
  virtual void on_readable(Handle socket) = 0;
  /// A third of the window is free again, after a write that took less than it was given.
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
/// Watches all streams. Called from within the calls of the users and of the faults.
class StreamTap {
 public:
  virtual ~StreamTap() = default;
  /// This end wrote the first `bytes` of `from`.
  virtual void on_written(const StreamEnd& end, const iovec* from, std::size_t bytes) = 0;
  /// So many bytes that this end wrote have arrived at the other machine, and this machine knows
  /// it.
  virtual void on_acknowledged(const StreamEnd& end, std::size_t bytes) = 0;
  virtual void on_read(const StreamEnd& end, std::size_t bytes) = 0;
  /// The connection broke for this end, and its user will be told (`let_go` false); or its user
  /// has closed it (true), and will never read what it has not read.
  virtual void on_over(const StreamEnd& end, bool let_go) = 0;
};

class Streams {
 public:
  /// All arguments must outlive it.
  Streams(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// From now on `tap` watches all streams. It must outlive this object.
  void listen_in(StreamTap& tap);

  // Calls as of a program
  /// Listens at `at`. -EADDRINUSE: another user does.
  int listen(const Endpoint& at, SocketUser& user);
  void unlisten(const Endpoint& at);
  /// Dials from `from`; port 0 takes one above 1023.
  Handle dial(const Endpoint& from, const Endpoint& to, SocketUser& user);
  Transfer read(Handle socket, const iovec* to, std::size_t count);
  Transfer write(Handle socket, const iovec* from, std::size_t count);
  /// on_readable() is called if there is something to read.
  void rearm(Handle socket);
  /// The positive errno of a broken connection, also while bytes can still be read; else 0.
  int error(Handle socket) const;
  /// After a read that returned only a part: the rest can be read at once, not only after an
  /// event.
  void join(Handle socket);
  /// From now on. It is only of effect when the other end is lost without a word (half_open(), a
  /// silent abandon()): while both ends hold the connection, no question finds out anything.
  void keep_alive(Handle socket, const KeepAlive& how);
  /// StreamEnd::number of the connection.
  std::uint64_t number(Handle socket) const;
  /// Bytes written that have not arrived at the other machine.
  std::uint32_t unacknowledged(Handle socket) const;
  /// Closes in order: the bytes written still arrive, then the end. Gives up a dial under way.
  /// When received bytes were not read, the other side gets a reset; with `reset` it always does,
  /// and the bytes that have not arrived are lost.
  void close(Handle socket, bool reset = false);
  /// Its user will close it, and reads and writes it no more: for a StreamTap it is over.
  void leave(Handle socket);

  // What the world does to programs and connections
  /// The user's process died: its listeners and sockets are gone. Its machine tells the other
  /// ends (`silent` false), or died too: then they notice only when they send to it.
  void abandon(SocketUser& user, bool silent);
  /// Both ends get ECONNRESET at once.
  void reset(Handle socket);
  /// Makes a half-open connection: the user of this end gets ECONNRESET, and the other end is not
  /// told. It finds out when it sends something, or by its keepalive.
  void half_open(Handle socket);
  /// A stall begins, or one ends. While any stands, nothing that this end writes travels, unless it
  /// closes the socket. The other direction is not affected.
  void stall(Handle socket, bool begins);
  /// The sockets at `a` of the open connections between two places, in the order in which these
  /// were made.
  void between(Place a, Place b, std::vector<Handle>& sockets) const;
  /// Pieces under way, and reads whose rest waits for an event.
  std::size_t in_flight() const;
  /// When the oldest of them was sent, or arrived if it is a read's rest; kNever: there is none.
  Instant in_flight_since() const;
  /// Connections accepted so far between this node and users that are no nodes (number() is
  /// kNoNode).
  std::uint64_t with_foreign(std::uint32_t node) const;
  /// Bytes that were written and will never be read: a connection broke, or the other end was
  /// closed.
  std::uint64_t lost_bytes() const;
  /// How often each StreamChange happened.
  const std::array<std::uint64_t, 8>& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::sim
