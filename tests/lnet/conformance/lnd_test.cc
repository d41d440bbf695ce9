// The suite that every driver has to pass: the obligations of lnet/lnd/lnd.h, without anything that
// only one driver has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <deque>
#include <numeric>
#include <set>
#include <thread>

#include "lnet/base/rng.h"
#include "tests/lnet/conformance/rig.h"

namespace ulnet::conformance {
namespace {

class LndTest : public testing::TestWithParam<RigKind> {
 protected:
  std::unique_ptr<Rig> rig = GetParam().make();

  void expect_each_ended_once(const End& end) { EXPECT_EQ(end.inlet->ended_twice(), 0U); }
  /// Message number `index` arrived with the payload `sent`.
  void expect_landed(std::size_t index, const std::vector<std::byte>& sent) {
    std::size_t at = 0;
    bool found = false;
    rig->b.inlet->each([&](Arrived& message) {
      if (at++ != index) return;
      found = true;
      EXPECT_EQ(message.status, 0);
      const auto got = message.sink->bytes();
      const std::size_t whole = message.landed_length;
      ASSERT_LE(whole, sent.size());
      EXPECT_TRUE(
          std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(whole), sent.begin()));
    });
    EXPECT_TRUE(found);
  }
};

TEST_P(LndTest, CarriesPayloadsOfEverySize) {
  std::size_t index = 0;
  for (const std::size_t size :
       {0UL, 1UL, 7UL, 8UL, 927UL, 928UL, 4095UL, 4096UL, 65536UL, 1048575UL, 1048576UL}) {
    Fragments payload({size});
    payload.fill(size);
    const auto tx = rig->put(rig->a, rig->b.hop, payload.region(), size);
    ASSERT_TRUE(rig->until([&] {
      return rig->b.inlet->landed() == index + 1 && rig->ended(rig->a, tx);
    })) << size;
    EXPECT_EQ(rig->a.inlet->done(tx)->status, 0);
    expect_landed(index++, payload.bytes());
  }
  expect_each_ended_once(rig->a);
}

TEST_P(LndTest, CarriesOddFragmentsAndAnOffset) {
  Fragments payload({1, 0, 3, 4096, 13, 70001, 0, 5});
  payload.fill(42);
  const std::uint32_t skip = 2;
  const std::uint32_t length = payload.region().length - 9;
  const auto tx = rig->put(rig->a, rig->b.hop, payload.region(skip, length));
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 1 && rig->ended(rig->a, tx); }));
  const auto all = payload.bytes();
  expect_landed(0, {all.begin() + skip, all.begin() + skip + length});
}

TEST_P(LndTest, CarriesTwoHundredAndFiftySixFragments) {
  std::vector<std::size_t> sizes(256);
  std::iota(sizes.begin(), sizes.end(), 3000);
  Fragments payload(sizes);
  payload.fill(1);
  const auto tx = rig->put(rig->a, rig->b.hop, payload.region());
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 1 && rig->ended(rig->a, tx); }));
  expect_landed(0, payload.bytes());
}

TEST_P(LndTest, ReportsTheSenderAndKeepsTheHeader) {
  core::Send send = rig->make_put(rig->a, rig->b.hop, {}, 0x1122334455667788);
  const wire::LnetHeader header = send.header;
  Rig::submit(rig->a, std::move(send));
  rig->a.driver->flush();
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->arrived() == 1; }));
  rig->b.inlet->each([&](Arrived& message) {
    EXPECT_EQ(message.header, header);
    EXPECT_EQ(message.hop, rig->a.hop);
  });
}

TEST_P(LndTest, CarriesMessagesWithoutPayloadThatAreDroppedUnread) {
  core::Send send = rig->make_put(rig->a, rig->b.hop, {}, 5);
  send.header.part = wire::GetPart{};
  const auto tx = send.tx;
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kDrop; });
  Rig::submit(rig->a, std::move(send));
  rig->a.driver->flush();
  EXPECT_TRUE(rig->until([&] { return rig->b.inlet->arrived() == 1 && rig->ended(rig->a, tx); }));
  EXPECT_EQ(rig->b.inlet->landed(), 0U);
}

