// Deletion of peers: what is deleted, what stays, what is refused, with one partition and with
// several. Source: spec/multirail.md 2.2.
#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Deleting : Pipe {
  using Pipe::Pipe;

  int del(const Nid& primary, std::vector<Nid> nids = {}) {
    int status = 1;
    call(a, call::PeerDel{primary, std::move(nids)}, &status);
    return status;
  }
  /// Deletes without asking the shards, as if a message began after they had agreed.
  void del_at_once(const Nid& primary) {
    call::PeerDel call{primary};
    call.decided = true;
    Pipe::call(a, call);
  }
  MdHandle source() { return bind(a, memory, &events); }
  /// A peer reports its NIDs by a push, the primary NID first. Node a's push to it fails.
  void learn(const std::vector<Nid>& nids) {
    push_to_a(*this, encode(info_with(nids)), nids.front());
  }
  /// The NIDs of each peer.
  std::vector<std::vector<Nid>> peers() {
    std::vector<std::vector<Nid>> all;
    for (const PeerShow& peer : show(a).peers) {
      all.emplace_back();
      for (const PeerNiShow& ni : peer.nis) all.back().push_back(ni.nid);
    }
    return all;
  }
  Nid primary_of(const Nid& nid) const {
    return a.shards[kControlShard]->observe().directory.primary_of(nid);
  }
  PeerNiShow only_ni() { return show(a).peers.at(0).nis.at(0); }
  /// How many shards have an entry for this NID.
  std::size_t copies(const Nid& nid) const {
    std::size_t found = 0;
    for (const auto& shard : a.shards) found += shard->observe().peers.find(nid) != nullptr;
    return found;
  }

  std::vector<std::byte> memory = bytes(16);
  Recorder events;
};

TEST(PeerDel, AnIdlePeerGoesAndComesBackAsNew) {  // spec/multirail.md 2.2
  Deleting p;
  p.put(p.a, p.source(), tcp(2));
  p.put(p.a, p.source(), tcp(2));
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  EXPECT_EQ(p.only_ni().traffic.sent.put, 2U);
  EXPECT_EQ(p.del(tcp(2)), 0);
  EXPECT_THAT(p.peers(), IsEmpty());

  p.introduce(p.a, {tcp(2)});
  p.put(p.a, p.source(), tcp(2));
  const PeerNiShow fresh = p.only_ni();
  EXPECT_EQ(fresh.traffic.sent.put, 1U);
  EXPECT_EQ(fresh.health_value, 1000);
  EXPECT_EQ(fresh.available_tx_credits, 8);
  EXPECT_EQ(fresh.last_heard_s, -1);
}

TEST(PeerDel, AnUnknownPeerCannotBeDeleted) {  // spec/multirail.md 2.2
  Deleting p;
  EXPECT_EQ(p.del(tcp(2)), -ENOENT);
  EXPECT_EQ(p.del(Nid::any()), -EINVAL);
  p.put(p.a, p.source(), Nid::loopback());
  EXPECT_EQ(p.del(Nid::loopback()), 0);
  EXPECT_NE(p.copies(Nid::loopback()), 0U);
  p.call(p.a, call::Shutdown{});
  EXPECT_EQ(p.del(tcp(2)), -ESHUTDOWN);
}

TEST(PeerDel, DoesNotWaitAndKeepsMessages) {
  Deleting p;
  p.put(p.a, p.source(), tcp(2));
  p.a.hold_sends = true;
  const MdHandle md = p.source();
  for (int i = 0; i < 10; ++i) p.put(p.a, md, tcp(2));  // 8 in flight, 2 wait
  while (!p.a.sends.empty()) {
    EXPECT_EQ(p.del(tcp(2)), -EBUSY);
    const Send send = p.a.sends.front();
    p.a.sends.erase(p.a.sends.begin());
    p.finish_send(p.a, send, -ETIMEDOUT, Health::kNetworkTimeout);
  }
  EXPECT_EQ(p.events.events.size(), 11U);
  EXPECT_THAT(p.peers(), ElementsAre(std::vector<Nid>{tcp(2)})) << "it was met before";
  EXPECT_EQ(p.del(tcp(2)), 0);
  EXPECT_THAT(p.peers(), IsEmpty());
}

