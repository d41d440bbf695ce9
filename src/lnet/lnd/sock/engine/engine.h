// The driver's state machine: all peers and connections of one reactor, without descriptors, clock
// or threads. The reactor (or a simulator) has the sockets. It reports to the engine what happened,
// asks the engine what to read and to write, and carries out what the engine asks through Outlet.
// The engine combines smaller machines: greeting, receiver, tx_queue, dial_plan, ack_ledger,
// admission, conn_choice. Source: spec/wire-socklnd.md.
//
// One thread at a time. The caller calls at() with the time before any other call.
#pragma once

#include <boost/intrusive/list.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/base/timer_wheel.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/sock/engine/address_shares.h"
#include "lnet/lnd/sock/engine/report.h"
#include "lnet/lnd/sock/engine/tunables.h"
#include "lnet/lnd/sock/engine/tx_pool.h"
#include "lnet/lnd/sock/engine/view.h"

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

class Engine {
 public:
  /// `id` (below 256) is part of the RxTickets that the engine gives out. `tunables` and `outlet`
  /// must outlive the engine; `tunables` may change between calls.
  Engine(std::uint8_t id, const SockTunables& tunables, Outlet& outlet);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The time from now on; never earlier than before.
  void at(Instant now) { now_ = now; }

  // NIs
  void add_ni(const NiInfo& ni);
  /// Changes a running NI. Its id and NID must stay; the other fields count from now on.
  void change_ni(const NiInfo& ni);
  /// Closes the NI's connections and ends every message on it.
  void remove_ni(core::NiId ni);
  /// lnd::Lnd::link_changed().
  void link_changed(core::NiId ni, bool up);

  // Commands
  /// Carries out a command of the core.
  void command(Command&& command);
  /// All commands that were submitted before this call have been given to command().
  void drained();

  // Connections: events
  /// A connection was accepted. Returns its handle; nothing: it is refused, close it at once.
  std::optional<Handle> accepted(const Endpoint& remote);
  /// Another engine hands over a connection. expect() gives its handle (nothing: its NI is gone);
  /// then arrived() takes the bytes that were read from it.
  std::optional<Handle> expect(const Arrival& arrival);
  void arrived(Handle conn, const Arrival& arrival);
  /// A dial has connected. `unprivileged`: from a port above 1023.
  void connected(Handle conn, bool unprivileged);
  /// A dial has failed with `error`, a positive errno.
  void dial_failed(Handle conn, int error, bool unprivileged = false);
  /// Bytes were read: `direct` bytes to the places that read_plan() gave, then those of `tail`.
  /// False: the connection is closed now.
  bool received(Handle conn, std::size_t direct, ByteView tail);
  /// The connection has ended: the peer ended it (0), or it failed with a positive errno.
  void ended(Handle conn, int error);
  /// The first `bytes` bytes of what gather() described were written.
  void written(Handle conn, std::size_t bytes);
  /// Appends to `siblings` the open connections that the engine would close if this one ended, in
  /// the order in which they were opened.
  void siblings(Handle conn, std::vector<Handle>& siblings);

  // Connections: reading and writing
  /// Describes where to read to, in at most `max` vectors, and returns how many vectors. Sets
  /// `direct` to the number of bytes in them. `ahead`: the caller sets it to the size of its
  /// buffer; the engine sets it to the number of bytes that may be read into that buffer after the
  /// vectors.
  std::size_t read_plan(Handle conn, iovec* out, std::size_t max, std::size_t& direct,
                        std::size_t& ahead);
  /// Describes what to write, in at most `max` vectors and not much more than `enough` bytes;
  /// returns how many vectors (0: nothing to write). Some vectors point into `scratch`, which must
  /// stay unchanged until written().
  std::size_t gather(Handle conn, iovec* out, std::size_t max, ByteSpan scratch,
                     std::size_t enough);
  /// The connections that have something new to write. The caller takes them out of the list and
  /// calls clear_writable() for each.
  std::vector<Handle>& writable() { return writable_; }
  void clear_writable(Handle conn);
  /// Puts the connection on the list of writable(), if it is not there.
  void mark_writable(Handle conn) {
    if (Conn* found = find(conn)) mark_writable(*found);
  }
  bool has_unsent(Handle conn);
  /// Bytes of the messages that are queued on this connection and not written yet.
  std::uint64_t unsent_bytes(Handle conn);