TEST_P(LndTest, APayloadThatIsWholeCanBeTakenAsItComes) {
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kTake; });
  constexpr std::size_t kMessages = 400;
  std::deque<Fragments> payloads;
  for (std::size_t i = 0; i < kMessages; ++i) {
    payloads.emplace_back(std::vector<std::size_t>{i * 41 % 9000});
    payloads.back().fill(i);
    rig->put(rig->a, rig->b.hop, payloads.back().region(), i);
  }
  ASSERT_TRUE(rig->until([&] {
    return rig->b.inlet->landed() == kMessages && rig->a.inlet->done_count() == kMessages;
  }));
  std::size_t whole = 0;
  rig->b.inlet->each([&](const Arrived& message) {  // connections overtake each other
    whole += message.whole;
    const std::uint64_t number = std::get<wire::PutPart>(message.header.part).match_bits;
    EXPECT_EQ(message.status, 0);
    EXPECT_EQ(message.sink->bytes(), payloads.at(number).bytes()) << number;
  });
  EXPECT_NE(whole, 0U);
  expect_each_ended_once(rig->a);
}

TEST_P(LndTest, KeepsTheOrderOfSmallMessages) {
  Fragments payload({8});
  for (std::uint64_t i = 0; i < 500; ++i) rig->put(rig->a, rig->b.hop, payload.region(), i);
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 500; }));
  std::uint64_t next = 0;
  rig->b.inlet->each([&](Arrived& message) {
    EXPECT_EQ(std::get<wire::PutPart>(message.header.part).match_bits, next++);
  });
}

TEST_P(LndTest, LandsLessThanWasSentAndGoesOn) {
  rig->b.inlet->set_policy([](const wire::LnetHeader& header) {
    return std::get<wire::PutPart>(header.part).match_bits == 1 ? Verdict::kTruncate
                                                                : Verdict::kLand;
  });
  Fragments first({300000});
  Fragments second({1000});
  first.fill(1);
  second.fill(2);
  rig->put(rig->a, rig->b.hop, first.region(), 1);
  rig->put(rig->a, rig->b.hop, second.region(), 2);
  ASSERT_TRUE(
      rig->until([&] { return rig->b.inlet->landed() == 2 && rig->a.inlet->done_count() == 2; }));
  rig->b.inlet->each([&](Arrived& message) {
    const bool is_first = std::get<wire::PutPart>(message.header.part).match_bits == 1;
    const auto sent = is_first ? first.bytes() : second.bytes();
    const auto got = message.sink->bytes();
    EXPECT_EQ(message.landed_length, is_first ? 150000U : 1000U);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + message.landed_length, sent.begin()));
    EXPECT_TRUE(std::all_of(got.begin() + message.landed_length, got.end(),
                            [](std::byte b) { return b == std::byte{}; }));
  });
}

TEST_P(LndTest, DropsPayloadAndGoesOn) {
  rig->b.inlet->set_policy([](const wire::LnetHeader& header) {
    return std::get<wire::PutPart>(header.part).match_bits % 2 ? Verdict::kDrop : Verdict::kLand;
  });
  std::vector<Fragments> payloads;
  for (std::uint64_t i = 0; i < 20; ++i) {
    payloads.emplace_back(std::vector<std::size_t>{1 + i * 7777});
    payloads.back().fill(i);
    rig->put(rig->a, rig->b.hop, payloads.back().region(), i);
  }
  ASSERT_TRUE(
      rig->until([&] { return rig->b.inlet->landed() == 10 && rig->a.inlet->done_count() == 20; }));
  rig->b.inlet->each([&](Arrived& message) {
    const auto bits = std::get<wire::PutPart>(message.header.part).match_bits;
    if (bits % 2 == 0) {
      EXPECT_EQ(message.sink->bytes(), payloads[bits].bytes());
    }
  });
}

