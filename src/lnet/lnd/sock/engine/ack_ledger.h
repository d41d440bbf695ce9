// This node's zero-copy requests to one peer NI: which are outstanding, and which an ACK of the
// peer settles. Source: spec/wire-socklnd.md 7. The driver makes such requests only under the
// test switch zc_request.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/base/time.h"
#include "lnet/lnd/sock/engine/tx_queue.h"
#include "lnet/wire/ksock_ack.h"

namespace ulnet::lnd::sock {

class AckLedger {
 public:
  /// Returns the cookie for a message that is about to be queued.
  std::uint64_t draw() {
    const std::uint64_t cookie = next_;
    next_ = wire::next_cookie(next_);
    return cookie;
  }
  /// Adds `tx`, which carries its cookie and was written on `conn` at `since`. The ledger owns it
  /// until settle() or take() gives it out.
  void await(Tx* tx, Handle conn, Instant since) { entries_.push_back({tx, conn, since}); }

  bool empty() const { return entries_.empty(); }
  /// When the longest wait began; kNever if nothing is outstanding.
  Instant oldest() const { return entries_.empty() ? kNever : entries_.front().since; }

  /// Appends to `settled` the messages whose cookies `acks` contains. False, and nothing
  /// appended, if it contains a cookie that is not outstanding.
  bool settle(const wire::AckSet& acks, TxList& settled);
  /// Moves to `taken` the messages that were written on `conn`.
  void take(Handle conn, TxList& taken);

 private:
  struct Entry {
    Tx* tx;
    Handle conn;
    Instant since;
  };
  std::vector<Entry> entries_;  ///< in the order in which they were written
  std::uint64_t next_ = wire::kFirstCookie;
};

}  // namespace ulnet::lnd::sock
