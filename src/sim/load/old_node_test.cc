// Nodes exchange messages with a node of other software, which may change meanwhile; and the load
// reports errors. spec/wire-lnet.md 4 to 6, spec/multirail.md 4.
#include "sim/load/old_node.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lnet/core/flow/step.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr NetId kNear{NetType::kTcp, 0}, kFar{NetType::kTcp, 1};
const Nid kOld = Nid::small(kNear, 0x0a000009), kOldFar = Nid::small(kFar, 0x0a010009);
constexpr Portal kPortal{14};

struct Mixed : testing::Test {
  Mixed() {
    for (std::uint32_t host = 1; host <= 3; ++host) {
      NodeSetup setup;
      setup.driver = DriverKind::kSock;
      setup.nis = {{.nid = Nid::small(kNear, 0x0a000000U + host)},
                   {.nid = Nid::small(kFar, 0x0a010000U + host)}};
      world.add_node(setup);
    }
  }
  OldNode& add(OldNodeSetup setup) { return world.add<OldNode>("old", std::move(setup), kPortal); }
  void run(OldNode& old) {
    const auto done = [&](World&) { return old.done(); };
    ASSERT_TRUE(world.run_until(done, {.time = seconds(600)}).reached()) << world.explain();
    world.wind_down();
    ASSERT_TRUE(world.run_until_quiet({.time = seconds(600)}).reached()) << world.explain();
    old.take_back(world);
    ASSERT_TRUE(world.run_until_quiet({.time = seconds(600)}).reached()) << world.explain();
  }
  std::uint64_t counted(const char* what) { return world.exercised().acts[what]; }
  /// A node's directory entry of the old node.
  const core::Peer* peer(std::size_t node, const Nid& nid) {
    return world.node(node).shard_state()->directory.find(nid);
  }

  World world{1};
};

struct EachRelease : Mixed, testing::WithParamInterface<Release> {};
INSTANTIATE_TEST_SUITE_P(Releases, EachRelease,
                         testing::Values(Release::kDownrev, Release::kNoDiscovery, Release::kUprev),
                         [](const auto& each) {
                           std::string word = to_string(each.param);
                           std::erase(word, '-');
                           return word;
                         });

TEST_P(EachRelease, AllOperationsExchangeMessages) {
  const std::size_t mds = world.node(0).leftovers().mds;
  OldNode& old = add({.nids = {kOld, kOldFar}, .release = GetParam(), .count = 600});
  run(old);
  EXPECT_EQ(counted((std::string("old node ") + to_string(GetParam())).c_str()), old.exchanged());
  EXPECT_GE(old.exchanged(), 560U) << "the first ones may meet no connection, or two at once";
  const bool both = GetParam() == Release::kUprev;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const core::Peer* known = peer(i, kOld);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->has(core::kPeerMultiRail), both);
    EXPECT_EQ(known == peer(i, kOldFar), both) << "two NIDs are one peer's or two's";
  }
  EXPECT_EQ(world.node(0).leftovers().mds, mds);
}

/// The old node becomes one peer with two NIDs, and in the end is what it was.
TEST_F(Mixed, UpgradesAndDowngradesUnderTraffic) {
  OldNode& old = add({.nids = {kOld},
                      .release = Release::kDownrev,
                      .change_at = milliseconds(200),
                      .later = Release::kUprev,
                      .more_nids = {kOldFar},
                      .back_at = milliseconds(400),
                      .count = 1200});
  ASSERT_TRUE(world.run_for(milliseconds(190)).reached()) << world.explain();
  EXPECT_FALSE(peer(0, kOld)->has(core::kPeerMultiRail));
  ASSERT_TRUE(world.run_for(milliseconds(200)).reached()) << world.explain();
  EXPECT_TRUE(peer(0, kOld)->has(core::kPeerMultiRail));
  EXPECT_EQ(peer(0, kOld), peer(0, kOldFar));
  EXPECT_EQ(counted("old node upgraded"), 1U);
  EXPECT_EQ(counted("old node downgraded"), 0U);
  run(old);
  EXPECT_EQ(counted("old node downgraded"), 1U);
  for (const char* release : {"old node downrev", "old node uprev"})
    EXPECT_GT(counted(release), 50U);
  for (std::size_t i = 0; i < world.size(); ++i) {
    ASSERT_NE(peer(i, kOld), nullptr);
    EXPECT_FALSE(peer(i, kOld)->has(core::kPeerMultiRail));
    EXPECT_NE(peer(i, kOld), peer(i, kOldFar));
  }
}

