// Portal 0: the ping target, and pings of the API. portal0_push_test.cc tests pushes.
// spec/core-semantics.md 14, spec/wire-lnet.md 4.
#include "lnet/core/flow/portal0.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

/// The bytes that a ping of b brings into a sink of this size.
std::vector<std::byte> info_of_b(Pipe& pipe, std::size_t sink = 4096, std::uint32_t offset = 0) {
  std::vector<std::byte> answer(sink);
  Recorder r;
  pipe.get(pipe.a, pipe.bind(pipe.a, answer, &r, 2), tcp(2), wire::kPingMatchBits, 0, offset);
  for (const Event& event : r.events)
    if (event.type == EventType::kReply) answer.resize(event.mlength);
  return answer;
}

wire::PingInfo decoded(const std::vector<std::byte>& bytes) {
  auto info = wire::decode_ping_info(bytes);
  EXPECT_TRUE(info);
  return info.value_or(wire::PingInfo{});
}

// spec/core-semantics.md 14; spec/wire-lnet.md 4.2.2, 4.3, 6.2
TEST(PingTarget, DescribesTheNode) {
  Pipe pipe;
  const auto answer = info_of_b(pipe);
  EXPECT_EQ(answer.size(), wire::kPingInfoBytesMin + 16);
  const wire::PingInfo info = decoded(answer);
  EXPECT_EQ(info.features, kUsualFeatures);
  EXPECT_EQ(info.pid, Pid::lustre());
  EXPECT_EQ(info.sequence, 1U);
  ASSERT_EQ(info.legacy.size(), 1U);
  EXPECT_EQ(info.legacy[0], (wire::PingEntry{tcp(2), wire::NiStatus::kUp}));
}

TEST(PingTarget, TheNumberContinuesFromTheFormerNode) {  // spec/multirail.md 4.8
  Pipe pipe;
  EXPECT_EQ(pipe.show(pipe.b).ping_sequence, 1U);
  End fresh({tcp(3)}, 0xc, shards_of_a_node());
  fresh.config->ping_sequence = 7;
  pipe.configure(fresh);
  EXPECT_EQ(pipe.show(fresh).ping_sequence, 8U);
}

TEST(PingTarget, CutsToTheSink) {  // spec/core-semantics.md 14; spec/wire-lnet.md 4.1
  Pipe pipe;
  EXPECT_EQ(info_of_b(pipe, 20).size(), 20U);
  EXPECT_EQ(info_of_b(pipe, 0).size(), 0U);
  EXPECT_EQ(info_of_b(pipe, 100, 40).size(), 8U);
  EXPECT_EQ(info_of_b(pipe, 100, 48).size(), 0U);
  EXPECT_EQ(info_of_b(pipe, 100, 4000).size(), 0U);  // 3.3: nothing beyond the end
}

// spec/multirail.md 4.8; spec/wire-lnet.md 4.2.1, 4.3
TEST(PingTarget, DiscoveryOffChangesTheFeatures) {
  Pipe pipe;
  pipe.b.config->globals.discovery = 0;
  pipe.configure(pipe.b);
  const wire::PingInfo info = decoded(info_of_b(pipe));
  EXPECT_EQ(info.features, kNoDiscoveryFeatures);
  EXPECT_EQ(info.sequence, 1U) << "only other NIDs raise it";
}

// spec/core-semantics.md 14; spec/multirail.md 2.1; spec/wire-lnet.md 4.2.1
TEST(PingTarget, SequenceGrowsOnlyWithTheContents) {
  Pipe pipe;
  pipe.b.config->globals.transaction_timeout = 99;
  pipe.configure(pipe.b);
  EXPECT_EQ(decoded(info_of_b(pipe)).sequence, 1U);
  NiConfig more = pipe.b.config->nis[1];
  more.id = {9};
  more.nid = tcp(22, 1);
  pipe.b.config->nis.push_back(more);
  pipe.configure(pipe.b);
  const wire::PingInfo info = decoded(info_of_b(pipe));
  EXPECT_EQ(info.sequence, 2U);
  EXPECT_EQ(info.legacy.size(), 2U);
}

