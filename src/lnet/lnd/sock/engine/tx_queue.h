// The writing half of an open connection: queued messages in their order. gather() turns them
// into vectors of memory just before they are written, so that all of them share a system call.
// It copies small payload behind its headers; large payload is not copied. ACKs of zero-copy
// requests are merged into messages and NOOPs that are queued. Source: spec/wire-socklnd.md 5.2,
// 6, 7.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <utility>

#include "lnet/base/bytes.h"
#include "lnet/base/time.h"
#include "lnet/core/contract/ports.h"
#include "lnet/wire/ksock_ack.h"
#include "lnet/wire/ksock_frame.h"

namespace ulnet::lnd::sock {

/// A message to be sent: one of LNet's, or a NOOP of the driver's. A TxPool owns it and sets its
/// first values; it is in one list at a time.
struct Tx {
  Tx* next = nullptr;
  core::Send send;  ///< the LNet message; unused in a NOOP
  /// The cookie with which this node asks for a zero-copy ACK; 0: it does not ask.
  std::uint64_t cookie0 = 0;
  std::uint64_t cookie1 = 0;  ///< the peer's cookie that this message acknowledges; 0: none
  Instant since{};            ///< when the core submitted it; unused in a NOOP
  std::uint32_t bytes = 0;    ///< framing header, LNet header and payload
  std::uint32_t written = 0;  ///< how many of `bytes` were written
  std::uint32_t checksum = 0;
  bool checksummed = false;  ///< `checksum` is valid
  bool is_noop = false;
  wire::NoopAcks acks = wire::NoopAcks::keepalive();  ///< the cookies of a NOOP

  bool begun() const { return written != 0; }
};

/// A list of Tx, first in, first out, linked by Tx::next.
class TxList {
 public:
  bool empty() const { return head_ == nullptr; }
  Tx* front() const { return head_; }
  void push(Tx* tx);
  Tx* pop();
  /// Removes and returns the first for which `match` is true; null: none.
  template <class Match>
  Tx* take_if(Match&& match) {
    Tx* before = nullptr;
    for (Tx* tx = head_; tx != nullptr; before = tx, tx = tx->next) {
      if (!match(*tx)) continue;
      (before == nullptr ? head_ : before->next) = tx->next;
      if (tail_ == tx) tail_ = before;
      tx->next = nullptr;
      return tx;
    }
    return nullptr;
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (Tx* tx = head_; tx != nullptr; tx = tx->next) fn(*tx);
  }
  /// Appends all of `from`, which is empty afterwards.
  void take_all(TxList& from);

 private:
  Tx* head_ = nullptr;
  Tx* tail_ = nullptr;
};

/// How messages are written on a connection.
struct TxStyle {
  std::uint8_t version = 3;
  bool checksum = false;  ///< enable_csum; counts on version 2 only
};

class TxQueue {
 public:
  bool empty() const { return list_.empty(); }
  std::uint64_t queued_bytes() const { return bytes_; }

  /// Appends a message, a Tx as the pool gives it. Returns a queued NOOP that it made superfluous,
  /// because the message carries the cookie of the NOOP; or null. The queue does not own any Tx:
  /// the returned one is the caller's.
  Tx* push(Tx* message, const TxStyle& style);
  /// Appends a NOOP, a Tx as the pool gives it.
  void push_noop(Tx* noop);
  /// Adds an ACK to a queued NOOP or message. False: the ACK needs a NOOP of its own.
  bool merge_ack(std::uint64_t cookie, const TxStyle& style);

  /// Describes what to write next, in at most `max` vectors, and stops soon after `enough` bytes.
  /// Headers and small payload are put into `scratch`. `corrupt`: how many checksums are still to
  /// be written wrong (test aid); counted down.
  std::size_t gather(iovec* out, std::size_t max, ByteSpan scratch, std::size_t enough,
                     const TxStyle& style, std::int32_t& corrupt);
  /// How many bytes of payload gather() has copied since the last call.
  std::size_t take_copied() { return std::exchange(copied_, 0); }
  /// `count` bytes were written. Calls done(Tx*) for every message that is complete now, in
  /// order; the Tx is no longer in the queue then.
  template <class Done>
  void written(std::size_t count, Done&& done) {
    bytes_ -= count;
    while (count != 0) {
      Tx* tx = list_.front();
      const std::size_t here = std::min<std::size_t>(count, tx->bytes - tx->written);
      tx->written += static_cast<std::uint32_t>(here);
      count -= here;
      if (tx->written != tx->bytes) break;
      done(take_front());
    }
  }
  /// Removes and returns a message of which no byte was written and for which `match` is true;
  /// null: no message matches.
  template <class Match>
  Tx* take_if(Match&& match) {
    Tx* tx = list_.take_if([&](const Tx& t) { return !t.begun() && match(t); });
    if (tx != nullptr) forget(tx);
    return tx;
  }
  /// Removes and returns the first message, begun or not; null: the queue is empty.
  Tx* take_front();
  template <class Fn>
  void for_each(Fn&& fn) const {
    list_.for_each(fn);
  }

  /// Whether a message has been written in part.
  bool mid_message() const {
    bool begun = false;
    list_.for_each([&](const Tx& tx) { begun = begun || tx.begun(); });
    return begun;
  }

  /// Bytes of an LNet message on a connection of this version: framing header, LNet header,
  /// payload.
  static std::uint32_t size_of(const core::Send& send, std::uint32_t version);

 private:
  void forget(Tx* tx);

  TxList list_;
  std::uint64_t bytes_ = 0;  ///< not yet written, of all in list_
  std::size_t copied_ = 0;   ///< since take_copied()
  Tx* noop_ = nullptr;       ///< the last queued NOOP; ACKs may merge into it until it has begun
  Tx* carrier_ = nullptr;    ///< the last queued message; it may take an ACK until it has begun
};

}  // namespace ulnet::lnd::sock
