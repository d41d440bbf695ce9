// The credits that a router has for messages from a peer NI. Never more messages hold one than are
// configured, every message with a buffer has a credit, and when the world is at rest all credits
// are back. Source: spec/core-semantics.md 10.3; for each peer NI: decision 98.
//
// 'credits conserved' compares the credits in use with the messages that have them, 'credits in
// turn' checks the order.
#include <map>

#include "lnet/core/flow/step.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
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

class RouterCredits final : public Checker {
 public:
  RouterCredits() : Checker("router credits", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
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

  void at_rest(World& world) override {
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

 private:
  using Held = std::map<Nid, std::int32_t>;  ///< by the peer NI that the messages came from
  PerNode<Held> records_;
};

}  // namespace

std::unique_ptr<Checker> router_credits_checker() { return std::make_unique<RouterCredits>(); }

}  // namespace ulnet::sim
