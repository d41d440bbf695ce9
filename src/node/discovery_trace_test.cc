#include "node/discovery_trace.h"

#include <gtest/gtest.h>

namespace ulnet::node {
namespace {

const Nid kPeer = *Nid::parse("10.0.0.2@tcp");

TEST(DiscoveryTrace, TellsWhatCameAfterANumber) {
  DiscoveryTrace trace;
  EXPECT_EQ(trace.newest(), 0U);
  EXPECT_TRUE(trace.after(0).empty());
  // when: two steps are taken
  trace.add(kPeer, "ping sent", 0);
  trace.add(kPeer, "answered: NIDs", 2);
  // then: who asks gets both, who has the first one gets the second, who has both nothing
  const auto all = trace.after(0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].number, 1U);
  EXPECT_STREQ(all[0].text, "ping sent");
  EXPECT_EQ(all[1].nid, kPeer);
  EXPECT_EQ(all[1].detail, 2U);
  EXPECT_GE(all[1].unix_ns, all[0].unix_ns);
  ASSERT_EQ(trace.after(1).size(), 1U);
  EXPECT_EQ(trace.after(1)[0].number, 2U);
  EXPECT_TRUE(trace.after(2).empty());
  EXPECT_TRUE(trace.after(99).empty());
}

TEST(DiscoveryTrace, ForgetsTheOldest) {
  DiscoveryTrace trace;
  constexpr std::uint64_t kMore = 3;
  for (std::uint64_t i = 1; i <= DiscoveryTrace::kRemembered + kMore; ++i)
    trace.add(kPeer, "ping sent", i);
  const auto all = trace.after(0);
  ASSERT_EQ(all.size(), DiscoveryTrace::kRemembered);
  EXPECT_EQ(all.front().number, kMore + 1);
  EXPECT_EQ(all.front().detail, kMore + 1);
  EXPECT_EQ(all.back().number, trace.newest());
}

}  // namespace
}  // namespace ulnet::node
