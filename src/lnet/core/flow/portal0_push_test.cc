// Pushes to portal 0: the core acknowledges them, learns from them and pushes back.
// spec/wire-lnet.md 5, 6, spec/multirail.md 4.
#include "lnet/core/flow/portal0.h"
#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/peer.h"

namespace ulnet::core::test {
namespace {

using std::chrono::seconds;

// The peer state bits that Lustre nodes show (spec/multirail.md 1.1).
constexpr std::uint32_t kUpToDate = kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;
static_assert(kUpToDate == 273);

template <class Part>
std::vector<Send> sends_with(const Pipe& pipe) {
  std::vector<Send> found;
  for (const Send& send : pipe.a.sends)
    if (std::holds_alternative<Part>(send.header.part)) found.push_back(send);
  return found;
}

struct Pushed : Pipe {
  Pushed() { a.hold_sends = true; }
};

/// Two nodes with two NIDs each; a has learnt both NIDs of b from a push.
struct TwoNidsEach : Pipe {
  TwoNidsEach() : Pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}) {
    a.hold_sends = true;
    push_to_a(*this, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));
    a.hold_sends = false;
  }
};

// spec/core-semantics.md 14; spec/multirail.md 1.1, 4.1, 4.2.6, 4.4.3, 4.5, 4.6; spec/wire-lnet.md
// 5.3, 6.4, 6.5
TEST(Push, IsAckedLearnedAndAnsweredOnce) {
  Pushed p;
  const auto pushed = encode(info_with({tcp(2), tcp(2, 1)}));
  push_to_a(p, pushed, tcp(2));
  const auto acks = sends_with<wire::AckPart>(p);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(std::get<wire::AckPart>(acks[0].header.part).mlength, pushed.size());
  const auto pushes = sends_with<wire::PutPart>(p);
  ASSERT_EQ(pushes.size(), 1U);
  const Send& push = pushes[0];
  EXPECT_EQ(push.header.dest_nid, tcp(2));
  EXPECT_EQ(push.header.payload_length, encode(info_with({tcp(1)})).size());
  const auto put = std::get<wire::PutPart>(push.header.part);
  EXPECT_EQ(put.portal, 0U);
  EXPECT_EQ(put.match_bits, wire::kPingMatchBits);
  EXPECT_FALSE(put.ack_wmd.is_none());
  const auto show = p.show(p.a);
  ASSERT_EQ(show.peers.size(), 1U);
  EXPECT_TRUE(show.peers[0].multi_rail);
  EXPECT_EQ(show.peers[0].state_bits, kUpToDate | kPeerPushSent);
  EXPECT_EQ(show.peers[0].nis.size(), 2U);
  // The ACK ends a's push. a does not answer the peer's next push with another one.
  p.a.hold_sends = false;
  for (const Send& send : p.a.sends) p.finish_send(p.a, send, 0);
  wire::LnetHeader ack;
  ack.dest_nid = tcp(1);
  ack.src_nid = tcp(2);
  ack.part = wire::AckPart{put.ack_wmd, put.match_bits, 48};
  p.arrive(p.a, ack, tcp(2));
  EXPECT_EQ(p.show(p.a).peers[0].state_bits, kUpToDate);
  p.a.sends.clear();
  p.a.hold_sends = true;
  push_to_a(p, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));
  EXPECT_EQ(sends_with<wire::AckPart>(p).size(), 1U);
  EXPECT_TRUE(sends_with<wire::PutPart>(p).empty());
}

// spec/core-semantics.md 8.10
TEST(Push,
     TheInitiatorIsThePrimaryNidFromNowOn) {  // spec/core-semantics.md 3, 5, spec/multirail.md 1
  TwoNidsEach pipe;
  Recorder r;
  auto sink = bytes(64), source = bytes(4);
  pipe.attach(pipe.a, sink, &r, {.match = {7}, .id = process(tcp(2))});
  pipe.put(pipe.b, pipe.bind(pipe.b, source, nullptr), tcp(1, 1));
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_EQ(r.events[0].initiator.nid, tcp(2));
  EXPECT_EQ(r.events[0].source, tcp(2, 1));
  EXPECT_EQ(pipe.call(pipe.a, call::PrimaryNid{tcp(2, 1)}).primary, tcp(2));
}

