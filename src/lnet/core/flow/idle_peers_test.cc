// Peers that exist only because of messages or discovery: they are forgotten when they are idle,
// and earlier when there are too many peers. With one partition and with several.
#include <gmock/gmock.h>

#include "lnet/core/flow/peers_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;

constexpr std::int32_t kIdle = 20;    // s; a round over the peers takes a quarter of it
constexpr std::int32_t kRound = 5;    // s
constexpr std::int32_t kAwaited = 3;  // s, the transaction time-out

struct Idle : Peers {
  explicit Idle(std::int32_t max_peers = 1 << 16) {
    set([&](Globals& globals) {
      globals.peer_idle_timeout = kIdle;
      globals.max_peers = max_peers;
      globals.transaction_timeout = kAwaited;
    });
  }
  template <class Change>
  void set(Change change) {
    change(a.config->globals);
    configure(a);
  }
  void pass(std::int32_t time) {
    for (std::int32_t i = 0; i < time; ++i) tick(seconds(1));
  }
  /// Every partition puts to the NID, and so has an entry for it.
  void put_from_everywhere(const Nid& to) {
    for (a.caller = 0; a.caller < a.shards.size(); ++a.caller) put(a, bind(a, memory, nullptr), to);
    a.caller = 0;
  }
  std::size_t copies(const Nid& nid) const {
    std::size_t found = 0;
    for (const auto& shard : a.shards) found += shard->observe().peers.find(nid) != nullptr;
    return found;
  }
  bool is_known(const Nid& nid) const { return directory().find(nid) != nullptr; }
  std::size_t peer_nis() const {
    std::size_t all = 0;
    for (const auto& shard : a.shards) all += shard->observe().peers.peer_nis();
    return all;
  }
  const ShardState& owner(const Nid& nid) const {
    return a.shards[a.shards[0]->observe().placement.of(nid)]->observe();
  }
  static std::int32_t shares(std::int32_t of_each) {
    return of_each * static_cast<std::int32_t>(shards_of_a_node());
  }

  std::vector<std::byte> memory = bytes(8);
};

TEST(IdlePeers, ASilentPeerIsForgottenInEveryPartition) {
  Idle p;
  p.put_from_everywhere(tcp(2));
  EXPECT_EQ(p.copies(tcp(2)), p.a.shards.size());
  p.pass(kIdle - 1);
  EXPECT_TRUE(p.is_known(tcp(2)));
  p.pass(1 + 2 * kRound);
  EXPECT_FALSE(p.is_known(tcp(2)));
  EXPECT_EQ(p.copies(tcp(2)), 0U);
  EXPECT_EQ(p.dropped(p.a, DropReason::kPeerIdle), 1U);
}

TEST(IdlePeers, ItsNextMessageCreatesItAgain) {
  Idle p;
  p.hear(tcp(20));
  p.hear(tcp(20));
  p.pass(kIdle + 2 * kRound);
  EXPECT_FALSE(p.is_known(tcp(20)));
  p.hear(tcp(20));
  EXPECT_TRUE(p.is_known(tcp(20)));
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.at(0).traffic.received.put, 1U);
}

TEST(IdlePeers, EachMessageKeepsIt) {
  Idle p;
  for (int i = 0; i < 5; ++i) {
    p.pass(kIdle - kRound);
    p.hear(tcp(20));
  }
  EXPECT_TRUE(p.is_known(tcp(20)));
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.at(0).traffic.received.put, 5U);
}

TEST(IdlePeers, APeerWithSeveralAdvertisedNidsGoesWithAllOfThem) {
  Idle p;
  p.advertise({tcp(30), tcp(31), tcp(32)});
  EXPECT_EQ(p.nids_of(tcp(31)).size(), 3U);
  p.pass(kIdle + 2 * kRound);
  for (const std::uint32_t host : {30U, 31U, 32U}) {
    EXPECT_FALSE(p.is_known(tcp(host)));
    EXPECT_EQ(p.copies(tcp(host)), 0U);
  }
}