TEST_P(LndTest, HoldsPayloadAndLandsItLater) {
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kHold; });
  Fragments payload({5000});
  payload.fill(9);
  rig->put(rig->a, rig->b.hop, payload.region());
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->arrived() == 1; }));
  EXPECT_EQ(rig->b.inlet->landed(), 0U);

  core::Land land;
  rig->b.inlet->each([&](Arrived& message) {
    message.sink = std::make_unique<Fragments>(std::vector<std::size_t>{2000, 3000});
    message.landed_length = 5000;
    land = {rig->b.ni, message.rx, message.msg, message.sink->region(), 5000};
  });
  Rig::submit(rig->b, land);
  rig->b.driver->flush();
  ASSERT_TRUE(
      rig->until([&] { return rig->b.inlet->landed() == 1 && rig->a.inlet->done_count() == 1; }));
  expect_landed(0, payload.bytes());
}

TEST_P(LndTest, HeldPayloadBeyondTheLimitIsAllLandedInTheEnd) {
  // The messages are more than the driver stages: it stops reading, and goes on when there is room
  // for more.
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kHold; });
  constexpr std::size_t kMessages = 12;
  std::vector<Fragments> payloads;
  for (std::size_t i = 0; i < kMessages; ++i) {
    payloads.emplace_back(std::vector<std::size_t>{200000 + i});
    payloads.back().fill(i);
    rig->put(rig->a, rig->b.hop, payloads.back().region(), i);
  }
  std::set<std::uint64_t> landed;
  const auto land_what_is_held = [&] {
    std::vector<core::Land> lands;
    rig->b.inlet->each([&](Arrived& message) {
      const auto bits = std::get<wire::PutPart>(message.header.part).match_bits;
      if (!landed.insert(bits).second) return;
      message.sink =
          std::make_unique<Fragments>(std::vector<std::size_t>{payloads[bits].region().length});
      message.landed_length = payloads[bits].region().length;
      lands.push_back(
          {rig->b.ni, message.rx, message.msg, message.sink->region(), message.landed_length});
    });
    for (core::Land& land : lands) Rig::submit(rig->b, land);
    rig->b.driver->flush();
  };
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->arrived() >= 3; }));
  ASSERT_TRUE(rig->until([&] {
    land_what_is_held();
    return rig->b.inlet->landed() == kMessages && rig->a.inlet->done_count() == kMessages;
  }));
  rig->b.inlet->each([&](Arrived& message) {
    const auto bits = std::get<wire::PutPart>(message.header.part).match_bits;
    EXPECT_EQ(message.status, 0);
    EXPECT_EQ(message.sink->bytes(), payloads[bits].bytes());
  });
  expect_each_ended_once(rig->b);
}

TEST_P(LndTest, AHeldMessageWhoseConnectionDiesComesBackOnce) {
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kHold; });
  Fragments payload({4000});
  const auto tx = rig->put(rig->a, rig->b.hop, payload.region());
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->arrived() == 1; }));
  rig->cut();
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 1 && rig->ended(rig->a, tx); }));
  rig->b.inlet->each([&](Arrived& message) { EXPECT_LT(message.status, 0); });
  const core::SendDone done = *rig->a.inlet->done(tx);
  EXPECT_EQ(done.begun, done.status != 0) << "its header was delivered";
  expect_each_ended_once(rig->a);
  expect_each_ended_once(rig->b);
}

TEST_P(LndTest, AfterARejectTheNextMessageConnectsAgain) {
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kReject; });
  Fragments payload({100});
  const auto tx = rig->put(rig->a, rig->b.hop, payload.region());
  ASSERT_TRUE(rig->until([&] { return rig->ended(rig->a, tx); }));
  if (rig->connects()) {
    ASSERT_TRUE(
        rig->until([&] { return rig->a.inlet->downs() != 0 && rig->b.inlet->downs() != 0; }));
  } else {
    EXPECT_LT(rig->a.inlet->done(tx)->status, 0);
  }
  EXPECT_EQ(rig->b.inlet->landed(), 0U);
  rig->b.inlet->set_policy([](const wire::LnetHeader&) { return Verdict::kLand; });
  EXPECT_TRUE(rig->until([&] {
    const auto again = rig->put(rig->a, rig->b.hop, payload.region());
    if (!rig->until([&] { return rig->ended(rig->a, again); })) return false;
    return rig->a.inlet->done(again)->status == 0;
  }));
  EXPECT_TRUE(rig->until([&] { return rig->b.inlet->landed() != 0; }));
}