  // Time
  /// Handles the timers that are due, and parses the bytes kept for connections that may be read
  /// again.
  void work();
  bool has_work() const { return !resume_.empty(); }
  /// When the owner must call work() next; kNever: not before another call into the engine.
  Instant next_deadline();

  const Counters& counters() const { return counters_; }
  /// Counts an event of the owner.
  void count(Count what, std::uint64_t by = 1) { counters_.add(what, by); }
  /// Counts what the report is about, and passes the report to the owner.
  void report(const Report& report) {
    counters_.add(report.what);
    outlet_.report(report);
  }
  void report(Count what, const Endpoint& remote, const Nid& peer = Nid::any(),
              const char* detail = "") {
    report(Report{what, remote, peer, detail});
  }
  /// The trouble with the peers that have this NID, in words for the user; empty: none is known.
  /// `status`: the status with which a message failed.
  std::string trouble(const Nid& nid, int status) const;
  std::size_t messages_in_flight() const { return pool_.out(); }

  // For observers
  /// Calls fn(PeerView) for each peer, the one known longest first.
  template <class Fn>
  void for_each_peer(Fn&& fn) const {
    for (const Peer& peer : peer_order_) fn(PeerView(peer));
  }
  /// The view of a connection; nothing: there is no such connection.
  std::optional<ConnView> see(Handle conn) const {
    const Conn* found = conns_.find(conn);
    return found == nullptr ? std::nullopt : std::optional(ConnView(*found));
  }
  /// The connection on which the message arrives; nothing: the message or its connection is gone.
  std::optional<ConnView> see(core::RxTicket rx) const;

 private:
  struct Rx;
  using PeerList = boost::intrusive::list<Peer>;
  using VisitorList = boost::intrusive::list<
      Peer, boost::intrusive::member_hook<Peer, Peer::VisitorHook, &Peer::visiting>,
      boost::intrusive::constant_time_size<false>>;

  // engine_greet.cc: handshakes
  Conn& make_conn(ConnState state, const Endpoint& remote);
  void step(Conn& conn, ConnEvent event);
  void await_hello(Conn& conn);
  void limit_pending_accepts();
  void greet(Conn& conn, ByteView in);
  void on_request(Conn& conn, ByteView rest);
  void on_hello_passive(Conn& conn, ByteView rest);
  void on_hello_active(Conn& conn);
  void on_bad_greeting(Conn& conn, ByteView rest);
  void answer(Conn& conn, Peer& peer, const wire::Hello& offer);
  void refuse(Conn& conn, const wire::Hello& refusal, Count why);
  bool lost_race(const Conn& conn, const Peer& peer) const;
  bool duplicate(const Conn& conn, const Peer& peer, wire::ConnType type) const;
  void open(Conn& conn, Peer& peer, const wire::ReceivedHello& hello);
  void end_accept(Conn& conn);
  void refusal_sent(Conn& conn);
  void handshake_timeout(Conn& conn);
  wire::HelloSelf self(const NiInfo& ni) const { return {ni.nid, ni.pid, ni.incarnation}; }
  void close_unopened(Conn& conn, Count why, const char* detail = "", ByteView unread = {});
  void other_incarnation(Peer& peer, const Endpoint& from);

