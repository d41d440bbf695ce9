// spec/wire-socklnd.md 6.1
#include "lnet/wire/crc32.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lnet/wire/vectors_fixture.h"

namespace ulnet::wire {
namespace {

// spec/vectors.md 26; spec/wire-socklnd.md 6.1
TEST(Crc32, HasTheCheckValueWithoutFinalInversion) {
  EXPECT_EQ(crc32(std::as_bytes(std::span("123456789", 9))), 0x340bc6d9U);
}

// spec/wire-socklnd.md 6.1
TEST(Crc32, EmptyInputIsAllOnes) {
  EXPECT_EQ(crc32({}), 0xffffffffU);
  Crc32 crc;
  crc.update(std::as_bytes(std::span("123456789", 9)));
  crc.update({});
  EXPECT_EQ(crc.value(), 0x340bc6d9U);
}

RC_GTEST_PROP(Crc32, PiecesGiveTheSameAsTheWhole, (const std::vector<std::uint8_t>& bytes)) {
  const ByteView all = std::as_bytes(std::span(bytes));
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  Crc32 crc;
  crc.update(all.first(cut));
  crc.update(all.subspan(cut));
  RC_ASSERT(crc.value() == crc32(all));
}

}  // namespace
}  // namespace ulnet::wire