TEST(PeerDel, AMessageOnALazyPortalKeepsItsSender) {
  Deleting p;
  p.call(p.a, call::SetLazy{{5}});
  p.put(p.b, p.bind(p.b, p.memory, nullptr), tcp(1));
  EXPECT_EQ(p.del(tcp(2)), -EBUSY);
  auto sink = bytes(64);
  p.attach(p.a, sink, &p.events);
  EXPECT_EQ(p.events.types(), std::vector{EventType::kPut});
  EXPECT_EQ(p.del(tcp(2)), 0);
}

TEST(PeerDel, AMessageThatBeganMeanwhileKeepsItsCreditsAndNothingElse) {
  Deleting p;
  p.put(p.a, p.source(), tcp(2));
  p.put(p.b, p.bind(p.b, p.memory, nullptr), tcp(1));  // heard
  p.a.send_status = -EIO;
  p.a.send_health = Health::kRemoteError;
  p.put(p.a, p.source(), tcp(2));
  p.a.send_status = 0;
  p.a.hold_sends = true;
  const MdHandle both = p.source();
  for (int i = 0; i < 2; ++i) p.put(p.a, both, tcp(2));
  for (int i = 0; i < 2; ++i) p.finish_send(p.a, std::vector<Send>(p.a.sends).at(i), 0);
  p.a.sends.clear();
  EXPECT_EQ(p.only_ni().errors.error, 1U);
  EXPECT_EQ(p.only_ni().min_tx_credits, 6);
  p.a.hold_sends = true;
  p.put(p.a, p.source(), tcp(2));
  p.call(p.a, call::SetPeerNiHealth{tcp(2), 300});
  p.del_at_once(tcp(2));
  const PeerNiShow renewed = p.only_ni();
  EXPECT_EQ(renewed.available_tx_credits, 7);
  EXPECT_EQ(renewed.refcount, 2U);
  EXPECT_EQ(renewed.traffic.sent.put, 0U);
  EXPECT_EQ(renewed.health_value, 1000);
  EXPECT_EQ(renewed.min_tx_credits, 7);
  EXPECT_EQ(renewed.last_heard_s, -1);
  EXPECT_EQ(renewed.errors.error, 0U);
  p.finish_send(p.a, p.a.sends.at(0), -ETIMEDOUT, Health::kNetworkTimeout);
  EXPECT_THAT(p.peers(), IsEmpty());

  p.a.sends.clear();
  p.put(p.a, p.source(), tcp(2));
  p.del_at_once(tcp(2));
  p.release_sends(p.a);
  EXPECT_THAT(p.peers(), ElementsAre(std::vector<Nid>{tcp(2)}))
      << "it was met after it was deleted";
}

TEST(PeerDel, TheAnswerOfADeletedPeerIsTaken) {
  Deleting p;
  auto answer = bytes(64), source = bytes(64, 9);
  p.attach(p.b, source, nullptr, {.options = kOpGet});
  p.b.hold_sends = true;
  p.get(p.a, p.bind(p.a, answer, &p.events, 2), tcp(2));
  EXPECT_EQ(p.del(tcp(2)), 0) << "the GET has been sent, its REPLY is not there yet";
  p.release_sends(p.b);
  EXPECT_EQ(p.events.types(), (std::vector{EventType::kSend, EventType::kReply}));
  EXPECT_EQ(answer, source);
  EXPECT_THAT(p.peers(), ElementsAre(std::vector<Nid>{tcp(2)}));
}

TEST(PeerDel, APeerGoesFromEveryPartitionWithAllItsNids) {  // spec/multirail.md 2.2
  Deleting p;
  const std::vector<Nid> nids{tcp(22), tcp(23), tcp(24, 1), tcp(97)};
  p.learn(nids);
  EXPECT_THAT(p.peers(), ElementsAre(nids));
  EXPECT_EQ(p.copies(tcp(97)), 1U) << "in the shard where messages from it come in";
  EXPECT_EQ(p.copies(tcp(24, 1)), p.a.shards.size()) << "they may come in by any router";
  EXPECT_TRUE(p.a.shards[p.a.placement.of(tcp(23))]->observe().peers.find(tcp(23))->multi_rail());
  const auto gone = p.call(p.a, call::PeerDel{tcp(22)}).gone;
  EXPECT_EQ(gone, nids);
  EXPECT_THAT(p.peers(), IsEmpty());
  for (const Nid& nid : nids) EXPECT_EQ(p.copies(nid), 0U) << nid.to_string();
  EXPECT_EQ(p.primary_of(tcp(23)), tcp(23));

  p.learn(nids);
  EXPECT_THAT(p.peers(), ElementsAre(nids)) << "it advertises them once more";
}

