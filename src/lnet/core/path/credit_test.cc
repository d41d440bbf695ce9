// Credits and queues. spec/core-semantics.md 10.1, 10.2, 10.4, 11, 18.13.
#include "lnet/core/path/credit.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

TEST(Credit, AShardsPartOfTheNis) {  // spec/core-semantics.md 10.1
  EXPECT_EQ(credits_of_shard(256, 8, 1), 256);
  EXPECT_EQ(credits_of_shard(256, 8, 2), 128);
  EXPECT_EQ(credits_of_shard(256, 8, 8), 64);
  EXPECT_EQ(credits_of_shard(256, 64, 8), 256);
}

// spec/core-semantics.md 10.2.1, 10.2.2
RC_GTEST_PROP(CreditProperty, AGateIsAQueueBehindACounter,
              ()) {  // spec/core-semantics.md 10.2, 18.13
  std::int32_t max = *rc::gen::inRange(1, 6);
  Gate gate(max);
  std::deque<Msg> messages;
  std::deque<Msg*> in_flight, waiting;  // the model
  const auto enter = [&](Msg* woken) {
    RC_ASSERT(!waiting.empty());
    RC_ASSERT(woken == waiting.front());
    waiting.pop_front();
    in_flight.push_back(woken);
  };
  std::int32_t lowest = max;
  const auto steps = *rc::gen::inRange(1, 150);
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
      case 1:
      case 2: {
        Msg& msg = messages.emplace_back();
        const bool free = static_cast<std::int32_t>(in_flight.size() + waiting.size()) < max;
        RC_ASSERT(gate.take(msg) == free);
        (free ? in_flight : waiting).push_back(&msg);
        break;
      }
      case 3:
      case 4:
      case 5: {
        if (in_flight.empty()) break;
        in_flight.pop_front();
        Msg* woken = gate.give();
        const bool can_wake = static_cast<std::int32_t>(in_flight.size()) < max && !waiting.empty();
        RC_ASSERT((woken != nullptr) == can_wake);
        if (woken != nullptr) enter(woken);
        break;
      }
      case 6: {
        if (waiting.empty()) break;
        const auto which = *rc::gen::inRange<std::size_t>(0, waiting.size());
        gate.leave(*waiting[which]);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(which));
        break;
      }
      default: {
        max = *rc::gen::inRange(1, 6);
        gate.resize(max);
        while (Msg* woken = gate.wake()) {
          RC_ASSERT(static_cast<std::int32_t>(in_flight.size()) < max);
          enter(woken);
        }
        RC_ASSERT(waiting.empty() || static_cast<std::int32_t>(in_flight.size()) >= max);
      }
    }
    const auto expected = max - static_cast<std::int32_t>(in_flight.size() + waiting.size());
    lowest = std::min(lowest, expected);
    RC_ASSERT(gate.credits() == expected);
    RC_ASSERT(gate.credits() <= gate.max());
    RC_ASSERT(gate.waiting() == static_cast<std::int32_t>(waiting.size()));
    RC_ASSERT(gate.min() == lowest);
  }
}

/// Node a has 2 peer credits and 3 NI credits; its Sends are held back.
struct Tight {
  Tight() {
    pipe.a.config->nis[1].tunables.peer_credits = 2;
    pipe.a.config->nis[1].tunables.credits = 3;
    pipe.configure(pipe.a);
    pipe.a.hold_sends = true;
  }
  void put(const Nid& to, std::uint64_t bits = 7) {
    pipe.put(pipe.a, pipe.bind(pipe.a, source, &events, 1), to, AckRequest::kNoAck, bits);
  }
  std::vector<std::uint64_t> sent() const {
    std::vector<std::uint64_t> bits;
    for (const Send& send : pipe.a.sends)
      bits.push_back(std::get<wire::PutPart>(send.header.part).match_bits);
    return bits;
  }
  PeerNiShow peer(std::size_t i = 0) { return pipe.show(pipe.a).peers.at(i).nis.at(0); }
  NiStats ni() { return pipe.show(pipe.a).nis.at(1).stats; }