TEST(
    Push,
    AnEntryForAnotherNidOfThePeerMatchesWithAWarning) {  // spec/core-semantics.md 3: NID comparison
  TwoNidsEach pipe;
  Recorder r;
  auto sink = bytes(64), source = bytes(4);
  pipe.attach(pipe.a, sink, &r, {.ignore = {1}, .id = process(tcp(2, 1))});
  pipe.put(pipe.b, pipe.bind(pipe.b, source, nullptr), tcp(1));
  EXPECT_EQ(r.events.size(), 1U);
  ASSERT_FALSE(pipe.a.notes.empty());
  EXPECT_EQ(pipe.a.notes.back().level, Note::Level::kWarning);
}

TEST(Push, WithDiscoveryOffIsOnlyAcked) {  // spec/multirail.md 1, 4.4.2, 4.6; spec/wire-lnet.md 6
  Pushed p;
  p.a.config->globals.discovery = 0;
  p.configure(p.a);
  push_to_a(p, encode(info_with({tcp(2), tcp(2, 1)})), tcp(2));
  EXPECT_EQ(sends_with<wire::AckPart>(p).size(), 1U);
  EXPECT_EQ(p.a.sends.size(), 1U);
  EXPECT_FALSE(p.show(p.a).peers.at(0).multi_rail);
}

// spec/multirail.md 4.2.5, 4.3, 4.4.1, 4.6; spec/wire-lnet.md 5.2, 5.3, 6.1
TEST(Push, GarbageIsAckedAndThePeerIsPinged) {  // spec/wire-lnet.md 5: rules 2 and 3
  for (const auto& payload :
       {std::vector<std::byte>{}, bytes(100),
        encode(info_with({tcp(2)}, kUsualFeatures & ~wire::kPingMultiRail))}) {
    Pushed p;
    push_to_a(p, payload, tcp(2));
    EXPECT_EQ(sends_with<wire::AckPart>(p).size(), 1U);
    const auto gets = sends_with<wire::GetPart>(p);
    ASSERT_EQ(gets.size(), 1U);
    EXPECT_EQ(std::get<wire::GetPart>(gets[0].header.part).sink_length, 272U);
    push_to_a(p, payload, tcp(2));
    EXPECT_EQ(sends_with<wire::GetPart>(p).size(), 1U);  // no second ping at the same time
  }
}

// spec/multirail.md 4.2.2, 4.2.6, 4.2.7, 4.4.7; spec/wire-lnet.md 5.2, 6.3
TEST(Push, ThePingAfterGarbageTeachesThePeer) {
  Pipe pipe;
  push_to_a(pipe, bytes(100), tcp(2));
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.peers.at(0).state_bits, kUpToDate);
  EXPECT_EQ(pipe.show(pipe.b).peers.at(0).state_bits,
            kUpToDate);  // a has pushed to b, and b to a
}

// spec/multirail.md 1.1, 4.4.2, 4.6; spec/wire-lnet.md 5.3
TEST(Push, APeerWithoutDiscoveryIsLeftAlone) {  // spec/wire-lnet.md 5: rule 3
  Pushed p;
  push_to_a(p, encode(info_with({tcp(2)}, kNoDiscoveryFeatures)), tcp(2));
  EXPECT_EQ(p.a.sends.size(), 1U);
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits,
            kPeerNoDiscovery | kPeerDiscovered | kPeerNidsUpToDate);
}

// spec/multirail.md 4.6; spec/wire-lnet.md 5.4
TEST(Push, LongerThanTheBufferEnlargesItAndPings) {  // spec/wire-lnet.md 5: rule 4
  Pushed p;
  std::vector<Nid> many = {tcp(2)};
  for (std::uint16_t i = 1; i < 30; ++i) many.push_back(tcp(2, i));
  push_to_a(p, encode(info_with(many)), tcp(2));
  const auto acks = sends_with<wire::AckPart>(p);
  ASSERT_EQ(acks.size(), 1U);
  EXPECT_EQ(std::get<wire::AckPart>(acks[0].header.part).mlength, 272U);
  EXPECT_EQ(sends_with<wire::GetPart>(p).size(), 1U);
  push_to_a(p, encode(info_with(many)), tcp(2));
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.size(), 30U);
}

