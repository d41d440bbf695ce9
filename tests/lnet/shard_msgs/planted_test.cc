// Planted bugs show that the exploration finds a message that waits for ever (docs/TESTING.md):
// - a shard accepts a NoneWaits although an inter-shard message of its own is on its way to the
//   owner shard;
// - the owner shard does not search again for waiting messages when it learns the NIDs of their
//   peer;
// - a message that failed or was refused does not come back or go on;
// - the shards do not learn the health of an NI;
// - a shard chooses a path by an outdated peer entry, because it knows only a part of the peer's
//   change.

#include <gtest/gtest.h>

#include "planted_bugs.h"
#include "stories.h"

namespace ulnet::core::shard_msgs {
namespace {

TEST(PlantedShardMsgBug, ALostWakeUpIsFoundInEveryOrder) {
  planted::active = planted::Bug::kWakeUpLost;
  const Explored all = explore_all(one_shard_twice().make);
  planted::active = planted::Bug::kNone;
  EXPECT_NE(all.wrong.find("waits though there is a buffer for it"), std::string::npos)
      << all.wrong;
}

TEST(PlantedShardMsgBug, ALostWakeUpIsFoundByChance) {
  planted::active = planted::Bug::kWakeUpLost;
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= 3000 && found == 0; ++seed)
    if (!play(one_shard_twice().make, Rng(seed)).wrong.empty()) found = seed;
  planted::active = planted::Bug::kNone;
  EXPECT_NE(found, 0U);
}

TEST(PlantedShardMsgBug, AMissingSearchIsFoundInEveryOrder) {
  for (const auto& story : {a_peer_advertises_its_nids(), a_peer_of_the_owner()}) {
    planted::active = planted::Bug::kNotSearchedAgain;
    const Explored all = explore_all(story.make);
    planted::active = planted::Bug::kNone;
    EXPECT_NE(all.wrong.find("waits though there is a buffer for it"), std::string::npos)
        << story.name;
  }
}

/// The error in some order of the story with that bug.
std::string with_bug(planted::Bug bug, const Story& story) {
  planted::active = bug;
  const Explored all = explore_all(story.make);
  planted::active = planted::Bug::kNone;
  return all.wrong;
}

TEST(PlantedShardMsgBug, AMessageThatDoesNotComeBackIsFound) {
  EXPECT_NE(with_bug(planted::Bug::kReturnedLost, a_put_that_fails()), "");
}

TEST(PlantedShardMsgBug, AStalePathThatIsBelievedForEverIsFound) {
  EXPECT_NE(with_bug(planted::Bug::kStaleForever, a_path_that_is_stale()), "");
}

TEST(PlantedShardMsgBug, AnIgnoredDiscoveryIsFound) {
  EXPECT_NE(with_bug(planted::Bug::kDiscoveryIgnored, a_peer_entry_is_asked_for()), "");
}

TEST(PlantedShardMsgBug, FindsUnreportedPeerHealth) {
  const std::string wrong = with_bug(planted::Bug::kPeerHealthUnreported, a_peer_that_fails());
  EXPECT_NE(wrong.find("for another shard"), std::string::npos) << wrong;
}

TEST(PlantedShardMsgBug, FindsAChangeReportedInParts) {
  const std::string wrong = with_bug(planted::Bug::kReportedInParts, a_nid_is_deleted());
  EXPECT_NE(wrong.find("has another peer entry"), std::string::npos) << wrong;
}

TEST(PlantedShardMsgBug, FindsUnreportedHealth) {
  const std::string wrong = with_bug(planted::Bug::kHealthUnreported, a_put_that_fails());
  EXPECT_NE(wrong.find("for another shard"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace ulnet::core::shard_msgs