  Pipe pipe;
  Recorder events;
  std::vector<std::byte> source = bytes(100);
};

TEST(Credits, PeerCreditFirstThenTheNis) {  // spec/core-semantics.md 10.2.1, 10.2.2, 10.2.3, 10.4
  ONE_SHARD_ONLY();
  Tight t;
  for (std::uint64_t i = 0; i < 5; ++i) t.put(tcp(2), i);
  EXPECT_THAT(t.sent(), testing::ElementsAre(0, 1));
  EXPECT_EQ(t.peer().available_tx_credits, -3);  // three messages wait
  EXPECT_EQ(t.peer().min_tx_credits, -3);
  EXPECT_EQ(t.peer().max_ni_tx_credits, 2);
  EXPECT_EQ(t.peer().refcount, 6U);
  EXPECT_EQ(t.peer().tx_q_num_of_buf, 5U * 172);  // headers and payload
  // a slow peer uses no more NI credits than its peer credits
  EXPECT_EQ(t.ni().credits, 1);
  EXPECT_EQ(t.ni().credits_min, 1);
}

TEST(Credits, TheQueueIsFifo) {  // spec/core-semantics.md 10.2
  ONE_SHARD_ONLY();
  Tight t;
  for (std::uint64_t i = 0; i < 5; ++i) t.put(tcp(2), i);
  for (std::size_t i = 0; i < 5; ++i) t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(i), 0);
  EXPECT_THAT(t.sent(), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(t.peer().available_tx_credits, 2);
  EXPECT_EQ(t.peer().tx_q_num_of_buf, 0U);
  EXPECT_EQ(t.ni().credits, 3);
  EXPECT_EQ(t.events.events.size(), 5U);
}

TEST(Credits, NiCreditComesBackBeforeThePeers) {  // spec/core-semantics.md 10.2
  ONE_SHARD_ONLY();
  Tight t;
  t.put(tcp(2), 20);
  t.put(tcp(2), 21);
  t.put(tcp(3), 30);  // takes the last NI credit
  t.put(tcp(3), 31);  // waits for an NI credit
  t.put(tcp(2), 22);  // waits for a peer credit
  EXPECT_THAT(t.sent(), testing::ElementsAre(20, 21, 30));
  t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(0), 0);
  EXPECT_THAT(t.sent(),
              // 22 has its peer credit and waits for an NI credit
              testing::ElementsAre(20, 21, 30, 31));
  t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(1), 0);
  EXPECT_THAT(t.sent(), testing::ElementsAre(20, 21, 30, 31, 22));
}

TEST(Credits, LoopbackNeedsNone) {  // spec/core-semantics.md 12; spec/multirail.md 3.1
  Tight t;
  for (std::uint64_t i = 0; i < 5; ++i) t.put(Nid::loopback(), i);
  EXPECT_EQ(t.sent().size(), 5U);
}

TEST(Credits, AMinimumOverTheNisOfTheNet) {  // spec/core-semantics.md 10.2
  Pipe pipe({tcp(1), tcp(11)}, {tcp(2)});
  pipe.a.config->nis[1].tunables.peer_credits = 6;
  pipe.a.config->nis[2].tunables.peer_credits = 4;
  pipe.configure(pipe.a);
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).max_ni_tx_credits, 4);
}

TEST(Credits, MoreCreditsWakeWaitingMessages) {  // spec/core-semantics.md 10.2
  Tight t;
  for (std::uint64_t i = 0; i < 5; ++i) t.put(tcp(2), i);
  t.pipe.a.config->nis[1].tunables.peer_credits = 4;
  t.pipe.configure(t.pipe.a);
  EXPECT_EQ(t.sent().size(), 3U);  // now the 3 NI credits are the limit
  EXPECT_EQ(t.peer().available_tx_credits, -1);
  t.pipe.a.config->nis[1].tunables.credits = 10;
  t.pipe.configure(t.pipe.a);
  EXPECT_EQ(t.sent().size(), 4U);
}