TEST(PingTarget, ReportsDownAndAppendsLargeNids) {  // spec/core-semantics.md 14
  Pipe pipe;
  const Nid large = Nid::parse("2001:db8::2@tcp").value();
  NiConfig more = pipe.b.config->nis[1];
  more.id = {9};
  more.nid = large;
  pipe.b.config->nis.push_back(more);
  pipe.configure(pipe.b);
  pipe.input(pipe.b, NiState{kTcp, NiLink::kFailed});
  wire::PingInfo info = decoded(info_of_b(pipe));
  EXPECT_EQ(info.features, kUsualFeatures | wire::kPingLargeAddr);
  EXPECT_EQ(info.legacy.at(0).status, wire::NiStatus::kDown);
  EXPECT_EQ(info.large.at(0), (wire::PingEntry{large, wire::NiStatus::kUp}));
  // "Primary large" is set because the first NI has a large NID (4.3).
  std::swap(pipe.b.config->nis[1], pipe.b.config->nis[2]);
  pipe.configure(pipe.b);
  info = decoded(info_of_b(pipe));
  EXPECT_EQ(info.features, kUsualFeatures | wire::kPingLargeAddr | wire::kPingPrimaryLarge);
  EXPECT_EQ(info.primary(), large);
}

TEST(PingTarget, AnswersInFlightOutliveTheInfoThatTheyRead) {  // spec/core-semantics.md 4.6
  Pipe pipe;
  pipe.b.hold_sends = true;
  std::vector<std::byte> answer(100);
  pipe.get(pipe.a, pipe.bind(pipe.a, answer, nullptr, 2), tcp(2), wire::kPingMatchBits, 0);
  pipe.b.config->globals.discovery = 0;
  pipe.configure(pipe.b);
  EXPECT_TRUE(pipe.b.cancels.empty());
  pipe.release_sends(pipe.b);  // reads the old info: the address sanitizer would detect a freed one
  EXPECT_EQ(decoded(answer).features, kUsualFeatures);
  pipe.b.hold_sends = false;
  EXPECT_EQ(decoded(info_of_b(pipe)).features, kNoDiscoveryFeatures);
}

// spec/core-semantics.md 14; spec/wire-lnet.md 4.1
TEST(PingTarget, OtherMatchBitsFindNothing) {  // spec/wire-lnet.md 5: any other match bits
  Pipe pipe;
  auto source = bytes(8);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.get(pipe.a, md, tcp(2), 1, 0);
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 1, 0);
  EXPECT_EQ(pipe.b.holds.size(), 1U);  // the portal is lazy
}

// spec/multirail.md 5.1; spec/wire-lnet.md 4.2.1
TEST(PingTarget, AnNiWithHealthZeroIsReportedDown) {
  Pipe pipe;
  pipe.b.config->globals.health_sensitivity = 500;
  pipe.configure(pipe.b);
  pipe.b.send_status = -EIO;
  pipe.b.send_health = Health::kLocalError;
  auto source = bytes(1);
  const MdHandle md = pipe.bind(pipe.b, source, nullptr);
  for (int i = 0; i < 2; ++i) pipe.put(pipe.b, md, tcp(1));
  pipe.b.send_status = 0;
  const wire::PingInfo down = decoded(info_of_b(pipe));
  EXPECT_EQ(down.legacy.at(0).status, wire::NiStatus::kDown);
  EXPECT_EQ(down.sequence, 1U);
  const wire::PingInfo up = decoded(info_of_b(pipe));  // GET and REPLY have raised the health
  EXPECT_EQ(up.legacy.at(0).status, wire::NiStatus::kUp);
  EXPECT_EQ(up.sequence, 1U);
}

TEST(PingTarget, ReportsThePidOfTheNode) {  // spec/wire-lnet.md 4.2
  Pipe pipe;
  pipe.b.config->pid = {77};
  pipe.configure(pipe.b);
  EXPECT_EQ(decoded(info_of_b(pipe)).pid, Pid{77});
}

void start_ping(Pipe& pipe, const Nid& target, Duration timeout = seconds(1),
                const Nid& source = {}) {
  PingRequest request;
  request.target = {target, Pid::any()};
  request.source = source;
  request.timeout = timeout;
  pipe.call(pipe.a, call::Ping{request, 77});
}

/// The peer answers the ping that a has just sent.
void answer_ping(Pipe& pipe, const std::vector<std::byte>& answer) {
  const Send ping = pipe.a.sends.back();
  pipe.finish_send(pipe.a, ping, 0);
  reply_to(pipe, ping, answer);
}

