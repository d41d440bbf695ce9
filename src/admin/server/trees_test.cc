// The trees, printed, are the recorded outputs of a production node to the byte.
#include "admin/server/trees.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "admin/conf/yaml_out.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/pieces_fixture.h"

namespace ulnet::node::control {
namespace {

using conf::to_yaml;
using conf::YamlStyle;

/// Returns a recorded output without its prompt and exit code.
std::string recorded(const std::string& name) {
  std::ifstream file(std::string(ULNET_SOURCE_DIR) + "/tests/data/text/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("$ ") && !line.starts_with("[rc=")) text += line + "\n";
  return text;
}

core::PeerNiShow peer_ni(const char* nid) {
  core::PeerNiShow p;
  p.nid = nid_of(nid);
  p.max_ni_tx_credits = p.available_tx_credits = 8;
  p.min_tx_credits = 7;
  p.available_rtr_credits = p.min_rtr_credits = 8;
  return p;
}

core::LatencySamples once(std::uint64_t nsec) { return {1, nsec, nsec, nsec}; }

/// Life cycles are shown from level 5 on, and no recording has them (admin/client/verbosity.h).
Json without_life_cycles(Json tree) {
  if (tree.is_object()) tree.erase("life cycle");
  if (tree.is_structured())
    for (Json& part : tree) part = without_life_cycles(std::move(part));
  return tree;
}

Json peer_tree(const core::PeerShow& peer, const NodeState& state) {
  return Json::parse(whole([&](Pieces& to) {
    to.add(R"({"peer":[)");
    write_peer(to, peer, state);
    to.add("]}");
  }));
}

TEST(Trees, NetShowIsTheRecordedOne) {
  EXPECT_EQ(to_yaml(without_life_cycles(net_tree(recorded_state())), YamlStyle::kWide),
            recorded("lnetctl_net_show_v4.yaml"));
}

TEST(Trees, APeerThatIsNotUsedSaysWhy) {
  NodeState state = recorded_state();
  core::PeerShow peer;
  peer.primary = nid_of("10.99.9.2@tcp9");
  peer.nis = {peer_ni("10.99.9.2@tcp9")};
  const Json shown = peer_tree(peer, state);
  EXPECT_TRUE(shown["peer"][0]["why"].get<std::string>().starts_with("no common net: "));
  peer.nis[0].nid = nid_of("10.99.0.2@tcp");
  EXPECT_FALSE(peer_tree(peer, state)["peer"][0].contains("why"));
}

TEST(Trees, PeerShowIsTheRecordedOne) {
  // given: the peer that the recorded node had discovered, with two interfaces
  core::PeerShow peer;
  peer.primary = nid_of("10.99.0.2@tcp");
  peer.multi_rail = true;
  peer.state_bits = 273;
  peer.nis = {peer_ni("10.99.0.2@tcp"), peer_ni("10.99.1.2@tcp")};
  core::TrafficStats& first = peer.nis[0].traffic;
  first.sent = {.put = 1, .get = 1};
  first.received = {.reply = 1, .ack = 1};
  first.put_egress = once(1382491);
  first.get_rtt = once(73299774);
  first.put_ack = once(12301541);
  peer.nis[1].traffic.sent.put = 1;
  peer.nis[1].traffic.received.put = 1;
  NodeState state = recorded_state();
  EXPECT_EQ(to_yaml(without_life_cycles(peer_tree(peer, state)), YamlStyle::kWide),
            recorded("lnetctl_peer_show_v4.after_discover.g1.yaml"));
}

TEST(Trees, PeerShowSaysHowAPeerDiffers) {  // spec/multirail.md 4.9
  core::PeerShow peer;
  peer.primary = nid_of("10.99.0.2@tcp");
  peer.nis = {peer_ni("10.99.0.2@tcp")};
  const NodeState state;
  EXPECT_FALSE(peer_tree(peer, state)["peer"][0].contains("differences"));
  peer.differences = {.missing = {nid_of("10.99.1.2@tcp")},
                      .extra = {nid_of("10.99.0.2@tcp")},
                      .primary = nid_of("10.99.1.2@tcp"),
                      .multi_rail = true};
  const auto words = peer_tree(peer, state)["peer"][0]["differences"];
  ASSERT_EQ(words.size(), 4U);
  EXPECT_EQ(words[0], "it has 10.99.1.2@tcp, which this node's entry for it lacks");
  EXPECT_EQ(words[1], "it lacks 10.99.0.2@tcp, which this node's entry for it has");
  EXPECT_EQ(words[2], "its primary NID is 10.99.1.2@tcp");
  EXPECT_EQ(words[3], "it has Multi-Rail");
}

TEST(Trees, StatisticsAndGlobalsAreTheRecordedOnes) {
  const NodeState state = recorded_state();
  EXPECT_EQ(to_yaml(statistics_tree(state), YamlStyle::kClassic),
            recorded("lnetctl_stats_show.yaml"));
  EXPECT_EQ(to_yaml(global_tree(state), YamlStyle::kClassic), recorded("lnetctl_global_show.yaml"));
}

TEST(Trees, EachCounterHasItsOwnName) {
  NodeState state;
  std::uint64_t next = 1;
  for (const auto& counter : core::kGlobalStats) state.statistics.*counter.value = next++;
  const Json tree = statistics_tree(state);
  std::uint64_t expected = 1;
  for (const auto& [name, value] : tree["statistics"].items()) EXPECT_EQ(value, expected++) << name;
  EXPECT_EQ(expected, next);
}

TEST(Trees, NetsAreGroupedFilteredAndMarked) {
  NodeState state = recorded_state();
  NiShow second = state.nis[1];
  second.nid = nid_of("10.99.1.3@tcp");
  second.interface = "eth1";
  second.cpts = {0, 1, 3};
  second.dev_cpt = 3;
  second.up = false;
  second.accept_note = "trust";
  state.nis[1].stats.net_life_cycle = core::NetLifeState::kActive;
  second.stats.life_cycle = core::NiLifeState::kDegraded;
  NiShow other = state.nis[1];
  other.nid = nid_of("10.99.1.3@tcp6");
  other.net = other.nid.net();
  state.nis.push_back(second);
  state.nis.push_back(other);
  const Json tree = net_tree(state);
  ASSERT_EQ(tree["net"].size(), 3U);
  ASSERT_EQ(tree["net"][1]["local NI(s)"].size(), 2U);
  const Json& shown = tree["net"][1]["local NI(s)"][1];
  EXPECT_EQ(shown["status"], "down");
  EXPECT_EQ(shown["CPT"], "[0,1,3]");
  EXPECT_EQ(shown["dev cpt"], 3);
  EXPECT_EQ(shown["lnd tunables"]["accept"], "trust");
  EXPECT_FALSE(tree["net"][2]["local NI(s)"][0]["lnd tunables"].contains("accept"));
  EXPECT_EQ(tree["net"][1]["life cycle"], "active");
  EXPECT_EQ(shown["life cycle"], "degraded");
  const NetId only = NetId::parse("tcp6").value();
  const Json filtered = net_tree(state, &only);
  ASSERT_EQ(filtered["net"].size(), 1U);
  EXPECT_EQ(filtered["net"][0]["net type"], "tcp6");
}

}  // namespace
}  // namespace ulnet::node::control
