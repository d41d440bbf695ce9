// Configured and declared peers, and nets that are removed, as changes of the directory. Source:
// spec/multirail.md 1.1, 2.1, 2.2.
#include <gmock/gmock.h>

#include <map>

#include "lnet/base/rng.h"
#include "lnet/core/contract/nids_fixture.h"
#include "lnet/core/path/directory.h"

namespace ulnet::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Nids = std::vector<Nid>;

constexpr NetId kNet0{NetType::kTcp, 0}, kNet1{NetType::kTcp, 1};
bool only_net1(NetId net) { return net == kNet1; }

struct Configured : Directory {
  Nids nids_of(const Nid& of) {
    const Peer* peer = find(of);
    return peer == nullptr ? Nids{} : Nids(peer->nids().begin(), peer->nids().end());
  }
  /// A service declares the peer: it is locked and not configured.
  Peer& declare(const Nid& primary, Nids others = {}) {
    configure({primary, std::move(others), true, false, true});
    return *find(primary);
  }
};

TEST(DirectoryConfig, APeerReplacesAnother) {  // spec/multirail.md 2.2
  Configured d;
  d.learn(d.meet(tcp(1)), {tcp(1), tcp(2), tcp(3)}, true);
  const auto changes = d.configure({tcp(1), {tcp(2)}});
  EXPECT_THAT(changes.gone, ElementsAre(tcp(1), tcp(2), tcp(3)));
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(2)));
  EXPECT_EQ(d.find(tcp(3)), nullptr) << "other NIDs are forgotten";
  ASSERT_EQ(changes.peer_entries.size(), 1U);
  EXPECT_EQ(changes.peer_entries[0], d.peer_entry_of(tcp(2)));
}

TEST(DirectoryConfig, AConfiguredPeerWithOneNidHasAPeerEntry) {
  Configured d;
  const auto changes = d.configure({.primary = tcp(1), .multi_rail = false});
  ASSERT_EQ(changes.peer_entries.size(), 1U) << "its owner shard has to know it";
  EXPECT_FALSE(changes.peer_entries[0]->multi_rail);
  d.set_state(*d.find(tcp(1)), 0);
  EXPECT_EQ(d.peer_entry_of(tcp(1)), nullptr);
}

TEST(DirectoryConfig, WaitersOfAReplacedPeerAreKept) {
  Configured d;
  d.meet(tcp(2)).askers.push_back({.shard = 3, .nid = tcp(2)});
  d.meet(tcp(1)).askers.push_back({.shard = 4, .nid = tcp(1)});
  const auto changes = d.configure({tcp(1), {tcp(2)}});
  ASSERT_EQ(changes.askers.size(), 2U);
  EXPECT_EQ(changes.askers[0].shard, 4U);
  EXPECT_EQ(changes.askers[1].shard, 3U);
}

TEST(DirectoryConfig, AnOlderLockIsTakenOverWithItsNid) {  // spec/multirail.md 2.2
  Configured d;
  d.declare(tcp(5));
  d.configure({tcp(1), {tcp(2)}, true, true, true});
  d.configure({tcp(1), {tcp(5)}});
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(5), tcp(1), tcp(2)));
  EXPECT_EQ(d.find(tcp(1))->lock_order, 1U);
  d.declare(tcp(6));
  d.configure({tcp(5), {tcp(6)}});
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(5), tcp(1), tcp(2), tcp(6))) << "a later lock";
  EXPECT_EQ(d.size(), 1U);
}

TEST(DirectoryConfig, TwoLockedPrimaryNidsBothStay) {  // spec/multirail.md 1.1, 2.2
  Configured d;
  d.declare(tcp(5), {tcp(6)});
  const auto changes = d.configure({tcp(1), {tcp(2), tcp(5)}});
  EXPECT_THAT(changes.refused, ElementsAre(tcp(5)));
  EXPECT_TRUE(changes.two_locks);
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(2)));
  EXPECT_THAT(d.nids_of(tcp(5)), ElementsAre(tcp(5), tcp(6)));
  EXPECT_TRUE(d.find(tcp(1))->has(kPeerBadConfig));
  EXPECT_TRUE(d.find(tcp(5))->has(kPeerBadConfig));
}