TEST(IdlePeers, AMessageToOneOfItsNidsKeepsThemAll) {
  Idle p;
  p.advertise({tcp(30), tcp(31), tcp(32)});
  for (int i = 0; i < 4; ++i) {
    p.pass(kIdle - kRound);
    p.hear(tcp(32));
  }
  EXPECT_EQ(p.nids_of(tcp(30)).size(), 3U);
}

TEST(IdlePeers, ConfiguredAndLockedPeersStay) {
  Idle p;
  p.hear(tcp(20));
  p.hear(tcp(21));
  EXPECT_EQ(p.add(tcp(20)), 0);
  EXPECT_EQ(p.ask_primary(tcp(21)), tcp(21));
  p.pass(3 * kIdle);
  EXPECT_TRUE(p.is_known(tcp(20)));
  EXPECT_TRUE(p.is_known(tcp(21)));
  EXPECT_EQ(p.dropped(p.a, DropReason::kPeerIdle), 0U);
}

TEST(IdlePeers, AGatewayStays) {
  Idle p;
  p.hear(tcp(20));
  auto routes = std::make_shared<RouteList>();
  ASSERT_TRUE(routes->add({NetId{NetType::kTcp, 7}, tcp(20)}, 0));
  p.a.config->routes = routes;
  p.set([](Globals& globals) { globals.alive_router_check_interval = 0; });
  p.pass(3 * kIdle);
  EXPECT_TRUE(p.is_known(tcp(20)));
}

TEST(IdlePeers, AMessageThatIsUnderWayKeepsItsPeer) {
  Idle p;
  p.hear(tcp(2));
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, p.memory, nullptr), tcp(2));
  p.pass(3 * kIdle);
  EXPECT_TRUE(p.is_known(tcp(2)));
  p.release_sends(p.a);
  p.pass(kIdle + 2 * kRound);
  EXPECT_FALSE(p.is_known(tcp(2)));
}

TEST(IdlePeers, AnAnswerThatMayComeKeepsItsPeer) {
  Idle p;
  p.set([](Globals& globals) { globals.transaction_timeout = 3 * kIdle; });
  p.hear(tcp(2));
  p.pass(2 * kIdle);
  EXPECT_TRUE(p.is_known(tcp(2)));
}

TEST(IdlePeers, AMessageThatComesWhileThePartitionsAreAskedKeepsItsPeer) {
  Idle p;
  p.hear(tcp(20));
  p.pass(kIdle - 1);
  p.a.hold_shard_msgs = true;
  p.pass(1 + 2 * kRound);
  p.hear(tcp(20));
  p.release_shard_msgs(p.a);
  EXPECT_TRUE(p.is_known(tcp(20))) << "with one partition it was forgotten, and made anew";
  EXPECT_TRUE(p.all_entries_match(tcp(20)));
  EXPECT_EQ(p.peer_nis(), 1U);
}

TEST(IdlePeers, ANodeWithoutPeersHasNothingToDo) {
  Idle p;
  EXPECT_EQ(Pipe::next_deadline(p.a), kNever);
  p.hear(tcp(20));
  EXPECT_NE(Pipe::next_deadline(p.a), kNever);
  p.pass(kIdle + 4 * kRound);
  EXPECT_EQ(Pipe::next_deadline(p.a), kNever);
  p.set([](Globals& globals) { globals.peer_idle_timeout = 0; });
  p.hear(tcp(20));
  EXPECT_EQ(Pipe::next_deadline(p.a), kNever) << "0: never";
}

