// Patterns of bulk data, and the memory that holds them: spec/wire-selftest.md 6, spec/vectors.md
// 27.
#include "selftest/service/pattern.h"

#include <gtest/gtest.h>

#include "lnet/wire/vectors_fixture.h"
#include "selftest/service/tiny_lnet_fixture.h"

namespace ulnet::svc::selftest {
namespace {

using wire::LstCheck;

constexpr LstCheck kAll[] = {LstCheck::kNone, LstCheck::kSimple, LstCheck::kFull,
                             LstCheck::kDiscard};
constexpr LstCheck kLookedAt[] = {LstCheck::kSimple, LstCheck::kFull};

ByteView view(const Bulk& bulk, std::size_t offset, std::size_t length) {
  return {bulk.memory.get() + offset, length};
}
std::vector<std::byte> bytes(const Bulk& bulk, std::size_t offset, std::size_t length) {
  const ByteView seen = view(bulk, offset, length);
  return {seen.begin(), seen.end()};
}

// spec/wire-selftest.md 6; spec/vectors.md 27
TEST(Pattern, TheWordsInMemory) {
  test::TinyPool pool;
  Bulk bulk = pool.take(16);
  fill_source(bulk, 0, 16, LstCheck::kFull, false);
  EXPECT_EQ(bytes(bulk, 0, 16), wire::vectors::from_hex("b3eeb2eeb1eeb0eeb3eeb2eeb1eeb0ee"));
  poison_sink(bulk, 0, 16, LstCheck::kFull);
  EXPECT_EQ(bytes(bulk, 0, 16), wire::vectors::from_hex("efbeefbeefbeefbeefbeefbeefbeefbe"));
}

// spec/wire-selftest.md 6
TEST(Pattern, FilledPassesAndPoisonedFails) {
  test::TinyPool pool;
  for (const LstCheck check : kLookedAt)
    for (const std::size_t length : {1U, 7U, 8U, 9U, 16U, 4095U, 4096U, 5000U, 1U << 20})
      for (const std::size_t offset : {0U, 64U}) {
        Bulk bulk = pool.take(length + offset);
        poison_sink(bulk, offset, length, check);
        EXPECT_FALSE(looks_right(view(bulk, offset, length), check, false));
        fill_source(bulk, offset, length, check, false);
        EXPECT_TRUE(looks_right(view(bulk, offset, length), check, false));
        EXPECT_FALSE(looks_right(view(bulk, offset, length), check, true));
        EXPECT_TRUE(looks_right(view(bulk, offset, length), LstCheck::kFull, false))
            << "every word, whatever pages the receiver has";
        pool.give(std::move(bulk));
      }
}

TEST(Pattern, WithoutACheckNothingIsTouched) {
  test::TinyPool pool;
  for (const LstCheck check : {LstCheck::kNone, LstCheck::kDiscard}) {
    Bulk bulk = pool.take(4096);
    fill_source(bulk, 0, 4096, check, false);
    poison_sink(bulk, 0, 4096, check);
    EXPECT_EQ(bytes(bulk, 0, 4096), std::vector<std::byte>(4096));
    EXPECT_TRUE(looks_right(view(bulk, 0, 4096), check, false));
  }
}

TEST(Pattern, ASimpleCheckLooksAtBothEnds) {  // spec/wire-selftest.md 6
  test::TinyPool pool;
  for (const std::size_t at : {0U, 7U, 8U, 2000U, 4087U, 4088U, 4095U}) {
    Bulk bulk = pool.take(4096);
    fill_source(bulk, 0, 4096, LstCheck::kFull, false);
    bulk.memory[at] ^= std::byte{1};
    EXPECT_EQ(looks_right(view(bulk, 0, 4096), LstCheck::kSimple, false), at >= 8 && at < 4088)
        << at;
    EXPECT_FALSE(looks_right(view(bulk, 0, 4096), LstCheck::kFull, false)) << at;
  }
}

TEST(Pattern, EachByteOfACutLastWordIsChecked) {
  test::TinyPool pool;
  for (const std::size_t length : {1U, 5U, 12U, 4097U})
    for (const LstCheck check : kLookedAt)
      for (std::size_t at = length - (length - 1) % 8 - 1; at < length; ++at) {
        Bulk bulk = pool.take(length);
        fill_source(bulk, 0, length, check, false);
        bulk.memory[at] ^= std::byte{0x80};
        EXPECT_FALSE(looks_right(view(bulk, 0, length), check, false)) << length << " at " << at;
        fill_source(bulk, 0, length, check, true);
        EXPECT_FALSE(looks_right(view(bulk, 0, length), check, false)) << "spoilt on purpose";
      }
}

TEST(Pattern, OnlyOverwrittenMemoryIsFilledAgain) {
  test::TinyPool pool;
  for (const LstCheck check : kLookedAt) {
    Bulk bulk = pool.take(4096);
    fill_source(bulk, 0, 64, check, true);
    EXPECT_FALSE(looks_right(view(bulk, 0, 64), check, false)) << "spoilt";
    fill_source(bulk, 0, 64, check, false);
    EXPECT_TRUE(looks_right(view(bulk, 0, 64), check, false));
    EXPECT_EQ(bulk.filled, 64U);
    fill_source(bulk, 0, 4096, check, false);
    EXPECT_TRUE(looks_right(view(bulk, 0, 4096), check, false));
    for (const LstCheck sink : kAll) {
      poison_sink(bulk, 0, 4096, sink);
      EXPECT_EQ(bulk.filled, 0U) << "the received data may be anything";
    }
  }
}

TEST(Pattern, CheckedMemoryIsPoisonedAgain) {
  test::TinyPool pool;
  for (const std::size_t length : {8U, 4096U, 4104U, 12288U})
    for (const std::size_t offset : {0U, 64U}) {
      Bulk bulk = pool.take(length + offset);
      const std::vector<std::byte> poison = [&] {
        poison_sink(bulk, offset, length, LstCheck::kFull);
        return bytes(bulk, offset, length);
      }();
      for (const std::size_t wrong_at : {length, std::size_t{0}, length - 1}) {
        fill_source(bulk, offset, length, LstCheck::kFull, false);  // as if the data had come
        poison_sink(bulk, offset, length, LstCheck::kNone);
        if (wrong_at != length) bulk.memory[offset + wrong_at] ^= std::byte{1};
        EXPECT_EQ(check_sink(bulk, offset, length, LstCheck::kFull, false), wrong_at == length);
        EXPECT_EQ(bytes(bulk, offset, length), poison);
        poison_sink(bulk, offset, length, LstCheck::kFull);
        EXPECT_EQ(bytes(bulk, offset, length), poison);
        EXPECT_EQ(bulk.filled, 0U) << "the received data may be anything";
      }
    }
}

TEST(Pattern, APoisonedSinkMayBecomeASource) {
  test::TinyPool pool;
  Bulk bulk = pool.take(4096);
  EXPECT_FALSE(check_sink(bulk, 0, 4096, LstCheck::kFull, false));
  EXPECT_EQ(bulk.filled, 4096U);
  fill_source(bulk, 0, 64, LstCheck::kFull, false);
  EXPECT_TRUE(looks_right(view(bulk, 0, 64), LstCheck::kFull, false));
  poison_sink(bulk, 0, 4096, LstCheck::kFull);
  EXPECT_FALSE(looks_right(view(bulk, 0, 64), LstCheck::kFull, false));
}

TEST(Pattern, OtherChecksOfASinkLeaveItAsItIs) {
  test::TinyPool pool;
  Bulk bulk = pool.take(4096);
  fill_source(bulk, 0, 4096, LstCheck::kFull, false);
  for (const LstCheck check : {LstCheck::kNone, LstCheck::kSimple, LstCheck::kDiscard}) {
    EXPECT_TRUE(check_sink(bulk, 0, 4096, check, false));
    EXPECT_EQ(check_sink(bulk, 0, 4096, check, true), check != LstCheck::kSimple);
    EXPECT_TRUE(looks_right(view(bulk, 0, 4096), LstCheck::kFull, false));
  }
}

TEST(BulkPool, GivesMemoryAgainThatIsLargeEnough) {
  test::TinyPool pool;
  EXPECT_FALSE(pool.take(0));
  pool.give({});
  for (const std::size_t bytes : {1U, 4096U, 4097U, 8192U, 65536U, (1U << 20) + 4095}) {
    Bulk bulk = pool.take(bytes);
    EXPECT_GE(bulk.capacity, bytes);
    const std::byte* at = bulk.memory.get();
    pool.give(std::move(bulk));
    EXPECT_EQ(pool.take(bytes).memory.get(), at);
  }
}

}  // namespace
}  // namespace ulnet::svc::selftest
