// The infos of peers are merged, compared or refused, with a counter for each reason, and the
// directory stays correct. Source: spec/multirail.md 4.4, 4.6, 4.9.
#include "lnet/core/flow/peer_info.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/peer_info_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PeerInfo, AnOlderOneIsIgnoredAnEqualOneIsNot) {  // spec/multirail.md 4.4.5; design 001, case 9
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)}, 5);
  p.push(tcp(2), {tcp(2)}, 4);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
  p.push(tcp(2), {tcp(2), tcp(4)}, 5);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(4)));
  p.push(tcp(2), {tcp(2)}, 6);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
}

TEST(PeerInfo, AnAnswerThatAPushHasOvertakenIsIgnored) {  // spec/multirail.md 4.4.5
  InfoReceiver p;
  p.begin_discover(p.a, tcp(2));
  const Send ping = p.a.sends.at(0);
  p.push(tcp(2), {tcp(2), tcp(3)}, 5);
  p.finish_send(p.a, ping, 0);
  wire::PingInfo old = info_with({tcp(2)});
  reply_to(p, ping, encode(old));
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
}

// spec/multirail.md 4.4.6
TEST(PeerInfo, APushWithoutItsOwnNid) {  // design 001, case 4
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)}, 5);
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
  p.a.sends.clear();
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});  // so that a has to push again
  p.push(tcp(3), {tcp(2)}, 6);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.refused(DropReason::kInfoOfAnother), 0U);
}

TEST(PeerInfo, APushForAnotherNodeIsRefused) {  // spec/multirail.md 4.4.6
  InfoReceiver p;
  p.push(tcp(4), {tcp(4), tcp(5)}, 9);
  p.push(tcp(2), {tcp(5), tcp(4)}, 20);
  EXPECT_EQ(p.refused(DropReason::kInfoOfAnother), 1U);
  EXPECT_TRUE(p.noted("not its own"));
  EXPECT_THAT(p.nids(p.a, tcp(4)), ElementsAre(tcp(4), tcp(5)));
  EXPECT_EQ(p.entry(p.a, tcp(4))->sequence, 9U);
  EXPECT_EQ(p.state(p.a, tcp(2)), 0U);
}

TEST(PeerInfo, NidsOfThisNodeAreNotTakenByPeers) {  // spec/multirail.md 4.4.6
  InfoReceiver p({tcp(1), tcp(1, 1)});
  p.push(tcp(2), {tcp(2), tcp(1), tcp(1, 1)});
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.refused(DropReason::kInfoOwnNids), 1U);
  EXPECT_TRUE(p.noted("claims NIDs of this node"));
  p.push(tcp(3), {tcp(1), tcp(3)});
  EXPECT_EQ(p.peer(p.a, tcp(3))->primary, tcp(3)) << "nor is it by its primary NID";
}

TEST(PeerInfo, TwoPeersThatClaimOneNid) {  // spec/multirail.md 4.4.6
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(9)});
  p.push(tcp(3), {tcp(3), tcp(9)});
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2))) << "the newest word counts";
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(9)));
  EXPECT_EQ(p.show(p.a).peers.size(), 2U);
}

TEST(PeerInfo, APrimaryNidIdentifiesItsPeer) {  // spec/multirail.md 4.4.6
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(4)}, 5);
  p.push(tcp(3), {tcp(2), tcp(3)}, 6);
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_EQ(p.entry(p.a, tcp(3))->sequence, 6U);
  p.push(tcp(7), {tcp(2), tcp(7)}, 3);
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U) << "older than the peer's own info";
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
}

// In a simulated world, this node pinged a NID again and again that its node was about to delete.
TEST(PeerInfo, AnAnswerWithoutTheAskedNidCausesNoPing) {  // multirail 4.4.6
  InfoReceiver p;
  p.push(tcp(2), {tcp(2)}, 5);
  p.a.sends.clear();
  p.begin_discover(p.a, tcp(3));
  const Send get = p.get_of_a();
  p.a.sends.clear();
  p.finish_send(p.a, get, 0);
  wire::PingInfo now = info_with({tcp(2)});
  now.sequence = 6;
  reply_to(p, get, encode(now), tcp(2));
  EXPECT_EQ(p.entry(p.a, tcp(2))->sequence, 6U);
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
}

TEST(PeerInfo, ARestartedPeerIsPingedWhenAnotherOfItsNidsPushes) {  // spec/multirail.md 4.4.5
  InfoReceiver p;
  p.push(tcp(2), {tcp(2)}, 5);
  p.lose_sends();
  // The new incarnation counts from 1, has one more NID, and only that NID has been heard.
  wire::PingInfo now = info_with({tcp(2), tcp(3)});
  now.sequence = 1;
  push_to_a(p, encode(now), tcp(3));
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
  const Send asked = p.get_of_a();
  EXPECT_EQ(asked.header.dest_nid, tcp(2));
  p.finish_send(p.a, asked, 0);
  reply_to(p, asked, encode(now));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_EQ(p.entry(p.a, tcp(2))->sequence, 1U);
}

