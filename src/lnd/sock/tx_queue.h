// The writing half of an open connection: messages in their order, turned into vectors of memory
// just when they can be written, so that everything queued shares a system call. Small payload is
// copied beside its headers, large payload is not touched. ACKs of zero-copy requests merge with
// what is queued. Source: spec/wire-socklnd.md 5.2, 6, 7.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/time.h"
#include "core/ports.h"
#include "wire/ksock_ack.h"
#include "wire/ksock_frame.h"

namespace ulnet::lnd::sock {

/// A message on its way: one of LNet's, or a NOOP of our own. Lives in a pool; in one list at a
/// time.
struct Tx {
  Tx* next = nullptr;
  core::Send send;            ///< LNet message
  std::uint64_t cookie0 = 0;  ///< zero-copy request of ours
  std::uint64_t cookie1 = 0;  ///< ACK riding along
  Instant since{};            ///< when it began to wait where it is
  std::uint32_t bytes = 0;    ///< framing header, LNet header, payload
  std::uint32_t written = 0;
  std::uint32_t checksum = 0;
  bool checksummed = false;
  bool is_noop = false;
  wire::NoopAcks acks = wire::NoopAcks::keepalive();  ///< of a NOOP

  bool begun() const { return written != 0; }
};

/// First in, first out, by Tx::next.
class TxList {
 public:
  bool empty() const { return head_ == nullptr; }
  Tx* front() const { return head_; }
  void push(Tx* tx);
  Tx* pop();
  /// Unlinks the first that `match` wants; null when none.
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
  void take_all(TxList& from);

 private:
  Tx* head_ = nullptr;
  Tx* tail_ = nullptr;
};

/// How messages are written on this connection.
struct TxStyle {
  std::uint8_t version = 3;
  bool checksum = false;  ///< enable_csum; only on version 2
};

class TxQueue {
 public:
  bool empty() const { return list_.empty(); }
  std::uint64_t queued_bytes() const { return bytes_; }
  Tx* front() const { return list_.front(); }
  bool begun() const { return !list_.empty() && list_.front()->begun(); }

  /// Appends a message; returns a NOOP that it made superfluous (its ACK rides along), or null. The
  /// caller owns both.
  Tx* push(Tx* message, const TxStyle& style);
  /// Appends a NOOP.
  void push_noop(Tx* noop);
  /// Takes an ACK aboard something that is queued; false: it needs a NOOP of its own.
  bool merge_ack(std::uint64_t cookie, const TxStyle& style);

  /// Describes what to write next in at most `max` vectors; headers and small payload are put into
  /// `scratch`. Stops soon after `enough` bytes. `corrupt` counts down the checksums to be written
  /// wrong (test aid).
  std::size_t gather(iovec* out, std::size_t max, ByteSpan scratch, std::size_t enough,
                     const TxStyle& style, std::int32_t& corrupt);
  /// So many bytes were written; calls done(Tx*) for every message now complete, in order. done()
  /// owns it.
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
  /// Unlinks a message of the core's that has not begun; null: too late, or not here.
  template <class Match>
  Tx* take_if(Match&& match) {
    Tx* tx = list_.take_if([&](const Tx& t) { return !t.begun() && match(t); });
    if (tx != nullptr) forget(tx);
    return tx;
  }
  /// Everything, begun or not.
  Tx* take_front();
  template <class Fn>
  void for_each(Fn&& fn) const {
    list_.for_each(fn);
  }

  static std::uint32_t size_of(const core::Send& send, std::uint32_t version);

 private:
  void forget(Tx* tx);

  TxList list_;
  std::uint64_t bytes_ = 0;
  Tx* noop_ = nullptr;     ///< the last queued NOOP: ACKs may merge into it until it has begun
  Tx* carrier_ = nullptr;  ///< the last queued message: an ACK may ride on it until it has begun
};

}  // namespace ulnet::lnd::sock
