// NIs and the node's configuration: identity, distance, selection, adding and removing NIs.
// spec/core-semantics.md 2.3, 2.4, 12, 15, 18.15, spec/multirail.md 3.1, 3.2, 3.4.
#include "lnet/core/path/ni.h"

#include <gmock/gmock.h>

#include <set>

#include "lnet/base/life_cycle_fixture.h"
#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;

const Nid kLarge = Nid::parse("2001:db8::1@tcp2").value();

TEST(Identity, GetIdWalksTheNids) {  // spec/core-semantics.md 2.3
  Pipe pipe({tcp(1), kLarge, tcp(1, 1)});
  const auto id = [&](unsigned index, bool large_ok) {
    int status = 0;
    const ProcessId found = pipe.call(pipe.a, call::GetId{index, large_ok}, &status).id;
    return status == 0 ? found.nid : Nid::any();
  };
  EXPECT_EQ(id(0, false), Nid::loopback());
  EXPECT_EQ(id(1, false), tcp(1));
  EXPECT_EQ(id(2, false), tcp(1, 1));  // large NIDs take no index
  EXPECT_EQ(id(3, false), Nid::any());
  EXPECT_EQ(id(2, true), kLarge);
  int status = 0;
  pipe.call(pipe.a, call::GetId{9, true}, &status);
  EXPECT_EQ(status, -ENOENT);
  EXPECT_EQ(pipe.call(pipe.a, call::GetId{0, false}).id.pid, Pid::lustre());
}

TEST(Identity, Dist) {  // spec/core-semantics.md 2.4
  Pipe pipe({tcp(1), tcp(1, 1), tcp(11, 1)});
  const auto dist = [&](const Nid& nid) { return pipe.call(pipe.a, call::Dist{nid}).distance; };
  Distance d = dist(Nid::loopback());
  EXPECT_EQ(d.hops, 0);
  EXPECT_EQ(d.order, 0U);
  d = dist(tcp(11, 1));
  EXPECT_EQ(d.hops, 0);
  EXPECT_EQ(d.order, 1U);
  EXPECT_EQ(d.source, tcp(11, 1));
  d = dist(tcp(77, 1));
  EXPECT_EQ(d.hops, 1);
  EXPECT_EQ(d.order, 4U);  // the third NI, counted from 2
  EXPECT_EQ(d.source, tcp(1, 1));
  int status = 0;
  pipe.call(pipe.a, call::Dist{tcp(1, 9)}, &status);
  EXPECT_EQ(status, -EHOSTUNREACH);
  pipe.a.config->globals.local_nid_dist_zero = false;
  pipe.configure(pipe.a);
  EXPECT_EQ(dist(tcp(1)).hops, 1);
}

TEST(Identity, LocalNids) {  // spec/core-semantics.md 15
  Pipe pipe({tcp(1), tcp(1, 1)});
  EXPECT_TRUE(pipe.call(pipe.a, call::IsPeerLocal{tcp(200, 1)}).local);
  EXPECT_FALSE(pipe.call(pipe.a, call::IsPeerLocal{tcp(1, 2)}).local);
  EXPECT_TRUE(pipe.call(pipe.a, call::HasLocalNet{{NetType::kTcp, 1}}).present);
  EXPECT_FALSE(pipe.call(pipe.a, call::HasLocalNet{{NetType::kO2ib, 1}}).present);
  EXPECT_EQ(pipe.call(pipe.a, call::LocalPrimaryNid{}).nid, tcp(1));
  pipe.input(pipe.a, NiState{kTcp, NiLink::kFailed});
  EXPECT_EQ(pipe.call(pipe.a, call::LocalPrimaryNid{}).nid, tcp(1, 1));
  const auto nids = pipe.call(pipe.a, call::FetchNids{}).nids;
  ASSERT_EQ(nids.size(), 3U);
  EXPECT_TRUE(nids[0].up);
  EXPECT_FALSE(nids[1].up);
  EXPECT_TRUE(pipe.call(pipe.a, call::PeerDiscoveryStatus{}).on);
  EXPECT_EQ(pipe.call(pipe.a, call::PrimaryNid{tcp(99)}).primary, tcp(99));
  int status = 0;
  Pipe alone({}, {});
  alone.call(alone.a, call::LocalPrimaryNid{}, &status);
  EXPECT_EQ(status, -ENOENT);
}

