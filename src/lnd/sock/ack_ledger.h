// Zero-copy requests of ours towards one peer NI: what is outstanding, and what an ACK of theirs
// settles. Source: spec/wire-socklnd.md 7. Requests are made under a test switch only (DESIGN.md,
// issue of the wire).
#pragma once

#include <cstdint>
#include <vector>

#include "base/slab.h"
#include "base/time.h"
#include "lnd/sock/tx_queue.h"
#include "wire/ksock_ack.h"

namespace ulnet::lnd::sock {

class AckLedger {
 public:
  /// A cookie for a message about to be queued.
  std::uint64_t draw() {
    const std::uint64_t cookie = next_;
    next_ = wire::next_cookie(next_);
    return cookie;
  }
  /// `tx` carries its cookie and was written on `conn`. Owned by the ledger until settled or taken.
  void await(Tx* tx, Handle conn, Instant since) { entries_.push_back({tx, conn, since}); }

  bool empty() const { return entries_.empty(); }
  /// The longest wait began then; kNever when nothing is outstanding.
  Instant oldest() const { return entries_.empty() ? kNever : entries_.front().since; }

  /// Appends the messages that `acks` names to `settled`; false, and nothing settled, when it names
  /// one that is not outstanding.
  bool settle(const wire::AckSet& acks, TxList& settled);
  /// Takes what travelled on `conn`.
  void take(Handle conn, TxList& taken);

 private:
  struct Entry {
    Tx* tx;
    Handle conn;
    Instant since;
  };
  std::vector<Entry> entries_;  ///< in the order of writing
  std::uint64_t next_ = wire::kFirstCookie;
};

}  // namespace ulnet::lnd::sock