TEST_P(LndTest, CancelEndsTheSendExactlyOnce) {
  Fragments payload({100});
  core::Send send = rig->make_put(rig->a, rig->b.hop, payload.region(), 0);
  const auto tx = send.tx;
  Rig::submit(rig->a, std::move(send));
  Rig::submit(rig->a, core::Cancel{rig->a.ni, rig->b.hop, tx});
  rig->a.driver->flush();
  ASSERT_TRUE(rig->until([&] { return rig->ended(rig->a, tx); }));
  const int status = rig->a.inlet->done(tx)->status;
  EXPECT_TRUE(status == 0 || status == -ECANCELED) << status;
  // A Cancel after the end has no effect.
  Rig::submit(rig->a, core::Cancel{rig->a.ni, rig->b.hop, tx});
  rig->a.driver->flush();
  rig->put(rig->a, rig->b.hop, payload.region());
  EXPECT_TRUE(rig->until([&] { return rig->a.inlet->done_count() == 2; }));
  expect_each_ended_once(rig->a);
}

TEST_P(LndTest, StoppingWithTrafficEndsEverySendAndEveryLand) {
  std::vector<Fragments> payloads;
  constexpr std::size_t kMessages = 200;
  for (std::size_t i = 0; i < kMessages; ++i) {
    payloads.emplace_back(std::vector<std::size_t>{i % 3 == 0 ? 100000UL : 50UL});
    rig->put(rig->a, rig->b.hop, payloads.back().region(), i);
  }
  rig->a.driver->stop_ni(rig->a.ni);
  EXPECT_EQ(rig->a.inlet->done_count(), kMessages);
  rig->b.driver->stop_ni(rig->b.ni);
  rig->b.inlet->each([&](Arrived& message) { EXPECT_EQ(message.ends, 1); });
  expect_each_ended_once(rig->a);
  expect_each_ended_once(rig->b);
  // A second stop_ni() has no effect, and a Send after it ends at once.
  rig->a.driver->stop_ni(rig->a.ni);
  const auto late = rig->put(rig->a, rig->b.hop, {});
  ASSERT_TRUE(rig->until([&] { return rig->ended(rig->a, late); }));
  EXPECT_EQ(rig->a.inlet->done(late)->status, -ESHUTDOWN);
  EXPECT_FALSE(rig->a.inlet->done(late)->begun);
}

TEST_P(LndTest, AnAbsentPeerMeansRemoteDropped) {
  const auto tx = rig->put(rig->a, rig->nowhere, {});
  ASSERT_TRUE(rig->until([&] { return rig->ended(rig->a, tx); }));
  EXPECT_LT(rig->a.inlet->done(tx)->status, 0);
  EXPECT_EQ(rig->a.inlet->done(tx)->health, core::Health::kRemoteDropped);
}

TEST_P(LndTest, SubmitNeverCallsTheInlet) {
  Fragments payload({64});
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rig::submit(rig->a, rig->make_put(rig->a, rig->b.hop, payload.region(), i));
    Rig::submit(rig->a, core::Cancel{rig->a.ni, rig->b.hop, {999999, 1}});
  }
  rig->a.driver->flush();
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 100; }));
  EXPECT_EQ(rig->a.inlet->delivered_in_submit() + rig->b.inlet->delivered_in_submit(), 0U);
}

