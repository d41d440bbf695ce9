// The runtime files keep the columns by which scripts cut them.
#include "admin/server/runtime_files.h"

#include <gtest/gtest.h>

#include "admin/server/fake_node_fixture.h"
#include "admin/server/pieces_fixture.h"

namespace ulnet::node::control {
namespace {

TEST(RuntimeFiles, StatsIsOneLineOfElevenNumbers) {
  NodeState state;
  core::GlobalStats& s = state.statistics;
  s.msgs_max = 2;
  s.send_count = s.recv_count = 20;
  s.route_count = 40;
  s.send_length = 768;
  s.recv_length = 384;
  s.route_length = 266224;
  EXPECT_EQ(stats_file(state), "0 2 0 20 20 40 0 768 384 266224 0\n");
}

TEST(RuntimeFiles, ThePortalRotorIsABracedBlock) {  // spec/core-semantics.md 7.3
  NodeState state;
  const std::string hash = portal_rotor_file(state);
  EXPECT_EQ(hash.substr(0, hash.find("\tdescription: ")), "{\n\tportals: all\n\trotor: HASH_RT\n");
  EXPECT_TRUE(hash.ends_with("\n}\n"));
  EXPECT_EQ(std::count(hash.begin(), hash.end(), '\n'), 5);
  for (const auto& [rotor, name] :
       {std::pair(core::PortalRotor::kOff, "OFF"), std::pair(core::PortalRotor::kOn, "ON"),
        std::pair(core::PortalRotor::kRoundRobinRouted, "RR_RT"),
        std::pair(core::PortalRotor::kHashRouted, "HASH_RT")}) {
    state.globals.portal_rotor = rotor;
    EXPECT_NE(portal_rotor_file(state).find(std::string("\trotor: ") + name + "\n"),
              std::string::npos);
  }
}

TEST(RuntimeFiles, NisIsTheRecordedTable) {
  NodeState state = recorded_state();
  state.nis[0].refs = 2;
  NiShow& first = state.nis[1];
  first.alive_s = 33;
  first.stats.credits_max = first.stats.credits = 256;
  first.stats.credits_min = 254;
  NiShow second = first;
  second.nid = nid_of("10.99.1.3@tcp1");
  second.alive_s = 37;
  state.nis.push_back(second);
  EXPECT_EQ(nis_file(state),
            "nid                      status alive refs peer  rtr   max    tx   min\n"
            "0@lo                         up     0    2    0    0     0     0     0\n"
            "10.99.0.3@tcp                up    33    1    8    0   256   256   254\n"
            "10.99.1.3@tcp1               up    37    1    8    0   256   256   254\n");
}

TEST(RuntimeFiles, PeersIsTheRecordedTable) {
  core::PeerNiShow p;
  p.state = "up";
  p.max_ni_tx_credits = p.available_rtr_credits = p.available_tx_credits = 8;
  p.min_rtr_credits = 7;
  p.min_tx_credits = 6;
  FakeNode node;
  for (const char* nid : {"10.99.0.1@tcp", "10.99.1.2@tcp1"}) {
    core::PeerShow peer;
    peer.primary = p.nid = nid_of(nid);
    peer.nis = {p};
    node.peers.push_back(peer);
    p.min_rtr_credits = 6;
  }
  EXPECT_EQ(whole([&](Pieces& to) { write_peers_file(to, node); }),
            "nid                      refs state  last   max   rtr   min    tx   min queue\n"
            "10.99.0.1@tcp               1    up    -1     8     8     7     8     6 0\n"
            "10.99.1.2@tcp1              1    up    -1     8     8     6     8     6 0\n");
}

TEST(RuntimeFiles, RoutesRoutersAndBuffersAreTheRecordedTables) {  // route_add_show, router_debugfs
  core::call::ShowRoutes shown;
  const auto route = [&](const char* net, const char* gateway, bool up) {
    shown.routes.push_back({{*NetId::parse(net), nid_of(gateway)},
                            up ? core::RouteTrouble::kNone : core::RouteTrouble::kSilent});
  };
  route("tcp1", "10.99.0.4@tcp", false);
  route("tcp14", "10.99.0.4@tcp", true);
  const auto routes_file = [](core::RoutingState state, const core::call::ShowRoutes& of) {
    return whole([&](Pieces& to) { write_routes_file(to, state, of); });
  };
  EXPECT_EQ(routes_file(core::RoutingState::kDisabled, shown),
            "Routing disabled\n"
            "net      hops priority   state router\n"
            "tcp1       -1        0    down 10.99.0.4@tcp\n"
            "tcp14      -1        0      up 10.99.0.4@tcp\n");
  EXPECT_EQ(routes_file(core::RoutingState::kStarting, {}),
            "Routing starting\nnet      hops priority   state router\n");

  FakeNode node;  // the first gateway is known with two NIDs, the second only by its routes
  node.peers.emplace_back();
  node.peers[0].nis.resize(2);
  node.peers[0].nis[0].nid = nid_of("10.99.0.4@tcp");
  node.peers[0].nis[1].nid = nid_of("10.99.1.4@tcp1");
  shown.gateways = {{nid_of("10.99.0.4@tcp"), 2, true, false},
                    {nid_of("10.99.0.5@tcp"), 2, false, false}};
  EXPECT_EQ(whole([&](Pieces& to) { write_routers_file(to, shown, node); }),
            "ref  rtr_ref alive router\n"
            "3          2  down 10.99.0.4@tcp\n"
            "2          2  down 10.99.0.5@tcp\n");

  Node::RoutingShow routing;
  routing.now.pools = {{0, 0, 128, 128, 127}, {0, 1, 256, 256, 255}, {0, 256, 32, -1, -1}};
  EXPECT_EQ(buffers_file(routing), "pages count credits     min\n") << "it has never routed";
  routing.was_on = true;
  EXPECT_EQ(buffers_file(routing),
            "pages count credits     min\n"
            "    0   128     128     127\n"
            "    1   256     256     255\n"
            "  256    32      -1      -1\n")
      << "below 0 with a sign";
}

}  // namespace
}  // namespace ulnet::node::control