// A NID behind the router that claims it cannot be pinged: the router takes no message for it from
// here (core-semantics.md 8.4), and ends the connection.
TEST(PeerInfo, ARestartedRoutersFarNidIsAccepted) {
  InfoReceiver p;
  auto routes = std::make_shared<RouteList>();
  ASSERT_TRUE(routes->add({tcp(3, 1).net(), tcp(3), kHopsUndefined, 0}, 0));
  p.a.config->routes = routes;
  p.configure(p.a);
  p.push(tcp(3, 1), {tcp(3, 1)}, 9);
  p.lose_sends();
  ASSERT_THAT(p.nids(p.a, tcp(3, 1)), ElementsAre(tcp(3, 1)));
  wire::PingInfo now = info_with({tcp(3, 1), tcp(3)});
  now.sequence = 1;
  push_to_a(p, encode(now), tcp(3));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 0U);
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3, 1), tcp(3)));
}

TEST(PeerInfo, ARestartDuringAPingCausesAnother) {  // spec/multirail.md 4.4.5
  for (const bool has_pushed : {false, true}) {
    InfoReceiver p;
    const std::uint64_t call = p.begin_discover(p.a, tcp(2));
    const Send first = p.a.sends.at(0);
    p.finish_send(p.a, first, 0);
    if (has_pushed) p.push(tcp(2), {tcp(2), tcp(3)}, 5);
    p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
    p.a.sends.clear();
    wire::PingInfo old = info_with({tcp(2)});
    reply_to(p, first, encode(old));
    ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U)
        << "the answer was of the earlier incarnation";
    const Send second = p.get_of_a();
    p.finish_send(p.a, second, 0);
    wire::PingInfo now = info_with({tcp(2), tcp(3)});
    now.sequence = 1;
    reply_to(p, second, encode(now));
    EXPECT_EQ(p.finished(p.a, call), std::nullopt) << "a push is owed now";
    EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  }
}

TEST(PeerInfo, ARestartDuringAPushCausesAnother) {  // spec/multirail.md 4.4.5
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)}, 5);
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kPut), 1U);
  const Send push = p.first_of_a(wire::MsgType::kPut);
  p.finish_send(p.a, push, 0);
  p.a.sends.clear();
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
  wire::LnetHeader ack;
  ack.dest_nid = tcp(1);
  ack.src_nid = tcp(2);
  const auto& put = std::get<wire::PutPart>(push.header.part);
  ack.part = wire::AckPart{put.ack_wmd, put.match_bits, push.header.payload_length};
  p.arrive(p.a, ack, tcp(2), kTcp, {});
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U) << "its new incarnation is asked";
  const Send get = p.get_of_a();
  p.a.sends.clear();
  p.finish_send(p.a, get, 0);
  reply_to(p, get, encode(info_with({tcp(2), tcp(3)})));
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kPut), 1U)
      << "its acknowledgement was of the earlier incarnation";
}

TEST(PeerInfo, AnAnswerIsOvertakenByAPushWithAReusedNumber) {  // 4.4.5
  InfoReceiver p;
  p.push(tcp(2), {tcp(2)}, 2);
  p.lose_sends();
  (void)p.begin_discover(p.a, tcp(2));
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
  const Send ping = p.get_of_a();
  p.finish_send(p.a, ping, 0);
  p.input(p.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
  p.push(tcp(2), {tcp(2), tcp(3)}, 2);
  wire::PingInfo first = info_with({tcp(2)});
  first.sequence = 1;
  reply_to(p, ping, encode(first));
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
}

// No NI has detected the peer's restart. A push of the earlier incarnation arrives so late that it
// seems to overtake the answer of the new one.
TEST(PeerInfo, ALatePushOfAnEarlierIncarnationCausesAnotherPing) {  // spec/multirail.md 4.4.5
  InfoReceiver p;
  p.push(tcp(2), {tcp(2)}, 2);
  p.lose_sends();
  (void)p.begin_discover(p.a, tcp(2));
  wire::PingInfo now = info_with({tcp(2), tcp(3)});
  now.sequence = 1;
  for (const bool is_late : {true, false}) {
    ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
    const Send ping = p.get_of_a();
    p.a.sends.clear();
    p.finish_send(p.a, ping, 0);
    if (is_late) p.push(tcp(2), {tcp(2)}, 2);
    reply_to(p, ping, encode(now));
  }
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
}

// spec/multirail.md 4.4.1
TEST(PeerInfo, MoreNidsThanMayBe) {  // max_interfaces
  InfoReceiver p;
  p.a.config->globals.max_interfaces = 16;
  p.configure(p.a);
  std::vector<Nid> many = {tcp(2)};
  for (std::uint16_t i = 1; i < 5000; ++i) many.push_back(tcp(2, i));
  p.push(tcp(2), many);  // longer than the buffer, but the first bytes have the number of entries
  EXPECT_EQ(p.refused(DropReason::kInfoUnreadable), 1U);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2)));
  EXPECT_EQ(p.a.shards[kControlShard]->observe().portal0.push_bytes, 272U) << "no larger buffer";
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U) << "it is asked instead";
  const Send ping = p.a.sends.back();
  p.finish_send(p.a, ping, 0);
  std::vector<std::byte> answer = encode(info_with(many));
  answer.resize(272);
  reply_to(p, ping, answer);
  EXPECT_EQ(p.refused(DropReason::kInfoUnreadable), 2U);
  EXPECT_EQ(p.state(p.a, tcp(2)), 8224U);
}