// ---- selection ----------------------------------------------------------------------------------

struct ThreeNis : Pipe {
  ThreeNis() : Pipe({tcp(1), tcp(11), tcp(1, 1)}) { a.hold_sends = true; }
  /// The source NID of a PUT to `to`; any: the PUT fails.
  Nid source_of(const Nid& to, const Nid& self = {}, std::uint32_t portal = 5) {
    PutRequest request;
    request.md = bind(a, memory, &events, 1);
    request.target = process(to);
    request.portal = {portal};
    request.self = self;
    const std::size_t before = a.sends.size();
    call(a, call::Put{request});
    return a.sends.size() > before ? a.sends.back().header.src_nid : Nid::any();
  }
  std::vector<std::byte> memory = bytes(4);
  Recorder events;
};

TEST(Select, APeerWithoutMultiRailAlwaysSeesTheSameNi) {  // spec/multirail.md 3.1, 3.4
  ONE_SHARD_ONLY();
  ThreeNis r;
  const Nid first = r.source_of(tcp(2));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(r.source_of(tcp(2)), first);
  EXPECT_NE(r.source_of(tcp(3)), first);  // the other NI has more credits now (3.2.B.6)
}

TEST(Select, APeerWithMultiRailSeesThemAll) {  // spec/multirail.md 3.2.B.7, 3.4
  ThreeNis r;
  r.source_of(tcp(2));
  r.finish_send(r.a, r.a.sends.back(), 0);
  push_to_a(r, encode(info_with({tcp(2)})), tcp(2));
  for (const Send& send : std::vector<Send>(r.a.sends)) r.finish_send(r.a, send, 0);
  std::set<Nid> seen;
  for (int i = 0; i < 4; ++i) {
    seen.insert(r.source_of(tcp(2)));
    r.finish_send(r.a, r.a.sends.back(), 0);
  }
  EXPECT_EQ(seen, (std::set{tcp(1), tcp(11)}));
}

// spec/multirail.md 3.2.B.7, 3.4
TEST(Select, InternalTrafficTakesTurns) {
  ThreeNis r;
  std::vector<Nid> seen;
  for (int i = 0; i < 4; ++i) {
    seen.push_back(r.source_of(tcp(2), {}, 0));
    r.finish_send(r.a, r.a.sends.back(), 0);
  }
  EXPECT_THAT(seen, ElementsAre(tcp(1), tcp(11), tcp(1), tcp(11)));
}

TEST(Select, TheTurnOutlivesAConfiguration) {  // spec/multirail.md 3.2.B.7
  ThreeNis r;
  const auto next = [&] {
    const Nid source = r.source_of(tcp(2), {}, 0);
    r.finish_send(r.a, r.a.sends.back(), 0);
    return source;
  };
  std::vector<Nid> seen;
  for (int i = 0; i < 3; ++i) seen.push_back(next());
  r.configure(r.a);
  for (int i = 0; i < 3; ++i) seen.push_back(next());
  EXPECT_THAT(seen, ElementsAre(tcp(1), tcp(11), tcp(1), tcp(11), tcp(1), tcp(11)));
}

TEST(Select, AGivenSourceIsTaken) {  // spec/multirail.md 3.1
  ThreeNis r;
  EXPECT_EQ(r.source_of(tcp(2), tcp(11)), tcp(11));
  EXPECT_EQ(r.source_of(tcp(2)), tcp(11));  // it remains the NI for this peer
  EXPECT_EQ(r.source_of(tcp(2), tcp(99)), Nid::any());
  EXPECT_EQ(r.events.events.back().status, -EINVAL);
  EXPECT_EQ(r.source_of(tcp(2), tcp(1, 1)), Nid::any());
  EXPECT_EQ(r.events.events.back().status, -EHOSTUNREACH);
}

