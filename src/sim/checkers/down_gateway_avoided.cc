// No message takes a route that its shard knows to be down when it chooses the path. A message that
// then waits, for a credit or because a delay rule holds it, is checked when it begins to wait:
// when the route goes down later, messages in flight are not redirected (9.7). The checker ignores
// answers, which go back through the router of their request, and pings through the router that
// they ask. Source: spec/multirail.md 3.1, 3.3, 9.3, 11.3.
#include <vector>

#include "lnet/core/flow/transmission.h"
#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/chosen_path.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

/// Calls `fn` for each message that has a path and waits.
template <class Fn>
void for_each_waiting(const core::ShardState& state, Fn&& fn) {
  state.messages.for_each([&](Handle, const core::Msg& msg) {
    const bool held = msg.outgoing && msg.state == core::MsgState::kDelayed;
    if (held || core::waits_for_credit(msg)) fn(msg);
  });
}

class DownGatewayAvoided final : public Checker {
 public:
  DownGatewayAvoided() : Checker("down gateway avoided", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    down_.clear();
    for (const auto& [nid, gateway] : step.state.routes.gateways())
      if (!gateway.entry.usable || !gateway.entry.lost.empty()) down_.push_back(gateway.entry);
    waiting_.clear();
    if (down_.empty()) return;
    for_each_waiting(step.state, [&](const core::Msg& msg) {
      waiting_.push_back({msg.self, msg.hop.nid});
    });
  }

  void after_step(World& world, const ShardStep& step) override {
    if (down_.empty()) return;
    for (const core::Action& action : step.actions)
      if (const auto path = path_of(step, action)) look_at(world, step, *path);
    for_each_waiting(step.state, [&](const core::Msg& msg) {
      look_at(world, step, {msg, msg.ni, msg.hop.nid, msg.header});
    });
  }

 private:
  struct Waiting {
    core::MsgTicket msg;
    Nid hop;
  };

  /// Whether the hop is the gateway of a route to the net that is up, or was before the step.
  bool leads_to(const core::ShardState& state, const Nid& hop, NetId net) const {
    const auto there = routes_to(state, net);
    if (there.empty()) return true;  // the message takes no route
    return std::ranges::any_of(there, [&](const core::RouteEntry& route) {
      const core::GatewayEntry& entry = route.gateway->entry;
      if (!core::is_of_gateway(state.peers, entry.gateway, hop)) return false;
      const auto before = std::ranges::find(down_, entry.gateway, &core::GatewayEntry::gateway);
      return entry.reaches(net) || before == down_.end() || before->reaches(net);
    });
  }

  /// Whether the message already waited before the step to take that path.
  bool has_waited(const ShownPath& path) const {
    return std::ranges::any_of(waiting_, [&](const Waiting& before) {
      return before.msg == path.msg.self && before.hop == path.hop;
    });
  }

  void look_at(World& world, const ShardStep& step, const ShownPath& path) const {
    if (path.hop == path.header.dest_nid || goes_back(path) || path.msg.recovery) return;
    if (is_of_other_shard(path) || has_waited(path)) return;
    if (leads_to(step.state, path.hop, path.header.dest_nid.net())) return;
    violation(world, &step.node, "a message to {} goes by {}, and that route is down",
              path.header.dest_nid, path.hop);
  }
  /// Entries of the gateways whose routes were down before the step.
  std::vector<core::GatewayEntry> down_;
  /// The messages that waited before the step, if there are entries in `down_`.
  std::vector<Waiting> waiting_;
};

}  // namespace

std::unique_ptr<Checker> down_gateway_avoided_checker() {
  return std::make_unique<DownGatewayAvoided>();
}

}  // namespace ulnet::sim
