// Which NIDs form a peer, and which peer entries a change makes. Source: spec/multirail.md 1, 2.2.
#include "lnet/core/path/directory.h"

#include <gmock/gmock.h>

#include "lnet/base/rng.h"
#include "lnet/core/contract/nids_fixture.h"

namespace ulnet::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Nids = std::vector<Nid>;

Nids nids(std::initializer_list<std::uint32_t> numbers) {
  Nids all;
  for (const std::uint32_t n : numbers) all.push_back(tcp(n));
  return all;
}
Nids nids_of(const Peer& peer) { return {peer.nids().begin(), peer.nids().end()}; }
/// The NIDs of each peer entry.
std::vector<Nids> peer_entries(const Directory::Changes& changes) {
  std::vector<Nids> all;
  for (const PeerEntryRef& peer_entry : changes.peer_entries) all.push_back(peer_entry->nids);
  return all;
}

TEST(Directory, EveryNidBelongsToOnePeer) {  // spec/multirail.md 1, 4.4.6
  Directory directory;
  Peer& one = directory.meet(tcp(1));
  directory.meet(tcp(2));
  directory.meet(tcp(3));
  EXPECT_EQ(directory.size(), 3U);
  const auto changes = directory.learn(one, nids({1, 2, 9}), true);
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({1, 2, 9})));
  EXPECT_THAT(changes.alone, IsEmpty());
  EXPECT_EQ(directory.size(), 2U);
  EXPECT_EQ(directory.primary_of(tcp(2)), tcp(1));
  EXPECT_EQ(directory.primary_of(tcp(9)), tcp(1));
  EXPECT_EQ(directory.primary_of(tcp(3)), tcp(3));
  EXPECT_EQ(directory.find(tcp(77)), nullptr);
  EXPECT_EQ(directory.primary_of(tcp(77)), tcp(77));
}

TEST(Directory, IsWalkedInPartsWhilePeersComeAndGo) {
  Directory directory;
  for (std::uint32_t n = 1; n <= 5; ++n) directory.meet(tcp(n));
  PeerPlace place;
  const auto next = [&] {
    const Peer* peer = directory.next(place);
    return peer == nullptr ? Nid() : peer->primary;
  };
  EXPECT_EQ(next(), tcp(1));
  EXPECT_EQ(next(), tcp(2));
  directory.remove(nids({2}));  // the peer at `place`
  directory.meet(tcp(6));       // reuses the memory of the deleted peer
  EXPECT_EQ(next(), tcp(3));
  directory.remove(nids({4}));
  EXPECT_EQ(next(), tcp(5));
  EXPECT_EQ(next(), tcp(6));
  EXPECT_EQ(next(), Nid());
  directory.meet(tcp(7));
  EXPECT_EQ(next(), tcp(7)) << "the place stays at the end";
}

// spec/multirail.md 1, 4.4.6; spec/wire-lnet.md 5.5
TEST(Directory, ANidNoLongerAdvertisedIsNotThePeers) {
  Directory directory;
  Peer& one = directory.meet(tcp(1));
  directory.meet(tcp(2));
  directory.learn(one, nids({1, 2, 3}), true);
  const auto changes = directory.learn(one, nids({9, 1}), true);
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({9, 1})));
  EXPECT_THAT(changes.alone, ElementsAre(tcp(2), tcp(3)));
  EXPECT_EQ(one.primary, tcp(9));
  EXPECT_EQ(directory.primary_of(tcp(2)), tcp(2)) << "it was met: it is a peer of its own";
  EXPECT_NE(directory.find(tcp(2)), nullptr);
  EXPECT_EQ(directory.find(tcp(3)), nullptr) << "nobody was ever met there";
}

TEST(Directory, APeerThatLosesItsPrimaryNidGoesByItsNext) {  // spec/multirail.md 1, 4.4.6
  Directory directory;
  Peer& one = directory.meet(tcp(1));
  directory.learn(one, nids({1, 2, 3}), true);
  Peer& other = directory.meet(tcp(9));
  auto changes = directory.learn(other, nids({9, 1}), true);
  EXPECT_EQ(one.primary, tcp(2));
  EXPECT_THAT(nids_of(one), ElementsAre(tcp(2), tcp(3)));
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({2, 3}), nids({9, 1})));
  changes = directory.learn(other, nids({9, 1, 3}), true);
  EXPECT_THAT(nids_of(one), ElementsAre(tcp(2)));
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({2}), nids({9, 1, 3})))
      << "it has multi-rail";
  changes = directory.learn(other, nids({9, 1, 3, 2}), true);
  EXPECT_EQ(directory.size(), 1U) << "no NID is left to it";
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({9, 1, 3, 2})));
}

TEST(Directory, NoPeerEntryIsMadeWithoutAChange) {
  Directory directory;
  Peer& one = directory.meet(tcp(1));
  EXPECT_EQ(one.peer_entry, nullptr);
  directory.learn(one, nids({1, 2}), true);
  const PeerEntryRef before = one.peer_entry;
  EXPECT_THAT(directory.learn(one, nids({1, 2}), true).peer_entries, IsEmpty());
  EXPECT_EQ(one.peer_entry, before);
  EXPECT_EQ(directory.learn(one, nids({1, 2}), false).peer_entries.size(), 1U);
  const auto changes = directory.learn(one, nids({1}), false);
  EXPECT_EQ(one.peer_entry, nullptr) << "a peer of one NID needs no peer entry";
  EXPECT_THAT(changes.peer_entries, IsEmpty());
  EXPECT_THAT(changes.alone, ElementsAre(tcp(1), tcp(2)));
}

TEST(Directory, NidsAreRemoved) {  // spec/multirail.md 2.2
  Directory directory;
  Peer& one = directory.meet(tcp(1));
  directory.learn(one, nids({1, 2, 3}), true);
  const auto changes = directory.remove(nids({1, 3, 77}));
  EXPECT_THAT(peer_entries(changes), ElementsAre(nids({2})));
  EXPECT_EQ(directory.find(tcp(1)), nullptr);
  EXPECT_EQ(directory.find(tcp(3)), nullptr);
  EXPECT_EQ(one.primary, tcp(2));
  EXPECT_THAT(directory.remove(nids({2})).peer_entries, IsEmpty());
  EXPECT_EQ(directory.size(), 0U);
}

/// A table that applies all changes has the peer entry of each NID.
TEST(Directory, TheChangesSayAllThatChanged) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    Directory directory;
    std::vector<PeerEntryRef> entries(10);
    const auto number = [](const Nid& each) { return std::size_t{each.addr[3]}; };
    const auto take = [&](const Directory::Changes& changes) {
      for (const PeerEntryRef& peer_entry : changes.peer_entries)
        for (const Nid& each : peer_entry->nids) entries[number(each)] = peer_entry;
      for (const Nid& each : changes.alone) entries[number(each)] = nullptr;
    };
    for (int i = 0; i < 50; ++i) {
      Nids some;
      for (std::uint32_t n = 0; n < 10; ++n)
        if (rng.below(3) == 0) some.push_back(tcp(n));
      if (some.empty()) continue;
      if (rng.below(5) == 0) {
        for (const Nid& gone : some) entries[number(gone)] = nullptr;
        take(directory.remove(some));
      } else {
        take(
            directory.learn(directory.meet(some[rng.below(some.size())]), some, rng.below(2) == 0));
      }
      for (std::uint32_t n = 0; n < 10; ++n)
        ASSERT_EQ(entries[n], directory.peer_entry_of(tcp(n)))
            << "seed " << seed << ", change " << i;
    }
  }
}

}  // namespace
}  // namespace ulnet::core