TEST_F(Mixed, AChangeWithoutMessagesIsNotCounted) {
  OldNode& old = add({.nids = {kOld}, .change_at = milliseconds(100), .count = 3});
  ASSERT_TRUE(world.run_for(seconds(1)).reached()) << world.explain();
  EXPECT_TRUE(old.done());
  EXPECT_EQ(old.node()->info.features, behaviour_of(Release::kUprev).features);
  EXPECT_EQ(counted("old node upgraded"), 0U);
}

/// The load forgets operations with a node that ends, and continues those with other nodes.
TEST_F(Mixed, NodesMayCrashMeanwhile) {
  OldNode& old = add({.nids = {kOld}, .release = Release::kUprev, .count = 2000});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(world.run_for(milliseconds(100)).reached()) << world.explain();
    world.node(0).crash(i % 2 == 0);
    ASSERT_TRUE(world.run_for(milliseconds(20)).reached()) << world.explain();
    world.node(0).start();
  }
  run(old);
  EXPECT_GT(old.exchanged(), 1200U);
}

TEST_F(Mixed, TwoOldNodesAskWithDifferentHandles) {
  /// The incarnations in the handles of GETs, by the NID that sent them.
  struct Handles final : Checker {
    Handles() : Checker("handles", kAfterStep) {}
    void after_step(World&, const ShardStep& step) override {
      const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
      if (arrived == nullptr) return;
      if (const auto* get = std::get_if<wire::GetPart>(&arrived->header->part))
        of[arrived->header->src_nid].insert(get->return_wmd.interface_cookie);
    }
    std::map<Nid, std::set<std::uint64_t>> of;
  };
  auto& handles = world.add<Handles>();
  world.add<OldNode>("other", OldNodeSetup{.nids = {kOldFar}, .count = 50},
                     Portal{kPortal.index + 1});
  run(add({.nids = {kOld}, .count = 50}));
  ASSERT_EQ(handles.of[kOld].size(), 1U);
  ASSERT_EQ(handles.of[kOldFar].size(), 1U);
  EXPECT_NE(handles.of[kOld], handles.of[kOldFar]);
}

struct Wrong : Mixed {
  void expect_violation(const std::string& what) {
    EXPECT_EQ(world.run_for(seconds(5)).outcome, Outcome::kViolated);
    ASSERT_TRUE(world.violation());
    EXPECT_STREQ(world.violation()->checker, "load");
    EXPECT_EQ(world.violation()->what, "old: " + what);
  }
};

TEST_F(Wrong, WrongContentsSentByANode) {
  /// Damages memory that a driver is about to send.
  struct Spoiler final : Checker {
    Spoiler() : Checker("spoiler", kMemory) {}
    void on_memory(World&, SimNode&, const iovec& memory, bool written) override {
      if (!written && memory.iov_len > 272) static_cast<char*>(memory.iov_base)[0] ^= 1;
    }
  };
  world.add<Spoiler>();
  add({.nids = {kOld}, .release = Release::kUprev});
  EXPECT_EQ(world.run_for(seconds(5)).outcome, Outcome::kViolated);
  EXPECT_NE(world.explain().find("load: "), std::string::npos) << world.explain();
  EXPECT_NE(world.explain().find("comes to the old node with wrong contents"), std::string::npos);
}

TEST_F(Wrong, WrongContentsReceivedByANode) {
  OldNode& old = add({.nids = {kOld}, .count = 200});
  ASSERT_TRUE(world.run_for(milliseconds(1)).reached());
  old.node()->answer_get = [](const wire::GetPart& get) {
    return std::vector<std::byte>(get.sink_length, std::byte{1});
  };
  expect_violation("a REPLY has wrong contents");
}

TEST_F(Wrong, APushToAPeerThatNeverAdvertisedMultiRail) {
  OldNode& old = add({.nids = {kOld}, .count = 20});
  ASSERT_TRUE(world.run_for(seconds(1)).reached()) << world.explain();
  EXPECT_GT(old.exchanged(), 0U);
  auto& known = const_cast<core::Peer&>(*peer(0, kOld));
  known.set(core::kPeerMultiRail);
  known.clear(core::kPeerNoDiscovery);
  ASSERT_TRUE(world.node(0).add_ni({.nid = Nid::small(kFar, 0x0a010055)}));
  expect_violation("pushes to the old node, which never advertised multi-rail");
}

TEST(Releases, AreReadByName) {
  for (std::size_t i = 0; i < kReleases; ++i) {
    const auto release = static_cast<Release>(i);
    EXPECT_EQ(release_of(to_string(release)), release);
  }
  EXPECT_EQ(release_of("2.15"), std::nullopt);
}

}  // namespace
}  // namespace ulnet::sim
