// Every planted bug is found by the swarm, within so many seeds, by the checker that is meant to
// see it; without one the swarm finds nothing (clean_test.cc). The table is in docs/TESTING.md.
#include <gtest/gtest.h>

#include <set>

#include "base/canary.h"
#include "silence.h"

namespace ulnet::sim {
namespace {

using canary::Bug;

struct Planted {
  Bug bug;
  const char* name;
  const char* checker;  ///< that says so first
  std::uint64_t seeds;  ///< one of 1 to `seeds` finds it
  EdgeKind edge = EdgeKind::kPipe;
  SwarmRun (*run)(std::uint64_t seed, EdgeKind edge) = run_swarm;
};

constexpr Planted kPlanted[] = {
    {Bug::kCreditLeaked, "CreditLeaked", "credits conserved", 20},
    {Bug::kPeerCreditTwice, "PeerCreditTwice", "credits conserved", 10},
    {Bug::kAckTwice, "AckTwice", "answers once", 10},
    {Bug::kLastEventLost, "LastEventLost", "events once", 10},
    {Bug::kUnlinkedTooEarly, "UnlinkedTooEarly", "events once", 10},
    {Bug::kOldLifeBelieved, "OldLifeBelieved", "nothing after the end", 600},
    {Bug::kLazyForgotten, "LazyForgotten", "lazy portals served", 10},
    {Bug::kTooLongTaken, "TooLongTaken", "MD limits", 10},
    {Bug::kRingTooLate, "RingTooLate", "MD limits", 10},
    {Bug::kDropUncounted, "DropUncounted", "drops counted", 10},
    {Bug::kDeadlineForgotten, "DeadlineForgotten", "ends in time", 10},
    {Bug::kDropEndsNothing, "DropEndsNothing", "ends in time", 10},
    {Bug::kSendEndsTwice, "SendEndsTwice", "driver contract", 10},
    {Bug::kTakenAfterShutdown, "TakenAfterShutdown", "nothing after the end", 400},
    {Bug::kOwnMdLeft, "OwnMdLeft", "memory returned", 10},
    {Bug::kAbortedStaysWithDriver, "AbortedStaysWithDriver", "ends in time", 600, EdgeKind::kSock},
    {Bug::kRaceLostTwice, "RaceLostTwice", "nothing fails", 200, EdgeKind::kSock},
    {Bug::kWrongCookie, "WrongCookie", "TCP talk sound", 10, EdgeKind::kSock},
    {Bug::kAckForgotten, "AckForgotten", "TCP talk sound", 10, EdgeKind::kSock},
    {Bug::kOneConnectionMore, "OneConnectionMore", "TCP driver sound", 40, EdgeKind::kSock},
    {Bug::kTwoLivesAtOnce, "TwoLivesAtOnce", "TCP driver sound", 80, EdgeKind::kSock},
    {Bug::kWritingIsProgress, "WritingIsProgress", "TCP progress", 20, EdgeKind::kSock,
     run_silence},
    {Bug::kOldLifeAtOtherAddress, "OldLifeAtOtherAddress", "TCP driver sound", 80, EdgeKind::kSock},
    {Bug::kTurnStands, "TurnStands", "buffers in turn", 20},
    {Bug::kEntryLeft, "EntryLeft", "peers were met", 20},
};

struct Found {
  std::uint64_t seed = 0;  ///< 0: not found
  std::string checker, words;
};

Found look_for(const Planted& planted, std::uint64_t seeds) {
  canary::planted = planted.bug;
  Found found;
  for (std::uint64_t seed = 1; seed <= seeds && found.seed == 0; ++seed) {
    const SwarmRun run = planted.run(seed, planted.edge);
    if (run.violation) found = {seed, run.violation->checker, run.words};
  }
  canary::planted = Bug::kNone;
  return found;
}

class Canary : public ::testing::TestWithParam<Planted> {};

TEST_P(Canary, IsFoundByItsChecker) {
  const Found found = look_for(GetParam(), GetParam().seeds);
  ASSERT_NE(found.seed, 0U) << "not found within " << GetParam().seeds << " seeds";
  EXPECT_EQ(found.checker, GetParam().checker) << found.words;
  RecordProperty("seed", std::to_string(found.seed));
}

INSTANTIATE_TEST_SUITE_P(Planted, Canary, ::testing::ValuesIn(kPlanted),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Canaries, AreAtLeastTwelveForAtLeastSixCheckers) {
  std::set<std::string> checkers;
  for (const Planted& planted : kPlanted) checkers.insert(planted.checker);
  EXPECT_GE(std::size(kPlanted), 12U);
  EXPECT_GE(checkers.size(), 6U);
}

TEST(Canaries, AreSilentUnlessPlanted) {
  EXPECT_EQ(canary::planted, Bug::kNone);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SwarmRun run = run_swarm(seed);
    EXPECT_TRUE(run.ended && !run.violation) << run.words;
  }
}

}  // namespace
}  // namespace ulnet::sim