TEST(PeerDel, SomeNidsOfAPeer) {  // spec/multirail.md 2.2
  Deleting p;
  p.learn({tcp(22), tcp(23), tcp(24), tcp(25)});
  EXPECT_EQ(p.del(tcp(22), {tcp(23), tcp(25)}), 0);
  EXPECT_THAT(p.peers(), ElementsAre(std::vector<Nid>{tcp(22), tcp(24)}));
  EXPECT_EQ(p.copies(tcp(23)), 0U);
  EXPECT_EQ(p.primary_of(tcp(24)), tcp(22));
  EXPECT_EQ(p.del(tcp(22), {tcp(22)}), 0) << "the primary NID means the whole peer";
  EXPECT_THAT(p.peers(), IsEmpty());
  p.learn({tcp(22), tcp(23)});
  EXPECT_EQ(p.del(tcp(22), {tcp(23), tcp(22)}), 0);
  EXPECT_THAT(p.peers(), IsEmpty());
}

TEST(PeerDel, IsRefusedAsAWhole) {  // spec/multirail.md 2.2, spec/observed.md 3
  Deleting p;
  const std::vector<Nid> two{tcp(22), tcp(23)}, others{tcp(32), tcp(33)};
  p.learn(two);
  p.learn(others);
  EXPECT_EQ(p.del(tcp(23)), -ENODEV);
  EXPECT_EQ(p.del(tcp(22), {tcp(23), tcp(99)}), -ENOENT);
  EXPECT_EQ(p.del(tcp(22), {tcp(23), tcp(33)}), -ECHILD);
  EXPECT_EQ(p.del(tcp(99), {tcp(23)}), -ENOENT);
  p.a.hold_sends = true;
  p.put(p.a, p.source(), tcp(23));
  EXPECT_EQ(p.del(tcp(22)), -EBUSY) << "a message to one of its NIDs";
  EXPECT_THAT(p.peers(), ElementsAre(two, others));
  for (const Nid& nid : {tcp(22), tcp(23), tcp(32), tcp(33)})
    EXPECT_GE(p.copies(nid), 1U) << nid.to_string();
}

TEST(PeerDel, APingOfOurOwnThatEndsAfterwardsIsNotWaitedForAnyMore) {  // spec/wire-lnet.md 5
  Deleting p;
  p.b.hold_sends = true;
  push_to_a(p, bytes(3), tcp(2));  // cannot be decoded, so a pings
  ASSERT_EQ(p.show(p.a).peers.at(0).state_bits, kPeerPingSent);
  EXPECT_EQ(p.del(tcp(2)), 0);
  p.b.hold_sends = false;
  p.release_sends(p.b);
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits & kPeerPingSent, 0U);
  push_to_a(p, bytes(3), tcp(2));
  EXPECT_EQ(p.show(p.a).peers.at(0).state_bits,
            kPeerMultiRail | kPeerDiscovered | kPeerNidsUpToDate)
      << "it was asked once more";
}

TEST(PeerLearn, ANidNoLongerAdvertisedGoesUnlessItIsInUse) {  // spec/multirail.md 1
  Deleting p;
  p.learn({tcp(22), tcp(23), tcp(24), tcp(25)});
  wire::LnetHeader put;
  put.dest_nid = tcp(1);
  put.src_nid = tcp(23);
  put.part = wire::PutPart{.portal = 9};
  p.arrive(p.a, put, tcp(23));
  p.a.hold_sends = true;
  p.put_there(p.a, p.source(), tcp(24));
  p.learn({tcp(22)});
  EXPECT_THAT(p.peers(),
              testing::UnorderedElementsAre(std::vector<Nid>{tcp(22)}, std::vector<Nid>{tcp(23)},
                                            std::vector<Nid>{tcp(24)}))
      << "a message came from 23, one is on its way to 24";
  EXPECT_EQ(p.copies(tcp(25)), 0U);
}

}  // namespace
}  // namespace ulnet::core::test
