// Messages that wait to leave by an NI whose device fails. spec/multirail.md 3.2, 3.4.
#include <gmock/gmock.h>

#include "lnet/core/flow/checked_fixture.h"
#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

constexpr NiId kOther{3};

/// a has two NIs of one net with two credits each. Its driver holds all Sends. Requests begin in
/// the owner shard of the peer, or, with `elsewhere`, in another shard.
struct TwoNis : Pipe {
  explicit TwoNis(bool multi_rail, bool elsewhere = false)
      : Pipe({tcp(1), tcp(3)}, {tcp(2)}, elsewhere ? 4 : 1) {
    for (NiConfig& ni : a.config->nis)
      if (!ni.nid.is_loopback()) ni.tunables.credits = 2;
    configure(a);
    b.config->globals.discovery = 0;
    configure(b);
    if (multi_rail) push_to_a(*this, encode(info_with({tcp(2)})), tcp(2));
    a.sends.clear();
    a.hold_sends = true;
    a.caller = elsewhere ? (a.placement.of(tcp(2)) + 1) % 4 : 0;
  }
  void put(int count, const Nid& source = Nid::any()) {
    const MdHandle md = bind(a, memory, &events);
    for (int i = 0; i < count; ++i) {
      PutRequest request;
      request.md = md;
      request.target = process(target);
      request.portal = {5};
      request.hdr_data = ++puts;
      request.self = source;
      call(a, call::Put{request});
    }
  }
  /// Lets the driver end all Sends that it has. Returns the numbers of the PUTs in the order in
  /// which the driver gets them.
  std::vector<std::uint64_t> order_of_puts() {
    std::vector<std::uint64_t> order;
    for (int round = 0; round < 40 && !a.sends.empty(); ++round)
      for (const Send& send : std::exchange(a.sends, {})) {
        const auto* part = std::get_if<wire::PutPart>(&send.header.part);
        if (part != nullptr && part->portal == 5) order.push_back(part->hdr_data);
        finish_send(a, send, 0);
      }
    return order;
  }
  /// a reaches `far` by the router b, which has multi-rail.
  void reach_by_router(const Nid& far) {
    auto routes = std::make_shared<RouteList>(*a.config->routes);
    EXPECT_TRUE(routes->add({far.net(), tcp(2)}, 0));
    a.config->routes = routes;
    a.config->globals.alive_router_check_interval = 0;
    configure(a);
    introduce(a, {far});
    constexpr std::uint32_t kRouter = kUsualFeatures & ~std::uint32_t{wire::kPingRoutingDisabled};
    push_to_a(*this, encode(info_with({tcp(2)}, kRouter)), tcp(2));
    const std::vector<Send> answers = std::exchange(a.sends, {});
    for (const Send& send : answers) finish_send(a, send, 0);
    target = far;
  }
  /// b sends this many GETs to a.
  void gets_come(int count) {
    Post all;
    all.options = kOpGet | kManageRemote;
    attach(a, memory, &events, all);
    const MdHandle asking = bind(b, sink, nullptr);
    for (int i = 0; i < count; ++i) get(b, asking, tcp(1));
  }
  std::size_t answered() const {
    return static_cast<std::size_t>(
        std::ranges::count(events.events, EventType::kGet, &Event::type));
  }
  /// The number of answers that a counts as waiting or in flight.
  std::uint32_t answers() const {
    std::uint32_t all = 0;
    for (const auto& shard : a.shards) all += shard->observe().answers;
    return all;
  }
  void fail(NiId ni) { input(a, NiState{ni, NiLink::kFailed}), settle(); }
  void mend(NiId ni) { input(a, NiState{ni, NiLink::kUp}), settle(); }
  std::int32_t waiting(NiId ni) const {
    return a.shards[a.placement.of(tcp(2))]->observe().nis.find(ni)->tx.waiting();
  }
  std::size_t sent_by(NiId ni) const {
    return static_cast<std::size_t>(
        std::count_if(a.sends.begin(), a.sends.end(), [&](const Send& s) { return s.ni == ni; }));
  }
  /// The driver ends all Sends that it has of this NI.
  void finish(NiId ni) {
    std::vector<Send> ended;
    std::erase_if(a.sends, [&](const Send& send) {
      if (send.ni == ni) ended.push_back(send);
      return send.ni == ni;
    });
    for (const Send& send : ended) finish_send(a, send, 0);
  }

