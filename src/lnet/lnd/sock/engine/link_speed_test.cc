#include "lnet/lnd/sock/engine/link_speed.h"

#include <gtest/gtest.h>

namespace ulnet::lnd::sock {
namespace {

// spec/wire-socklnd.md 5.1, vectors.md 30
TEST(LinkSpeed, GivesTheConnectionsPerPeer) {
  const std::pair<std::int64_t, std::int32_t> cases[] = {
      {10, 1},    {1000, 1},   {2500, 1},   {10000, 2},  {25000, 3},  {40000, 3},
      {50000, 3}, {100000, 4}, {200000, 4}, {400000, 5}, {800000, 5}, {0, 1},
      {-1, 1},    {3999, 1},   {4000, 2},   {15999, 2},  {16000, 3}};
  for (const auto& [speed, conns] : cases) EXPECT_EQ(conns_for_speed(speed), conns) << speed;
}

// spec/wire-socklnd.md 5.1: conns_per_peer is 1 to 255, or by the link's speed if it is 0
TEST(LinkSpeed, AnExplicitNumberWins) {
  EXPECT_EQ(conns_per_peer(7, 100000), 7);
  EXPECT_EQ(conns_per_peer(1, 100000), 1);
  EXPECT_EQ(conns_per_peer(0, 100000), 4);
  EXPECT_EQ(conns_per_peer(1000, 0), 255);
}

}  // namespace
}  // namespace ulnet::lnd::sock