TEST(DirectoryConfig,
     ALockedPrimaryNidStaysWhateverThePeerAdvertises) {  // spec/multirail.md 1, 4.4
  Configured d;
  Peer& peer = d.declare(tcp(1), {tcp(2)});
  d.learn(peer, {tcp(3), tcp(2), tcp(1)}, true);
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(3), tcp(2)));
  d.learn(peer, {tcp(3)}, true);
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(3))) << "not advertised, and kept";
  EXPECT_EQ(d.find(tcp(2)), nullptr);
}

// spec/multirail.md 4.4.6; spec/upstream-tests.md 304
TEST(DirectoryConfig, APeerThatAdvertisesALockedNidBecomesThatPeer) {
  Configured d;
  d.declare(tcp(2));
  d.learn(d.meet(tcp(1)), {tcp(1), tcp(2)}, true);
  EXPECT_EQ(d.size(), 1U);
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(2), tcp(1)));
  EXPECT_TRUE(d.find(tcp(1))->has(kPeerLockPrimary));
}

TEST(DirectoryConfig, InfoOfADeclaredPeerFindsItByItsFirstNid) {  // spec/multirail.md 4.4.6
  Configured d;
  d.declare(tcp(2), {tcp(3), tcp(4)});
  Peer& met = d.meet(tcp(9));
  d.learn(met, {tcp(2), tcp(9), tcp(3)}, true);
  EXPECT_THAT(d.nids_of(tcp(9)), ElementsAre(tcp(2), tcp(9), tcp(3)));
  EXPECT_EQ(d.find(tcp(4)), nullptr) << "it is no longer advertised";
  EXPECT_EQ(d.size(), 1U);
}

TEST(DirectoryConfig, AdvertisedNidsTakeNothingFromDeclaredPeers) {  // spec/multirail.md 4.4.6
  Configured d;
  d.configure({tcp(1), {tcp(2)}});
  d.declare(tcp(3), {tcp(4)});
  const auto changes = d.learn(d.meet(tcp(9)), {tcp(9), tcp(2), tcp(3), tcp(4), tcp(5)}, true);
  EXPECT_THAT(d.nids_of(tcp(9)), ElementsAre(tcp(9), tcp(5)));
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(2)));
  EXPECT_THAT(d.nids_of(tcp(3)), ElementsAre(tcp(3), tcp(4)));
  EXPECT_THAT(changes.refused, ElementsAre(tcp(2), tcp(3), tcp(4)));
  EXPECT_FALSE(changes.two_locks);
}

TEST(DirectoryConfig, AFullyRefusedChangeKeepsThePeersNids) {
  Configured d;
  d.configure({tcp(1), {tcp(2)}});
  d.learn(d.meet(tcp(9)), {tcp(1), tcp(2)}, true);
  EXPECT_THAT(d.nids_of(tcp(9)), ElementsAre(tcp(9)));
}

TEST(DirectoryConfig, AStrippedPeerIsLikeNew) {  // spec/multirail.md 2.2
  Configured d;
  d.configure({tcp(1), {tcp(2)}, true, true, true});
  d.find(tcp(1))->state |= kPeerDiscovered | kPeerNidsUpToDate | kPeerPushSent;
  d.find(tcp(1))->acked_sequence = d.find(tcp(1))->sequence = 4;
  const auto changes = d.strip(*d.find(tcp(1)));
  EXPECT_THAT(changes.gone, ElementsAre(tcp(1), tcp(2)));
  ASSERT_EQ(changes.peer_entries.size(), 1U);
  EXPECT_THAT(changes.peer_entries[0]->nids, ElementsAre(tcp(1)));
  EXPECT_EQ(d.find(tcp(1))->state,
            kPeerConfigured | kPeerMultiRail | kPeerLockPrimary | kPeerPushSent);
  EXPECT_EQ(d.find(tcp(1))->sequence + d.find(tcp(1))->acked_sequence, 0U);
  EXPECT_EQ(d.find(tcp(2)), nullptr);
}

