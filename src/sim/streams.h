// Virtual TCP: listeners, dials and byte streams between addresses, on the wire model. As with
// sockets, calls never call back; what can be done afterwards is told by events of their own. Bytes
// of one direction arrive in order and once, in pieces of any size, or the connection ends: by its
// end, by a reset, or by silence, which is for the connection's users to notice. Source: DESIGN.md
// 6, 2 (socket failures).
#pragma once

#include <sys/uio.h>

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/slab.h"
#include "sim/trace.h"
#include "sim/wire_model.h"

namespace ulnet::sim {

struct StreamModel {
  std::uint32_t window = 256 << 10;  ///< bytes written and not read yet, per direction
  std::uint32_t piece = 64 << 10;    ///< the most that travels together
  std::uint32_t split_ppm = 50'000;  ///< reads that give less than there is
  std::uint32_t short_ppm = 50'000;  ///< writes that take less than there is room for
  Duration dial_retry =
      std::chrono::seconds(1);  ///< a lost SYN comes so much later, then twice ...
  Duration dial_limit = std::chrono::seconds(127);  ///< ... until -ETIMEDOUT
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

/// A socket among those of one user.
struct SocketHook
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
};

/// Whoever holds sockets. All calls come as events of their own.
class SocketUser {
 public:
  virtual ~SocketUser() = default;
  /// For the trace: the node's number, or kNoNode.
  virtual std::uint32_t number() const = 0;
  /// A dial ended: 0, or a positive errno; then the socket is gone.
  virtual void on_dialled(Handle socket, int error) = 0;
  virtual void on_accepted(Handle socket, const Endpoint& local, const Endpoint& remote) = 0;
  /// There is something to read: bytes, an end, an error. Told again only after a read that got all
  /// there was, or after rearm().
  virtual void on_readable(Handle socket) = 0;
  /// There is room again, a third of the window, after a write that took less than it was given.
  virtual void on_writable(Handle socket) = 0;

 private:
  friend class Streams;
  boost::intrusive::list<SocketHook, boost::intrusive::constant_time_size<false>> sockets_;
  std::vector<Endpoint> listening_;
};

/// What a read or write did: bytes, or a positive errno (EAGAIN: nothing now). bytes 0, error 0 of
/// a read: the end.
struct Transfer {
  std::size_t bytes = 0;
  int error = 0;
};

/// One end of a connection, as somebody sees it who listens in.
struct StreamEnd {
  std::uint64_t number = 0;      ///< of the connection, from 1
  bool dialled = false;          ///< by this end
  std::uint32_t user = kNoNode;  ///< SocketUser::number()
  Address local, remote;
};
/// Listens in. The calls come from within those of users, and of who breaks something.
class StreamTap {
 public:
  virtual ~StreamTap() = default;
  /// So many bytes, the first of those that `from` names.
  virtual void on_written(const StreamEnd& end, const iovec* from, std::size_t bytes) = 0;
  /// So many bytes that this end wrote have arrived, and its system knows it.
  virtual void on_acknowledged(const StreamEnd& end, std::size_t bytes) = 0;
  virtual void on_read(const StreamEnd& end, std::size_t bytes) = 0;
  /// It broke, and its user will be told; or its user has let it go. What it has not read it will
  /// never read after the second.
  virtual void on_over(const StreamEnd& end, bool let_go) = 0;
};

class Streams {
 public:
  /// All must outlive it.
  Streams(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  /// From now on; must outlive it.
  void listen_in(StreamTap& tap);

  // As a program uses them
  /// -EADDRINUSE: somebody listens there.
  int listen(const Endpoint& at, SocketUser& user);
  void unlisten(const Endpoint& at);
  /// From `port` there, or with port 0 from any above 1023.
  Handle dial(const Endpoint& from, const Endpoint& to, SocketUser& user);
  Transfer read(Handle socket, const iovec* to, std::size_t count);
  Transfer write(Handle socket, const iovec* from, std::size_t count);
  /// Asks for on_readable() if there is something to read.
  void rearm(Handle socket);
  /// Positive errno of a connection that is broken, even while bytes can be read; else 0.
  int error(Handle socket) const;
  /// After a read that was split: the rest can be read now, not only with an event of its own.
  void join(Handle socket);
  /// Of the connection, as a tap hears it.
  std::uint64_t number(Handle socket) const;
  /// Bytes written that have not arrived.
  std::uint32_t unacknowledged(Handle socket) const;
  /// In order: what was written still arrives, then the end. A dial under way is given up. With
  /// bytes unread, the other side gets a reset.
  void close(Handle socket);

  // As the world treats them
  /// The user's process died: its listeners and sockets go. Its machine says so to the others
  /// (`silent` false), or died with it and says nothing: they find out when they send to it.
  void abandon(SocketUser& user, bool silent);
  /// Both ends get ECONNRESET, at once.
  void reset(Handle socket);
  /// This end is gone and the other one does not know (a half-open connection). Its own user gets
  /// ECONNRESET.
  void half_open(Handle socket);
  /// Nothing that this end writes travels until it is over, or closed; the other direction does.
  void stall(Handle socket, bool stalled);
  /// The open connections between two places, either way, in the order in which they were made.
  void between(Place a, Place b, std::vector<Handle>& sockets) const;
  /// Pieces under way, and reads that were split.
  std::size_t in_flight() const;
  /// Connections so far between this node and those that are none (SocketUser::number()).
  std::uint64_t with_strangers(std::uint32_t node) const;
  /// What happened, by StreamChange.
  const std::array<std::uint64_t, 8>& counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::sim
