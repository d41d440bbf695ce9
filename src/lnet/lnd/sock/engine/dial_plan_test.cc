#include "lnet/lnd/sock/engine/dial_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ulnet::lnd::sock {
namespace {

using namespace std::chrono_literals;
using wire::ConnType;

constexpr DialPlan::Pace kPace{1s, 60s};
constexpr Failure kRefusedConn = dial_failure(ECONNREFUSED);

class DialPlanTest : public testing::Test {
 protected:
  DialPlan plan;
  Instant now{1h};
  Census none, control{0, 1, 0, 0}, each{0, 1, 1, 1};

  void dial() {
    ASSERT_TRUE(plan.ready(now, true));
    plan.start();
  }
};

// spec/wire-socklnd.md 5.1: CONTROL, then alternating BULK_IN, BULK_OUT
TEST(NextMissing, OpensControlFirstThenBulkInTurn) {
  Census have;
  std::string order;
  while (const auto type = next_missing(have, 3, true)) {
    order += *type == ConnType::kControl ? 'c' : *type == ConnType::kBulkIn ? 'i' : 'o';
    ++have.of(*type);
  }
  EXPECT_EQ(order, "cioioio");
}

// spec/wire-socklnd.md 5.1: connections that the peer opened count; 11: typed_conns=0 gives one
// ANY
TEST(NextMissing, CountsWhatIsThere) {
  EXPECT_EQ(next_missing({0, 1, 0, 1}, 1, true), ConnType::kBulkIn);
  EXPECT_EQ(next_missing({0, 1, 1, 1}, 1, true), std::nullopt);
  EXPECT_EQ(next_missing({}, 4, false), ConnType::kAny);
  EXPECT_EQ(next_missing({1, 0, 0, 0}, 4, false), std::nullopt);
  EXPECT_EQ((Census{1, 2, 4, 8}).total(), 15U);
}

// spec/wire-socklnd.md 4.5: after a refusal of the offered version the next dial is due in about
// min_reconnectms
TEST_F(DialPlanTest, ARefusalWaitsAndThenMayTryAgain) {
  dial();
  plan.refused(now, none, true, kPace);
  EXPECT_FALSE(plan.ready(now + 999ms, true));
  EXPECT_EQ(plan.pause_over(), now + 1s);
  EXPECT_EQ(plan.back_off(now), nullptr);  // null: messages may wait
  EXPECT_TRUE(plan.ready(now + 1s, false));
}

// spec/wire-socklnd.md 5.1: after three refusals, one connection of each type is enough
TEST_F(DialPlanTest, SettlesForOneOfEachAfterThreeRefusals) {
  for (int i = 0; i < 3; ++i, now += 1s) {
    dial();
    plan.refused(now, each, true, kPace);
  }
  EXPECT_FALSE(plan.ready(now + 24h, true));
  plan.forget();  // the connections are gone: it may dial again
  EXPECT_EQ(plan.state(), DialState::kIdle);
  EXPECT_TRUE(plan.ready(now, true));
}

// spec/wire-socklnd.md 5.1: if every bulk connection is refused, there are three tries; after
// them it dials only for a message, after a doubling pause
TEST_F(DialPlanTest, RestsWhenEveryBulkConnectionIsRefused) {
  for (int i = 0; i < 3; ++i, now += 1s) {
    dial();
    plan.refused(now, control, true, kPace);
  }
  EXPECT_EQ(plan.state(), DialState::kResting);
  EXPECT_EQ(plan.pause_over(), kNever);
  now += 1s;
  EXPECT_FALSE(plan.ready(now, false)) << "nothing to send";
  dial();
  plan.refused(now, control, true, kPace);
  EXPECT_FALSE(plan.ready(now + 1999ms, true)) << "the pause has doubled";
  EXPECT_TRUE(plan.ready(now + 2s, true));
}

// spec/wire-socklnd.md 9: if the loser of a race has no connection yet, it goes on dialling
TEST_F(DialPlanTest, RetriesForEverWithoutAConnection) {
  for (int i = 0; i < 10; ++i, now += 1s) {
    dial();
    plan.refused(now, none, true, kPace);
    EXPECT_EQ(plan.state(), DialState::kRefused);
  }
}

// spec/wire-socklnd.md 4.5: a dial with another version may follow at once; if that goes on, it
// counts as a refusal
TEST_F(DialPlanTest, ImmediateRetriesAreLimited) {
  for (int i = 0; i < 4; ++i) {
    dial();
    plan.retry_now(now, none, true, kPace);
    EXPECT_EQ(plan.state(), DialState::kIdle);
  }
  dial();
  plan.retry_now(now, none, true, kPace);
  EXPECT_EQ(plan.state(), DialState::kRefused);
}

// spec/wire-socklnd.md 4.6, 10: the back-off doubles from min_reconnectms to max_reconnectms;
// meanwhile messages fail at once
TEST_F(DialPlanTest, FailuresBackOff) {
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    dial();
    plan.failed(now, kRefusedConn, kPace);
    ASSERT_NE(plan.back_off(now + pause - 1ms), nullptr);
    EXPECT_EQ(plan.back_off(now)->health, core::Health::kRemoteDropped);
    EXPECT_FALSE(plan.ready(now + pause - 1ms, true));
    now += pause;
    EXPECT_EQ(plan.back_off(now), nullptr);
    EXPECT_FALSE(plan.ready(now, false)) << "only a message makes it dial again";
  }
}

TEST_F(DialPlanTest, SuccessMakesPausesSmallAgain) {
  for (int i = 0; i < 3; ++i, now += 60s) {
    dial();
    plan.failed(now, kRefusedConn, kPace);
  }
  dial();
  plan.opened();
  dial();
  plan.failed(now, kRefusedConn, kPace);
  EXPECT_TRUE(plan.ready(now + 1s, true));
}

// A success, a failure or forget() resets the counts: only refusals and retries in a row count, and
// so do the connections of each type that were enough.
TEST_F(DialPlanTest, EarlierRefusalsAreForgotten) {
  const auto refused = [&](const Census& have) {
    dial();
    plan.refused(now, have, true, kPace);
    now += 1s;
  };
  const auto retry = [&] {
    dial();
    plan.retry_now(now, none, true, kPace);
  };
  const std::function<void()> ends[] = {
      [&] { plan.opened(); },
      [&] {
        plan.failed(now, kRefusedConn, kPace);
        now += 60s;
      },
      [&] { plan.forget(); },
  };
  for (const auto& end : ends) {
    plan = {};
    for (int i = 0; i < 2; ++i) refused(control);
    dial();
    end();
    for (int i = 0; i < 2; ++i) {
      refused(control);
      EXPECT_EQ(plan.state(), DialState::kRefused);
    }
    refused(control);
    EXPECT_EQ(plan.state(), DialState::kResting);
  }
  for (int i = 0; i < 2; ++i) {
    plan = {};
    for (int tries = 0; tries < 4; ++tries) retry();
    dial();
    ends[i]();
    for (int tries = 0; tries < 4; ++tries) {
      retry();
      EXPECT_EQ(plan.state(), DialState::kIdle);
    }
    retry();
    EXPECT_EQ(plan.state(), DialState::kRefused);
  }
}

TEST_F(DialPlanTest, ASettledPlanIsRetriedLater) {
  for (int i = 0; i < 3; ++i) {
    dial();
    plan.refused(now, each, true, kPace);
    now += 1s;
  }
  plan.forget();
  dial();
  plan.failed(now, kRefusedConn, kPace);
  EXPECT_TRUE(plan.ready(now + 60s, true));
}

}  // namespace
}  // namespace ulnet::lnd::sock
