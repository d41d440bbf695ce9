#include "admin/client/peer_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ulnet::ctl {
namespace {

using testing::ElementsAre;

/// Returns a configured peer with NIDs on tcp and tcp1, and a peer that discovery has made.
Tree known() {
  return Tree::parse(R"({"peer": [
    {"primary nid": "10.0.0.2@tcp", "peer state": 9,
     "peer ni": [{"nid": "10.0.0.2@tcp"}, {"nid": "10.0.1.2@tcp1"}]},
    {"primary nid": "10.0.0.3@tcp", "peer state": 273,
     "peer ni": [{"nid": "10.0.0.3@tcp"}, {"nid": "10.0.1.3@tcp1"}]}]})");
}

std::vector<Nid> nids(const std::vector<std::string>& words) { return listed_nids(words).value(); }

/// Formats each change: "0 del PRIMARY NID ...", "1 add PRIMARY NID", "2 errno".
std::vector<std::string> shown(const std::vector<PeerListChange>& changes) {
  std::vector<std::string> all;
  for (const PeerListChange& change : changes) {
    std::string text = std::to_string(change.number) + " ";
    text += change.refused ? std::to_string(change.refused->code)
                           : (change.del ? "del " : "add ") + change.primary.to_string();
    for (const Nid& nid : change.nids) text += " " + nid.to_string();
    all.push_back(text);
  }
  return all;
}

TEST(PeerLists, TheFirstNidOfANewPeerIsItsPrimaryNid) {
  EXPECT_THAT(shown(replacing(known(), nids({"10.0.0.9@tcp", "10.0.1.9@tcp1"}))),
              ElementsAre("0 add 10.0.0.9@tcp", "1 add 10.0.0.9@tcp 10.0.1.9@tcp1"));
}

TEST(PeerLists, NidsThatTheListLacksAreDeleted) {  // the example of the design document
  EXPECT_THAT(shown(replacing(known(), nids({"10.0.5.5@tcp2", "10.0.0.2@tcp"}))),
              ElementsAre("1 del 10.0.0.2@tcp 10.0.1.2@tcp1", "1 add 10.0.0.2@tcp",
                          "0 add 10.0.0.2@tcp 10.0.5.5@tcp2"));
}

TEST(PeerLists, APeerWithAnotherPrimaryNidIsReplaced) {
  EXPECT_THAT(shown(replacing(known(), nids({"10.0.1.2@tcp1"}))),
              ElementsAre("0 del 10.0.0.2@tcp", "0 add 10.0.1.2@tcp1"));
}

TEST(PeerLists, DiscoveredPeersAreNotDeletedFirst) {
  EXPECT_THAT(shown(replacing(known(), nids({"10.0.0.3@tcp"}))), ElementsAre("0 add 10.0.0.3@tcp"));
}

TEST(PeerLists, NidsAreDeletedAndThePeerWithTheLast) {
  EXPECT_THAT(shown(deleting(known(), nids({"10.0.1.2@tcp1"}))),
              ElementsAre("0 del 10.0.0.2@tcp 10.0.1.2@tcp1"));
  EXPECT_THAT(shown(deleting(known(), nids({"10.0.1.2@tcp1", "10.0.0.2@tcp"}))),
              ElementsAre("0 del 10.0.0.2@tcp"));
  EXPECT_THAT(shown(deleting(known(), nids({"10.0.0.2@tcp", "10.0.0.7@tcp"}))),
              ElementsAre("0 -16", "1 -2"));
  EXPECT_THAT(shown(deleting(known(), nids({"10.0.0.7@tcp"}))), ElementsAre("0 -2"));
}

TEST(PeerLists, AMistakeHasItsNumber) {
  const auto bad = listed_nids(std::vector<std::string>{"10.0.0.1@tcp", "10.0.0.[1-2]@tcp"});
  EXPECT_EQ(bad.error().reason, "nid 1: '10.0.0.[1-2]@tcp' is not a NID");
  EXPECT_EQ(listed_nids(std::vector<std::string>(129, "10.0.0.1@tcp")).error().code, -E2BIG);
}

}  // namespace
}  // namespace ulnet::ctl
