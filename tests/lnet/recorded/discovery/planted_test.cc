// Bugs of discovery, planted one at a time (docs/TESTING.md). Recordings and small stories find
// each:
// - a push with the number of the last one is ignored;
// - the number stays when an NI is deleted;
// - a peer keeps its entry although it no longer has discovery;
// - a push that failed counts as acknowledged;
// - a push goes to a NID of the peer that is gone;
// - no shard learns that a peer with the same NIDs now has multi-rail;
// - a peer is deleted before the status that it has reported of an NI is applied;
// - no peer is asked whether one of its NIDs now belongs to the peer that answers;
// - a push that exceeded a limit is forgotten.

#include <gtest/gtest.h>

#include "lnet/core/flow/push_fixture.h"
#include "planted_bugs.h"
#include "tests/lnet/recorded/discovery/replay.h"

namespace ulnet::capture {
namespace {

using namespace core::test;
using core::encode;
using core::Send;

Nid nid(const char* text) { return Nid::parse(text).value(); }
const std::vector<Nid> kOne = {nid("10.99.0.1@tcp"), nid("10.99.1.1@tcp1")};
const std::vector<Nid> kTwo = {nid("10.99.0.2@tcp"), nid("10.99.1.2@tcp1")};

/// Whether the story's result is right, without the bug and with it.
struct Outcome {
  bool healthy = false, ill = false;
};
Outcome play(planted::Bug bug, const std::function<bool()>& comes_out_right) {
  Outcome outcome;
  outcome.healthy = comes_out_right();
  planted::active = bug;
  outcome.ill = comes_out_right();
  planted::active = planted::Bug::kNone;
  return outcome;
}
void expect_found(planted::Bug bug, const std::function<bool()>& comes_out_right) {
  const Outcome outcome = play(bug, comes_out_right);
  EXPECT_TRUE(outcome.healthy);
  EXPECT_FALSE(outcome.ill) << "the bug is not seen";
}

TEST(PlantedDiscoveryBug, AnIgnoredEqualNumberIsFoundByARecording) {
  expect_found(planted::Bug::kEqualInfoIgnored, [] {
    Replay node("r03_ni_linkdown_del_add_push", kOne, 2);
    node.know(kTwo, 3);
    node.leave_out([](const Recorded& message) {
      return message.header.type() != wire::MsgType::kPut || message.at > std::chrono::seconds(5);
    });
    node.run();
    return node.down(node.a, kTwo[0]) == std::vector<Nid>{kTwo[1]};
  });
}

TEST(PlantedDiscoveryBug, ANumberThatStaysWhenAnNiGoesIsFoundByARecording) {
  expect_found(planted::Bug::kSequenceNotAdvanced, [] {
    Replay node("r07_discovery_race", kTwo, 8);
    node.know(kOne, 2);
    node.leave_out([](const Recorded& message) {
      return message.header.type() != wire::MsgType::kPut || message.at > std::chrono::seconds(2);
    });
    node.at(1, [&] { node.set_nids({kTwo[0]}); });
    node.run();
    return !node.sent["PUT"].empty() && node.sent["PUT"][0] == node.recorded["PUT"].at(0);
  });
}

TEST(PlantedDiscoveryBug, APeerThatKeepsItsEntryIsFoundByARecording) {
  expect_found(planted::Bug::kNoDiscoveryKept, [] {
    Replay node("r09_discovery_off_on", kOne, 2);
    node.run(8);
    return node.state(node.a, nid("10.99.0.6@tcp")) == 1;
  });
}

TEST(PlantedDiscoveryBug, APushThatIsNotRepeatedIsFound) {
  expect_found(planted::Bug::kPushNotRepeated, [] {
    Discoverers p({tcp(1)}, {tcp(2)}, 1);
    p.discover(p.a, tcp(2));
    p.a.send_status = -ECONNRESET;
    p.add_ni(p.a, tcp(1, 1));
    p.a.send_status = 0;
    p.discover(p.a, tcp(2));
    return p.nids(p.b, tcp(1)).size() == 2;
  });
}

TEST(PlantedDiscoveryBug, APushToANidThatIsGoneIsFound) {
  expect_found(planted::Bug::kLostNiPushedBack, [] {
    Discoverers p({tcp(1)}, {tcp(20)}, 1);
    p.a.hold_sends = true;
    wire::PingInfo info = info_with({tcp(2), tcp(3)});
    push_to_a(p, encode(info), tcp(3));
    for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, -ECONNRESET);
    p.a.sends.clear();
    info = info_with({tcp(2)});
    info.sequence = 5;
    push_to_a(p, encode(info), tcp(3));
    for (const Send& send : p.a.sends)
      if (send.header.type() == wire::MsgType::kPut) return send.header.dest_nid == tcp(2);
    return false;
  });
}

TEST(PlantedDiscoveryBug, AStatusThatComesAfterTheDeletionOfItsPeerIsFound) {
  expect_found(planted::Bug::kReportedTooLate, [] {
    Discoverers p({tcp(1)}, {tcp(20)}, 1);
    p.a.hold_sends = true;
    push_to_a(p, encode(info_with({tcp(2), tcp(3)})), tcp(2));
    wire::PingInfo info = info_with({tcp(2), tcp(3)}, kNoDiscoveryFeatures);
    info.sequence = 5;
    info.legacy[1].status = wire::NiStatus::kDown;
    push_to_a(p, encode(info), tcp(2));
    return p.a.shards[0]->observe().peers.find(tcp(3)) == nullptr;
  });
}

TEST(PlantedDiscoveryBug, AnUncheckedClaimOfANidIsFound) {
  expect_found(planted::Bug::kClaimUnasked, [] {
    Discoverers p({tcp(1)}, {tcp(20)}, 1);
    p.a.hold_sends = true;
    push_to_a(p, encode(info_with({tcp(2)})), tcp(2));
    for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, -ECONNRESET);
    p.a.sends.clear();
    p.begin_discover(p.a, tcp(3));
    const Send get = p.a.sends.at(0);
    p.a.sends.clear();
    p.finish_send(p.a, get, 0);
    reply_to(p, get, encode(info_with({tcp(3), tcp(2)})));
    return std::ranges::any_of(p.a.sends, [](const Send& send) {
      return send.header.type() == wire::MsgType::kGet && send.header.dest_nid == tcp(2);
    });
  });
}

