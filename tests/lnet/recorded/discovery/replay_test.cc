// Recorded discoveries of production nodes, replayed from either side: the core sends what the node
// sent, and its peers have the states, NIDs and numbers that the recorded texts show. Source:
// spec/multirail.md 4, spec/observed.md 2.
#include "tests/lnet/recorded/discovery/replay.h"

#include <gmock/gmock.h>

namespace ulnet::capture {
namespace {

using ::testing::ElementsAre;

Nid nid(const char* text) { return Nid::parse(text).value(); }

void expect_as_recorded(Replay& node) {
  EXPECT_FALSE(node.recorded.empty());
  for (const char* type : {"GET", "REPLY", "PUT", "ACK"})
    EXPECT_EQ(node.sent[type], node.recorded[type]) << type;
}

/// The state, the NIDs and the sequence number of a peer.
void expect_peer(Replay& node, const Nid& primary, std::uint32_t state,
                 const std::vector<Nid>& nids, std::uint32_t sequence) {
  EXPECT_EQ(node.state(node.a, primary), state);
  EXPECT_EQ(node.nids(node.a, primary), nids);
  const core::Peer* entry = node.entry(node.a, primary);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->primary, primary);
  EXPECT_EQ(entry->sequence, sequence);
}

const char* const kDiscover = "02_discover_multirail";
const std::vector<Nid> kOne = {nid("10.99.0.1@tcp"), nid("10.99.1.1@tcp")};
const std::vector<Nid> kTwo = {nid("10.99.0.2@tcp"), nid("10.99.1.2@tcp")};

TEST(Replay02, TheNodeThatDiscovers) {
  Replay node(kDiscover, kOne, 2);
  node.discover_at(0, kTwo[0]);
  node.run();
  expect_as_recorded(node);
  ASSERT_EQ(node.results.size(), 1U);
  EXPECT_EQ(node.results[0].status, 0);
  EXPECT_EQ(node.results[0].nids, kTwo);
  expect_peer(node, kTwo[0], 273, kTwo, 2);
}

TEST(Replay02, TheNodeThatIsDiscovered) {
  Replay node(kDiscover, kTwo, 2);
  node.run();
  expect_as_recorded(node);
  expect_peer(node, kOne[0], 273, kOne, 2);
}

TEST(Replay05b, OverIpv6) {
  const Nid one = nid("fd99::1@tcp"), two = nid("fd99::2@tcp");
  Replay first("05b_ipv6_discover", {one}, 2);
  first.discover_at(0, two);
  first.run();
  expect_as_recorded(first);
  expect_peer(first, two, 273, {two}, 2);
  Replay second("05b_ipv6_discover", {two}, 2);
  second.run();
  expect_as_recorded(second);
  expect_peer(second, one, 273, {one}, 2);
}

TEST(Replay12, DiscoveryIsOffAtTheOtherNode) {  // spec/multirail.md 4.1
  Replay node("12_discovery_disabled", {nid("10.99.0.1@tcp")}, 2);
  node.at(0, [&] { node.call(node.a, core::call::Ping{{core::test::process(kTwo[0]), {}}, 1}); });
  node.discover_at(0.15, kTwo[0]);
  node.run();
  expect_as_recorded(node);
  EXPECT_FALSE(node.results.at(0).multi_rail);
  EXPECT_THAT(node.results.at(0).nids, ElementsAre(kTwo[0]));
  expect_peer(node, kTwo[0], 274, {kTwo[0]}, 2);
}

TEST(Replay12, TheNodeWhereItIsOff) {
  Replay node("12_discovery_disabled", {kTwo[0]}, 2);
  node.set_discovery(node.a, 0);
  node.run();
  expect_as_recorded(node);
  expect_peer(node, kOne[0], 0, {kOne[0]}, 0);
}

// ---- r07: both nodes discover each other; each forgets the other twice

const char* const kRace = "r07_discovery_race";
const std::vector<Nid> kOneRails = {nid("10.99.0.1@tcp"), nid("10.99.1.1@tcp1")};
const std::vector<Nid> kTwoRails = {nid("10.99.0.2@tcp"), nid("10.99.1.2@tcp1")};

TEST(ReplayR07, NodeOne) {  // spec/multirail.md 4.5
  Replay node(kRace, kOneRails, 2);
  node.know(kTwoRails, 8);
  const auto forget = [&] { node.call(node.a, core::call::PeerDel{kTwoRails[0]}); };
  node.at(3, forget);
  node.discover_at(4.05, kTwoRails[0]);
  node.at(5, forget);
  node.discover_at(6.97, kTwoRails[1], true);
  node.run();
  expect_as_recorded(node);
  for (const auto& result : node.results) {
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.nids, kTwoRails);
  }
  expect_peer(node, kTwoRails[0], 273, kTwoRails, 10);
}

TEST(ReplayR07, NodeTwo) {  // spec/multirail.md 4.5
  Replay node(kRace, kTwoRails, 8);
  node.know(kOneRails, 2);
  const auto forget = [&] { node.call(node.a, core::call::PeerDel{kOneRails[0]}); };
  node.at(1, [&] { node.set_nids({kTwoRails[0]}); });
  node.at(1.25, [&] { node.set_nids(kTwoRails); });
  node.at(3, forget);
  node.discover_at(3.9, kOneRails[0]);
  node.at(5, forget);
  node.discover_at(7.04, kOneRails[1]);
  node.run();
  expect_as_recorded(node);
  for (const auto& result : node.results) {
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.nids, kOneRails);
  }
  expect_peer(node, kOneRails[0], 273, kOneRails, 2);
}

