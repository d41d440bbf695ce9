#include "lnet/base/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace ulnet {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Reader, TakesIntegersInItsOrder) {
  const auto bytes = bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  Reader little(bytes);
  EXPECT_EQ(little.u8(), 1);
  EXPECT_EQ(little.u16(), 0x0302);
  EXPECT_EQ(little.u32(), 0x07060504U);
  EXPECT_EQ(little.u64(), 0x0f0e0d0c0b0a0908ULL);
  EXPECT_TRUE(little.ok());
  Reader big(bytes, Order::kBig);
  EXPECT_EQ(big.u8(), 1);
  EXPECT_EQ(big.u16(), 0x0203);
  EXPECT_EQ(big.u32(), 0x04050607U);
  big.set_order(Order::kLittle);
  EXPECT_EQ(big.u64(), 0x0f0e0d0c0b0a0908ULL);
}

TEST(Reader, ReadsZerosPastTheEndAndStaysFailed) {
  const auto bytes = bytes_of({1, 2, 3});
  Reader in(bytes);
  EXPECT_EQ(in.u32(), 0U);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0) << "nothing is read after a failure";
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(in.rest().empty());
}

TEST(Reader, SkipsAndCopiesWithinBounds) {
  const auto bytes = bytes_of({1, 2, 3, 4});
  Reader in(bytes);
  in.skip(1);
  EXPECT_EQ((in.raw<2>()), (std::array<std::uint8_t, 2>{2, 3}));
  EXPECT_EQ(in.rest().size(), 1U);
  in.skip(0);
  EXPECT_TRUE(in.ok());
  in.skip(2);
  EXPECT_FALSE(in.ok());
  Reader none({});
  none.skip(0);
  EXPECT_TRUE(none.ok());
  EXPECT_EQ((none.raw<1>()), (std::array<std::uint8_t, 1>{0}));
  EXPECT_FALSE(none.ok());
}

TEST(Writer, PutsIntegersInItsOrder) {
  std::vector<std::byte> bytes(8);
  Writer little(bytes);
  little.u16(0x0102);
  little.u32(0x03040506);
  little.zeros(1);
  little.u8(9);
  EXPECT_EQ(bytes, bytes_of({2, 1, 6, 5, 4, 3, 0, 9}));
  EXPECT_TRUE(little.rest().empty());
  Writer big(bytes, Order::kBig);
  big.u64(0x0102030405060708);
  EXPECT_EQ(bytes, bytes_of({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(WriterDeathTest, RunningOverIsAProgrammerError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<std::byte> bytes(3);
  EXPECT_DEATH(Writer(bytes).u32(1), "rest_.size");
  EXPECT_DEATH(Writer(bytes).zeros(4), "rest_.size");
}

TEST(Bytes, SwapsAndLoadsAtFixedPlaces) {
  EXPECT_EQ(swap_bytes(std::uint8_t{1}), 1);
  EXPECT_EQ(swap_bytes(std::uint16_t{0x0102}), 0x0201);
  EXPECT_EQ(swap_bytes(0x01020304U), 0x04030201U);
  EXPECT_EQ(swap_bytes(std::uint64_t{0x0102030405060708}), 0x0807060504030201ULL);
  std::vector<std::byte> bytes(5);
  store_le(bytes.data() + 1, 0x01020304U);
  EXPECT_EQ(bytes, bytes_of({0, 4, 3, 2, 1}));
  EXPECT_EQ(load_le<std::uint32_t>(bytes.data() + 1), 0x01020304U);
}

RC_GTEST_PROP(Bytes, WrittenBytesAreRead,
              (std::uint16_t a, std::uint32_t b, std::uint64_t c, bool big)) {
  const Order order = big ? Order::kBig : Order::kLittle;
  std::vector<std::byte> bytes(14);
  Writer out(bytes, order);
  out.u16(a);
  out.u32(b);
  out.u64(c);
  Reader in(bytes, order);
  RC_ASSERT(in.u16() == a);
  RC_ASSERT(in.u32() == b);
  RC_ASSERT(in.u64() == c);
  RC_ASSERT(in.ok() && in.rest().empty());
}

}  // namespace
}  // namespace ulnet