TEST(Select, HealthAndFatalErrorsComeFirst) {  // spec/multirail.md 3.2.B.1, 3.2.B.2
  ThreeNis r;
  r.call(r.a, call::SetNiHealth{tcp(1), 900});
  EXPECT_EQ(r.source_of(tcp(2)), tcp(11));
  r.input(r.a, NiState{NiId{3}, NiLink::kFailed});
  EXPECT_EQ(r.source_of(tcp(3)), tcp(1));
  r.input(r.a, NiState{NiId{3}, NiLink::kUp});
  EXPECT_EQ(r.source_of(tcp(4)), tcp(11));
}

TEST(Select, NoConfigurationMeansNotRunning) {  // spec/core-semantics.md 12, spec/multirail.md 3.1
  Shard shard(0);
  Actions actions;
  Recorder events;
  ApiCall bind{call::MdBind{MdSpec{.sink = &events}, UnlinkMode::kRetain}};
  shard.step(Instant{}, Api{&bind}, actions);
  for (const Nid& to : {Nid::loopback(), tcp(2)}) {
    PutRequest request;
    request.md = std::get<call::MdBind>(bind.body).md;
    request.target = process(to);
    ApiCall put{call::Put{request}};
    shard.step(Instant{}, Api{&put}, actions);
    EXPECT_EQ(put.status, 0);
  }
  int failed = 0;
  for (const Action& action : actions)
    if (const auto* post = std::get_if<core::Post>(&action))
      failed += post->event.status == -ESHUTDOWN;
  EXPECT_EQ(failed, 2);
}

// ---- loopback -----------------------------------------------------------------------------------

// spec/core-semantics.md 12; spec/multirail.md 3.1; spec/wire-lnet.md 3.5
TEST(Loopback, CopiesBetweenTwoMdsWithAllEvents) {
  Pipe pipe;
  Recorder mine, target;
  auto source = bytes(50), sink = bytes(200, 7), back = bytes(50, 3);
  pipe.attach(pipe.a, sink, &target, {.options = kOpPut | kOpGet | kManageRemote | kTruncate});
  EXPECT_EQ(
      pipe.put(pipe.a, pipe.bind(pipe.a, source, &mine, 2), Nid::loopback(), AckRequest::kAck), 0);
  EXPECT_EQ(pipe.get(pipe.a, pipe.bind(pipe.a, back, &mine, 2), Nid::loopback()), 0);
  EXPECT_EQ(back, source);
  EXPECT_EQ(mine.events.size(), 4U);
  ASSERT_THAT(target.types(), ElementsAre(EventType::kPut, EventType::kGet));
  EXPECT_EQ(target.events[0].initiator.nid, Nid::loopback());
  EXPECT_EQ(target.events[0].target.nid, Nid::loopback());
  const auto show = pipe.show(pipe.a);
  EXPECT_TRUE(show.peers.empty());  // the loopback peer is not listed
  EXPECT_EQ(show.nis.at(0).stats.credits, 0);
  EXPECT_EQ(show.nis.at(0).stats.refs, 2U);
}

TEST(Loopback, OwnNidsGoThroughTheirDriver) {  // spec/core-semantics.md 12
  Pipe pipe;
  Recorder target;
  auto source = bytes(50), sink = bytes(200, 7);
  pipe.attach(pipe.a, sink, &target);
  pipe.a.hold_sends = true;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 2), tcp(1));
  EXPECT_EQ(pipe.a.sends.at(0).ni, kTcp);
  pipe.release_sends(pipe.a);
  EXPECT_EQ(target.events.at(0).initiator.nid, tcp(1));
}

// ---- adding and removing NIs --------------------------------------------------------------------

std::shared_ptr<NodeConfig> without(const End& end, NiId id) {
  auto config = std::make_shared<NodeConfig>(*end.config);
  ++config->generation;
  std::erase_if(config->nis, [&](const NiConfig& ni) { return ni.id == id; });
  return config;
}

