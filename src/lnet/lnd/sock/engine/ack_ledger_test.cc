#include "lnet/lnd/sock/engine/ack_ledger.h"

#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/tx_pool.h"

namespace ulnet::lnd::sock {
namespace {

using wire::AckSet;

class AckLedgerTest : public testing::Test {
 protected:
  TxPool pool;
  AckLedger ledger;
  TxList settled;

  std::uint64_t request(Handle conn = {1, 1}, Instant since = {}) {
    Tx* tx = pool.take();
    tx->cookie0 = ledger.draw();
    ledger.await(tx, conn, since);
    return tx->cookie0;
  }
  std::size_t count() {
    std::size_t count = 0;
    settled.for_each([&](const Tx&) { ++count; });
    return count;
  }
  static AckSet acks(AckSet::Kind kind, std::uint64_t first, std::uint64_t second) {
    return {kind, first, second};
  }
};

// spec/wire-socklnd.md 7: cookies are counted from 2
TEST_F(AckLedgerTest, SettlesSinglesPairsAndRanges) {
  EXPECT_EQ(request(), 2U);
  for (int i = 0; i < 9; ++i) request();
  EXPECT_TRUE(ledger.settle(acks(AckSet::Kind::kOne, 5, 5), settled));
  EXPECT_TRUE(ledger.settle(acks(AckSet::Kind::kTwo, 2, 11), settled));
  EXPECT_TRUE(ledger.settle(acks(AckSet::Kind::kRange, 6, 10), settled));
  EXPECT_EQ(count(), 8U);
  EXPECT_FALSE(ledger.empty());
}

// spec/wire-socklnd.md 7: a cookie was acknowledged already, or never used, or the range is too
// wide
TEST_F(AckLedgerTest, RefusesAnUnknownCookieAndSettlesNothing) {
  request();
  request();
  EXPECT_TRUE(ledger.settle(acks(AckSet::Kind::kOne, 2, 2), settled));
  EXPECT_FALSE(ledger.settle(acks(AckSet::Kind::kOne, 2, 2), settled));
  EXPECT_FALSE(ledger.settle(acks(AckSet::Kind::kOne, 99, 99), settled));
  EXPECT_FALSE(ledger.settle(acks(AckSet::Kind::kTwo, 3, 99), settled));
  EXPECT_FALSE(ledger.settle(acks(AckSet::Kind::kRange, 2, ~0ULL), settled));
  EXPECT_EQ(count(), 1U);
}

// spec/wire-socklnd.md 7: cookies die with the connection that carried the request
TEST_F(AckLedgerTest, GivesBackTheMessagesOfAConnection) {
  request({1, 1}, Instant(std::chrono::seconds(1)));
  request({2, 1}, Instant(std::chrono::seconds(2)));
  EXPECT_EQ(ledger.oldest(), Instant(std::chrono::seconds(1)));
  ledger.take({1, 1}, settled);
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(ledger.oldest(), Instant(std::chrono::seconds(2)));
}

}  // namespace
}  // namespace ulnet::lnd::sock