TEST(Push, WaitsWhileTheBufferIsInUse) {  // spec/wire-lnet.md 5: portal 0 is lazy
  Pipe pipe;
  pipe.a.hold_lands = true;
  push_to_a(pipe, encode(info_with({tcp(2)})), tcp(2));
  push_to_a(pipe, encode(info_with({tcp(3)})), tcp(3));
  EXPECT_EQ(pipe.a.holds.size(), 1U);
  pipe.a.hold_lands = false;
  pipe.release_lands(pipe.a);
  EXPECT_TRUE(pipe.a.payloads.empty());
  EXPECT_TRUE(pipe.show(pipe.a).peers.at(1).multi_rail);
}

// spec/multirail.md 4.4.6; spec/wire-lnet.md 5
TEST(Push, NidsThatAreNotThePeersOwnAreNotLearned) {
  Pushed p;
  push_to_a(p, encode(info_with({tcp(5), tcp(6)})), tcp(2));  // the sender is not among its NIDs
  EXPECT_FALSE(p.show(p.a).peers.at(0).multi_rail);
  push_to_a(p, encode(info_with({tcp(2), tcp(1)})), tcp(2));  // one of them is a's
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.size(), 1U);
}

TEST(Push, AnUnprivilegedPeerIsNotCalledBack) {  // spec/wire-socklnd.md 2.2.3
  Pushed p;
  push_to_a(p, encode(info_with({tcp(2)})), tcp(2), Pid::user(40000));
  push_to_a(p, bytes(3), tcp(2), Pid::user(40000));
  EXPECT_EQ(p.a.sends.size(), 2U);  // the ACKs
}

TEST(Push, ARestartedPeerIsPushedToAgain) {  // spec/multirail.md 4.1; spec/wire-lnet.md 5, 6
  Pipe pipe;
  push_to_a(pipe, encode(info_with({tcp(2)})), tcp(2));
  EXPECT_EQ(pipe.show(pipe.b).peers.at(0).state_bits, kUpToDate);
  pipe.input(pipe.a, PeerDown{kTcp, {tcp(2), Pid::lustre()}, true});
  pipe.a.hold_sends = true;
  push_to_a(pipe, encode(info_with({tcp(2)})), tcp(2));
  EXPECT_EQ(sends_with<wire::PutPart>(pipe).size(), 1U);
}

TEST(Push, APingOfAPeerThatWasDeletedMeanwhileLeavesNothing) {
  Pushed p;
  push_to_a(p, bytes(100), tcp(2));  // cannot be decoded, so a pings the peer
  ASSERT_EQ(sends_with<wire::GetPart>(p).size(), 1U);
  const Portal0State& own = p.a.shards[kControlShard]->observe().portal0;
  EXPECT_EQ(own.mds.size(), 3U);
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
  p.call(p.a, call::PeerDel{tcp(2)});
  p.tick(std::chrono::seconds(151));
  EXPECT_EQ(own.mds.size(), 2U) << "the ping target and the push target";
}

TEST(Push, FailedOneIsTriedAgainWithTheNext) {  // spec/multirail.md 1.1, 4.2.4
  Pushed p;
  push_to_a(p, encode(info_with({tcp(2)})), tcp(2));
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, -ECONNRESET);
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits, kUpToDate | kPeerForcePush | kPeerRediscover);
  push_to_a(p, encode(info_with({tcp(2)})), tcp(2));
  EXPECT_EQ(sends_with<wire::PutPart>(p).size(), 2U);
}