  // engine_limits.cc: the limits that all engines share, of connections and of memory
  bool admit_open(Conn& conn, const Peer& peer, wire::ConnType type);
  static bool has_reservation(const Peer& peer);
  void release_reservation(Conn& conn, const Peer& peer);
  bool evict_one(const Peer& newcomer);
  void evict(Peer& peer);
  bool can_disconnect(const Peer& peer);
  void visited(Peer& peer);
  /// Whether the payload of a held message got memory. kPeerFull, kNodeFull: it did not, because
  /// the peer or the node has reached its limit.
  enum class Staged : std::uint8_t { kYes, kPeerFull, kNodeFull };
  Staged try_stage(Rx& rx);
  bool take_hold_memory(Rx& rx);
  void give_hold_memory(Rx& rx);
  void stage_or_wait(Rx& rx);
  void release_hold(Rx& rx);
  void stage_held_of(const Peer& peer);
  void stage_waiting();

  // engine_link.cc
  void link_down(core::NiId ni);
  bool is_cut_off(const Peer& peer);
  void leave(Peer& peer);
  void link_up(core::NiId ni);

  // engine_dial.cc
  bool may_dial(const Peer& peer) const;
  bool may_dial_own_address(const Peer& peer) const;
  void want_dial(Peer& peer, bool message);
  void start_dials();
  void start_dial(Peer& peer);
  void end_dial(Peer& peer);
  void dial_came_to_nothing(Conn& conn, const Failure& failure, Count why);
  DialPlan::Pace pace() const;
  bool typed() const { return tunables_.typed_conns != 0; }

  // engine_receive.cc
  void parse(Conn& conn, ByteView in);
  void on_header(Conn& conn, ByteView& in);
  void on_payload(Conn& conn);
  void on_acks(Conn& conn);
  void broken(Conn& conn, Count why, const Failure& failure);
  void queue_ack(Conn& carrier, std::uint64_t cookie);
  void say_ack(Conn& conn, std::uint64_t cookie);
  /// Takes a queued message out before its first byte is written. An ACK that was to travel with it
  /// becomes a message of its own.
  template <class Match>
  Tx* take_back(Conn& conn, const Match& match) {
    Tx* tx = conn.tx.take_if(match);
    if (tx != nullptr && tx->cookie1 != 0) say_ack(conn, tx->cookie1);
    return tx;
  }
  void pause(Conn& conn, ByteView rest);
  std::unique_ptr<Unparsed> put_aside(ByteView rest);
  void resume(Conn& conn);
  void land(const core::Land& land);
  void hold(const core::HoldPayload& hold);
  void drop(const core::DropPayload& drop);
  void reject(const core::Reject& reject);
  void landed(core::MsgTicket msg, const Failure& failure);
  core::RxTicket ticket(Handle rx) const;
  Rx* find_rx(core::RxTicket ticket, Handle& handle);
  void lose_rx(Conn& conn, const Failure& failure);

  // engine_send.cc
  void send(core::Send&& send);
  void send_to(Peer& peer, Tx* tx);
  void send_waiting(Peer& peer);
  Conn* choose(Peer& peer, const core::Send& send);
  Conn* choose_for_noop(Peer& peer, bool may_block);
  void enqueue(Conn& conn, Tx* tx);
  void expect_progress(Conn& conn);
  void mark_writable(Conn& conn);
  void cancel(const core::Cancel& cancel);
  void finish(Tx* tx, const Failure& failure);
  void finish_all(TxList& list, const Failure& failure);
  static std::string trouble_dialling(const Peer& peer, int status);
  std::string trouble_connected(const Peer& peer) const;
  TxStyle style(const Conn& conn) const { return conn.style(tunables_.enable_csum != 0); }

  // engine_close.cc
  void close_conn(Conn& conn, const Failure& failure);
  /// Closes every connection of the peer to that address (spec/wire-socklnd.md 10).
  void close_address(Peer& peer, const Address& address, const Failure& failure,
                     bool reset = false);
  std::optional<Endpoint> close_conns(Peer& peer, const Failure& failure);
  void close_all(Peer& peer, const Failure& failure, bool reset);
  void close_peer(Peer& peer, const Failure& failure);
  void peer_emptied(Peer& peer, const Endpoint& last, const Failure& failure, bool reset);
  void forget_if_idle(Peer& peer);
  void erase_peer(Peer& peer);
  void reap();

