// The vocabulary of scenarios in which messages cross routers: nodes with routes, watched by all
// checkers, with each driver and with one and several partitions. spec/multirail.md 3.3, 9.7,
// spec/core-semantics.md 10.3.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "dying_rail.h"
#include "sim/checkers/all.h"

namespace ulnet::sim {

struct Shape {
  DriverKind driver;
  std::uint32_t partitions;
};
inline const auto kShapes =
    ::testing::Values(Shape{DriverKind::kPipe, 1}, Shape{DriverKind::kPipe, 3},
                      Shape{DriverKind::kSock, 1}, Shape{DriverKind::kSock, 3});
inline void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.partitions << " partitions";
}
inline std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  return std::string(info.param.driver == DriverKind::kPipe ? "Pipe" : "Sock") +
         std::to_string(info.param.partitions);
}

inline std::shared_ptr<const core::RouteList> routes(const std::vector<core::Route>& all) {
  auto list = std::make_shared<core::RouteList>();
  for (const core::Route& route : all) EXPECT_TRUE(list->add(route, list->size()));
  return list;
}

inline constexpr std::uint64_t kRate = 16 << 20;  ///< bytes a second of one interface
inline constexpr NetId kFirst{NetType::kTcp, 0}, kSecond{NetType::kTcp, 1},
    kThird{NetType::kTcp, 2};

struct Watched {
  explicit Watched(Loops loops = Loops::kNone) { add_all_checkers(world, loops); }
  ~Watched() {
    if (world.violation()) ADD_FAILURE() << world.explain();
  }
  void runs_for(Duration time) { EXPECT_TRUE(world.run_for(time).reached()) << world.explain(); }

  World world{1};
};

class RoutedWorld : public ::testing::TestWithParam<Shape> {
 protected:
  explicit RoutedWorld(Loops loops = Loops::kNone) : given(loops) {}

  SimNode& node(const char* name, const std::vector<Nid>& nids,
                const std::vector<core::Route>& its_routes, bool routes_for_others = false) {
    NodeSetup setup;
    setup.name = name;
    setup.driver = GetParam().driver;
    setup.partitions = GetParam().partitions;
    for (const Nid& nid : nids) {
      setup.nis.push_back({.nid = nid, .at_switch = hangs_on});
      // The TCP driver has tcp nets only.
      if (nid.net().type != NetType::kTcp) setup.nis.back().driver = DriverKind::kPipe;
    }
    setup.routes = routes(its_routes);
    setup.routing.on = setup.routing.at_once = routes_for_others;
    setup.globals = globals;
    SimNode& made = given.world.add_node(std::move(setup));
    for (std::size_t i = 0; i < nids.size(); ++i) given.world.wire().set_rate(made.place(i), kRate);
    return made;
  }
  static core::GlobalStats counted(const SimNode& node) {
    core::GlobalStats sum;
    for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
      core::add(core::kGlobalStats, sum, node.shard_state(shard)->counters.global);
    return sum;
  }
  /// Every buffer and router credit is back.
  static void expect_idle(const SimNode& router) {
    for (std::uint32_t shard = 0; shard < router.shards(); ++shard) {
      const core::ShardState& state = *router.shard_state(shard);
      for (const auto kind :
           {core::RouterPools::kTiny, core::RouterPools::kSmall, core::RouterPools::kLarge})
        EXPECT_EQ(state.pools[kind].gate().credits(), state.pools[kind].gate().max());
      state.peers.for_each_ni([&](const core::PeerNi& ni) {
        const core::Gate* gate = state.peers.router_gate(ni);
        if (gate == nullptr) return;
        EXPECT_EQ(gate->credits(), gate->max()) << ni.nid.to_string();
      });
    }
  }
  /// Users at `from` do `op` with `to` for a while; all operations succeed.
  void works(SimNode& from, SimNode& to, Op op) {
    if (!target_) target_.emplace(to);
    target_->arrived.clear();
    Users users(from, to.id(), op, 12);
    given.runs_for(seconds(1));
    users.begin_no_more();
    const auto all_ended = [&](World&) { return users.under_way() == 0; };
    EXPECT_TRUE(given.world.run_until(all_ended, {.time = seconds(60)}).reached())
        << given.world.explain();
    EXPECT_GT(users.account.completed, 100U) << to_string(op);
    EXPECT_EQ(users.account.completed, users.account.begun) << to_string(op);
    given.runs_for(seconds(1));
  }

  Watched given;
  // The settings of the nodes that are added from now on
  core::Globals globals;
  std::optional<SwitchId> hangs_on;  ///< the switch of all their NIs

 private:
  std::optional<Target> target_;  // the target of one server, which exists as long as the world
};

}  // namespace ulnet::sim
