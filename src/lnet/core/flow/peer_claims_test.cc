// A NID that two peers claim belongs to one of them. The other one gets it when the first lets it
// go. Source: spec/multirail.md 4.4.
#include <gmock/gmock.h>

#include "lnet/core/flow/peer_info_fixture.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;

TEST(PeerInfo, AClaimedPrimaryNidStaysAndItsPeerIsAsked) {  // spec/multirail.md 4.4.6
  InfoReceiver p;
  p.push(tcp(2), {tcp(2), tcp(4)});
  p.lose_sends();
  p.push(tcp(3), {tcp(3), tcp(2)});
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(2), tcp(4)));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3)));
  EXPECT_EQ(p.refused(DropReason::kInfoTakenNids), 1U);
  EXPECT_TRUE(p.noted("claims the primary NIDs of others"));
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
  const auto ping = std::find_if(p.a.sends.begin(), p.a.sends.end(), [](const Send& send) {
    return send.header.type() == wire::MsgType::kGet;
  });
  EXPECT_TRUE(ping->header.dest_nid == tcp(2) || ping->header.dest_nid == tcp(4));
  // The answer confirms the other peer's info: the NID has moved to that peer, and the directory
  // follows.
  const Send asked = *ping;
  p.finish_send(p.a, asked, 0);
  wire::PingInfo truth = info_with({tcp(3), tcp(2)});
  reply_to(p, asked, encode(truth));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(2)));
  EXPECT_EQ(p.entry(p.a, tcp(2)), p.entry(p.a, tcp(3)));
}

TEST(PeerInfo, AClaimDuringAFailingPushStillCausesAPing) {  // spec/multirail.md 4.4.6
  InfoReceiver p;
  p.push(tcp(2), {tcp(2)});
  const Send push = p.first_of_a(wire::MsgType::kPut);
  p.push(tcp(3), {tcp(3), tcp(2)});
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
  p.finish_send(p.a, push, -ECONNRESET);
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
  EXPECT_EQ(p.get_of_a().header.dest_nid, tcp(2));
}

/// a knows peers 2 and 4, with one NID each.
struct Claimed : InfoReceiver {
  Claimed() {
    push(tcp(2), {tcp(2)}, 5);
    push(tcp(4), {tcp(4)}, 5);
    lose_sends();
  }
  /// Answers the only GET that is under way. Returns the NID that it went to.
  Nid answer(const std::vector<Nid>& nids) {
    if (messages_of(a, wire::MsgType::kGet) != 1) return {};
    const Send get = get_of_a();
    a.sends.clear();
    finish_send(a, get, 0);
    reply_to(*this, get, encode(info_with(nids)));
    return get.header.dest_nid;
  }
};

TEST(PeerInfo, AClaimInAnAnswerCausesAPing) {  // multirail 4.4.6
  Claimed p;
  const std::vector<Nid> all = {tcp(3), tcp(2), tcp(4)};
  p.begin_discover(p.a, tcp(3));
  EXPECT_EQ(p.answer(all), tcp(3));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3)));
  EXPECT_EQ(p.answer(all), tcp(2));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(2)));
  EXPECT_EQ(p.answer(all), tcp(4)) << "one peer after the other";
  EXPECT_EQ(p.nids(p.a, tcp(3)), all);
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
}

TEST(PeerInfo, TwoPeersThatClaimEachOthersPrimaryNidsAreOne) {  // spec/multirail.md 4.4.6
  Claimed p;
  p.begin_discover(p.a, tcp(2));
  EXPECT_EQ(p.answer({tcp(2), tcp(4)}), tcp(2));
  EXPECT_EQ(p.answer({tcp(4), tcp(2)}), tcp(4));
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U) << "each is asked once";
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(4), tcp(2)));
}

/// A ping about a claim causes no further ping, so that two peers with false infos do not keep the
/// node busy.
TEST(PeerInfo, AClaimPingCausesNoFurtherPing) {
  Claimed p;
  p.push(tcp(6), {tcp(6)}, 5);
  p.lose_sends();
  p.begin_discover(p.a, tcp(2));
  EXPECT_EQ(p.answer({tcp(2), tcp(4)}), tcp(2));
  EXPECT_EQ(p.answer({tcp(4), tcp(6)}), tcp(4));
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
  EXPECT_THAT(p.nids(p.a, tcp(4)), ElementsAre(tcp(4)));
}