TEST(PlantedDiscoveryBug, AForgottenPushBeyondMaxPeersIsFound) {
  expect_found(planted::Bug::kRefusedPushForgotten, [] {
    Discoverers p({tcp(1)}, {tcp(20)}, 1);
    p.a.config->globals.max_peers = 2;
    p.configure(p.a);
    p.a.hold_sends = true;
    for (const std::uint32_t host : {2U, 4U})
      push_to_a(p, encode(info_with({tcp(host)})), tcp(host));
    for (const Send& send : std::vector<Send>(p.a.sends)) p.finish_send(p.a, send, -ECONNRESET);
    p.a.sends.clear();
    wire::PingInfo info = info_with({tcp(2), tcp(3)});
    info.sequence = 5;
    push_to_a(p, encode(info), tcp(2));
    return messages_of(p.a, wire::MsgType::kGet) == 1;
  });
}

TEST(PlantedDiscoveryBug, FindsUnreportedMultiRail) {
  expect_found(planted::Bug::kMultiRailUnreported, [] {
    Discoverers p({tcp(1), tcp(1, 1)}, {tcp(20)}, 1);
    p.set_discovery(p.a, 0);
    p.discover(p.a, tcp(1));
    p.set_discovery(p.a, 1);
    p.discover(p.a, tcp(1));
    const auto& shards = p.a.shards;
    return p.peer(p.a, tcp(1))->multi_rail && std::ranges::all_of(shards, [](const auto& shard) {
             const core::PeerNid* known = shard->observe().peers.find(tcp(1));
             return known == nullptr || known->multi_rail();
           });
  });
}

}  // namespace
}  // namespace ulnet::capture