TEST(NiRemoval, DrainsWhenItsMessagesHaveEnded) {  // spec/core-semantics.md 18.15
  Pipe pipe;
  pipe.a.config->nis[1].tunables.peer_credits = 1;
  pipe.configure(pipe.a);
  Recorder sender, receiver;
  auto memory = bytes(8), sink = bytes(8);
  pipe.attach(pipe.a, sink, &receiver);
  pipe.a.hold_sends = pipe.a.hold_lands = true;
  const MdHandle md = pipe.bind(pipe.a, memory, &sender);
  for (int i = 0; i < 3; ++i) pipe.put(pipe.a, md, tcp(2));      // 1 in flight, 2 wait
  pipe.put(pipe.b, pipe.bind(pipe.b, memory, nullptr), tcp(1));  // 1 lands
  pipe.input(pipe.a, Config{without(pipe.a, kTcp)});
  EXPECT_EQ(pipe.a.applied.back().generation, pipe.a.config->generation + 1);
  ASSERT_EQ(sender.events.size(), 2U);
  for (const Event& event : sender.events) EXPECT_EQ(event.status, -ESHUTDOWN);
  EXPECT_TRUE(pipe.a.drained.empty());
  // New messages do not use the NI any more.
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), 0);
  EXPECT_EQ(sender.events.back().status, -EHOSTUNREACH);
  wire::LnetHeader header;
  header.dest_nid = tcp(1);
  header.src_nid = tcp(2);
  header.part = wire::PutPart{};
  pipe.arrive(pipe.a, header, tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kNiRemoved), 1U);
  // The driver stops the NI: its Send and its Land end with an error.
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -ESHUTDOWN);
  EXPECT_TRUE(pipe.a.drained.empty());
  pipe.input(pipe.a, PayloadLanded{pipe.a.lands.at(0).msg, -ESHUTDOWN, Health::kOk});
  EXPECT_EQ(receiver.events.at(0).status, -ESHUTDOWN);
  ASSERT_EQ(pipe.a.drained.size(), 1U);
  EXPECT_EQ(pipe.a.drained[0].ni, kTcp);
}

TEST(NiRemoval, AnIdleNiIsDrainedAtOnceAndTheOthersStay) {  // spec/core-semantics.md 18.15
  Pipe pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)});
  pipe.input(pipe.a, Config{without(pipe.a, kTcp1)});
  EXPECT_EQ(pipe.a.drained.size(), 1U);
  auto source = bytes(8), sink = bytes(8);
  Recorder r;
  pipe.attach(pipe.b, sink, &r);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  EXPECT_EQ(r.events.size(), 1U);
}

TEST(NiRemoval, ANetThatComesBackGetsANewNi) {
  Pipe pipe;
  pipe.input(pipe.a, Config{without(pipe.a, kTcp)});
  NiConfig again = pipe.a.config->nis[1];
  again.id = {50};
  pipe.a.config->nis[1] = again;
  pipe.configure(pipe.a);
  auto source = bytes(8);
  Recorder r;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, &r), tcp(2));
  EXPECT_EQ(r.events.at(0).status, 0);
}

