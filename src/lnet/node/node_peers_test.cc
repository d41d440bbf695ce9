// Peers that an administrator configures on a live node. Source: spec/multirail.md 2.2,
// spec/cli-lnetctl.md 3.8, 3.9.
#include <atomic>
#include <thread>

#include "lnet/node/node_fixture.h"
#include "lnet/node/node_impl.h"

namespace ulnet::node {
namespace {

class NodePeers : public TwoNodes {};
INSTANTIATE_TEST_SUITE_P(Modes, NodePeers, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

class DiscoveredPeers : public TwoNodes {};
// In inline mode a ping would move only the bytes of its own node.
INSTANTIATE_TEST_SUITE_P(Modes, DiscoveredPeers, testing::Values(Mode::kShared), mode_name);

TEST_P(DiscoveredPeers, AFinishedDiscoveryDelaysNoPath) {
  EXPECT_TRUE(explain_path(*a_, id_b_.nid, Nid::any(), {}).value().waits);
  ASSERT_TRUE(a_->discover(id_b_.nid, false));
  for (std::uint32_t cpt = 0; cpt < partitions_; ++cpt)
    EXPECT_FALSE(explain_path(*a_, id_b_.nid, Nid::any(), cpt).value().waits) << cpt;
}

TEST(Discovery, ANidThatHasLeftItsPeer) {  // case 13 of the field
  const auto why = explain_discovery(*Nid::parse("10.99.1.50@tcp"), -ENOENT);
  ASSERT_TRUE(why);
  EXPECT_EQ(
      why->reason,
      "another peer had this NID, or it was deleted meanwhile; now no peer has it: try again");
  EXPECT_FALSE(explain_discovery(*Nid::parse("10.99.1.50@tcp"), -ETIMEDOUT));
}

TEST_P(NodePeers, PeersAreConfigured) {  // spec/multirail.md 2.2, spec/cli-lnetctl.md 3.8, 3.9
  const auto nid = [](const char* text) { return *Nid::parse(text); };
  const Nid p50 = nid("10.99.1.50@tcp1"), p51 = nid("10.99.1.51@tcp1"), p60 = nid("10.99.1.60@tcp");
  EXPECT_EQ(said(a_->change(AddPeer{.primary = p50, .nids = {p51}})), "0");
  EXPECT_EQ(said(a_->change(AddPeer{.primary = p51})),
            "-17 a NID of a configured peer, and not its primary NID");
  EXPECT_EQ(said(a_->change(AddPeer{.primary = p50, .nids = {id_a_.nid}})),
            "-22 a NID of this node");
  EXPECT_EQ(said(a_->change(AddPeer{.primary = p50, .multi_rail = false})),
            "-1 the peer is configured otherwise: multi-rail or not");
  EXPECT_EQ(said(a_->change(AddPeer{.primary = p60, .lock_primary = true})), "0");
  const auto peers = peers_of(*a_);
  ASSERT_EQ(peers.size(), 2U);
  EXPECT_EQ(peers[0].state_bits, 9U);
  EXPECT_EQ(peers[1].state_bits, 1048585U);

  EXPECT_EQ(said(a_->change(SetPeer{.nid = p51, .health = 700})), "0");
  EXPECT_EQ(peers_of(*a_).at(0).nis.at(1).health_value, 700);
  EXPECT_EQ(said(a_->change(SetPeer{.nid = std::nullopt, .health = 900})), "0");
  for (const auto& peer : peers_of(*a_))
    for (const auto& ni : peer.nis) EXPECT_EQ(ni.health_value, 900) << ni.nid.to_string();
  EXPECT_EQ(said(a_->change(SetPeer{.nid = std::nullopt, .health = 5000})),
            "-22 health is 0 to 1000");
  EXPECT_EQ(said(a_->change(SetPeer{.nid = p51, .state = 273})), "0");
  EXPECT_EQ(peers_of(*a_).at(0).state_bits, 273U);
  EXPECT_EQ(said(a_->change(SetPeer{.nid = nid("10.9.9.9@tcp"), .state = 1})), "-2 no such peer");

  EXPECT_EQ(said(a_->change(DelPeer{p60, {}, false})), "0");
  EXPECT_EQ(peers_of(*a_).size(), 2U) << "its primary NID is locked";
  EXPECT_EQ(said(a_->change(DelPeer{p60, {}, true})), "0");
  EXPECT_EQ(peers_of(*a_).size(), 1U);
  stop_both();
  EXPECT_EQ(a_->change(AddPeer{.primary = p60}).error().code, -ESHUTDOWN);
}

TEST_P(NodePeers, AreListedUntilNoMoreAreWanted) {
  const auto nid = [](unsigned n) { return *Nid::parse("10.99.2." + std::to_string(n) + "@tcp"); };
  for (unsigned n = 1; n <= 100; ++n)
    ASSERT_TRUE(a_->change(AddPeer{.primary = nid(n), .nids = {nid(100 + n)}}));
  const auto seen = [&](const Nid& only, std::size_t most) {
    std::vector<Nid> primaries;
    a_->for_each_peer(only, [&](const core::PeerShow& peer) {
      primaries.push_back(peer.primary);
      EXPECT_EQ(peer.nis.size(), 2U);
      return primaries.size() < most;
    });
    return primaries;
  };
  const std::vector<Nid> all = seen({}, 1000);
  ASSERT_EQ(all.size(), 100U);
  for (unsigned n = 1; n <= 100; ++n) EXPECT_EQ(all[n - 1], nid(n)) << "in the order of creation";
  EXPECT_EQ(seen({}, 50).size(), 50U);
  EXPECT_EQ(seen(nid(107), 1000), std::vector<Nid>{nid(7)});
  EXPECT_TRUE(seen(nid(201), 1000).empty());
}

TEST_P(NodePeers, AConfiguredPeerThatAdvertisesOtherNidsIsReported) {  // spec/multirail.md 2.2
  const Nid wrong = *Nid::parse("10.99.1.51@tcp");
  ASSERT_TRUE(a_->change(AddPeer{.primary = id_b_.nid, .nids = {wrong}}));
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over && polled()) b_->progress(std::chrono::milliseconds(1));
  });
  const auto found = a_->discover(id_b_.nid, false);
  over = true;
  other.join();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, -EPERM);
  EXPECT_EQ(found.error().reason,
            id_b_.nid.to_string() + " is configured with other NIDs than it reports");
  EXPECT_EQ(peers_of(*a_).at(0).nis.size(), 2U) << "the configuration counts";
}

}  // namespace
}  // namespace ulnet::node
