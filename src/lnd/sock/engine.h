// The driver's machine: all peers and connections of one reactor, without descriptors, clock or
// threads. Whoever has the bytes (the reactor; a simulator) tells it what happened, asks it what to
// write, and carries out what it says through Outlet. It only sequences the leaves: greeting,
// receiver, tx_queue, dial_plan, ack_ledger, admission, conn_choice. Source: spec/wire-socklnd.md.
//
// One thread at a time. at() is told the time before anything else happens.
#pragma once

#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/slab.h"
#include "base/timer_wheel.h"
#include "lnd/lnd.h"
#include "lnd/sock/report.h"
#include "lnd/sock/tunables.h"
#include "lnd/sock/tx_pool.h"
#include "lnd/sock/view.h"

namespace ulnet::lnd::sock {

/// A connection to be made. Answered with connected() or dial_failed(), later.
struct DialOrder {
  Address local;
  Endpoint remote;
  std::int32_t tos = -1;
};
/// An accepted connection whose peer belongs to another engine: what was read of it so far.
struct Arrival {
  Endpoint remote;
  bool user = false;
  core::NiId ni;
  wire::ReceivedHello hello;
  std::vector<std::byte> rest;
};

/// What the engine asks of whoever holds the descriptors. No call may call the engine back, but
/// deliver() of a HeaderArrived, which applies the commands that answer it (Engine::command) before
/// it returns. Looking at it (view.h) is always allowed.
class Outlet {
 public:
  virtual ~Outlet() = default;
  virtual void deliver(const core::Input& input) = 0;
  virtual void dial(Handle conn, const DialOrder& order) = 0;
  /// The connection is over; its handle means nothing afterwards.
  virtual void close(Handle conn) = 0;
  /// The same, with a reset: not all that came was looked at.
  virtual void abort(Handle conn) { close(conn); }
  virtual void pause(Handle conn, bool paused) = 0;
  /// It carries messages from now on; `tos` is its NI's.
  virtual void opened(Handle conn, wire::ConnType type, std::int32_t tos) = 0;
  /// Bytes written that TCP has not seen acknowledged.
  virtual std::uint32_t unacknowledged(Handle conn) = 0;
  /// True: the peer belongs to another engine, `arrival` was taken and the descriptor is
  /// theirs now.
  virtual bool hand_over(Handle conn, const core::Hop& peer, Arrival& arrival) = 0;
  /// For people; it has been counted.
  virtual void report(const Report&) {}
};

class Engine {
 public:
  /// `id` (below 256) is part of the tickets it gives out. All references must outlive it;
  /// `tunables` may change between calls.
  Engine(std::uint8_t id, const SockTunables& tunables, Outlet& outlet);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void at(Instant now) { now_ = now; }

  // NIs
  void add_ni(const NiInfo& ni);
  /// Its id and NID stay; what else differs counts from now on.
  void change_ni(const NiInfo& ni);
  /// Ends everything on it.
  void remove_ni(core::NiId ni);

  // Commands
  void command(Command&& command);
  /// All commands that were submitted before have been given to command().
  void drained();

  // Connections: what happened
  /// Nothing: to be closed at once.
  std::optional<Handle> accepted(const Endpoint& remote);
  /// An arrival from another engine: first its handle (nothing: its NI is gone), then the rest.
  std::optional<Handle> expect(const Arrival& arrival);
  void arrived(Handle conn, const Arrival& arrival);
  void connected(Handle conn, bool unprivileged);
  void dial_failed(Handle conn, int error, bool unprivileged = false);
  /// `direct` bytes went where read_plan() said, `tail` came after them. False: the connection is
  /// gone.
  bool received(Handle conn, std::size_t direct, ByteView tail);
  /// End of stream (0) or a positive errno.
  void ended(Handle conn, int error);
  void written(Handle conn, std::size_t bytes);
  /// The open connections that would close with this one, in the order in which they opened;
  /// appended to `siblings`.
  void siblings(Handle conn, std::vector<Handle>& siblings);

  // Connections: what to do
  /// Where to read to; afterwards at most `ahead` bytes (given as the most that is possible)
  /// elsewhere.
  std::size_t read_plan(Handle conn, iovec* out, std::size_t max, std::size_t& direct,
                        std::size_t& ahead);
  /// What to write; 0: nothing. `scratch` must hold still until written().
  std::size_t gather(Handle conn, iovec* out, std::size_t max, ByteSpan scratch,
                     std::size_t enough);
  /// Connections that got something to write since they were last asked for; the caller clears the
  /// list with clean().
  std::vector<Handle>& dirty() { return dirty_; }
  void clean(Handle conn);
  /// Puts it (back) on that list.
  void soil(Handle conn) {
    if (Conn* found = find(conn)) touch(*found);
  }
  bool has_unsent(Handle conn);
  std::uint64_t unsent_bytes(Handle conn);

  // Time
  /// Timers, and connections that may be read again.
  void work();
  bool has_work() const { return !resume_.empty(); }
  /// When work() has something to do at the latest.
  Instant next_deadline();

  const Counters& counters() const { return counters_; }
  /// Counts it and reports it.
  void tell(const Report& report) {
    counters_.add(report.what);
    outlet_.report(report);
  }
  void tell(Count what, const Endpoint& remote, const Nid& peer = Nid::any(),
            const char* detail = "") {
    tell(Report{what, remote, peer, detail});
  }
  std::string trouble(const Nid& nid) const;
  std::size_t messages_in_flight() const { return pool_.out(); }