// spec/cli-lnetctl.md 4.7; spec/multirail.md 1, 4.7; spec/wire-lnet.md 4.1, 6.2
TEST(Ping, IsAnswered) {
  Pipe pipe;
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  ASSERT_EQ(pipe.a.sends.size(), 1U);
  const wire::LnetHeader& header = pipe.a.sends[0].header;
  EXPECT_EQ(header.dest_pid, Pid::lustre());
  const auto& get = std::get<wire::GetPart>(header.part);
  EXPECT_EQ(get.portal, 0U);
  EXPECT_EQ(get.match_bits, wire::kPingMatchBits);
  EXPECT_EQ(get.src_offset, 0U);
  EXPECT_EQ(get.sink_length, 3960U);
  pipe.release_sends(pipe.a);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  const Done& done = pipe.a.dones[0];
  EXPECT_EQ(done.ticket, 77U);
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.ping.primary, tcp(2));
  EXPECT_FALSE(done.ping.multi_rail);  // a has learnt nothing about b yet
  EXPECT_EQ(done.ping.features, kUsualFeatures);
  EXPECT_THAT(done.ping.nids, ElementsAre(tcp(2)));
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).state_bits, 0U);
}

TEST(Ping, OurselvesWorksBothWays) {  // spec/core-semantics.md 12
  Pipe pipe;
  start_ping(pipe, Nid::loopback());
  start_ping(pipe, tcp(1));
  ASSERT_EQ(pipe.a.dones.size(), 2U);
  EXPECT_EQ(pipe.a.dones[0].status, 0);
  EXPECT_EQ(pipe.a.dones[1].status, 0);
  EXPECT_THAT(pipe.a.dones[0].ping.nids, ElementsAre(tcp(1)));
}

TEST(Ping, TimesOut) {  // spec/cli-lnetctl.md 3.10, 4.7
  Pipe pipe;
  pipe.b.hold_sends = true;
  start_ping(pipe, tcp(2), std::chrono::milliseconds(300));
  pipe.tick(std::chrono::milliseconds(299));
  EXPECT_TRUE(pipe.a.dones.empty());
  pipe.tick(std::chrono::milliseconds(3));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
  EXPECT_EQ(pipe.show(pipe.a).statistics.response_timeout_count, 1U);
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).health_value, 900);
  pipe.release_sends(pipe.b);  // the REPLY comes after the deadline
  EXPECT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.dropped(pipe.a, DropReason::kReplyNoMd), 1U);
}

TEST(Ping, TimesOutWhileItWaitsForACredit) {  // spec/cli-lnetctl.md 4.7
  Pipe pipe;
  pipe.a.config->nis[1].tunables.peer_credits = 1;
  pipe.configure(pipe.a);
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  start_ping(pipe, tcp(2));
  pipe.tick(seconds(2));
  EXPECT_EQ(pipe.a.sends.size(), 1U);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
}

TEST(Ping, TimesOutWhileItsSendIsStuck) {  // spec/cli-lnetctl.md 4.7
  Pipe pipe;
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  pipe.tick(seconds(2));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 1U);
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -ECONNREFUSED, Health::kRemoteDropped);
  EXPECT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 0U);
}

TEST(Ping, TimesOutWhileItsAnswerIsStuck) {  // spec/cli-lnetctl.md 4.7
  Pipe pipe;
  pipe.a.hold_lands = true;
  start_ping(pipe, tcp(2));
  ASSERT_EQ(pipe.a.lands.size(), 1U);
  pipe.tick(seconds(2));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 1U);
  pipe.release_lands(pipe.a);
  EXPECT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 0U);
}

TEST(Ping, TimesOutWhileItsAnswerIsStuckAndThenItsSendFails) {
  Pipe pipe;
  pipe.a.hold_sends = pipe.a.hold_lands = true;
  start_ping(pipe, tcp(2));
  ASSERT_EQ(pipe.a.sends.size(), 1U);
  reply_to(pipe, pipe.a.sends[0], encode(info_with({tcp(2)})));
  ASSERT_EQ(pipe.a.lands.size(), 1U);
  pipe.tick(seconds(2));
  pipe.finish_send(pipe.a, pipe.a.sends[0], -ECONNRESET);
  pipe.release_lands(pipe.a);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
  EXPECT_EQ(pipe.show(pipe.a).statistics.msgs_alloc, 0U);
}