TEST(Push, APingThatFailsIsNotedUntilOneSucceeds) {  // spec/multirail.md 1.1, 4.2.3
  Pipe pipe;
  pipe.a.send_status = -ECONNRESET;
  push_to_a(pipe, bytes(100), tcp(2));
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).state_bits, kPeerForcePing | kPeerRediscover);
  pipe.a.send_status = 0;
  push_to_a(pipe, bytes(100), tcp(2));
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).state_bits, kUpToDate);
}

// spec/multirail.md 4.3; spec/wire-lnet.md 4.7, 5
TEST(Push, APeerWithManyNidsIsAskedAgainForAllOfThem) {
  Pipe pipe;
  for (std::uint16_t i = 1; i < 40; ++i) {
    NiConfig ni = pipe.b.config->nis[1];
    ni.id = {100U + i};
    ni.nid = tcp(2, i);
    pipe.b.config->nis.push_back(ni);
  }
  pipe.configure(pipe.b);
  push_to_a(pipe, bytes(100), tcp(2));
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.size(), 40U);
}

TEST(Push, AnUnansweredPingOrPushFailsInTime) {  // spec/multirail.md 1.1, 4.2.3, 4.2.4, 4.3, 4.5, 6
  for (const auto& payload : {bytes(100), encode(info_with({tcp(2)}))}) {
    Pushed p;
    p.a.config->globals.response_tracking = 0;  // for the MDs of users
    p.configure(p.a);
    push_to_a(p, payload, tcp(2));
    for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
    constexpr std::uint32_t kUnderWay = kPeerPingSent | kPeerPushSent;
    constexpr std::uint32_t kFailed = kPeerForcePing | kPeerForcePush;
    p.tick(seconds(149));
    EXPECT_NE(p.show(p.a).peers.at(0).state_bits & kUnderWay, 0U);
    p.tick(seconds(2));
    EXPECT_EQ(p.show(p.a).peers.at(0).state_bits & kUnderWay, 0U);
    EXPECT_NE(p.show(p.a).peers.at(0).state_bits & kFailed, 0U);
  }
}

TEST(Push, ASecondPingOfAPeerEndsWhenTheFirstShouldHave) {  // spec/wire-lnet.md 4.7
  Pushed p;
  push_to_a(p, bytes(100), tcp(2));
  std::vector<Nid> many = {tcp(2)};
  for (std::uint16_t i = 1; i < 30; ++i) many.push_back(tcp(2, i));
  auto answer = encode(info_with(many));
  answer.resize(272);
  p.tick(seconds(100));
  reply_to(p, sends_with<wire::GetPart>(p).at(0), answer);
  for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
  ASSERT_EQ(sends_with<wire::GetPart>(p).size(), 2U);
  p.finish_send(p.a, p.a.sends.back(), 0);
  p.tick(seconds(49));
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits, kPeerPingSent);
  p.tick(seconds(2));
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits, kPeerForcePing | kPeerRediscover);
}

/// Node a has pinged a peer and waits for its REPLY.
struct AskedPeer : Pushed {
  AskedPeer() { push_to_a(*this, bytes(100), tcp(2)); }
  void answer(const std::vector<std::byte>& answer) {
    const Send ping = sends_with<wire::GetPart>(*this).at(0);
    for (const Send& send : std::vector<Send>(a.sends)) finish_send(a, send, 0);
    reply_to(*this, ping, answer);
  }
  std::uint32_t state() { return show(a).peers.at(0).state_bits; }
};

TEST(Push, AnAnswerThatStopsShortIsNotAskedForAgain) {  // spec/wire-lnet.md 4.7
  std::vector<Nid> many = {tcp(2)};
  for (std::uint16_t i = 1; i < 15; ++i) many.push_back(tcp(2, i));
  auto answer = encode(info_with(many));
  ASSERT_EQ(answer.size(), 272U) << "it would have fitted";
  answer.resize(100);
  AskedPeer p;
  p.answer(answer);
  EXPECT_EQ(sends_with<wire::GetPart>(p).size(), 1U);
  EXPECT_EQ(p.state(), kPeerForcePing | kPeerRediscover);
}

