// A pool of Tx. The pool allocates them in chunks and keeps them until it is destroyed, so that in
// the steady state a message allocates nothing.
#pragma once

#include <memory>
#include <vector>

#include "lnet/lnd/sock/engine/tx_queue.h"

namespace ulnet::lnd::sock {

class TxPool {
 public:
  /// A Tx with all fields reset but `send`, `bytes`, `checksum`, `since` and `acks`, which the
  /// caller sets as far as it needs them.
  Tx* take() {
    if (free_ == nullptr) grow();
    Tx* tx = free_;
    free_ = tx->next;
    tx->next = nullptr;
    tx->cookie0 = tx->cookie1 = 0;
    tx->written = 0;
    tx->checksummed = tx->is_noop = false;
    ++out_;
    return tx;
  }
  void give(Tx* tx) {
    tx->next = free_;
    free_ = tx;
    --out_;
  }
  /// How many are in use.
  std::size_t out() const { return out_; }

 private:
  static constexpr std::size_t kChunk = 32;
  void grow() {
    chunks_.push_back(std::make_unique<Tx[]>(kChunk));
    for (std::size_t i = kChunk; i-- > 0;) {
      chunks_.back()[i].next = free_;
      free_ = &chunks_.back()[i];
    }
  }

  std::vector<std::unique_ptr<Tx[]>> chunks_;
  Tx* free_ = nullptr;
  std::size_t out_ = 0;
};

}  // namespace ulnet::lnd::sock
