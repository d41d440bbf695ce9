#include "lnet/node/runtime/mailbox.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

core::ShardMsg shard_msg(std::uint32_t ticket) { return {core::shard_msg::Withdraw{{ticket, 0}}}; }
std::uint32_t number_of(const core::ShardMsg& shard_msg) {
  return std::get<core::shard_msg::Withdraw>(shard_msg.body).parked.slot;
}

struct MailboxTest : ::testing::Test {
  /// Puts in `count` messages and takes them.
  void pass(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) box.put(shard_msg(next_in++));
    for (std::uint32_t i = 0; i < count; ++i) {
      const core::ShardMsg* out = box.take();
      ASSERT_NE(out, nullptr);
      EXPECT_EQ(number_of(*out), next_out++);
      box.done();
    }
  }
  Mailbox box;
  std::uint32_t next_in = 0, next_out = 0;
};

TEST_F(MailboxTest, IsEmptyAtFirst) {
  EXPECT_EQ(box.take(), nullptr);
  EXPECT_EQ(box.count_put(), 0U);
  EXPECT_EQ(box.count_done(), 0U);
}

TEST_F(MailboxTest, KeepsTheOrderAndCounts) {
  pass(3);
  EXPECT_EQ(box.take(), nullptr);
  pass(100);
  EXPECT_EQ(box.count_put(), 103U);
  EXPECT_EQ(box.count_done(), 103U);
}

TEST_F(MailboxTest, AShardMsgBeingReadStaysWhenOthersArrive) {
  box.put(shard_msg(7));
  const core::ShardMsg* out = box.take();
  for (std::uint32_t i = 0; i < 1000; ++i) box.put(shard_msg(i));
  EXPECT_EQ(number_of(*out), 7U);
  EXPECT_EQ(number_of(*box.take()), 0U);
}

TEST_F(MailboxTest, ShrinksAfterAPeak) {
  pass(10000);
  EXPECT_GE(box.capacity(), 10000U);
  for (unsigned turn = 0; turn < 2 * Mailbox::kQuietTurns + 2; ++turn) pass(1);
  EXPECT_LE(box.capacity(), 2 * Mailbox::kKept);
}

TEST_F(MailboxTest, KeepsUsedCapacity) {
  pass(1000);
  pass(1000);
  const std::size_t capacity = box.capacity();
  for (unsigned turn = 0; turn < 4 * Mailbox::kQuietTurns; ++turn) pass(1000);
  EXPECT_EQ(box.capacity(), capacity);
}

TEST_F(MailboxTest, KeepsASmallCapacity) {
  pass(Mailbox::kKept);
  pass(Mailbox::kKept);
  const std::size_t capacity = box.capacity();
  for (unsigned turn = 0; turn < 4 * Mailbox::kQuietTurns; ++turn) pass(1);
  EXPECT_EQ(box.capacity(), capacity);
}

}  // namespace
}  // namespace ulnet::node