TEST(DirectoryConfig, ANetThatGoesTakesItsPeersAlong) {  // spec/multirail.md 2.1
  Configured d;
  d.meet(tcp(1));
  d.learn(d.meet(tcp(2)), {tcp(2), tcp(2, 7)}, true);
  d.learn(d.meet(tcp(3)), {tcp(3), tcp(3, 1)}, true);
  d.meet(tcp(4, 1));
  const auto changes = d.leave_net(kNet0, &only_net1);
  EXPECT_THAT(changes.gone, UnorderedElementsAre(tcp(1), tcp(2), tcp(2, 7)));
  EXPECT_EQ(d.size(), 2U);
  EXPECT_THAT(d.nids_of(tcp(3, 1)), ElementsAre(tcp(3, 1), tcp(3)))
      << "it goes by the NID that can be reached, and keeps the other one";
  EXPECT_THAT(d.nids_of(tcp(4, 1)), ElementsAre(tcp(4, 1)));
  EXPECT_EQ(d.find(tcp(2, 7)), nullptr) << "there is no way to it any more";
}

TEST(DirectoryConfig, ALockedPrimaryNidStaysWhenItsNetGoes) {  // spec/multirail.md 2.1
  Configured d;
  d.declare(tcp(1), {tcp(2), tcp(3, 1)});
  d.declare(tcp(5), {tcp(6)});
  const auto changes = d.leave_net(kNet0, &only_net1);
  EXPECT_THAT(d.nids_of(tcp(1)), ElementsAre(tcp(1), tcp(2), tcp(3, 1)));
  EXPECT_THAT(changes.gone, UnorderedElementsAre(tcp(5), tcp(6)));
  EXPECT_EQ(d.find(tcp(5)), nullptr) << "none of its NIDs can be reached";
}

TEST(DirectoryConfig, TheStateIsSetExceptForRunningSteps) {  // spec/observed.md 3
  Configured d;
  Peer& peer = d.meet(tcp(1));
  peer.set(kPeerPingSent);
  d.set_state(peer, kPeerMultiRail | kPeerLockPrimary | kPeerDiscovering);
  EXPECT_EQ(peer.state, kPeerMultiRail | kPeerLockPrimary | kPeerPingSent);
  EXPECT_TRUE(d.peer_entry_of(tcp(1))->multi_rail);
  EXPECT_NE(peer.lock_order, 0U);
  d.set_state(peer, 0);
  EXPECT_EQ(d.peer_entry_of(tcp(1)), nullptr);
}

/// Random changes in random order. Each NID belongs to one peer, configured peers have the NIDs
/// that were configured, and a table that applies all changes has all peer entries.
class AnyOrder {
 public:
  explicit AnyOrder(std::uint64_t seed) : rng_(seed) {}

  void change() {
    const Nids some = some_nids();
    switch (rng_.below(7)) {
      case 0:
      case 1:
        return configure(some);
      case 2:
        return strip_or_state(some.front());
      case 3:
        return take(directory_.leave_net(rng_.below(2) == 0 ? kNet0 : kNet1, &only_net1));
      case 4:
        for (const Nid& gone : some) entries_[gone] = nullptr;
        return take(directory_.remove(some));
      default:
        return learn(some);
    }
  }
  void check() {
    std::map<Nid, const Peer*> owners;
    directory_.for_each([&](const Peer& peer) {
      EXPECT_EQ(peer.nids().front(), peer.primary);
      EXPECT_TRUE(!peer.has(kPeerConfigured) || peer.peer_entry != nullptr);
      for (const Nid& each : peer.nids()) {
        EXPECT_TRUE(owners.emplace(each, &peer).second) << each.to_string() << " is of two peers";
        EXPECT_EQ(directory_.find(each), &peer);
      }
    });
    for (const Nid& each : all())
      EXPECT_EQ(entries_[each], directory_.peer_entry_of(each)) << each.to_string();
  }

