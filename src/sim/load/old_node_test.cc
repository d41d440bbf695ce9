// Nodes exchange messages with one of other software, which may change while they do; and the load
// says what is wrong. spec/wire-lnet.md 4 to 6, spec/multirail.md 4.
#include "sim/load/old_node.h"

#include <gtest/gtest.h>

#include "sim/kernel/world.h"

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
  /// What a node keeps of the old one.
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

}  // namespace
}  // namespace ulnet::sim
