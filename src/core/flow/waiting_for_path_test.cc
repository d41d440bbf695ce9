// Messages to NIDs of which this shard has not been told yet. tests/letters has them in every order
// with what else may happen. Source: spec/multirail.md 3.5.
#include "core/flow/waiting_for_path.h"

#include <gmock/gmock.h>

#include "core/flow/push_fixture.h"
#include "core/flow/step.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A PUT to b that began in a shard of a which is not the control shard. Letters are held back.
struct FirstPut : Pipe {
  explicit FirstPut(std::int32_t discovery = 1) : Pipe({tcp(1)}, {tcp(2)}, 4) {
    a.config->globals.discovery = discovery;
    configure(a);
    a.caller = a.placement.of(tcp(2)) == 2 ? 3 : 2;
    md = bind(a, memory, &events);
    a.hold_mail = a.hold_sends = true;
    put(a, md, tcp(2));
  }
  bool waits() const { return !a.shards[a.caller]->observe().path_waiters.for_card().empty(); }
  template <class Body>
  bool wrote() const {
    return std::any_of(a.mail.begin(), a.mail.end(), [](const End::Mailed& mailed) {
      return std::holds_alternative<Body>(mailed.letter.body);
    });
  }

  std::vector<std::byte> memory = bytes(8);
  Recorder events;
  MdHandle md;
};

TEST(PathWaiters, ARequestWaitsUntilItsShardIsToldOfTheNid) {
  FirstPut p;
  EXPECT_TRUE(p.waits());
  EXPECT_TRUE(p.wrote<letter::CardWanted>());
  EXPECT_FALSE(p.wrote<letter::Transmit>());
  p.put(p.a, p.md, tcp(2));
  EXPECT_EQ(p.a.mail.size(), 1U) << "it has asked";
  p.release_mail(p.a);
  EXPECT_FALSE(p.waits());
  EXPECT_EQ(p.a.sends.size(), 2U);
  p.put(p.a, p.md, tcp(2));
  EXPECT_EQ(p.a.sends.size(), 3U);
}

TEST(PathWaiters, NobodyWaitsWithoutDiscovery) {
  FirstPut p(0);
  EXPECT_FALSE(p.waits());
  EXPECT_TRUE(p.wrote<letter::Transmit>());
}

TEST(PathWaiters, AnAnswerDoesNotWait) {
  Pipe p({tcp(1)}, {tcp(2)}, 4);
  const std::uint32_t home = p.a.placement.of(tcp(6));
  ASSERT_NE(home, kControlShard);
  auto memory = bytes(8);
  Recorder events;
  p.a.caller = home;
  p.attach(p.a, memory, &events, {.position = InsertPosition::kLocal});
  p.a.hold_mail = p.a.hold_sends = true;
  wire::LnetHeader header;
  header.src_nid = tcp(6);
  header.dest_nid = tcp(1);
  header.src_pid = header.dest_pid = Pid::lustre();
  header.payload_length = 8;
  wire::PutPart put;
  put.ack_wmd = {0xb, 1};
  put.portal = 5;
  put.match_bits = 7;
  header.part = put;
  p.arrive(p.a, header, tcp(6), kTcp, memory);
  EXPECT_EQ(p.a.sends.size(), 1U) << "the ACK";
}

TEST(PathWaiters, TheUnlinkOfItsMdEndsIt) {
  FirstPut p;
  p.call(p.a, call::MdUnlink{p.md});
  EXPECT_FALSE(p.waits());
  ASSERT_FALSE(p.events.events.empty());
  EXPECT_EQ(p.events.events[0].status, -ECANCELED);
  p.release_mail(p.a);
  EXPECT_THAT(p.a.sends, IsEmpty());
}

TEST(PathWaiters, TheShutdownEndsIt) {
  FirstPut p;
  p.call(p.a, call::Shutdown{});
  EXPECT_FALSE(p.waits());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -ESHUTDOWN);
}

TEST(PathWaiters, WithoutAnNiItEndsWhenTheCardComes) {
  FirstPut p;
  p.a.config->nis.pop_back();
  p.configure(p.a);
  EXPECT_TRUE(p.waits());
  p.release_mail(p.a);
  EXPECT_FALSE(p.waits());
  ASSERT_EQ(p.events.events.size(), 1U);
  EXPECT_EQ(p.events.events[0].status, -EHOSTUNREACH);
}

TEST(PathWaiters, TheCardIsHeededBeforeTheFirstMessageLeaves) {
  Pipe p({tcp(1)}, {tcp(2)}, 4);
  push_to_a(p, encode(info_with({tcp(2), tcp(3)})), tcp(2));
  auto memory = bytes(8);
  Recorder events;
  const std::uint32_t home = p.a.placement.of(tcp(2));
  p.a.caller = home == 2 ? 3 : 2;
  ASSERT_EQ(p.a.shards[p.a.caller]->observe().peers.find(tcp(2)), nullptr);
  p.put(p.a, p.bind(p.a, memory, &events), tcp(2));
  EXPECT_EQ(p.a.shards[home]->observe().peers.find_ni(tcp(2))->fixed_source, NiId{})
      << "it never was taken for a peer without multi-rail";
}

// spec/multirail.md 4.7: what a call has learnt is there before it ends.
TEST(WaitingCall, EndsInTheShardOfItsCaller) {
  Pipe p({tcp(1)}, {tcp(2)}, 4);
  p.a.caller = 3;
  p.a.hold_mail = p.a.hold_sends = true;
  PingRequest request;
  request.target = process(tcp(2));
  request.timeout = std::chrono::seconds(1);
  p.call(p.a, call::Ping{request, 77});
  p.tick(std::chrono::seconds(2));
  EXPECT_THAT(p.a.dones, IsEmpty());
  std::vector<std::uint32_t> told;
  for (const End::Mailed& mailed : p.a.mail)
    if (std::holds_alternative<letter::CallEnded>(mailed.letter.body)) told.push_back(mailed.to);
  EXPECT_THAT(told, ElementsAre(3));
  p.release_mail(p.a);
  ASSERT_EQ(p.a.dones.size(), 1U);
  EXPECT_EQ(p.a.dones[0].ticket, 77U);
  EXPECT_EQ(p.a.dones[0].status, -ETIMEDOUT);
}

}  // namespace
}  // namespace ulnet::core::test
