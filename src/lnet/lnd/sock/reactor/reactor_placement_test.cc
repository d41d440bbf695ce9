#include "lnet/lnd/sock/reactor/reactor_placement.h"

#include <gtest/gtest.h>

#include <set>

#include "lnet/lnd/placing_fixture.h"

namespace ulnet::lnd::sock {
namespace {

Nid peer(std::uint32_t host) { return Nid::small({NetType::kTcp, 0}, 0x0a000000 + host); }
constexpr core::NiId kFree{1}, kBound{2};

TEST(ReactorPlacement, OneReactorHasAllPeers) {
  const ReactorPlacement placement({}, 1);
  EXPECT_EQ(placement.reactors(), 1u);
  for (std::uint32_t host = 0; host < 100; ++host) EXPECT_EQ(placement.of(kFree, peer(host)), 0u);
}

TEST(ReactorPlacement, SeveralReactorsOfAPartitionShareItsPeers) {
  const ReactorPlacement placement({4, by_last_byte, {}}, 3);
  EXPECT_EQ(placement.reactors(), 12u);
  std::set<unsigned> used;
  for (std::uint32_t host = 0; host < 250; ++host) {
    const unsigned reactor = placement.of(kFree, peer(host));
    EXPECT_EQ(placement.partition_of(reactor), host % 4);
    EXPECT_EQ(placement.of(kFree, peer(host)), reactor);
    used.insert(reactor);
  }
  EXPECT_EQ(used.size(), 12u);
}

TEST(ReactorPlacement, ABoundNiHasItsPeersOnItsPartitionsUntilItIsGone) {
  ReactorPlacement placement({4, by_last_byte, {}}, 1);
  placement.bind(kFree, {});
  placement.bind(kBound, {1, 3});
  for (std::uint32_t host = 0; host < 8; ++host) {
    EXPECT_EQ(placement.of(kBound, peer(host)), host % 2 == 0 ? 1u : 3u);
    EXPECT_EQ(placement.of(kFree, peer(host)), host % 4);
  }
  placement.forget(kBound);
  for (std::uint32_t host = 0; host < 8; ++host)
    EXPECT_EQ(placement.of(kBound, peer(host)), host % 4);
}

}  // namespace
}  // namespace ulnet::lnd::sock