TEST(Ping, FailsWithItsSend) {  // spec/cli-lnetctl.md 3.10
  Pipe pipe;
  pipe.a.send_status = -ECONNREFUSED;
  start_ping(pipe, tcp(2));
  start_ping(pipe, tcp(2, 9));
  start_ping(pipe, tcp(2), seconds(1), tcp(8));
  ASSERT_EQ(pipe.a.dones.size(), 3U);
  EXPECT_EQ(pipe.a.dones[0].status, -ECONNREFUSED);
  EXPECT_EQ(pipe.a.dones[1].status, -EHOSTUNREACH);
  EXPECT_EQ(pipe.a.dones[2].status, -EINVAL);  // the source is no NID of a
  const auto stats = pipe.show(pipe.a).statistics;
  EXPECT_EQ(stats.msgs_alloc, 0U);
  EXPECT_EQ(stats.rst_alloc, 0U);
}

TEST(Ping, AsksAgainWhenTheAnswerIsLonger) {  // spec/core-semantics.md 14; spec/wire-lnet.md 4.7
  Pipe pipe;
  for (std::uint32_t i = 0; i < 300; ++i) {
    NiConfig ni = pipe.b.config->nis[1];
    ni.id = {100 + i};
    ni.nid = tcp(static_cast<std::uint8_t>(i), static_cast<std::uint16_t>(10 + i));
    pipe.b.config->nis.push_back(ni);
  }
  pipe.configure(pipe.b);
  start_ping(pipe, tcp(2));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, 0);
  EXPECT_EQ(pipe.a.dones[0].ping.nids.size(), 301U);
}

TEST(Ping, NonsenseIsAProtocolError) {  // spec/core-semantics.md 14; spec/wire-lnet.md 4.4
  Pipe pipe;
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  const auto get = std::get<wire::GetPart>(pipe.a.sends.at(0).header.part);
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), 0);
  wire::LnetHeader reply;
  reply.dest_nid = tcp(1);
  reply.src_nid = tcp(2);
  reply.payload_length = 100;
  reply.part = wire::ReplyPart{get.return_wmd};
  pipe.arrive(pipe.a, reply, tcp(2), kTcp, bytes(100));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -EPROTO);
}

TEST(Ping, AnAnswerThatStopsShortOrWantsTooMuchIsAProtocolError) {  // spec/wire-lnet.md 4.4, 4.7
  const std::vector<std::byte> whole = encode(info_with({tcp(2)}));
  std::vector<std::byte> endless = whole;
  store_le<std::uint32_t>(endless.data() + 12, limits::kMtu / 16);  // entries
  for (auto answer : {std::vector(whole.begin(), whole.begin() + 20), endless}) {
    Pipe pipe;
    pipe.a.config->globals.max_interfaces = limits::kMtu;
    pipe.configure(pipe.a);
    pipe.a.hold_sends = true;
    start_ping(pipe, tcp(2));
    answer_ping(pipe, answer);
    EXPECT_EQ(pipe.a.sends.size(), 1U);  // a does not ping again
    ASSERT_EQ(pipe.a.dones.size(), 1U);
    EXPECT_EQ(pipe.a.dones[0].status, -EPROTO);
  }
}

TEST(Ping, AsksAgainForAsMuchAsOneMessageCanHave) {  // spec/wire-lnet.md 4.7
  Pipe pipe;
  pipe.a.config->globals.max_interfaces = limits::kMtu;
  pipe.configure(pipe.a);
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  std::vector<std::byte> most = encode(info_with({tcp(2)}));
  store_le<std::uint32_t>(most.data() + 12, limits::kMtu / 16 - 1);  // entries
  most.resize(3960);
  answer_ping(pipe, most);
  ASSERT_EQ(pipe.a.sends.size(), 2U);
  EXPECT_EQ(std::get<wire::GetPart>(pipe.a.sends[1].header.part).sink_length, limits::kMtu);
}

