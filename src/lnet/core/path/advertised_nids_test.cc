// To which peer ping info belongs, and which NIDs are accepted. Source: spec/multirail.md 4.4, 4.9.
#include "lnet/core/path/advertised_nids.h"

#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A node with the NIDs 1 and 1@tcp1. The peer 2 has advertised its NIDs 2 and 3. With 8 and 9 only
/// messages were exchanged.
struct Judging : ::testing::Test {
  Judging() {
    nis.apply(*config_of({tcp(1), tcp(1, 1)}, 1));
    two = &directory.meet(tcp(2));
    two->state = kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;
    directory.learn(*two, {tcp(2), tcp(3)}, true);
    eight = &directory.meet(tcp(8));
    directory.meet(tcp(9));
  }
  AdvertisedNids advertised_by(Peer& peer, const Nid& source, const std::vector<Nid>& nids,
                               const Nid& claimer = Nid::any()) {
    return judge(directory, nis, routes, peer, info_with(nids), source, claimer);
  }

  Directory directory;
  NiTable nis;
  RouteList routes;
  Peer *two = nullptr, *eight = nullptr;
};

TEST_F(Judging, NidsThatAPeerAdvertisesAreItsOwn) {
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(8), tcp(9), tcp(7)});
  EXPECT_EQ(advertised.peer, eight);
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(8), tcp(9), tcp(7)));
  EXPECT_FALSE(advertised.of_another);
}

TEST_F(Judging, ANidAdvertisedTwiceCountsOnce) {
  EXPECT_THAT(advertised_by(*eight, tcp(8), {tcp(8), tcp(7), tcp(7), tcp(8)}).nids,
              ElementsAre(tcp(8), tcp(7)));
}

TEST_F(Judging, AnInfoFromAnUnrelatedNidIsRefused) {
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(5), tcp(6)});
  EXPECT_TRUE(advertised.of_another);
  EXPECT_THAT(advertised.nids, IsEmpty());
  EXPECT_TRUE(advertised_by(*eight, tcp(8), {}).of_another);
}

TEST_F(Judging, TheNiThatCarriesItNeedNotBeThere) {  // design 001, case 4
  const AdvertisedNids advertised = advertised_by(*two, tcp(3), {tcp(2), tcp(4)});
  EXPECT_EQ(advertised.peer, two);
  EXPECT_FALSE(advertised.of_another);
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(2), tcp(4)));
}

TEST_F(Judging, NidsOfThisNodeAreLeftOut) {
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(1), tcp(8), tcp(1, 1)});
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(8)));
  EXPECT_THAT(advertised.own, ElementsAre(tcp(1), tcp(1, 1)));
}

TEST_F(Judging, ThePrimaryNidOfAPeerWithItsOwnInfoIsLeftOut) {
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(8), tcp(2), tcp(9)});
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(8), tcp(9))) << "9 has advertised nothing";
  EXPECT_THAT(advertised.taken, ElementsAre(tcp(2)));
}

/// 8 is the gateway to tcp2, and advertises 5@tcp2. This node accepts that NID without a ping to
/// it, because 8 could not answer the ping. If 8 itself were the router of the ping, 8 would drop
/// it: a router takes no message for its own NID on another net. If another router brought the
/// ping, 8 would have no route for the answer.
TEST_F(Judging, AGatewayIsBelievedAboutTheNetBeyondIt) {  // core-semantics.md 8.4
  Peer& far = directory.meet(tcp(5, 2));
  far.state = kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate;
  const auto advertised = [&] { return advertised_by(*eight, tcp(8), {tcp(8), tcp(5, 2)}); };
  EXPECT_THAT(advertised().taken, ElementsAre(tcp(5, 2))) << "no route leads there";
  ASSERT_TRUE(routes.add({tcp(5, 2).net(), tcp(8), 2}, 0));
  EXPECT_THAT(advertised().taken, IsEmpty());
  EXPECT_THAT(advertised().nids, ElementsAre(tcp(8), tcp(5, 2)));
  ASSERT_TRUE(routes.add({tcp(5, 2).net(), tcp(9), 1}, 0));
  EXPECT_THAT(advertised().taken, IsEmpty());
  ASSERT_TRUE(routes.del(tcp(5, 2).net(), tcp(8)));
  EXPECT_THAT(advertised().taken, ElementsAre(tcp(5, 2))) << "8 is no router of this node";
}

TEST_F(Judging, AnotherOfItsNidsMoves) {
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(8), tcp(3)});
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(8), tcp(3)));
  EXPECT_THAT(advertised.taken, IsEmpty());
}

TEST_F(Judging, AnInfoIsOfThePeerWithItsPrimaryNid) {  // spec/multirail.md 4.4.6
  const AdvertisedNids advertised = advertised_by(*eight, tcp(8), {tcp(2), tcp(3), tcp(8)});
  EXPECT_EQ(advertised.peer, two);
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(2), tcp(3), tcp(8)));
  EXPECT_EQ(advertised_by(*eight, tcp(8), {tcp(9), tcp(8)}).peer, eight)
      << "9 has advertised nothing";
}

TEST_F(Judging, AnotherOrderOfTheSameNidsIsTheSamePeer) {
  const AdvertisedNids advertised = advertised_by(*two, tcp(2), {tcp(3), tcp(2)});
  EXPECT_EQ(advertised.peer, two);
  EXPECT_THAT(advertised.nids, ElementsAre(tcp(3), tcp(2)));
}

TEST_F(Judging, HowAPeerDiffers) {
  EXPECT_FALSE(differences_of(*two, {tcp(2), tcp(3)}, true).any());
  const PeerDifferences more = differences_of(*two, {tcp(3), tcp(4)}, true);
  EXPECT_THAT(more.missing, ElementsAre(tcp(4)));
  EXPECT_THAT(more.extra, ElementsAre(tcp(2)));
  EXPECT_EQ(more.primary, tcp(3));
  EXPECT_FALSE(more.multi_rail);
  EXPECT_TRUE(differences_of(*two, {tcp(2), tcp(3)}, false).multi_rail);
  EXPECT_TRUE(differences_of(*eight, {tcp(8)}, true).multi_rail);
  EXPECT_FALSE(differences_of(*eight, {tcp(8)}, false).any());
}

TEST_F(Judging, EachStatusIsNewsOnce) {  // spec/multirail.md 4.4.6
  wire::PingInfo info = info_with({tcp(2), tcp(3), tcp(7)});
  info.legacy[1].status = info.legacy[2].status = wire::NiStatus::kDown;
  EXPECT_THAT(learn_statuses(*two, info).down, ElementsAre(tcp(3))) << "7 is not its";
  EXPECT_THAT(learn_statuses(*two, info).down, IsEmpty());
  info.legacy[1].status = wire::NiStatus::kUp;
  const StatusNews news = learn_statuses(*two, info);
  EXPECT_THAT(news.up, ElementsAre(tcp(3)));
  EXPECT_THAT(news.down, IsEmpty());
}

TEST_F(Judging, ANidThatAnotherPeerHasNowHasNoStatusNews) {
  wire::PingInfo info = info_with({tcp(2), tcp(3)});
  info.legacy[1].status = wire::NiStatus::kDown;
  EXPECT_THAT(learn_statuses(*two, info).down, ElementsAre(tcp(3)));
  directory.learn(*two, {tcp(2)}, true);
  EXPECT_THAT(learn_statuses(*two, info_with({tcp(2)})).up, IsEmpty());
}

}  // namespace
}  // namespace ulnet::core::test