TEST_P(LndTest, AThousandMessagesOfMixedSizesBothWays) {
  Rng rng(20261121);
  std::vector<Fragments> payloads;
  payloads.reserve(1000);
  std::vector<bool> from_a;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::size_t size = rng.below(10) == 0 ? rng.below(200000) : rng.below(3000);
    payloads.emplace_back(std::vector<std::size_t>{size / 2, size - size / 2});
    payloads.back().fill(i);
    from_a.push_back(rng.below(2) == 0);
    const End& from = from_a.back() ? rig->a : rig->b;
    const End& to = from_a.back() ? rig->b : rig->a;
    rig->put(from, to.hop, payloads.back().region(), i);
    if (i % 50 == 0) rig->pump();
  }
  const auto all = [&](auto count) {
    return rig->a.inlet == rig->b.inlet ? count(*rig->a.inlet)
                                        : count(*rig->a.inlet) + count(*rig->b.inlet);
  };
  ASSERT_TRUE(rig->until([&] {
    return all([](Recorder& r) { return r.landed(); }) == 1000 &&
           all([](Recorder& r) { return r.done_count(); }) == 1000;
  }));
  for (Recorder* inlet : std::set<Recorder*>{rig->a.inlet, rig->b.inlet})
    inlet->each([&](Arrived& message) {
      const auto bits = std::get<wire::PutPart>(message.header.part).match_bits;
      EXPECT_EQ(message.status, 0);
      EXPECT_EQ(message.sink->bytes(), payloads[bits].bytes()) << bits;
    });
  expect_each_ended_once(rig->a);
  expect_each_ended_once(rig->b);
}

TEST_P(LndTest, ManyThreadsSendAtOnce) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 250;
  Fragments payload({100});
  payload.fill(3);
  std::vector<core::Send> sends;
  for (std::uint64_t i = 0; i < kThreads * kEach; ++i)
    sends.push_back(rig->make_put(rig->a, rig->b.hop, payload.region(), i));
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        rig->a.driver->submit(std::move(sends[t * kEach + i]));
        rig->a.driver->flush();
      }
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == kThreads * kEach; }));
  // The messages of each thread stay in order.
  std::vector<std::uint64_t> next(kThreads, 0);
  rig->b.inlet->each([&](Arrived& message) {
    const auto bits = std::get<wire::PutPart>(message.header.part).match_bits;
    EXPECT_EQ(bits % kEach, next[bits / kEach]++);
  });
}

/// Sleeps until a polled driver of the two ends may have something to do; false: half a minute was
/// not enough, or a driver may never be polled again.
bool sleep_as_both_allow(Rig& rig) {
  Duration most = std::chrono::seconds(30);
  std::vector<pollfd> descriptors;
  for (const End* end : {&rig.a, &rig.b}) {
    most = std::min(most, end->driver->may_sleep());
    const int fd = end->driver->wait_descriptor();
    if (fd >= 0) descriptors.push_back({fd, POLLIN, 0});
  }
  const timespec timeout{most.count() / 1'000'000'000, most.count() % 1'000'000'000};
  const int ready = ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
  return ready > 0 || most < std::chrono::seconds(30);
}

TEST_P(LndTest, APolledDriverSaysWhenItHasToBePolled) {
  if (rig->b.driver->progress_kind() != lnd::Progress::kPolled)
    GTEST_SKIP() << "not polled by the node";
  Fragments payload({100});
  rig->put(rig->a, rig->b.hop, payload.region());  // connects, if the driver has connections
  ASSERT_TRUE(rig->until([&] { return rig->b.inlet->landed() == 1; }));
  rig->pump();
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) rig->put(rig->a, rig->b.hop, payload.region());
  });
  bool woken = true;
  while (woken && rig->b.inlet->landed() < 4) {
    woken = sleep_as_both_allow(*rig);
    rig->pump();
  }
  other.join();
  EXPECT_TRUE(woken);
}

TEST_P(LndTest, CarriesLNetsMessages) {
  const lnd::MessageLimits& limits = rig->b.limits;
  EXPECT_GE(limits.payload, limits::kMtu);
  EXPECT_GE(limits.fragments, limits::kMaxFragments);
  EXPECT_LE(limits.immediate, limits.payload);
  EXPECT_GE(limits.peer_credits, 1);
}

INSTANTIATE_TEST_SUITE_P(Drivers, LndTest, testing::ValuesIn(rigs()),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace ulnet::conformance