TEST(Ping, AnEarlierAnswerIsNotRead) {  // spec/wire-lnet.md 4.4
  const std::vector<std::byte> whole = encode(info_with({tcp(2), tcp(3), tcp(4)}));
  Pipe pipe;
  pipe.a.hold_sends = true;
  for (const std::size_t length : {whole.size(), std::size_t{20}}) {
    pipe.a.sends.clear();
    start_ping(pipe, tcp(2));
    answer_ping(pipe, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
  }
  ASSERT_EQ(pipe.a.dones.size(), 2U);
  EXPECT_EQ(pipe.a.dones[0].ping.nids.size(), 3U);
  EXPECT_EQ(pipe.a.dones[1].status, -EPROTO);
}

TEST(Ping, AnswersThatComeWhileTheNodeStopsStillCount) {  // spec/core-semantics.md 2.2
  Pipe pipe;
  pipe.a.hold_lands = true;
  start_ping(pipe, tcp(2));
  ASSERT_EQ(pipe.a.lands.size(), 1U);
  pipe.call(pipe.a, call::Shutdown{});
  EXPECT_TRUE(pipe.a.dones.empty());
  pipe.release_lands(pipe.a);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
}

TEST(Ping, AnAnswerThatHasComeIsReportedAlthoughTheNodeStops) {  // spec/core-semantics.md 2.2
  Pipe pipe;
  pipe.a.hold_sends = pipe.a.hold_lands = true;
  start_ping(pipe, tcp(2));
  const Send ping = pipe.a.sends.at(0);
  reply_to(pipe, ping, encode(info_with({tcp(2)})));
  pipe.call(pipe.a, call::Shutdown{});
  pipe.release_lands(pipe.a);
  EXPECT_TRUE(pipe.a.dones.empty()) << "the driver still has the GET";
  pipe.finish_send(pipe.a, ping, -ECONNRESET);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, 0);
  EXPECT_THAT(pipe.a.dones[0].ping.nids, ElementsAre(tcp(2)));
}

TEST(Ping, AnAnswerThatTheDriverLostIsNotRead) {
  Pipe pipe;
  pipe.a.hold_sends = pipe.a.hold_lands = true;
  start_ping(pipe, tcp(2));
  answer_ping(pipe, encode(info_with({tcp(2)})));
  lose_payload(pipe, -EIO);
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -EIO);
}

TEST(Ping, EndsWithTheNode) {  // spec/core-semantics.md 2.2
  Pipe pipe;
  pipe.b.hold_sends = true;
  start_ping(pipe, tcp(2));
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  pipe.call(pipe.a, call::Shutdown{});
  ASSERT_EQ(pipe.a.dones.size(), 1U);  // the driver still has the other one
  EXPECT_EQ(pipe.a.dones[0].status, -ESHUTDOWN);
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -ECONNRESET);
  ASSERT_EQ(pipe.a.dones.size(), 2U);
  EXPECT_EQ(pipe.a.dones[1].status, -ESHUTDOWN);
}

TEST(Ping, SaysWhatIsKnownOfThePeer) {  // spec/cli-lnetctl.md 4.7, spec/multirail.md 1
  Pipe pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)});
  push_to_a(pipe, bytes(100), tcp(2));
  start_ping(pipe, tcp(2, 1));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].ping.primary, tcp(2));
  EXPECT_TRUE(pipe.a.dones[0].ping.multi_rail);
  EXPECT_EQ(pipe.a.dones[0].ping.pid, Pid::lustre());
}

TEST(Ping, GoesToThePidThatIsAsked) {  // spec/cli-lnetctl.md 3.10; spec/wire-lnet.md 4.1
  Pipe pipe;
  pipe.a.hold_sends = true;
  PingRequest request;
  request.target = {tcp(2), Pid{7}};
  pipe.call(pipe.a, call::Ping{request, 1});
  EXPECT_EQ(pipe.a.sends.at(0).header.dest_pid, Pid{7});
}

TEST(Ping, AnAnswerThatDoesNotComeTheSecondTimeIsATimeout) {  // spec/wire-lnet.md 4.7
  Pipe pipe;
  pipe.a.hold_sends = true;
  start_ping(pipe, tcp(2));
  std::vector<Nid> many;
  for (std::uint16_t i = 0; i < 300; ++i) many.push_back(tcp(2, i));
  auto answer = encode(info_with(many));
  answer.resize(std::get<wire::GetPart>(pipe.a.sends.at(0).header.part).sink_length);
  answer_ping(pipe, answer);
  ASSERT_EQ(pipe.a.sends.size(), 2U);
  EXPECT_EQ(std::get<wire::GetPart>(pipe.a.sends[1].header.part).sink_length, 16U + 16 * 301);
  pipe.finish_send(pipe.a, pipe.a.sends[1], 0);
  pipe.tick(seconds(2));
  ASSERT_EQ(pipe.a.dones.size(), 1U);
  EXPECT_EQ(pipe.a.dones[0].status, -ETIMEDOUT);
}

}  // namespace
}  // namespace ulnet::core::test
