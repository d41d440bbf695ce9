// For tests of checkers of paths: a node on two nets, one of its messages, and a checker that a
// test calls with a false path of the message.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {

/// "a" has an NI on each of two nets, or the NIs that are given, and knows a peer with the hosts 8
/// on tcp and 9 on tcp1.
template <auto kMake>
struct TwoNets : ::testing::Test {
  explicit TwoNets(std::vector<NiSetup> nis = {{.nid = tcp(1)}, {.nid = tcp(1, 1)}})
      : checker(world.add_checker(kMake())),
        node(world.add_node({.name = "a", .nis = std::move(nis)})),
        state(const_cast<core::ShardState&>(*node.shard_state())) {
    for (const Nid& nid : peer_entry->nids)
      state.peers.set_peer_entry(state.peers.use(nid), peer_entry);
    state.peers.find(tcp(8))->discovered = true;
    std::tie(self, msg) = state.messages.make();
    msg->self = state.name(self);
    msg->outgoing = true;
    msg->started = world.now();
    msg->source = Nid::any();
    msg->header.dest_nid = tcp(8);
    msg->header.part.emplace<wire::PutPart>();
  }
  ~TwoNets() override { state.messages.erase(self); }

  core::LocalNi& ni(const Nid& nid) { return *state.nis.find(nid); }
  /// Routes to tcp7 lead through these gateways.
  void routes_by(const std::vector<Nid>& gateways) {
    auto list = std::make_shared<core::RouteList>();
    for (const Nid& gateway : gateways) EXPECT_TRUE(list->add({{NetType::kTcp, 7}, gateway}, 9));
    state.routes.apply(list, true, state.peers);
  }
  core::Send send(const Nid& by, const Nid& hop) {
    core::Send made;
    made.ni = ni(by).config.id;
    made.hop.nid = hop;
    made.header = msg->header;
    made.tx = msg->self;
    return made;
  }
  void step(const core::Input& input, const core::Actions& actions) {
    const core::Actions none;
    checker.before_step(world, {node, 0, world.now(), input, none, state});
    if (within_step) within_step();
    checker.after_step(world, {node, 0, world.now(), input, actions, state});
  }
  /// The message is in one state before the step, and in another one after it.
  void goes_on(core::MsgState before, core::MsgState after, const core::Actions& actions,
               const core::Input& input = core::Tick{}) {
    const core::Actions none;
    msg->state = before;
    checker.before_step(world, {node, 0, world.now(), input, none, state});
    msg->state = after;
    checker.after_step(world, {node, 0, world.now(), input, actions, state});
  }
  void leaves(const Nid& by, const Nid& hop, const core::Input& input = core::Tick{}) {
    step(input, {send(by, hop)});
  }
  /// A user's PUT leaves by this NI to this hop.
  void puts(const Nid& by, const Nid& hop, const Nid& target = tcp(8)) {
    core::call::Put put;
    put.request.md = {77};
    put.request.target.nid = target;
    put.request.portal = {5};
    put.request.self = Nid::any();
    core::ApiCall call{put};
    core::ShardMsg shard_msg{core::shard_msg::Transmit{}};
    auto& transmit = std::get<core::shard_msg::Transmit>(shard_msg.body);
    transmit.md = {77};
    transmit.path.ni = ni(by).config.id;
    transmit.path.hop.nid = hop;
    core::Actions actions;
    actions.emplace_back(core::ToShard{1, &shard_msg});
    step(core::Api{&call}, actions);
  }
  std::string said() const { return world.violation() ? world.violation()->what : std::string(); }

  World world{1};
  Checker& checker;
  SimNode& node;
  core::ShardState& state;
  const core::PeerEntryRef peer_entry =
      std::make_shared<const core::PeerEntry>(core::PeerEntry{{tcp(8), tcp(9, 1)}, true});
  Handle self;
  core::Msg* msg = nullptr;
  std::function<void()> within_step;  ///< what else a step() does; null: nothing
};

}  // namespace ulnet::sim
