// The demo's proof that bytes are right is only as good as its pattern: every kind of wrong byte
// must be seen.
#include "tools/demo/pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace ulnet::demo {
namespace {

std::vector<std::byte> pattern(std::size_t size, std::uint64_t seed, std::uint64_t position = 0) {
  std::vector<std::byte> bytes(size);
  fill(bytes, seed, position);
  return bytes;
}

RC_GTEST_PROP(DemoPattern, what_was_filled_is_right, (std::uint64_t seed, std::uint16_t position)) {
  RC_ASSERT(count_wrong(pattern(777, seed, position), seed, position) == 0U);
}

RC_GTEST_PROP(DemoPattern, a_stretch_is_the_pattern_from_its_position_on, (std::uint64_t seed)) {
  const auto whole = pattern(300, seed);
  const auto at = *rc::gen::inRange<std::size_t>(0, 300);
  RC_ASSERT(count_wrong(std::span(whole).subspan(at), seed, at) == 0U);
}

RC_GTEST_PROP(DemoPattern, one_flipped_bit_is_one_wrong_byte, (std::uint64_t seed)) {
  auto bytes = pattern(256, seed);
  bytes[*rc::gen::inRange<std::size_t>(0, 256)] ^= std::byte{0x10};
  RC_ASSERT(count_wrong(bytes, seed) == 1U);
}

TEST(DemoPattern, another_message_s_bytes_are_wrong) {
  const auto bytes = pattern(4096, seed_of(4096, 1));
  EXPECT_GT(count_wrong(bytes, seed_of(4096, 2)), 4000U);
  EXPECT_GT(count_wrong(bytes, seed_of(4097, 1)), 4000U);
}

TEST(DemoPattern, bytes_in_the_wrong_place_are_wrong) {
  EXPECT_GT(count_wrong(pattern(4096, 5), 5, 1), 4000U);
  EXPECT_GT(count_wrong(pattern(4096, 5), 5, 8), 4000U);
}

}  // namespace
}  // namespace ulnet::demo