  Nid target = tcp(2);     ///< of put()
  std::uint64_t puts = 0;  ///< how many there were
  std::vector<std::byte> memory = bytes(8), sink = bytes(8);
  Recorder events;
};

TEST(NiFailure, WaitingMessagesUseTheOtherNi) {
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    p.put(8);
    ASSERT_EQ(p.sent_by(kTcp), 2U);
    ASSERT_GT(p.waiting(kTcp), 0);
    ASSERT_EQ(p.waiting(kTcp) + p.waiting(kOther), 4);
    p.fail(kTcp);
    EXPECT_EQ(p.waiting(kTcp), 0);
    EXPECT_EQ(p.waiting(kOther), 4);
    EXPECT_EQ(p.sent_by(kTcp), 2U) << "the driver ends the messages that it has";
    for (int i = 0; i < 3; ++i) p.finish(kOther);
    EXPECT_EQ(p.events.events.size(), 6U);
    p.finish(kTcp);
    p.finish(kOther);  // the push that reports the failure to b
    EXPECT_EQ(p.events.events.size(), 8U);
    for (const Event& event : p.events.events) EXPECT_EQ(event.status, 0);
    const call::Show show = p.show(p.a);
    EXPECT_EQ(show.statistics.resend_count, 0U) << "it was not tried before";
    for (const std::size_t ni : {1U, 2U})
      EXPECT_EQ(show.nis.at(ni).stats.credits, show.nis.at(ni).stats.credits_max);
    EXPECT_EQ(show.statistics.msgs_alloc, 0U);
  }
}

// A message that its driver had not begun is "not yet handed to the socket".
TEST(NiFailure, ReturnedMessagesUseTheOtherNi) {  // spec/multirail.md 3.2.B.1
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    p.put(2);
    ASSERT_EQ(p.sent_by(kTcp), 1U);
    const Send send = *std::find_if(p.a.sends.begin(), p.a.sends.end(),
                                    [](const Send& each) { return each.ni == kTcp; });
    p.fail(kTcp);
    ASSERT_EQ(p.a.cancels.size(), 1U);
    EXPECT_EQ(p.a.cancels[0].tx, send.tx);
    p.finish_send(p.a, send, -ECANCELED, Health::kLocalDropped);
    for (int i = 0; i < 2; ++i) p.finish(kOther);
    EXPECT_EQ(p.events.events.size(), 2U);
    for (const Event& event : p.events.events) EXPECT_EQ(event.status, 0);
    const call::Show show = p.show(p.a);
    EXPECT_EQ(show.statistics.successful_resends, 1U);
    EXPECT_EQ(show.nis.at(1).stats.health_value, 1000) << "its failure is known already";
  }
}

TEST(NiFailure, AMovedMessageCanBeUnlinked) {
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    const MdHandle md = p.bind(p.a, p.memory, &p.events);
    PutRequest request;
    request.md = md;
    request.target = process(tcp(2));
    request.portal = {5};
    for (int i = 0; i < 8; ++i) p.call(p.a, call::Put{request});
    p.fail(kTcp);
    EXPECT_EQ(p.unlink(p.a, md), 0);
    EXPECT_EQ(p.waiting(kOther), 1) << "the push that reports the failure to b";
    EXPECT_EQ(p.events.events.size(), 4U) << "those that waited";
    p.finish(kTcp);
    p.finish(kOther);
    EXPECT_EQ(p.events.events.size(), 8U);
    EXPECT_TRUE(p.events.events.back().unlinked);
  }
}

TEST(NiFailure, APeerWithoutMultiRailSeesTheSameNi) {  // spec/multirail.md 3.4
  TwoNis p(false);
  p.put(4);
  const NiId seen = p.a.sends.at(0).ni;
  p.fail(seen);
  EXPECT_EQ(p.waiting(seen), 2);
}

TEST(NiFailure, APeerWithoutMultiRailBehindARouterSeesTheSameNi) {  // spec/multirail.md 3.4
  TwoNis p(false);
  p.reach_by_router(tcp(5, 7));
  p.put(4);
  ASSERT_EQ(p.a.sends.at(0).hop.nid, tcp(2));
  const NiId seen = p.a.sends.at(0).ni;
  ASSERT_EQ(p.waiting(seen), 2);
  p.fail(seen);
  EXPECT_EQ(p.waiting(seen), 2) << "the router has multi-rail, the peer has not";
}