TEST(Credits, AnExpiredMessageEndsWhenItsTurnComes) {  // spec/core-semantics.md 11
  Tight t;
  for (std::uint64_t i = 0; i < 4; ++i) t.put(tcp(2), i);
  EXPECT_EQ(t.pipe.a.sends[0].deadline, t.pipe.now + std::chrono::seconds(49 * 3 + 1));
  t.pipe.now += std::chrono::seconds(149);
  t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(0), 0);
  EXPECT_EQ(t.sent().size(), 2U);
  ASSERT_EQ(t.events.events.size(), 3U);
  EXPECT_EQ(t.events.events.back().status, -ETIMEDOUT);
  EXPECT_TRUE(t.events.events.back().unlinked);
  const auto show = t.pipe.show(t.pipe.a);
  EXPECT_EQ(show.nis.at(1).stats.traffic.dropped.put, 2U);
  EXPECT_EQ(show.statistics.drop_count, 0U);  // counts received messages only: 18.12
  EXPECT_EQ(show.statistics.errors, 2U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).traffic.dropped.put, 2U);
  EXPECT_EQ(t.pipe.dropped(t.pipe.a, DropReason::kQueuedTooLong), 2U);
  EXPECT_EQ(t.peer().available_tx_credits, 1);
}

TEST(Credits, ADeadlineIsKeptToTheNanosecond) {  // spec/core-semantics.md 11
  Tight t;
  for (std::uint64_t i = 0; i < 3; ++i) t.put(tcp(2), i);
  t.pipe.now = t.pipe.a.sends[0].deadline;
  t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(0), 0);
  EXPECT_THAT(t.sent(), testing::ElementsAre(0, 1, 2));
}

TEST(Credits, WaitingBytesIncludeTheHeader) {  // spec/core-semantics.md 16: txqnob
  Tight t;
  const Nid large = Nid::parse("2001:db8::9@tcp").value();
  t.pipe.introduce(t.pipe.a, {large});
  t.put(large);
  EXPECT_EQ(t.peer().tx_q_num_of_buf, wire::kHeaderBytesNid16 + 100);
  t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(0), 0);
  EXPECT_EQ(t.peer().tx_q_num_of_buf, 0U);
}

TEST(Credits, DeadlineWithoutADriversTimeout) {  // spec/core-semantics.md 11; spec/multirail.md 6
  Tight t;
  t.pipe.a.config->nis[1].lnd_timeout = {};
  t.pipe.configure(t.pipe.a);
  t.put(tcp(2));
  EXPECT_EQ(t.pipe.a.sends[0].deadline, t.pipe.now + std::chrono::seconds(150));
}

TEST(Credits, MinimaCanBeReset) {  // spec/core-semantics.md 10.2, 16
  ONE_SHARD_ONLY();
  Tight t;
  for (std::uint64_t i = 0; i < 5; ++i) t.put(tcp(2), i);
  for (std::size_t i = 0; i < 5; ++i) t.pipe.finish_send(t.pipe.a, t.pipe.a.sends.at(i), 0);
  t.pipe.call(t.pipe.a, call::ResetMinima{.nis = false, .peers = false});
  EXPECT_EQ(t.peer().min_tx_credits, -3);
  EXPECT_EQ(t.ni().credits_min, 1);
  t.pipe.call(t.pipe.a, call::ResetMinima{.peers = false});
  EXPECT_EQ(t.peer().min_tx_credits, -3);
  EXPECT_EQ(t.ni().credits_min, 3);
  t.pipe.call(t.pipe.a, call::ResetMinima{.nis = false});
  EXPECT_EQ(t.peer().min_tx_credits, 2);
}

}  // namespace
}  // namespace ulnet::core::test