/// The claimer reports again while the ping to the other peer is unanswered.
TEST(PeerInfo, APeerThatIsBeingAskedAboutAClaimIsNotAskedAgain) {  // multirail 4.4.6
  Claimed p;
  const std::vector<Nid> claim = {tcp(3), tcp(2)};
  p.push(tcp(3), claim, 5);
  p.push(tcp(3), claim, 6);
  ASSERT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U);
  EXPECT_EQ(p.get_of_a().header.dest_nid, tcp(2));
  p.lose_sends();
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U) << "the claim stays undecided";
  p.push(tcp(3), claim, 7);
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 1U) << "the next report asks again";
}

/// A node that a knows as three peers has restarted, and a has not detected this yet. The info's
/// number is below that of the peer whose NID is now the primary one.
TEST(PeerInfo, AllPeersOfANodeThatHasRestartedBecomeOne) {  // spec/multirail.md 4.4.6
  Claimed p;
  const std::vector<Nid> all = {tcp(4), tcp(2), tcp(6)};
  p.push(tcp(6), {tcp(6)}, 5);
  p.push(tcp(4), {tcp(4)}, 6);
  p.lose_sends();
  p.push(tcp(2), all, 5);
  EXPECT_EQ(p.refused(DropReason::kInfoOld), 1U);
  EXPECT_EQ(p.answer(all), tcp(4));
  EXPECT_THAT(p.nids(p.a, tcp(2)), ElementsAre(tcp(4), tcp(2)));
  EXPECT_EQ(p.answer(all), tcp(6)) << "two peers have become one, so the third is asked";
  EXPECT_EQ(p.nids(p.a, tcp(6)), all);
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
}

/// While the other claimer of the NID exists, it keeps the NID even if it does not answer.
TEST(PeerInfo, TheClaimantIsPingedWhenTheNidIsFree) {  // spec/multirail.md 4.4.6
  Claimed p;
  p.push(tcp(3), {tcp(3), tcp(2)});
  EXPECT_EQ(p.get_of_a().header.dest_nid, tcp(2));
  p.lose_sends();
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3)));
  p.call(p.a, call::PeerDel{tcp(4)});
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U) << "no other peer has advertised that NID";
  p.call(p.a, call::PeerDel{tcp(2)});
  EXPECT_EQ(p.answer({tcp(3), tcp(2)}), tcp(3));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(2)));
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
}

TEST(PeerInfo, TheClaimantIsPingedWhenTheOwnersPrimaryNidChanges) {  // spec/multirail.md 4.4.6
  Claimed p;
  p.push(tcp(2), {tcp(2), tcp(7)}, 6);
  p.lose_sends();
  p.push(tcp(3), {tcp(3), tcp(2)});
  for (const Send& send : std::vector<Send>(p.a.sends))
    if (send.header.type() == wire::MsgType::kPut) p.finish_send(p.a, send, -ECONNRESET);
  EXPECT_EQ(p.answer({tcp(7)}), tcp(2));
  EXPECT_EQ(p.answer({tcp(3), tcp(2)}), tcp(3)) << "no peer has advertised 2 as its own";
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(2)));
}

// spec/multirail.md 4.4.6
TEST(PeerInfo, AClaimerOfAConfiguredPeersNidIsPingedWhenThatPeerIsDeleted) {
  Claimed p;
  p.call(p.a, call::PeerAdd{.primary = tcp(2)});
  p.push(tcp(3), {tcp(3), tcp(2)});
  p.lose_sends();
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3)));
  p.call(p.a, call::PeerDel{tcp(2)});
  EXPECT_EQ(p.answer({tcp(3), tcp(2)}), tcp(3));
  EXPECT_THAT(p.nids(p.a, tcp(3)), ElementsAre(tcp(3), tcp(2)));
}

/// The answer would make the node forget the peer (multirail 4.8).
TEST(PeerInfo, WithoutDiscoveryAFreedNidCausesNoPing) {  // spec/multirail.md 4.4.6
  Claimed p;
  p.push(tcp(3), {tcp(3), tcp(2)});
  p.lose_sends();
  p.set_discovery(p.a, 0);
  p.lose_sends();
  p.call(p.a, call::PeerDel{tcp(2)});
  EXPECT_EQ(messages_of(p.a, wire::MsgType::kGet), 0U);
}

}  // namespace
}  // namespace ulnet::core::test