TEST(NiFailure, AnAnswerToAPeerWithMultiRailLeavesByTheOtherNi) {
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    p.gets_come(5);
    ASSERT_EQ(p.sent_by(kTcp), 2U);
    ASSERT_GT(p.waiting(kTcp), 0);
    p.fail(kTcp);
    EXPECT_EQ(p.waiting(kTcp), 0);
    p.gets_come(1);
    EXPECT_EQ(p.sent_by(kTcp), 2U) << "the driver has them";
    for (int i = 0; i < 4; ++i) p.finish(kOther);
    EXPECT_EQ(p.answered(), 4U);
    p.finish(kTcp);
    EXPECT_EQ(p.answered(), 6U);
  }
}

// An answer gets its credit from an NI that failed while there was no other NI. Now there is one.
TEST(NiFailure, AnAnswerMovedToAnotherNiWaitsOnce) {
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    p.fail(kOther);
    p.finish(kTcp);  // the push that reports the failure to b
    p.gets_come(4);
    p.fail(kTcp);
    ASSERT_EQ(p.waiting(kTcp), 2);
    ASSERT_EQ(p.answers(), 4U);
    p.mend(kOther);
    p.finish(kTcp);
    EXPECT_EQ(p.answers(), 2U);
    for (int i = 0; i < 3; ++i) p.finish(kOther);
    EXPECT_EQ(p.answered(), 4U);
    EXPECT_EQ(p.answers(), 0U);
  }
}

TEST(NiFailure, AnAnswerToAPeerWithoutMultiRailStays) {  // spec/multirail.md 3.1, 3.4
  TwoNis p(false);
  p.gets_come(5);
  ASSERT_EQ(p.waiting(kTcp), 3);
  p.fail(kTcp);
  EXPECT_EQ(p.waiting(kTcp), 3);
}

TEST(NiFailure, MessagesWithAGivenSourceWait) {
  for (const bool elsewhere : {false, true}) {
    TwoNis p(true, elsewhere);
    p.put(4, tcp(1));
    p.fail(kTcp);
    EXPECT_EQ(p.waiting(kTcp), 2);
  }
}

// The shard that chooses has not learned yet that the NI failed.
TEST(NiFailure, MessagesSentBeforeTheFailureIsKnownUseTheOtherNi) {
  TwoNis p(true, true);
  const std::uint32_t owner = p.a.placement.of(tcp(2));
  Actions actions;
  p.a.shards[owner]->step(p.now, NiState{kTcp, NiLink::kFailed}, actions);
  p.put(8);
  EXPECT_EQ(p.waiting(kTcp), 0);
  EXPECT_EQ(p.waiting(kOther), 4);
  EXPECT_EQ(p.sent_by(kTcp), 2U) << "it had credits, so the driver got them at once";
}

/// As TwoNis, but each NI of a is on its own net, and so is each NI of b.
struct TwoNets : Pipe {
  explicit TwoNets(bool elsewhere)
      : Pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}, elsewhere ? 4 : 1) {
    for (NiConfig& ni : a.config->nis)
      if (!ni.nid.is_loopback()) ni.tunables.credits = 2;
    configure(a);
    b.config->globals.discovery = 0;
    configure(b);
    push_to_a(*this, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));
    a.sends.clear();
    a.hold_sends = true;
  }
  std::int32_t waiting_on(const Nid& nid) const {
    std::int32_t all = 0;
    for (const auto& shard : a.shards) all += shard->observe().nis.find(nid)->tx.waiting();
    return all;
  }
};

TEST(NiFailure, WaitingMessagesUseAnotherNet) {  // spec/multirail.md 3.2.A.3
  for (const bool elsewhere : {false, true}) {
    TwoNets p(elsewhere);
    std::vector<std::byte> memory = bytes(8);
    Recorder events;
    const MdHandle md = p.bind(p.a, memory, &events);
    for (int i = 0; i < 8; ++i) p.put(p.a, md, tcp(2));
    ASSERT_EQ(p.waiting_on(tcp(1)), 2);
    ASSERT_EQ(p.a.sends.size(), 4U);
    p.input(p.a, NiState{p.a.config->nis.at(1).id, NiLink::kFailed});
    p.settle();
    EXPECT_EQ(p.waiting_on(tcp(1)), 0);
    EXPECT_EQ(p.a.cancels.size(), 2U) << "messages that its driver has not begun go there as well";
    for (int round = 0; round < 20 && !p.a.sends.empty(); ++round)
      for (const Send& send : std::exchange(p.a.sends, {})) {
        const bool failed = send.header.src_nid == tcp(1);
        p.finish_send(p.a, send, failed ? -ECANCELED : 0,
                      failed ? Health::kLocalDropped : Health::kOk);
      }
    EXPECT_EQ(events.events.size(), 8U);
    for (const Event& event : events.events) EXPECT_EQ(event.status, 0);
  }
}