// ---- r09: discovery is turned off and on at node 6

const char* const kOnOff = "r09_discovery_off_on";
const Nid kSix = nid("10.99.0.6@tcp"), kThree = nid("10.99.0.3@tcp");

TEST(ReplayR09, TheNodeWhereItIsTurnedOffAndOn) {  // spec/multirail.md 4.4.2, 4.8
  Replay node(kOnOff, {kSix}, 1);
  node.know({kThree}, 3);
  const Nid& one = kOneRails[0];
  node.discover_at(1.25, one);
  node.discover_at(1.65, one, true);
  for (const double time : {2.265, 2.71, 3.08}) {
    node.discover_at(time, one);
    node.discover_at(time + 0.004, kThree);
  }
  node.discover_at(3.465, kOneRails[1]);
  node.discover_at(5, Nid::loopback());
  node.discover_at(5.1, kSix);
  node.at(7.12, [&] { node.set_discovery(node.a, 0); });
  node.at(8, [&] {
    EXPECT_EQ(node.state(node.a, one), 273U);
    EXPECT_EQ(node.state(node.a, kSix), 275U);
  });
  node.discover_at(8.76, one);
  node.discover_at(9.15, kThree);
  node.at(10.03, [&] {
    EXPECT_EQ(node.state(node.a, one), 1U) << "gone";
    node.call(node.a, core::call::Ping{{core::test::process(one), {}}, 1});
  });
  node.at(11, [&] {
    EXPECT_EQ(node.state(node.a, one), 0U);
    node.set_discovery(node.a, 1);
  });
  node.discover_at(12.5, one);
  node.run();
  expect_as_recorded(node);
  std::vector<int> ends;
  for (const auto& result : node.results) ends.push_back(result.status);
  EXPECT_THAT(ends, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -ENOENT, -ENOENT, 0));
  expect_peer(node, one, 273, kOneRails, 2);
  EXPECT_EQ(node.state(node.a, kSix), 275U);
  EXPECT_EQ(node.state(node.a, kThree), 1U);
}

TEST(ReplayR09, TheOtherNode) {
  Replay node(kOnOff, kOneRails, 2);
  node.at(7, [&] { expect_peer(node, kSix, 273, {kSix}, node.entry(node.a, kSix)->sequence); });
  node.at(8, [&] { EXPECT_EQ(node.state(node.a, kSix), 1U) << "the push has dropped it"; });
  node.run();
  expect_as_recorded(node);
  EXPECT_EQ(node.state(node.a, kSix), 273U);
}

// ---- r03: link down and up, NI deleted and added at node 2

const char* const kChanges = "r03_ni_linkdown_del_add_push";

bool is_push(const Recorded& message) {
  return message.header.type() == wire::MsgType::kPut ||
         message.header.type() == wire::MsgType::kAck;
}

TEST(ReplayR03, TheNodeThatIsPushedTo) {  // spec/multirail.md 4.4.5
  Replay node(kChanges, kOneRails, 2);
  // Recovery pings are omitted, and a push that was lost on a closed connection.
  node.leave_out([](const Recorded& message) {
    return !is_push(message) ||
           (message.at > std::chrono::seconds(16) && message.at < std::chrono::seconds(17));
  });
  node.know(kTwoRails, 3);
  const auto number = [&] { return node.entry(node.a, kTwoRails[0])->sequence; };
  node.at(5, [&] {
    EXPECT_THAT(node.down(node.a, kTwoRails[0]), ElementsAre(kTwoRails[1]));
    expect_peer(node, kTwoRails[0], 273, kTwoRails, 3);
  });
  node.at(33, [&] { expect_peer(node, kTwoRails[0], 273, {kTwoRails[0]}, 5); });
  node.at(39, [&] { expect_peer(node, kTwoRails[0], 273, kTwoRails, 6); });
  node.at(46, [&] { EXPECT_EQ(number(), 7U); });
  node.run();
  node.sent.erase("GET");
  expect_as_recorded(node);
  expect_peer(node, kTwoRails[0], 273, kTwo, 8);
}

TEST(ReplayR03, TheNodeThatChanges) {
  Replay node(kChanges, kTwoRails, 3);
  node.leave_out([](const Recorded& message) { return !is_push(message); });
  node.know(kOneRails, 2);
  const core::NiId rail = node.a.config->nis.at(2).id;
  const auto link = [&](core::NiLink state) {
    node.input(node.a, core::NiState{rail, state});
    node.settle();
  };
  node.at(4.1, [&] { link(core::NiLink::kFailed); });
  node.at(16.4, [&] { link(core::NiLink::kUp); });
  node.run(17);
  expect_as_recorded(node);
}

TEST(ReplayR03, TheNodeThatChangesLater) {  // spec/multirail.md 2.1
  Replay node(kChanges, kTwoRails, 4);
  node.leave_out([](const Recorded& message) {
    return !is_push(message) || message.at < std::chrono::seconds(30);
  });
  node.know(kOneRails, 2);
  node.at(32.4, [&] { node.set_nids({kTwoRails[0]}); });
  node.at(38.1, [&] { node.set_nids(kTwoRails); });
  node.at(45.5, [&] { node.set_nids({kTwoRails[0]}); });
  node.at(50.3, [&] { node.set_nids(kTwo); });
  node.run();
  expect_as_recorded(node);
  expect_peer(node, kOneRails[0], 273, kOneRails, 2);
}

}  // namespace
}  // namespace ulnet::capture