TEST(Shutdown, EndsWaitingMessagesAndDrains) {  // spec/core-semantics.md 2.1, 2.2
  Pipe pipe;
  pipe.a.config->nis[1].tunables.peer_credits = 1;
  pipe.configure(pipe.a);
  Recorder sender;
  auto memory = bytes(8);
  pipe.a.hold_sends = true;
  const MdHandle md = pipe.bind(pipe.a, memory, &sender);
  pipe.put(pipe.a, md, tcp(2));
  pipe.put(pipe.a, md, tcp(2));
  PingRequest ping;
  ping.target = process(tcp(2));
  pipe.call(pipe.a, call::Ping{ping, 5});  // waits for a credit
  pipe.call(pipe.a, call::SetLazy{{5}});
  pipe.put(pipe.b, pipe.bind(pipe.b, memory, nullptr), tcp(1));
  pipe.call(pipe.a, call::Shutdown{});
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ESHUTDOWN);
  EXPECT_EQ(sender.events.size(), 1U);
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kShutdown), 1U);
  ASSERT_EQ(pipe.a.drained.size(), 1U);  // 0@lo
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -ESHUTDOWN);
  EXPECT_EQ(pipe.a.drained.size(), 2U);
  EXPECT_EQ(pipe.put(pipe.a, md, tcp(2)), -ESHUTDOWN);
  int status = 0;
  pipe.call(pipe.a, call::Ping{ping, 6}, &status);
  EXPECT_EQ(status, -ESHUTDOWN);
  pipe.call(pipe.a, call::Shutdown{});  // a second Shutdown does nothing
  EXPECT_EQ(pipe.unlink(pipe.a, md), 0);
  EXPECT_TRUE(sender.events.back().unlinked);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 0U);
}

TEST(Shutdown, AnNiConfiguredAfterwardsIsDrained) {
  Pipe pipe;
  pipe.call(pipe.a, call::Shutdown{});
  ASSERT_EQ(pipe.a.drained.size(), 2U);
  NiConfig late = pipe.a.config->nis[1];
  late.id = {50};
  pipe.a.config->nis.push_back(late);
  for (int times = 0; times < 2; ++times) pipe.configure(pipe.a);
  ASSERT_EQ(pipe.a.drained.size(), 3U);
  EXPECT_EQ(pipe.a.drained[2].ni, late.id);
}

TEST(Select,
     AFixedSourceThatGoesIsReplaced) {  // spec/multirail.md 3.4, spec/core-semantics.md 18.15
  ONE_SHARD_ONLY();
  ThreeNis rails;
  const Nid first = rails.source_of(tcp(2));
  EXPECT_EQ(rails.source_of(tcp(2)), first);  // both PUTs are in flight
  std::erase_if(rails.a.config->nis, [&](const NiConfig& ni) { return ni.nid == first; });
  rails.configure(rails.a);
  EXPECT_TRUE(rails.a.drained.empty());
  const Nid next = rails.source_of(tcp(2));
  EXPECT_EQ(next, first == tcp(1) ? tcp(11) : tcp(1));
}

// spec/core-semantics.md 11; spec/multirail.md 6
TEST(NiConfiguration, ChangesApplyFromTheNextMessage) {
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.put(pipe.a, md, tcp(2));
  pipe.a.config->nis[1].lnd_timeout = std::chrono::seconds(9);
  pipe.configure(pipe.a);
  pipe.put(pipe.a, md, tcp(2));
  EXPECT_EQ(pipe.a.sends.at(0).deadline - pipe.now, std::chrono::seconds(148));
  EXPECT_EQ(pipe.a.sends.at(1).deadline - pipe.now, std::chrono::seconds(28));
}

TEST(NiRemoval, MessagesForADrainedNiAreDropped) {  // spec/core-semantics.md 18.15
  Pipe pipe({tcp(1), tcp(1, 1)});
  pipe.a.config->nis.pop_back();
  pipe.configure(pipe.a);
  ASSERT_EQ(pipe.a.drained.size(), 1U);
  wire::LnetHeader header;
  header.src_nid = tcp(2, 1);
  header.dest_nid = tcp(1, 1);
  header.part = wire::PutPart{};
  pipe.arrive(pipe.a, header, tcp(2, 1), kTcp1);
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kUnknownNi), 1U);
}

TEST(NiLifeCycle, HasTheseSteps) {  // spec/core-semantics.md 18.15
  EXPECT_EQ(ulnet::test::matrix(kNiLifeCycle),
            "up: [removed -> draining]\n"
            "draining: [idle -> gone]\n"
            "gone:\n");
}

TEST(NiLifeCycle, OtherValuesHaveNoName) {
  EXPECT_STREQ(to_string(NiPhase::kCount), "?");
  EXPECT_STREQ(to_string(NiEvent::kCount), "?");
}

}  // namespace
}  // namespace ulnet::core::test
