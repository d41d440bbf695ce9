#include "lnet/lnd/sock/engine/ack_ledger.h"

#include <algorithm>

namespace ulnet::lnd::sock {

bool AckLedger::settle(const wire::AckSet& acks, TxList& settled) {
  if (acks.count() > entries_.size()) return false;
  const auto named = [&](const Entry& entry) { return acks.contains(entry.tx->cookie0); };
  const auto found =
      static_cast<std::uint64_t>(std::count_if(entries_.begin(), entries_.end(), named));
  if (found != acks.count()) return false;
  for (Entry& entry : entries_) {
    if (!named(entry)) continue;
    settled.push(entry.tx);
    entry.tx = nullptr;
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.tx == nullptr; });
  return true;
}

void AckLedger::take(Handle conn, TxList& taken) {
  for (Entry& entry : entries_) {
    if (!(entry.conn == conn)) continue;
    taken.push(entry.tx);
    entry.tx = nullptr;
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.tx == nullptr; });
}

}  // namespace ulnet::lnd::sock