// spec/multirail.md 5.2: no NI is excluded for its health. spec/core-semantics.md 10.2.
TEST(NiFailure, MessagesKeepTheirOrderWhenTheOtherNiHasHealth0) {
  TwoNis p(true);
  p.put(12);
  p.call(p.a, call::SetNiHealth{tcp(3), 0});
  p.fail(kTcp);
  EXPECT_EQ(p.waiting(kTcp), 0);
  EXPECT_THAT(p.order_of_puts(), ::testing::ElementsAre(1, 2, 3, 4, 6, 8, 5, 7, 9, 10, 11, 12));
}

// Messages that have a credit of their peer NI keep it.
TEST(NiFailure, WaitingMessagesUseAnNiThatComesUp) {  // spec/core-semantics.md 10.2
  TwoNis p(true);
  p.fail(kOther);
  p.put(12);
  p.fail(kTcp);
  ASSERT_EQ(p.waiting(kTcp), 6);
  p.input(p.a, NiState{kOther, NiLink::kUp});
  EXPECT_THAT(p.order_of_puts(), ::testing::ElementsAre(1, 2, 8, 3, 4, 5, 6, 7, 9, 10, 11, 12));
}

// Earlier failures were failures of the old link, and the link is a new one now.
TEST(NiFailure, AnNiIsUsedWhenItsLinkIsUpAgain) {
  TwoNis p(true);
  p.fail(kOther);
  p.call(p.a, call::SetNiHealth{tcp(3), 300});
  p.mend(kOther);
  EXPECT_EQ(p.a.shards[0]->observe().nis.find(kOther)->health, kHealthMax);
}

TEST(NiFailure, WithoutAnotherOneItWaits) {
  TwoNis p(true);
  p.fail(kOther);
  p.put(8);
  const std::int32_t before = p.waiting(kTcp);
  p.fail(kTcp);
  EXPECT_EQ(p.waiting(kTcp), before);
}

/// Node c has NIDs on the net behind r and on a net where a's NI fails. The near net is removed and
/// added again with its route, and a pushes this to c.
TEST(NiFailure,
     ARouteThatComesWithItsNetIsUpBeforePeersAreNotified) {  // spec/multirail.md 3.2.A.3, 3.3
  Checked p;
  const Nid own = tcp(51, 2), far = tcp(52, 1);
  p.a.config->nis.push_back({.id = {9}, .nid = tcp(50, 2)});
  p.configure(p.a);
  p.a.hold_sends = true;
  const auto ends_pushes = [&] {
    std::vector<Nid> hops;
    for (const Send& send : std::exchange(p.a.sends, {})) {
      if (send.header.dest_nid == own || send.header.dest_nid == far) hops.push_back(send.hop.nid);
      p.finish_send(p.a, send, -ETIMEDOUT, Health::kOk);
    }
    return hops;
  };
  push_to_a(p, encode(info_with({own, far})), own);
  while (!ends_pushes().empty()) continue;
  p.input(p.a, NiState{{9}, NiLink::kFailed});
  p.settle();
  EXPECT_THAT(ends_pushes(), ::testing::Each(tcp(3)));
  const NodeConfig whole = *p.a.config;
  std::erase_if(p.a.config->nis, [](const NiConfig& ni) { return ni.nid == tcp(1); });
  p.configure(p.a);
  EXPECT_THAT(ends_pushes(), ::testing::Each(own)) << "there is no other way";
  p.a.config->nis = whole.nis;
  for (NiConfig& ni : p.a.config->nis)
    if (ni.nid == tcp(1)) ni.id = {10};
  p.configure(p.a);
  EXPECT_THAT(ends_pushes(), ::testing::ElementsAre(tcp(3)));
}

}  // namespace
}  // namespace ulnet::core::test
