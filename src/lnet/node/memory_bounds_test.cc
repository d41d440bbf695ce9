// Shares of the memory budget as numbers of buffers and answers.
#include "lnet/node/memory_bounds.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

constexpr std::uint64_t kOneMiB = 1U << 20;

TEST(MemoryBounds, WithEnoughMemoryARouterHasLnetsBuffers) {
  EXPECT_EQ(buffers_within(2048 * kOneMiB), core::kRouterBuffers);
  EXPECT_EQ(buffers_within(~std::uint64_t{0}), core::kRouterBuffers);
}

TEST(MemoryBounds, OtherwiseAllBuffersFitInTheShare) {
  for (const std::uint64_t mib : {4U, 16U, 100U, 512U}) {
    core::Routing routing;
    routing.standard = buffers_within(mib * kOneMiB);
    EXPECT_LE(buffer_bytes_of(routing), mib * kOneMiB);
    EXPECT_GE(buffer_bytes_of(routing), (mib - 1) * kOneMiB * 7 / 8)
        << "the buffers use most of the share";
    EXPECT_EQ(routing.standard[0], core::kRouterBuffers[0]) << "they take no payload";
  }
}

TEST(MemoryBounds, ARouterHasOneOfEachKindAtLeast) {
  const auto buffers = buffers_within(0);
  EXPECT_EQ(buffers[1], 1);
  EXPECT_EQ(buffers[2], 1);
}

TEST(MemoryBounds, ConfiguredBuffersCount) {
  core::Routing routing;
  routing.buffers = {7, 2, 3};
  EXPECT_EQ(buffer_bytes_of(routing), 2 * 4096 + 3 * kOneMiB);
}

TEST(MemoryBounds, AnswersThatWaitTakeTheShare) {
  EXPECT_EQ(answers_within(kOneMiB), 2048U);
  EXPECT_EQ(answers_within(~std::uint64_t{0}), ~0U);
}

}  // namespace
}  // namespace ulnet::node
