#include "sim/checkers/router_credits.h"

#include "lnet/core/flow/step.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

/// The configured credits of the net's first NI: peer_buffer_credits, or the credits of a peer NI.
std::int32_t configured(const core::ShardState& state, const Nid& peer) {
  const core::LocalNet* net = state.nis.find(peer.net());
  if (net == nullptr) return 0;
  const std::int32_t own = net->nis.front()->config.tunables.peer_buffer_credits;
  return own > 0 ? own : net->peer_credits;
}

}  // namespace

void RouterCredits::after_step(World& world, const ShardStep& step) {
  if (!step.state.router.forwards()) return;
  Held now;
  step.state.messages.for_each([&](Handle, const core::Msg& msg) {
    if (msg.from == nullptr) return;
    now[msg.from->nid] += msg.has_router_credit;
    if (msg.has_buffer && !msg.has_router_credit)
      violation(world, &step.node,
                "a message from " + msg.from->nid.to_string() + " has a buffer and no credit");
  });
  Held& before = records_.of(step.node, step.shard);
  for (const auto& [nid, held] : now)
    // The number may have been lowered while more were in use.
    if (held > configured(step.state, nid) && held > before[nid])
      violation(world, &step.node,
                nid.to_string() + ": its messages hold " + std::to_string(held) +
                    " router credits of " + std::to_string(configured(step.state, nid)));
  before = std::move(now);
}

void RouterCredits::at_rest(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    const SimNode& node = world.node(i);
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
      state.peers.for_each_ni([&](const core::PeerNi& ni) {
        const core::Gate* gate = state.peers.router_gate(ni);
        if (gate != nullptr && gate->credits() != gate->max())
          violation(world, &node, ni.nid.to_string() + ": some router credits did not come back");
      });
    });
  }
}

}  // namespace ulnet::sim
