// Memory for data is part of the node's budget, and goes back when nobody needs it.
#include "selftest/service/bulk.h"

#include <gtest/gtest.h>

#include "selftest/service/tiny_lnet_fixture.h"

namespace ulnet::svc::selftest {
namespace {

constexpr std::size_t kMiB = 1U << 20;

TEST(BulkPool, TakesNoMoreThanTheShareOfSelftest) {
  test::TinyPool pool;
  pool.host.budget.set(8 * kMiB);  // selftest's share is a quarter
  Bulk first = pool.take(kMiB), second = pool.take(kMiB - 5);
  EXPECT_EQ(pool.used(), 2 * kMiB);
  EXPECT_FALSE(pool.take(1));
  EXPECT_EQ(pool.host.budget.refused(MemoryPart::kSelftest), 1U);
  pool.give(std::move(first));
  EXPECT_EQ(pool.used(), 2 * kMiB) << "kept for the next one";
  EXPECT_TRUE(pool.take(kMiB));
}

TEST(BulkPool, KeptMemoryIsReleasedForOtherSizes) {
  test::TinyPool pool;
  pool.host.budget.set(8 * kMiB);
  Bulk first = pool.take(kMiB), second = pool.take(kMiB);
  pool.give(std::move(first));
  const Bulk small = pool.take(4096);
  EXPECT_TRUE(small);
  EXPECT_EQ(pool.used(), kMiB + 4096);
}

TEST(BulkPool, WithoutMemoryThereIsNothingAndItIsCounted) {
  test::TinyPool pool;
  pool.host.out_of_memory = true;
  EXPECT_FALSE(pool.take(4096));
  EXPECT_EQ(pool.used(), 0U);
  EXPECT_EQ(pool.host.budget.refused(MemoryPart::kSelftest), 1U);
}

TEST(BulkPool, UnusedMemoryIsFreedAndTheHostIsNotifiedOnce) {
  test::TinyPool pool;
  std::vector<Bulk> burst;
  for (int i = 0; i < 100; ++i) burst.push_back(pool.take(kMiB));
  for (Bulk& bulk : burst) pool.give(std::move(bulk));
  EXPECT_EQ(pool.used(), 64 * kMiB) << "the pool keeps at most this";
  pool.pass(BulkPool::kLook);
  EXPECT_EQ(pool.host.trims, 1U) << "the pool freed the rest";
  for (int i = 0; i < 3; ++i) {
    Bulk bulk = pool.take(kMiB);
    pool.pass(BulkPool::kLook);
    pool.give(std::move(bulk));
  }
  EXPECT_EQ(pool.used(), kMiB) << "RPCs still need one now and then";
  pool.pass(BulkPool::kLook);
  pool.pass(BulkPool::kLook);
  EXPECT_EQ(pool.used(), 0U);
  const unsigned trims = pool.host.trims;
  pool.pass(10 * BulkPool::kLook);
  EXPECT_EQ(pool.host.trims, trims);
}

TEST(BulkPool, MemoryThatWasNotReturnedIsFreed) {
  test::TinyPool pool;
  { const Bulk lost = pool.take(kMiB); }
  EXPECT_EQ(pool.used(), 0U);
}

}  // namespace
}  // namespace ulnet::svc::selftest
