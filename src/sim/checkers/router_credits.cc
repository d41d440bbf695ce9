// The credits that a router has for messages from a peer NI. Never more messages hold one than are
// configured, every message with a buffer has a credit, and when the world is at rest all credits
// are back. Source: spec/core-semantics.md 10.3; for each peer NI: decision 98.
//
// 'credits conserved' compares the credits in use with the messages that have them, 'credits in
// turn' checks the order.
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

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
        violation(world, &step.node, "a message from {} has a buffer and no credit", msg.from->nid);
    });
    Held& before = records_.of(step.node, step.shard);
    for (const auto& [nid, held] : now)
      // The number may have been lowered while more were in use.
      if (held > configured(step.state, nid) && held > before[nid])
        violation(world, &step.node, "{}: its messages hold {} router credits of {}", nid, held,
                  configured(step.state, nid));
    before = std::move(now);
  }

  void at_rest(World& world) override {
    for_each_shard(world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t) {
      state.peers.for_each_ni([&](const core::PeerNi& ni) {
        const core::Gate* gate = state.peers.router_gate(ni);
        if (gate != nullptr && gate->credits() != gate->max())
          violation(world, &node, "{}: some router credits did not come back", ni.nid);
      });
    });
  }

 private:
  using Held = std::map<Nid, std::int32_t>;  ///< by the peer NI that the messages came from
  PerNode<Held> records_;
};

}  // namespace

std::unique_ptr<Checker> router_credits_checker() { return std::make_unique<RouterCredits>(); }

}  // namespace ulnet::sim