TEST(IdlePeers, ThousandsGoAFewAtATime) {
  Idle p;
  for (std::uint32_t host = 0; host < 3000; ++host)
    p.hear(Nid::small(tcp(1).net(), 0x0b000000 + host));
  EXPECT_EQ(p.directory().size(), 3000U);
  std::size_t most = 0;
  for (Instant end = p.now + seconds(kIdle + 4 * kRound); p.now < end;) {
    const std::size_t before = p.directory().size();
    p.tick(std::chrono::milliseconds(10));
    most = std::max(most, before - p.directory().size());
  }
  EXPECT_EQ(p.directory().size(), 0U);
  EXPECT_EQ(p.peer_nis(), 0U);
  EXPECT_LE(most, 64U);
}

// ---- too many peers

TEST(TooManyPeers, ANewPeerReplacesAnIdleOne) {
  Idle p(Idle::shares(4));
  for (std::uint32_t host = 20; host < 120; ++host) {
    p.hear(tcp(host));
    EXPECT_LE(p.peer_nis(), static_cast<std::size_t>(Idle::shares(4)));
    EXPECT_LE(p.directory().size(), static_cast<std::size_t>(Idle::shares(4)));
    EXPECT_TRUE(p.is_known(tcp(host)));
    p.tick(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(p.dropped(p.a, DropReason::kPeerEvicted), 100 - p.peer_nis());
  EXPECT_EQ(p.dropped(p.a, DropReason::kTooManyPeers), 0U);
  for (std::uint32_t host = 20; host < 120; ++host)
    EXPECT_TRUE(p.is_known(tcp(host)) || p.copies(tcp(host)) == 0) << host;
}

TEST(TooManyPeers, ThePeerIdleLongestIsForgotten) {
  ONE_SHARD_ONLY();
  Idle p(3);
  for (const std::uint32_t host : {20U, 21U, 22U, 20U, 22U}) {
    p.hear(tcp(host));
    p.pass(1);
  }
  p.hear(tcp(23));
  EXPECT_FALSE(p.is_known(tcp(21)));
  for (const std::uint32_t host : {20U, 22U, 23U}) EXPECT_TRUE(p.is_known(tcp(host)));
}

TEST(TooManyPeers, WithoutAnIdlePeerANewPeersMessageIsDropped) {
  Idle p(Idle::shares(1));
  for (std::uint32_t host = 20; host < 60; ++host) {
    EXPECT_EQ(p.add(tcp(host)), 0);
    p.hear(tcp(host));
  }
  EXPECT_EQ(p.peer_nis(), 40U) << "a configured peer is no stranger";
  std::uint32_t host = 100;
  while (p.owner(tcp(host)).peers.peer_nis() == 0) ++host;
  const Nid stranger = tcp(host);  // its owner shard has a peer already
  const std::size_t before = p.a.drops.size();
  p.hear(stranger);
  EXPECT_EQ(p.dropped(p.a, DropReason::kTooManyPeers), 1U);
  EXPECT_EQ(p.a.drops.size(), before + 1);
  EXPECT_TRUE(p.a.rejects.empty()) << "its connection stays";
  EXPECT_FALSE(p.is_known(stranger));
  EXPECT_EQ(p.copies(stranger), 0U);
  EXPECT_EQ(p.put(p.a, p.bind(p.a, p.memory, nullptr), tcp(2)), 0);
  EXPECT_TRUE(p.is_known(tcp(2))) << "this node may reach more";
}

TEST(TooManyPeers, APeerWithAPendingRequestIsNotReplaced) {
  ONE_SHARD_ONLY();
  Idle p(1);
  Recorder events;
  p.get(p.a, p.bind(p.a, p.memory, &events), tcp(2));
  p.hear(tcp(100));
  EXPECT_EQ(p.dropped(p.a, DropReason::kTooManyPeers), 1U);
  p.pass(kIdle + 2 * kRound);
  p.hear(tcp(100));
  EXPECT_TRUE(p.is_known(tcp(100))) << "the other one was idle";
  EXPECT_FALSE(p.is_known(tcp(2)));
}

// ---- sources behind routers: they have no peer NIs, and no directory entries

struct BehindRouter : Idle {
  explicit BehindRouter(std::int32_t max_peers) : Idle(max_peers) {
    auto routes = std::make_shared<RouteList>();
    EXPECT_TRUE(routes->add({{NetType::kTcp, 7}, tcp(20)}, 1));
    a.config->routes = routes;
    set([](Globals& globals) { globals.alive_router_check_interval = 0; });
    attach(a, memory, &events, {.options = kOpGet | kManageRemote});
  }
  void ask(std::uint32_t host) {
    wire::LnetHeader get;
    get.dest_nid = tcp(1);
    get.src_nid = tcp(host, 7);
    get.src_pid = Pid::lustre();
    get.part = wire::GetPart{.match_bits = 7, .portal = 5, .sink_length = 8};
    arrive(a, get, tcp(20));
  }
  std::size_t answered() { return show(a).nis.at(1).stats.traffic.sent.reply; }
  std::size_t sources() const {
    std::size_t all = 0;
    for (const auto& shard : a.shards) all += shard->observe().routes.seen_sources.size();
    return all;
  }

  Recorder events;
};

TEST(SourcesBehindRouters, AreKnownWhileAnsweredUpToMaxPeers) {
  BehindRouter p(Idle::shares(20));
  for (std::uint32_t host = 1; host <= 1000; ++host) p.ask(host);
  EXPECT_EQ(p.answered(), 1000U);
  EXPECT_EQ(p.copies(tcp(7, 7)), 0U);
  EXPECT_LE(p.sources(), static_cast<std::size_t>(Idle::shares(20)));
  EXPECT_GE(p.sources(), 20U);
}

TEST(TooManyPeers, AStrangerCannotAdvertiseMoreNidsThanThereIsSpaceFor) {
  if (shards_of_a_node() > 8)
    GTEST_SKIP() << "the stranger advertises too few NIDs for this number of shares";
  Idle p(Idle::shares(8));
  for (std::uint32_t host = 100; host < 110; ++host)
    p.advertise({tcp(host), tcp(host + 10), tcp(host + 20), tcp(host + 30), tcp(host + 40)});
  const auto most = static_cast<std::size_t>(Idle::shares(8));
  EXPECT_LE(p.directory().size(), most);
  EXPECT_LE(p.directory().nids(), 2 * most);
  EXPECT_NE(p.dropped(p.a, DropReason::kInfoOverMaxPeers), 0U);
}

/// The peer's push has been acknowledged, so the peer does not push again.
TEST(TooManyPeers, APeerWithMoreNidsThanThereIsSpaceForIsPinged) {  // spec/multirail.md 4.6
  ONE_SHARD_ONLY();
  Idle p(2);
  p.a.hold_sends = true;
  p.advertise({tcp(20)});
  p.advertise({tcp(30)});
  for (const Send& push : std::vector<Send>(p.a.sends)) p.finish_send(p.a, push, -ECONNRESET);
  p.a.sends.clear();
  wire::PingInfo info = info_with({tcp(20), tcp(21)});
  info.sequence = 5;
  push_to_a(p, encode(info), tcp(20));
  EXPECT_EQ(p.dropped(p.a, DropReason::kInfoOverMaxPeers), 1U);
  EXPECT_EQ(p.nids_of(tcp(20)).size(), 1U);
  const auto get = std::ranges::find(p.a.sends, tcp(20), [](const Send& send) {
    return send.header.type() == wire::MsgType::kGet ? send.header.dest_nid : Nid::any();
  });
  ASSERT_NE(get, p.a.sends.end());
  const Send ping = *get;
  p.finish_send(p.a, ping, 0);
  p.a.config->globals.max_peers = 3;
  p.configure(p.a);
  reply_to(p, ping, encode(info));
  EXPECT_EQ(p.nids_of(tcp(20)).size(), 2U);
}

}  // namespace
}  // namespace ulnet::core::test
