// Which shards own the peer NIs of a net, that this does not change, and that a list in parts is
// complete. Source: spec/core-semantics.md 13.2.
#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

TEST(PeerOwners, PeersStayWhereTheyAreWhileTheirNetExists) {  // spec/core-semantics.md 13.2
  NodeConfig config = *config_of({tcp(1), tcp(2)}, 1);
  config.shards = 4;
  config.nis[1].cpts = {1, 3};
  config.owners = {{tcp(1).net(), {1, 3}}};
  const Placement before([&] {
    NodeConfig one = config;
    one.nis.pop_back();
    return one;
  }());
  EXPECT_EQ(Placement(config), before) << "the second NI is bound to all";
  config.nis[1].cpts = {0};
  EXPECT_EQ(Placement(config), before);
  config.owners[0].cpts.clear();
  EXPECT_EQ(Placement(config), Placement([&] {
              NodeConfig all = config;
              all.nis[1].cpts.clear();
              all.owners.clear();
              return all;
            }()));
}

/// A net whose peers partition 1 owns is removed, and added again with its peers in partition 2.
struct MovedNet : Pipe {
  MovedNet() : Pipe({tcp(1)}, {tcp(2)}, 4) {
    a.config->owners = {{tcp(1).net(), {1}}};
    configure_placed();
    put(a, bind(a, memory, &events), tcp(2));
  }
  void move() {
    a.config->owners = {{tcp(1).net(), {2}}};
    a.config->nis[1].id = {9};
    configure_placed();
  }
  void configure_placed() {
    a.placement = Placement(*a.config);
    configure(a);
  }
  bool has_peer_ni(std::uint32_t shard) const {
    return a.shards[shard]->observe().peers.find_ni(tcp(2)) != nullptr;
  }
  std::vector<std::byte> memory = bytes(8);
  Recorder events;
};

TEST(PeerOwners, APeerNiIsForgottenInItsFormerShard) {
  MovedNet p;
  EXPECT_TRUE(p.has_peer_ni(1));
  p.move();
  EXPECT_FALSE(p.has_peer_ni(1));
  p.put(p.a, p.bind(p.a, p.memory, &p.events), tcp(2));
  EXPECT_TRUE(p.has_peer_ni(2));
  EXPECT_EQ(p.events.events.size(), 2U);
}

TEST(PeerOwners, ABusyPeerNiGoesWithItsLastMessage) {
  MovedNet p;
  p.a.hold_sends = true;
  p.put(p.a, p.bind(p.a, p.memory, &p.events), tcp(2));
  p.move();
  EXPECT_TRUE(p.has_peer_ni(1));
  p.release_sends(p.a);
  EXPECT_FALSE(p.has_peer_ni(1));
}

TEST(PeerOwners, AMessageInTheWrongShardIsDropped) {
  MovedNet p;
  p.move();
  wire::LnetHeader put;
  put.dest_nid = tcp(1);
  put.src_nid = tcp(2);
  put.part = wire::PutPart{.portal = 9};
  p.a.placement = Placement([&] {
    NodeConfig old = *p.a.config;
    old.owners = {{tcp(1).net(), {1}}};
    return old;
  }());
  const std::uint64_t before = p.dropped(p.a, DropReason::kNiRemoved);
  p.arrive(p.a, put, tcp(2), {9});
  EXPECT_EQ(p.dropped(p.a, DropReason::kNiRemoved), before + 1);
  EXPECT_FALSE(p.has_peer_ni(1));
}

/// The identity of each peer and its NIDs, and the counters of each shard for them.
std::string words_of(const std::vector<PeerShow>& peers) {
  std::string words;
  for (const PeerShow& peer : peers) {
    words += peer.primary.to_string() + " " + std::to_string(peer.state_bits) + ":";
    for (const PeerNiShow& ni : peer.nis)
      words += " " + ni.nid.to_string() + " sent " + std::to_string(ni.traffic.sent.sum()) +
               " ack " + std::to_string(ni.traffic.put_ack.samples) + " health " +
               std::to_string(ni.health_value);
    words += "\n";
  }
  return words;
}

TEST(PeerList, ThePartsAreTheWholeList) {
  Pipe p;
  auto source = bytes(10), sink = bytes(100);
  p.attach(p.b, sink, nullptr);
  const MdHandle md = p.bind(p.a, source, nullptr);
  p.put(p.a, md, tcp(2), AckRequest::kAck);
  for (std::uint32_t n = 10; n < 80; ++n)
    p.call(p.a, call::PeerAdd{.primary = tcp(n), .nids = {tcp(100 + n), tcp(200 + n)}});
  p.call(p.a, call::PeerDel{.primary = tcp(40)});
  // No message was exchanged with this NID yet, so it has no directory entry.
  p.put(p.a, md, tcp(999));
  const std::string whole = words_of(p.show(p.a).peers);
  EXPECT_EQ(words_of(p.peers_in_parts(p.a)), whole);
  EXPECT_EQ(std::ranges::count(whole, '\n'), 71) << whole;
}

}  // namespace
}  // namespace ulnet::core::test