TEST(PeerInfo, ThousandsOfNidsMoveWithOnePeerEntryForEachPeer) {
  InfoReceiver p;
  std::vector<Nid> many = {tcp(2)}, others = {tcp(3)};
  for (std::uint16_t i = 1; i < 2000; ++i) many.push_back(tcp(9, i));
  others.insert(others.end(), many.begin() + 1, many.end());
  Directory directory;
  directory.learn(directory.meet(tcp(2)), many, true);
  const auto changes = directory.learn(directory.meet(tcp(3)), others, true);
  EXPECT_EQ(changes.peer_entries.size(), 2U);
  EXPECT_THAT(std::vector<Nid>(directory.find(tcp(2))->nids().begin(),
                               directory.find(tcp(2))->nids().end()),
              ElementsAre(tcp(2)));
}

// spec/multirail.md 4.4.1; spec/wire-lnet.md 5; rules 2 to 4
TEST(PeerInfo, GarbageAndCutPushesAreCounted) {
  InfoReceiver p;
  push_to_a(p, bytes(100), tcp(2));
  EXPECT_EQ(p.refused(DropReason::kInfoUnreadable), 1U);
  std::vector<Nid> many = {tcp(3)};
  for (std::uint16_t i = 1; i < 30; ++i) many.push_back(tcp(3, i));
  p.push(tcp(3), many);
  EXPECT_EQ(p.refused(DropReason::kInfoCut), 1U);
  p.push(tcp(3), many);
  EXPECT_EQ(p.refused(DropReason::kInfoCut), 1U) << "the buffer is large enough now";
  EXPECT_EQ(p.nids(p.a, tcp(3)).size(), 30U);
}

TEST(PeerInfo, AnAnswerThatGrowsWithEachPingEnds) {  // spec/multirail.md 4.3
  InfoReceiver p;
  const auto ticket = p.begin_discover(p.a, tcp(2));
  std::size_t pings = 0;
  std::uint16_t entries = 20;
  while (!p.a.sends.empty() && pings < 100) {
    const Send ping = p.a.sends.back();
    p.a.sends.clear();
    ++pings;
    p.finish_send(p.a, ping, 0);
    std::vector<Nid> many = {tcp(2)};
    for (std::uint16_t i = 1; i < entries; ++i) many.push_back(tcp(2, i));
    entries = static_cast<std::uint16_t>(entries + 20);
    auto answer = encode(info_with(many));
    answer.resize(std::get<wire::GetPart>(ping.header.part).sink_length);
    reply_to(p, ping, answer);
  }
  EXPECT_EQ(pings, 4U);
  const auto found = Discoverers::finished(p.a, ticket);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status, -EPROTO);
  EXPECT_EQ(p.refused(DropReason::kInfoEndless), 1U);
  EXPECT_TRUE(p.noted("grows with each ping"));
}

// spec/multirail.md 4.6
TEST(PeerInfo,
     WithDiscoveryOffOnlyTheStatusesOfAPushCount) {  // multirail 4.6; design 001, case 6 i
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)});
  p.set_discovery(p.a, 0);
  wire::PingInfo info = info_with({tcp(2), tcp(3), tcp(4)});
  info.sequence = 7;
  info.legacy[1].status = wire::NiStatus::kDown;
  push_to_a(p, encode(info), tcp(2));
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_THAT(p.down(p.a, tcp(2)), ElementsAre(tcp(3)));
  EXPECT_EQ(p.refused(DropReason::kInfoUnwanted), 1U);
}