  // engine_time.cc
  void check_peer(Peer& peer);
  bool check_conn(Peer& peer, Conn& conn, Instant& next);
  void check_waiting(Peer& peer, Instant& next);
  void check_keepalive(Peer& peer, Instant& next);
  void arm(Peer& peer, Instant when);
  void arm(Handshake& handshake, Duration in);
  void fire();
  void resume_all();
  void watch(Peer& peer) { arm(peer, now_ + peer.ni->timeout / 4); }

  void report(Count what, const Conn& conn, const char* detail = "");

  Conn* find(Handle conn) { return conns_.find(conn); }
  Peer* find_peer(core::NiId ni, const core::Hop& hop);
  Peer& obtain_peer(const NiInfo& ni, const core::Hop& hop);

  const std::uint8_t id_;
  const SockTunables& tunables_;
  Outlet& outlet_;
  Instant now_{};
  Counters counters_;

  std::map<core::NiId, NiInfo> nis_;
  std::map<Nid, const NiInfo*> ni_by_nid_;
  TimerWheel peer_timers_;
  TimerWheel conn_timers_;
  Slab<Conn> conns_;
  std::unordered_map<PeerKey, std::unique_ptr<Peer>, PeerKeyHash> peers_;
  PeerList peer_order_;   ///< all peers in the order of creation; peers_ is never iterated
  VisitorList silent_;    ///< peers that have opened connections, newest last, by Peer::visiting
  VisitorList visitors_;  ///< peers that evict_one() took from silent_ and could not disconnect
  Peer* last_peer_ = nullptr;  ///< the peer that find_peer() found last
  TxPool pool_;
  Slab<Rx> rxs_;
  /// Held messages that were reported lost: since the last drained(), and before it. The engine
  /// keeps them until it has got every Land or DropPayload that was under way when they were lost.
  std::vector<Handle> lost_rx_, lost_rx_before_;
  wire::LnetHeader header_;  ///< of the message in parse()
  Conn* parsing_ = nullptr;  ///< the connection in parse()
  std::vector<Handle> writable_, resume_, resuming_, closed_;
  /// Memory for Conn::unparsed, so that a message about which another shard decides allocates
  /// nothing.
  static constexpr std::size_t kSpareUnparsed = 4;
  std::vector<std::unique_ptr<Unparsed>> spare_unparsed_;
  std::unique_ptr<Unparsed> resumed_;          ///< what resume_all() is parsing; null: nothing
  std::map<std::uint64_t, Conn*> receptions_;  ///< accepted, not open yet; by Handshake::order
  std::uint64_t next_order_ = 0;
  std::uint64_t next_use_ = 0;
  std::vector<PeerKey> dial_queue_;  ///< peers whose dial waits until fewer are under way
  unsigned dials_ = 0;               ///< number of dials under way
  Instant due_ = kNever;             ///< when the next timer fires, unless due_stale_
  bool due_stale_ = false;           ///< a timer was armed or fired since due_ was computed
  /// Connections that the engine does not read because the node has no memory left for held
  /// payload. It tries to stage their messages in the order of the list: when it has given memory
  /// back, and again after a pause, since other engines give memory back too.
  std::deque<Handle> short_of_memory_;
  Instant stage_at_ = kNever;  ///< when the engine tries short_of_memory_ next
  /// From this time on nconnds_max dials may run, if no dial ends before.
  Instant dials_stuck_ = kNever;
  /// The largest allowed number of dials runs, and others wait for one of them to end.
  bool dials_full_ = false;
  std::int32_t corrupt_ = 0;          ///< how many checksums are still to be written wrong
  std::int32_t corrupt_setting_ = 0;  ///< the last value of inject_csum_error
};

}  // namespace ulnet::lnd::sock
