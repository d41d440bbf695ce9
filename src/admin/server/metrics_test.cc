#include "admin/server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/server/fake_node_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, ShowsNodeInterfacesAndControlApi) {
  NodeState state = recorded_state();
  state.statistics.send_count = 12;
  state.statistics.msgs_alloc = 3;
  state.nis[1].stats.traffic.received.put = 7;
  state.nis[1].stats.bytes.received = 7 << 20;
  state.drops = {{"no match", 4}};
  state.memory_budget = 1600;
  state.memory = {{"held", 400, 3, 5, 2}};
  state.threads = {{"tcp 0", {9, 1, std::chrono::milliseconds(250), 7}}};
  state.drivers = {{"tcp", {{"connections accepted", 9}}}};
  ControlCounters counters;
  counters.requests = 5;
  const std::string text =
      metrics_text({.state = &state, .peers = {}, .counters = counters, .version = "1.2.3"});
  EXPECT_THAT(text,
              HasSubstr("# TYPE ulnet_send_count_total counter\nulnet_send_count_total 12\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE ulnet_msgs_alloc gauge\nulnet_msgs_alloc 3\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_ni_messages_total{nid=\"10.99.0.3@tcp\",net=\"tcp\",direction="
                              "\"received\",type=\"put\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_ni_bytes_total{nid=\"10.99.0.3@tcp\",net=\"tcp\",direction="
                              "\"received\"} 7340032\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_drops_total{reason=\"no match\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_tcp_total{event=\"connections accepted\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_thread_cycles_total{thread=\"tcp 0\"} 9\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_thread_long_cycles_total{thread=\"tcp 0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_memory_budget_bytes 1600\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_memory_used_bytes{part=\"held\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_memory_refused_total{part=\"held\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_thread_longest_cycle_seconds{thread=\"tcp 0\"} 0.25\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_thread_sleeps_total{thread=\"tcp 0\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_up 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_door_requests_total 5\n"));
}

TEST(Metrics, ShowsHowFarDiscoveryHasComeAndWhatIsUnhealthy) {
  NodeState state = recorded_state();
  state.statistics.resend_count = 4;
  state.nis[1].stats.health_value = 900;
  std::vector<core::PeerShow> peers;
  const auto add_peer = [&](const char* nid, std::uint32_t bits, std::int32_t error) {
    core::PeerShow& peer = peers.emplace_back();
    peer.primary = nid_of(nid);
    peer.state_bits = bits;
    peer.discovery_error = error;
    peer.multi_rail = (bits & 1) != 0;
    peer.nis.emplace_back().nid = peer.primary;
  };
  add_peer("0@lo", 0, 0);
  add_peer("10.99.0.2@tcp", 273, 0);
  add_peer("10.99.0.4@tcp", 273, 0);
  add_peer("10.99.0.5@tcp", 8224, -EIO);
  add_peer("10.99.0.6@tcp", 64, 0);
  peers[2].nis[0].health_value = 300;
  peers[2].nis[0].ping_count = 2;
  const ControlCounters counters;
  PeerSums sums;
  for (const core::PeerShow& peer : peers) sums.add(peer);
  const std::string text =
      metrics_text({.state = &state, .peers = sums, .counters = counters, .version = "1"});
  EXPECT_THAT(text, HasSubstr("ulnet_peers_by_discovery{discovery=\"done\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peers_by_discovery{discovery=\"failed\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peers_by_discovery{discovery=\"under way\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peers_by_discovery{discovery=\"none\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peers_multi_rail 2\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_unhealthy{of=\"this node\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_unhealthy{of=\"peers\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_in_recovery{of=\"this node\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_in_recovery{of=\"peers\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_resend_count_total 4\n"));
}

TEST(Metrics, ShowsRoutesAndTheBuffersOfARouter) {
  const NodeState state = recorded_state();
  core::RouteRow row{.route = {*NetId::parse("tcp1"), nid_of("10.99.0.9@tcp")}};
  RouteSums routes;
  routes.add(row);
  row.trouble = core::RouteTrouble::kSilent;
  routes.add(row);
  routes.add(row);
  core::call::ShowRouting routing;
  routing.state = core::RoutingState::kEnabled;
  for (std::uint32_t cpt : {0U, 1U})
    for (std::int32_t pages : {0, 1, 256})
      routing.pools.push_back({cpt, pages, 64, 60 - pages, -7});
  PeerSums peers;
  core::PeerShow peer;
  peer.primary = nid_of("10.99.0.9@tcp");
  peer.nis.resize(2);
  peer.nis[0].available_tx_credits = -3;
  peer.nis[1].available_rtr_credits = -1;
  peers.add(peer);
  const ControlCounters counters;
  const std::string text = metrics_text({.state = &state,
                                         .peers = peers,
                                         .routes = routes,
                                         .routing = routing,
                                         .counters = counters,
                                         .version = "1"});
  EXPECT_THAT(text, HasSubstr("ulnet_routes{net=\"tcp1\",state=\"up\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_routes{net=\"tcp1\",state=\"down\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_routing 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_router_buffers{cpt=\"1\",size=\"tiny\"} 64\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_router_credits{cpt=\"0\",size=\"large\"} -196\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_router_credits_min{cpt=\"1\",size=\"small\"} -7\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peer_nis_without_credits{credits=\"send\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ulnet_peer_nis_without_credits{credits=\"router\"} 1\n"));
}

TEST(Metrics, WithoutLnetShowsTheControlApi) {
  const ControlCounters counters;
  const std::string text =
      metrics_text({.state = nullptr, .peers = {}, .counters = counters, .version = "1"});
  EXPECT_THAT(text, HasSubstr("ulnet_up 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("ulnet_ni_up")));
}

}  // namespace
}  // namespace ulnet::node::control