TEST(Push, AnAnswerThatTheDriverLostTeachesNothing) {
  AskedPeer p;
  p.a.hold_lands = true;
  p.answer(encode(info_with({tcp(2), tcp(2, 1)})));
  lose_payload(p, -EIO);
  EXPECT_EQ(p.state(), kPeerForcePing | kPeerRediscover);
  EXPECT_EQ(p.show(p.a).peers.at(0).nis.size(), 1U);
}

// spec/wire-lnet.md 5: rule 3, spec/multirail.md 4.4.2
TEST(Push, APeerThatHasDiscoveryNoMoreIsDeleted) {
  Pushed p;
  const auto finish = [&] {
    for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, 0);
    p.a.sends.clear();
  };
  push_to_a(p, encode(info_with({tcp(2), tcp(3)})), tcp(2));
  finish();
  push_to_a(p, encode(info_with({tcp(2), tcp(3)}, kNoDiscoveryFeatures)), tcp(2));
  finish();  // the ACK, which does not make a peer of it again
  EXPECT_TRUE(p.show(p.a).peers.empty());
}

TEST(Push, EndedPingsAndPushesLeaveNothing) {
  Pipe pipe;
  const Portal0State& own = pipe.a.shards[kControlShard]->observe().portal0;
  for (int i = 0; i < 3; ++i) {
    push_to_a(pipe, bytes(100), tcp(2));
    push_to_a(pipe, encode(info_with({tcp(2)})), tcp(2));
    pipe.call(pipe.a, call::Ping{{process(tcp(2)), {}}, 1});
    pipe.a.config->pid = {100U + static_cast<std::uint32_t>(i)};  // another info
    pipe.configure(pipe.a);
  }
  EXPECT_EQ(own.mds.size(), 2U) << "the ping target and the push target";
  EXPECT_EQ(own.spare_bytes.size(), 3960U) << "for the next ping";
  EXPECT_FALSE(own.stale);
  EXPECT_EQ(pipe.a.shards[kControlShard]->observe().timers.size(), 0U);
  pipe.a.hold_lands = true;
  push_to_a(pipe, encode(info_with({tcp(2)})), tcp(2));
  pipe.call(pipe.a, call::Shutdown{});
  EXPECT_EQ(own.mds.size(), 1U) << "a push is landing";
  pipe.release_lands(pipe.a);
  EXPECT_EQ(own.mds.size(), 0U);
}

TEST(Push, GoesBackOverTheNidThatWasPushedTo) {  // spec/multirail.md 4.5; spec/wire-lnet.md 5
  Pipe pipe({tcp(1), tcp(11)});
  pipe.a.hold_sends = true;
  wire::LnetHeader header;
  header.dest_nid = tcp(11);
  header.src_nid = tcp(2);
  header.dest_pid = header.src_pid = Pid::lustre();
  header.part = wire::PutPart{.match_bits = wire::kPingMatchBits};
  const auto payload = encode(info_with({tcp(2)}));
  header.payload_length = static_cast<std::uint32_t>(payload.size());
  pipe.arrive(pipe.a, header, tcp(2), {3}, payload);
  const auto pushes = sends_with<wire::PutPart>(pipe);
  ASSERT_EQ(pushes.size(), 1U);
  EXPECT_EQ(pushes[0].header.src_nid, tcp(11));
}

// spec/multirail.md 4.4.5, 4.8; spec/wire-lnet.md 5.5
TEST(Push, DiscoveryThatIsTurnedOnIsLearned) {  // spec/wire-lnet.md 5: rule 3
  Pushed p;
  push_to_a(p, encode(info_with({tcp(2)}, kNoDiscoveryFeatures)), tcp(2));
  push_to_a(p, encode(info_with({tcp(2)})), tcp(2));
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits & kPeerNoDiscovery, 0U);
}

TEST(Push, AnUnfilledMdTeachesNothing) {
  const Portal0Md own;
  EXPECT_EQ(own.ticket + own.sequence + own.received, 0U);
  EXPECT_EQ(own.status, 0);
  EXPECT_FALSE(own.answered);
}

}  // namespace
}  // namespace ulnet::core::test