TEST(PeerInfo, ADeletedPeerKeepsNoStatus) {  // multirail 4.4.2, 4.4.6
  InfoReceiver p;
  std::vector<Nid> nids = {tcp(2), tcp(3)};
  while (p.a.placement.of(nids.back()) != kControlShard) ++nids.back().addr[3];
  p.push(tcp(2), nids);
  wire::PingInfo info = info_with(nids, kNoDiscoveryFeatures);
  info.sequence = 5;
  info.legacy[1].status = wire::NiStatus::kDown;
  push_to_a(p, encode(info), tcp(2));
  EXPECT_FALSE(p.peer(p.a, nids[1])) << "it was deleted with all its NIDs";
  for (const auto& shard : p.a.shards) {
    EXPECT_EQ(shard->observe().peers.find(nids[1]), nullptr);
    EXPECT_EQ(shard->observe().recovering.size(), 0U) << "nobody is pinged for ever";
  }
}

TEST(PeerInfo, WithDiscoveryOnAPushIsUsed) {  // design 001, case 6 iii
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)});
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_FALSE(p.noted("several interfaces"));
}

// ---- verification only (4.9)

struct Verifying : InfoReceiver {
  Verifying() { set_discovery(a, kDiscoveryVerifies); }
};

// spec/multirail.md 4.9
TEST(PeerInfo, VerificationChangesNothingAndSaysWhatDiffers) {  // design 001, case 6 ii
  Verifying p;
  p.push(tcp(2), {tcp(2), tcp(3)});
  const auto shown = p.peer(p.a, tcp(2));
  ASSERT_TRUE(shown);
  EXPECT_FALSE(shown->multi_rail);
  EXPECT_EQ(shown->nis.size(), 1U);
  EXPECT_THAT(shown->differences.missing, ElementsAre(tcp(3)));
  EXPECT_THAT(shown->differences.extra, IsEmpty());
  EXPECT_TRUE(shown->differences.multi_rail);
  EXPECT_TRUE(p.noted("a push with several interfaces"));
  EXPECT_TRUE(p.noted("advertises NIDs that this node does not have of it"));
  EXPECT_FALSE(p.peer(p.a, tcp(3)));
}

TEST(PeerInfo, APushWithOneInterfaceIsNotReported) {
  Verifying p;
  p.push(tcp(2), {tcp(2)});
  EXPECT_FALSE(p.noted("several interfaces"));
}

TEST(PeerInfo, VerificationSaysTheSameOnce) {  // spec/multirail.md 4.9
  Verifying p;
  p.push(tcp(2), {tcp(5), tcp(2)});
  const auto said = [&] {
    return std::count_if(p.a.notes.begin(), p.a.notes.end(), [](const Note& note) {
      return std::string_view(note.text).starts_with("verified:");
    });
  };
  const auto before = said();
  EXPECT_EQ(p.peer(p.a, tcp(2))->differences.primary, tcp(5));
  p.push(tcp(2), {tcp(5), tcp(2)});
  EXPECT_EQ(said(), before);
  p.set_discovery(p.a, 1);
  p.push(tcp(2), {tcp(5), tcp(2)});
  EXPECT_FALSE(p.peer(p.a, tcp(2))->differences.any()) << "now it is taken over";
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(5), tcp(2)));
}

TEST(PeerInfo, VerificationKeepsWhatWasLearnt) {  // spec/multirail.md 4.9
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(3)});
  p.set_discovery(p.a, kDiscoveryVerifies);
  p.push(tcp(2), {tcp(2)}, 5);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3)));
  EXPECT_THAT(p.peer(p.a, tcp(2))->differences.extra, ElementsAre(tcp(3)));
  p.push(tcp(2), {tcp(2)}, 6, kNoDiscoveryFeatures);
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(3))) << "it is not deleted";
  EXPECT_TRUE(p.peer(p.a, tcp(2))->differences.multi_rail);
}

TEST(PeerInfo, TheProtocolRunsWhileDiscoveryOnlyVerifies) {  // spec/multirail.md 4.9
  Discoverers p({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)});
  p.set_discovery(p.a, kDiscoveryVerifies);
  const DiscoverResult found = p.discover(p.a, tcp(2));
  EXPECT_EQ(found.status, 0);
  EXPECT_FALSE(found.multi_rail);
  EXPECT_THAT(found.nids, ElementsAre(tcp(2)));
  EXPECT_THAT(p.peer(p.a, tcp(2))->differences.missing, ElementsAre(tcp(2, 1)));
  EXPECT_THAT(p.nids(p.b, tcp(1)), ElementsAre(tcp(1), tcp(1, 1))) << "b was pushed to";
  EXPECT_EQ(p.state(p.b, tcp(1)), 273U);
}

}  // namespace
}  // namespace ulnet::core::test
