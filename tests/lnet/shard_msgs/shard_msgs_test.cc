// Plays the protocol of the inter-shard messages in every order: no message is lost or handled
// twice, no message waits although a buffer would accept it, and every chain of inter-shard
// messages ends. Source: src/lnet/core/contract/shard_msg.h, DESIGN.md 3.
#include <gtest/gtest.h>

#include <cstdio>

#include "stories.h"

namespace ulnet::core::shard_msgs {
namespace {

/// How many states each story has. A change of the protocol changes these numbers.
std::size_t states_of(const std::string& story) {
  if (story == "one buffer for two") return 64376;
  if (story == "a connection dies") return 5776;
  if (story == "two buffers") return 22256;
  if (story == "one shard twice") return 2208;
  if (story == "two in turn") return 29245;
  if (story == "everybody in turn") return 5789;
  if (story == "owner in turn") return 2724;
  if (story == "less is left") return 68801;
  if (story == "another entry takes it") return 3089;
  if (story == "a buffer at the owner meanwhile") return 83;
  if (story == "a peer advertises its NIDs") return 18831;
  if (story == "a peer on a unique portal") return 12598;
  if (story == "a peer of the owner") return 4241;
  if (story == "NIDs come and go") return 2857;
  if (story == "a peer entry is asked for") return 29348;
  if (story == "a peer is deleted") return 54000;
  if (story == "a peer is configured") return 10774;
  if (story == "a NID is deleted") return 486;
  if (story == "a net goes") return 22544;
  if (story == "an own PUT") return 111;
  if (story == "an own GET") return 638;
  if (story == "a PUT that fails") return 4404;
  if (story == "a PUT that fails at control") return 331;
  if (story == "a peer that fails") return 139;
  if (story == "a discovery is waited for") return 118;
  if (story == "a peer cannot be discovered") return 858;
  if (story == "a path that is stale") return 82;
  if (story == "a stale path is given up") return 2550;
  if (story == "an NI is added") return 4035;
  return 0;
}

class ShardMsgs : public ::testing::TestWithParam<Story> {};

TEST_P(ShardMsgs, AreSoundInEveryOrder) {  // spec/core-semantics.md 4.3, 7.4
  const Explored all = explore_all(GetParam().make);
  std::printf("%s: %zu states, %zu of them ends\n", GetParam().name, all.states, all.ends);
  EXPECT_EQ(all.wrong, "");
  EXPECT_EQ(all.states, states_of(GetParam().name));
}

TEST(ShardMsgsInRandomOrder, AreSoundInManyOrdersOfMore) {
  const Story story = by_chance();
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const Explored one = play(story.make, Rng(seed));
    ASSERT_EQ(one.wrong, "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Stories, ShardMsgs, ::testing::ValuesIn(all_stories()),
                         [](const auto& story) {
                           std::string name = story.param.name;
                           for (char& c : name)
                             if (c == ' ') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace ulnet::core::shard_msgs
