// The vocabulary of scenarios with several rails: nodes with NIs on some nets, and nodes of other
// software, over TCP. All checkers watch every scenario.
#pragma once

#include "sim/checkers/all.h"
#include "sim/foreign/foreign_node.h"
#include "story.h"

namespace ulnet::sim {

/// The address 10.`rail`.0.`host` on tcp`net`.
inline Nid rail(std::uint32_t host, std::uint32_t rail = 0, std::uint16_t net = 0) {
  return Nid::small({NetType::kTcp, net}, 0x0a000000U + (rail << 16) + host);
}
/// Two nodes with two NIDs each on a net.
inline const Nid kAlice = rail(1), kAlice2 = rail(1, 1), kBob = rail(2, 2), kBob2 = rail(2, 3);

/// The state of a peer that has multi-rail and was discovered (spec/multirail.md 1.1).
inline constexpr std::uint32_t kFoundOut =
    core::kPeerMultiRail | core::kPeerDiscovered | core::kPeerNidsUpToDate;

class Cluster {
 public:
  Cluster() { add_all_checkers(world); }
  ~Cluster() {
    if (world.violation()) ADD_FAILURE() << world.explain();
  }

  SimNode& node(const char* name, const std::vector<Nid>& nids, const core::Globals& globals = {}) {
    NodeSetup setup;
    setup.name = name;
    setup.driver = DriverKind::kSock;
    setup.globals = globals;
    for (const Nid& nid : nids) setup.nis.push_back({.nid = nid});
    return world.add_node(std::move(setup));
  }
  Person person(const char* name, const std::vector<Nid>& nids, const core::Globals& globals = {}) {
    return {world, node(name, nids, globals)};
  }
  void comes_to_rest() {
    EXPECT_TRUE(world.run_until_quiet({.time = std::chrono::minutes(30)}).reached())
        << world.explain();
    world.check_at_rest();
  }
  void runs_for(Duration time) { EXPECT_TRUE(world.run_for(time).reached()) << world.explain(); }

  World world{1};
};

/// A peer as the node's control shard knows it; null: it knows no peer with that NID.
inline const core::Peer* peer_of(const Person& who, const Nid& nid) {
  return who.state().directory.find(nid);
}
inline std::vector<Nid> nids_of(const Person& who, const Nid& nid) {
  const core::Peer* peer = peer_of(who, nid);
  return peer == nullptr ? std::vector<Nid>{}
                         : std::vector<Nid>(peer->nids().begin(), peer->nids().end());
}
/// The number of PUTs that the node has sent to this NID.
inline std::uint64_t puts_to(const Person& who, const Nid& nid) {
  const core::PeerNi* ni = who.state().peers.find_ni(nid);
  return ni == nullptr ? 0 : ni->traffic.sent.put;
}
/// How many of these users got these events.
inline std::size_t how_many(const std::vector<Lent*>& all, std::string_view reported) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const Lent* one) { return one->reported() == reported; }));
}
/// Sends PUTs with ACK, one after the other, and expects each to be acknowledged.
inline void all_arrive(Cluster& given, Person& from, const ProcessId& to, int count) {
  for (int i = 0; i < count; ++i) {
    Lent& put = from.puts({.to = to, .ack = AckRequest::kAck});
    given.comes_to_rest();
    EXPECT_EQ(put.reported(), "SEND, ACK (last)") << i;
  }
}
/// `peer discover --force`, without waiting for the end.
inline void asks_for(Person& who, const Nid& nid, bool force = true) {
  core::ApiCall call{core::call::Discover{.nid = nid, .force = force, .ticket = 99}};
  who.node.call(call);
  EXPECT_EQ(call.status, 0) << call.reason;
}

}  // namespace ulnet::sim