  // To be seen
  /// Calls fn(PeerView) for each peer, in the order in which they became known.
  template <class Fn>
  void for_each_peer(Fn&& fn) const {
    for (const Peer& peer : peer_order_) fn(PeerView(peer));
  }
  /// Nothing: there is no such connection.
  std::optional<ConnView> see(Handle conn) const {
    const Conn* found = conns_.find(conn);
    return found == nullptr ? std::nullopt : std::optional(ConnView(*found));
  }
  /// The connection on which that message comes. Nothing: the message is dead, or its connection.
  std::optional<ConnView> see(core::RxTicket rx) const;

 private:
  struct Rx;
  using PeerList = boost::intrusive::list<Peer>;

  // engine_greet.cc: handshakes
  Conn& make_conn(ConnState state, const Endpoint& remote);
  void step(Conn& conn, ConnEvent event);
  void make_room();
  void greet(Conn& conn, ByteView in);
  bool on_request(Conn& conn, ByteView rest);
  void on_hello_passive(Conn& conn, ByteView rest);
  void on_hello_active(Conn& conn);
  void on_greeting_fault(Conn& conn, ByteView rest);
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
  void other_life(Peer& peer, const Endpoint& from);

  // engine_dial.cc
  bool may_dial(const Peer& peer) const;
  bool may_dial_own_address(const Peer& peer) const;
  void want_dial(Peer& peer, bool message);
  void start_dials();
  void start_dial(Peer& peer);
  void end_dial(Peer& peer);
  void dial_came_to_nothing(Conn& conn, const Failure& failure, Count why);
  DialPlan::Pace pace() const;

  // engine_receive.cc
  void parse(Conn& conn, ByteView in);
  void on_header(Conn& conn, ByteView& in);
  void on_payload(Conn& conn);
  void on_acks(Conn& conn);
  void broken(Conn& conn, Count why, const Failure& failure);
  void queue_ack(Conn& carrier, std::uint64_t cookie);
  void say_ack(Conn& conn, std::uint64_t cookie);
  /// A message that is given up before it begins; an ACK that was to ride on it goes without it.
  template <class Match>
  Tx* take_back(Conn& conn, const Match& match) {
    Tx* tx = conn.tx.take_if(match);
    if (tx != nullptr && tx->cookie1 != 0) say_ack(conn, tx->cookie1);
    return tx;
  }
  void pause(Conn& conn, ByteView rest);
  void resume(Conn& conn);
  void land(const core::Land& land);
  void hold(const core::HoldPayload& hold);
  void drop(const core::DropPayload& drop);
  void reject(const core::Reject& reject);
  bool try_stage(Rx& rx);
  void release_hold(Rx& rx);
  void landed(core::MsgTicket msg, const Failure& failure);
  core::RxTicket ticket(Handle rx) const;
  Rx* find_rx(core::RxTicket ticket, Handle& handle);
  void lose_rx(Conn& conn, const Failure& failure);

  // engine_send.cc
  void send(core::Send&& send);
  void launch(Peer& peer, Tx* tx);
  void launch_waiting(Peer& peer);
  Conn* choose(Peer& peer, const core::Send& send);
  Conn* choose_for_noop(Peer& peer, bool may_block);
  void enqueue(Conn& conn, Tx* tx);
  void expect_progress(Conn& conn);
  void touch(Conn& conn);
  void cancel(const core::Cancel& cancel);
  void finish(Tx* tx, const Failure& failure);
  void finish_all(TxList& list, const Failure& failure);
  static std::string trouble_dialling(const Peer& peer);
  std::string trouble_connected(const Peer& peer) const;
  TxStyle style(const Conn& conn) const { return conn.style(tunables_.enable_csum != 0); }

  // engine_close.cc
  void close_conn(Conn& conn, const Failure& failure);
  /// Every connection of the peer to that address (spec/wire-socklnd.md 10).
  void close_address(Peer& peer, const Address& address, const Failure& failure,
                     bool reset = false);
  std::optional<Endpoint> close_conns(Peer& peer, const Failure& failure);
  void close_life(Peer& peer, bool reset);
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

  void tell(Count what, const Conn& conn, const char* detail = "");

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
  PeerList peer_order_;        ///< of creation; peers_ is never iterated
  Peer* last_peer_ = nullptr;  ///< found last
  TxPool pool_;
  Slab<Rx> rxs_;
  std::vector<Handle> dead_rx_,
      dying_rx_;  ///< held messages reported lost: a Land may still be under way
  wire::LnetHeader header_;
  Conn* parsing_ = nullptr;
  std::vector<Handle> dirty_, resume_, resuming_, graveyard_;
  std::map<std::uint64_t, Conn*> receptions_;  ///< accepted, not yet open, by order
  std::uint64_t next_order_ = 0;
  std::uint64_t next_use_ = 0;
  std::vector<PeerKey> dial_queue_;   ///< peers that wait for their turn
  unsigned dials_ = 0;                ///< under way
  Instant due_ = kNever;              ///< when the next timer fires
  bool due_stale_ = false;            ///< a timer was armed or fired since due_ was found out
  Instant dials_stuck_ = kNever;      ///< when more dials may start though none ended
  std::int32_t corrupt_ = 0;          ///< checksums still to be written wrong
  std::int32_t corrupt_setting_ = 0;  ///< inject_csum_error as last seen
};

}  // namespace ulnet::lnd::sock