 private:
  static Nids all() {
    Nids nids;
    for (std::uint32_t n = 0; n < 10; ++n) nids.push_back(tcp(n, n % 2));
    return nids;
  }
  Nids some_nids() {
    Nids some;
    for (const Nid& each : all())
      if (rng_.below(3) == 0) some.push_back(each);
    if (some.empty()) some.push_back(tcp(0));
    std::swap(some.front(), some[rng_.below(some.size())]);
    return some;
  }
  void configure(const Nids& nids) {
    Peer* peer = directory_.find(nids.front());
    const bool by_admin = rng_.below(2) == 0;
    if (peer != nullptr && (peer->primary != nids.front() || peer->has(kPeerConfigured))) return;
    take(directory_.configure({nids.front(),
                               {nids.begin() + 1, nids.end()},
                               rng_.below(3) != 0,
                               by_admin,
                               rng_.below(2) == 0}));
  }
  void strip_or_state(const Nid& of) {
    Peer* peer = directory_.find(of);
    if (peer == nullptr) return;
    constexpr std::uint32_t kSome = kPeerMultiRail | kPeerConfigured | kPeerLockPrimary;
    if (rng_.below(2) == 0) return take(directory_.strip(*peer));
    take(directory_.set_state(*peer, static_cast<std::uint32_t>(rng_.below(kSome + 1)) & kSome));
  }
  /// Ping info changes neither the NIDs of configured peers nor locked primary NIDs.
  void learn(const Nids& nids) {
    Peer& advertiser = directory_.meet(nids[rng_.below(nids.size())]);
    if (advertiser.has(kPeerConfigured)) return;
    std::map<Nid, Nids> before;
    Nids locked;
    directory_.for_each([&](const Peer& peer) {
      if (peer.has(kPeerConfigured))
        before[peer.primary] = {peer.nids().begin(), peer.nids().end()};
      if (peer.has(kPeerLockPrimary)) locked.push_back(peer.primary);
    });
    take(directory_.learn(advertiser, nids, rng_.below(2) == 0));
    for (const auto& [primary, its] : before) {
      const Peer* peer = directory_.find(primary);
      ASSERT_NE(peer, nullptr);
      EXPECT_EQ(Nids(peer->nids().begin(), peer->nids().end()), its);
    }
    for (const Nid& primary : locked) {
      const Peer* peer = directory_.find(primary);
      ASSERT_TRUE(peer != nullptr && peer->has(kPeerLockPrimary)) << primary.to_string();
      const bool kept = peer->primary == primary;
      EXPECT_TRUE(kept || std::ranges::find(locked, peer->primary) != locked.end())
          << "only an older lock takes its place";
    }
  }
  void take(const Directory::Changes& changes) {
    for (const Nid& each : changes.gone) entries_[each] = nullptr;
    for (const PeerEntryRef& peer_entry : changes.peer_entries)
      for (const Nid& each : peer_entry->nids) entries_[each] = peer_entry;
    for (const Nid& each : changes.alone) entries_[each] = nullptr;
  }

  Rng rng_;
  Directory directory_;
  std::map<Nid, PeerEntryRef> entries_;
};

TEST(DirectoryConfig, HoldsInAnyOrder) {  // spec/multirail.md 2.2
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    AnyOrder any(seed);
    for (int i = 0; i < 40; ++i) {
      any.change();
      any.check();
    }
  }
}

}  // namespace
}  // namespace ulnet::core
