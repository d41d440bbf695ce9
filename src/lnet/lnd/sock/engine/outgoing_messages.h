// Sending: which connection carries a message, and how a Send ends. Source: spec/wire-socklnd.md
// 5.2, 7; DESIGN.md 2.
#pragma once

#include "lnet/lnd/lnd.h"
#include "lnet/lnd/sock/engine/peer.h"
#include "lnet/lnd/sock/engine/tx_pool.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class OutgoingMessages {
 public:
  explicit OutgoingMessages(EngineParts& parts) : parts_(parts) {}

  // Commands of the core
  void send(core::Send&& send);
  void cancel(const core::Cancel& cancel);

  /// As Engine::gather() and Engine::written().
  std::size_t gather(Handle conn, iovec* out, std::size_t max, ByteSpan scratch,
                     std::size_t enough);
  void written(Handle conn, std::size_t bytes);

  /// A connection to the peer has opened: queues the messages that waited for one.
  void send_waiting(Peer& peer);
  /// Takes a queued message out before its first byte is written; null: none matches. An ACK that
  /// was to travel with it becomes a message of its own.
  template <class Match>
  Tx* take_back(Conn& conn, const Match& match) {
    Tx* tx = conn.tx.take_if(match);
    if (tx != nullptr && tx->cookie1 != 0) say_ack(conn, tx->cookie1);
    return tx;
  }
  /// Ends a message, and gives its Tx back.
  void finish(Tx* tx, const Failure& failure);
  void finish_all(TxList& list, const Failure& failure);

  /// Acknowledges the message that `carrier` has carried.
  void queue_ack(Conn& carrier, std::uint64_t cookie);
  /// The connection for a NOOP; null: none is fit. `may_block`: nonblk_zcack is 0.
  static Conn* choose_for_noop(Peer& peer, bool may_block);
  void send_keepalive(Conn& conn);

  std::size_t in_flight() const { return pool_.out(); }

 private:
  void send_to(Peer& peer, Tx* tx);
  Conn* choose(Peer& peer, const core::Send& send);
  void enqueue(Conn& conn, Tx* tx);
  void say_ack(Conn& conn, std::uint64_t cookie);
  void push_noop(Conn& conn, const wire::NoopAcks& acks);
  /// Called when something is about to be queued: from now on the engine expects progress on this
  /// connection. If something is outstanding already, its time goes on. Only an acknowledgement by
  /// the peer is progress; bytes that this system's TCP takes are not.
  void expect_progress(Conn& conn);
  TxStyle style(const Conn& conn) const;

  EngineParts& parts_;
  TxPool pool_;
  std::uint64_t next_use_ = 0;
  std::int32_t corrupt_ = 0;          ///< how many checksums are still to be written wrong
  std::int32_t corrupt_setting_ = 0;  ///< the last value of inject_csum_error
};

}  // namespace ulnet::lnd::sock
