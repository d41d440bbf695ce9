// The driver's state machine: all peers and connections of one reactor, without descriptors, clock
// or threads. The reactor (or a simulator) has the sockets. It reports to the engine what happened,
// asks the engine what to read and to write, and carries out what the engine asks through Outlet.
// Its work is done by the parts in engine_parts.h, and by the smaller machines that these use:
// greeting, receiver, tx_queue, dial_plan, ack_ledger, admission, conn_choice. Source:
// spec/wire-socklnd.md.
//
// One thread at a time. The caller calls at() with the time before any other call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

class Engine {
 public:
  /// `id` (below 256) is part of the RxTickets that the engine gives out. `tunables` and `outlet`
  /// must outlive the engine; `tunables` may change between calls.
  Engine(std::uint8_t id, const SockTunables& tunables, Outlet& outlet)
      : parts_(id, tunables, outlet) {}
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The time from now on; never earlier than before.
  void at(Instant now) { parts_.now = now; }

  // NIs
  void add_ni(const NiInfo& ni);
  /// Changes a running NI. Its id and NID must stay; the other fields count from now on.
  void change_ni(const NiInfo& ni);
  /// Closes the NI's connections and ends every message on it.
  void remove_ni(core::NiId ni);
  /// lnd::Lnd::link_changed().
  void link_changed(core::NiId ni, bool up) { parts_.watch.link_changed(ni, up); }

  // Commands
  /// Carries out a command of the core.
  void command(Command&& command);
  /// All commands that were submitted before this call have been given to command().
  void drained() { parts_.incoming.drained(); }

  // Connections: events
  /// A connection was accepted. Returns its handle; nothing: it is refused, close it at once.
  std::optional<Handle> accepted(const Endpoint& remote) {
    return parts_.handshakes.accepted(remote);
  }
  /// Another engine hands over a connection. expect() gives its handle (nothing: its NI is gone);
  /// then arrived() takes the bytes that were read from it.
  std::optional<Handle> expect(const Arrival& arrival) { return parts_.handshakes.expect(arrival); }
  void arrived(Handle conn, const Arrival& arrival) { parts_.handshakes.arrived(conn, arrival); }
  /// A dial has connected. `unprivileged`: from a port above 1023.
  void connected(Handle conn, bool unprivileged) {
    parts_.handshakes.connected(conn, unprivileged);
  }
  /// A dial has failed with `error`, a positive errno.
  void dial_failed(Handle conn, int error, bool unprivileged = false) {
    parts_.dials.failed(conn, error, unprivileged);
  }
  /// Bytes were read: `direct` bytes to the places that read_plan() gave, then those of `tail`.
  /// False: the connection is closed now.
  bool received(Handle conn, std::size_t direct, ByteView tail);
  /// The connection has ended: the peer ended it (0), or it failed with a positive errno.
  void ended(Handle conn, int error) { parts_.closer.ended(conn, error); }
  /// The first `bytes` bytes of what gather() described were written.
  void written(Handle conn, std::size_t bytes) { parts_.outgoing.written(conn, bytes); }
  /// Appends to `siblings` the open connections that the engine would close if this one ended, in
  /// the order in which they were opened.
  void siblings(Handle conn, std::vector<Handle>& siblings) {
    parts_.closer.siblings(conn, siblings);
  }

  // Connections: reading and writing
  /// Describes where to read to, in at most `max` vectors, and returns how many vectors. Sets
  /// `direct` to the number of bytes in them. `ahead`: the caller sets it to the size of its
  /// buffer; the engine sets it to the number of bytes that may be read into that buffer after the
  /// vectors.
  std::size_t read_plan(Handle conn, iovec* out, std::size_t max, std::size_t& direct,
                        std::size_t& ahead) {
    return parts_.incoming.read_plan(conn, out, max, direct, ahead);
  }
  /// Describes what to write, in at most `max` vectors and not much more than `enough` bytes;
  /// returns how many vectors (0: nothing to write). Some vectors point into `scratch`, which must
  /// stay unchanged until written().
  std::size_t gather(Handle conn, iovec* out, std::size_t max, ByteSpan scratch,
                     std::size_t enough) {
    return parts_.outgoing.gather(conn, out, max, scratch, enough);
  }
  /// The connections that have something new to write. The caller takes them out of the list and
  /// calls clear_writable() for each.
  std::vector<Handle>& writable() { return parts_.conns.writable(); }
  void clear_writable(Handle conn);
  /// Puts the connection on the list of writable(), if it is not there.
  void mark_writable(Handle conn);
  bool has_unsent(Handle conn);
  /// Bytes of the messages that are queued on this connection and not written yet.
  std::uint64_t unsent_bytes(Handle conn);

  // Time
  /// Handles the timers that are due, and parses the bytes kept for connections that may be read
  /// again.
  void work();
  bool has_work() const { return parts_.incoming.has_work(); }
  /// When the owner must call work() next; kNever: not before another call into the engine.
  Instant next_deadline();

  const Counters& counters() const { return parts_.counters; }
  /// Counts an event of the owner.
  void count(Count what, std::uint64_t by = 1) { parts_.counters.add(what, by); }
  /// Counts what the report is about, and passes the report to the owner.
  void report(Count what, const Endpoint& remote) { parts_.report(what, remote); }
  /// The trouble with the peers that have this NID, in words for the user; empty: none is known.
  /// `status`: the status with which a message failed.
  std::string trouble(const Nid& nid, int status) const;
  std::size_t messages_in_flight() const { return parts_.outgoing.in_flight(); }

  // For observers
  /// Calls fn(PeerView) for each peer, the one known longest first.
  template <class Fn>
  void for_each_peer(Fn&& fn) const {
    for (const Peer& peer : parts_.peers.in_order()) fn(PeerView(peer));
  }
  /// The view of a connection; nothing: there is no such connection.
  std::optional<ConnView> see(Handle conn) const {
    const Conn* found = parts_.conns.find(conn);
    return found == nullptr ? std::nullopt : std::optional(ConnView(*found));
  }
  /// The connection on which the message arrives; nothing: the message or its connection is gone.
  std::optional<ConnView> see(core::RxTicket rx) const { return parts_.incoming.see(rx); }

 private:
  void reap();

  EngineParts parts_;
};

}  // namespace ulnet::lnd::sock
