#include "lab/live/soft_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;
using testing::HasSubstr;

Topology loopback_of(const char* text) {
  auto topology = read_topology(text, "faults");
  EXPECT_TRUE(topology) << conf::lines_of(topology.error());
  EXPECT_TRUE(give_addresses(*topology, loopback_base(16)));
  return *topology;
}

constexpr const char* kThree = "nodes: {a: [tcp, tcp], b: tcp, c: tcp1}\n";

TEST(SoftFaults, ACutRailIsDeafAndDumbAndItsNetKnows) {
  const Topology topology = loopback_of(kThree);
  Record record;
  EXPECT_TRUE(wanted_rules(topology, record, 0).empty());
  record.down = {"a:1"};
  const auto own = wanted_rules(topology, record, 0);
  ASSERT_EQ(own.size(), 2U);
  for (const Tree& rule : own) {
    EXPECT_EQ(rule["fa_local_nid"], "127.16.0.2@tcp");
    EXPECT_EQ(rule["da_rate"], 1);
    EXPECT_TRUE(is_lab_seed(rule["seed"].get<std::uint64_t>()));
  }
  EXPECT_FALSE(own[0].contains("da_health_error_mask"))
      << "a rule without the mask is for received messages";
  EXPECT_EQ(own[1]["da_health_error_mask"], 4) << "local_dropped";
  const auto far = wanted_rules(topology, record, 1);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far[0]["fa_dst"], "127.16.0.2@tcp");
  EXPECT_EQ(far[0]["da_health_error_mask"], 1024) << "network_timeout";
  EXPECT_TRUE(wanted_rules(topology, record, 2).empty()) << "another net";
  record.spaces = true;
  EXPECT_TRUE(wanted_rules(topology, record, 0).empty()) << "there the carrier is lost";
}

TEST(SoftFaults, LossesAndLongDelaysAreRulesWhereTheKernelCannotMakeThem) {
  const Topology topology =
      loopback_of("nets: {tcp: {loss: 0.3%, delay: 1600ms}}\nnodes: {a: tcp}\n");
  Record record;
  const auto rules = wanted_rules(topology, record, 0);
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0]["da_rate"], 333);
  EXPECT_EQ(rules[1]["da_rate"], 333);
  EXPECT_EQ(rules[2]["la_latency"], 2);
  record.netem = true;
  EXPECT_TRUE(wanted_rules(topology, record, 0).empty());
}

TEST(SoftFaults, SeedsDiffer) {
  const Topology topology =
      loopback_of("nets: {tcp: {loss: 1%, delay: 1s}}\nnodes: {a: [tcp, tcp], b: tcp}\n");
  Record record;
  record.down = {"a:0", "a:1", "b:0"};
  for (NodeNumber at = 0; at < 2; ++at) {
    const auto rules = wanted_rules(topology, record, at);
    std::set<std::uint64_t> seeds;
    for (const Tree& rule : rules) seeds.insert(rule["seed"].get<std::uint64_t>());
    EXPECT_EQ(seeds.size(), rules.size());
  }
}

TEST(SoftFaults, ShortcomingsAreSaid) {
  const Topology topology =
      loopback_of("nets: {tcp: {rate: 1mbit, delay: 1ms}}\nnodes: {a: tcp}\n");
  Record record;
  EXPECT_EQ(shortcomings(topology, record).size(), 2U);
  record.spaces = true;
  const auto said = shortcomings(topology, record);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("netem"));
  record.netem = true;
  EXPECT_TRUE(shortcomings(topology, record).empty());
}

/// A control API that has fault rules, and keeps the batch that it gets.
class FakeControlApi : public ctl::ControlApi {
 public:
  Result<Tree> get(const std::string&) override { return Tree{{"fault", rules}}; }
  Result<std::string> get_text(const std::string&) override { return std::string(); }
  Result<Tree> change(const std::string& method, const std::string& path, const Tree& body,
                      std::optional<std::chrono::seconds>) override {
    EXPECT_EQ(method + " " + path, "POST /v1/batch");
    Tree answers = Tree::array();
    for (const Tree& request : body["requests"]) {
      asked.push_back(request);
      answers.push_back(Tree::object());
    }
    return Tree{{"answers", answers}};
  }

  Tree rules = Tree::array();
  std::vector<Tree> asked;
};

TEST(SoftFaults, RulesOfOthersAreLeftAsTheyAre) {
  const Topology topology = loopback_of(kThree);
  Record record;
  record.down = {"a:0"};
  FakeControlApi api;
  const auto wanted = wanted_rules(topology, record, 0);
  ASSERT_TRUE(reconcile(api, wanted));
  ASSERT_EQ(api.asked.size(), 2U);
  EXPECT_EQ(api.asked[0]["method"], "POST");
  // The node now has these rules, and an administrator's rule with the same source and destination.
  for (const Tree& rule : wanted) api.rules.push_back(rule);
  const Tree theirs = {
      {"rule_type", "drop"}, {"fa_src", "*"}, {"fa_dst", "*"}, {"da_rate", 9}, {"seed", 5}};
  api.rules.push_back(theirs);
  api.rules.back()["ds_dropped"] = 3;
  api.rules.push_back({{"rule_type", "drop"}, {"fa_src", "*@tcp"}, {"fa_dst", "*"}, {"seed", 6}});
  api.asked.clear();
  ASSERT_TRUE(reconcile(api, wanted));
  EXPECT_TRUE(api.asked.empty()) << "nothing to do";
  ASSERT_TRUE(reconcile(api, {}));
  ASSERT_EQ(api.asked.size(), 2U);
  EXPECT_EQ(api.asked[0]["method"], "DELETE");
  EXPECT_EQ(api.asked[0]["body"], (Tree{{"rule_type", "drop"}, {"fa_src", "*"}, {"fa_dst", "*"}}));
  EXPECT_EQ(api.asked[1]["method"], "POST");
  EXPECT_EQ(api.asked[1]["body"], theirs) << "as it was, without its counters";
}

}  // namespace
}  // namespace ulnet::tools::lab
