#include "sim/scenario/script.h"

#include <gtest/gtest.h>

#include <array>

#include "core/flow/step.h"
#include "sim/network/faults.h"
#include "sim/scenario/reader.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A world with the nodes and the script of a scenario, and without its workload.
struct Played {
  explicit Played(const std::string& faults)
      : scenario(*read_scenario("edge: pipe\n"
                                "nodes:\n"
                                "    - name: a\n"
                                "      nids: [10.0.0.1@tcp, 10.0.1.1@tcp]\n"
                                "      partitions: 2\n"
                                "    - {name: b, nids: 10.0.0.2@tcp}\n"
                                "faults:\n" +
                                faults)) {
    for (const NodeSetup& node : scenario.nodes) world.add_node(node);
    world.add<Script>(scenario);
  }
  bool becomes_quiet() {
    world.wind_down();
    return world.run_until_quiet({.time = seconds(60)}).reached();
  }
  SimNode& a() { return world.node(0); }
  std::size_t rules() { return a().shard_state()->fault_rules.size(); }

  const Scenario scenario;
  World world{1};
};

// The second fault begins while the first one stands, and ends after it.
TEST(Script, WhatALinkLosesIsAsBeforeAfterFaultsThatOverlap) {
  Played p(
      "    - {at: 1s, what: loss, from: a, to: b, chance: 20%, for: 2s}\n"
      "    - {at: 2s, what: loss, from: a, to: b, chance: 50%, for: 2s}\n"
      "    - {at: 1s, what: duplication, from: a, to: b, chance: 30%, for: 10s}\n");
  const Link& link = p.world.wire().link(p.a().place(), p.world.node(1).place());
  const auto lost_after = [&](Duration more) {
    p.world.run_for(more);
    return link.model().loss_ppm / 10'000;
  };
  EXPECT_EQ(lost_after(milliseconds(500)), 0U);
  EXPECT_EQ(lost_after(seconds(1)), 20U);
  EXPECT_EQ(lost_after(seconds(1)), 50U);
  EXPECT_EQ(lost_after(seconds(1)), 50U);
  EXPECT_EQ(lost_after(seconds(1)), 0U);
  EXPECT_EQ(link.model().duplicate_ppm, 300'000U);
  EXPECT_TRUE(p.becomes_quiet());
  EXPECT_EQ(link.model(), p.world.wire().model());
}

}  // namespace
}  // namespace ulnet::sim
