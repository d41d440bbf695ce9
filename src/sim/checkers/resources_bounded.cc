// What a node keeps on behalf of peers stays within its limits: the connections that they have
// opened, in all and from one address (accept_open, accept_open_per_address), the payload that a
// TCP driver holds, and the answers that wait. Source: decisions 109 and 111.
#include <algorithm>
#include <map>

#include "lnet/core/flow/submit.h"
#include "lnet/lnd/sock/engine/engine.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

using lnd::sock::ConnView;

using lnd::sock::PeerView;

class ResourcesBounded final : public Checker {
 public:
  ResourcesBounded() : Checker("resources bounded", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override { answers_ = step.state.answers; }

  /// Checks the limits. It checks the held payload in each step with a HoldPayload: only such a
  /// step begins to hold payload.
  void after_step(World& world, const ShardStep& step) override {
    const std::uint32_t most =
        step.state.config->globals.max_answers / step.state.placement.shards();
    if (std::holds_alternative<core::HeaderArrived>(step.input) && step.state.answers > answers_ &&
        step.state.answers > most)
      violation(world, &step.node, "answers one request more than may wait for their answers");
    if (!actions_of<core::HoldPayload>(step).empty()) check_memory(world, step.node);
  }

  void on_opened(World& world, SimNode& node, const ConnView&, std::uint64_t) override {
    check_connections(world, node);
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      check_memory(world, node);
      check_connections(world, node);
      check_answers(world, node);
    }
  }

 private:
  void check_memory(World& world, const SimNode& node) const {
    if (node.engine() == nullptr) return;
    std::uint64_t held = 0;
    node.engine()->for_each_peer([&](const PeerView& peer) { held += peer.held_bytes(); });
    if (held > node.setup().hold_memory)
      violation(world, &node, "holds {} bytes of payload, {} allowed", held,
                node.setup().hold_memory);
  }

  void check_connections(World& world, const SimNode& node) const {
    const lnd::sock::SockTunables& limits = node.setup().sock;
    if (node.engine() == nullptr ||
        (limits.accept_open == 0 && limits.accept_open_per_address == 0))
      return;
    std::map<lnd::sock::Address, std::int32_t> by_address;
    std::int32_t all = 0;
    node.engine()->for_each_peer([&](const PeerView& peer) {
      peer.for_each_conn([&](const ConnView& conn) {
        if (conn.active()) return;
        ++all;
        ++by_address[conn.remote().address];
      });
    });
    const auto exceeds = [](std::int32_t count, std::int32_t limit) {
      return limit != 0 && count > limit;
    };
    if (exceeds(all, limits.accept_open))
      violation(world, &node, "peers have opened {} connections", all);
    for (const auto& [address, count] : by_address)
      if (exceeds(count, limits.accept_open_per_address))
        violation(world, &node, "{} has opened {} connections", address, count);
  }

  void check_answers(World& world, const SimNode& node) const {
    const auto look_at = [&](std::uint32_t said, std::uint32_t waiting) {
      if (said != waiting)
        violation(world, &node, "{} answers are counted as waiting, and {} do", said, waiting);
    };
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
      std::map<const core::PeerNi*, std::uint32_t> waiting;
      std::uint32_t all = 0;
      state.messages.for_each([&](Handle, const core::Msg& msg) {
        if (!msg.outgoing || !core::answers_here(msg) || msg.peer == nullptr) return;
        ++waiting[msg.peer];
        ++all;
      });
      look_at(state.answers, all);
      state.peers.for_each_ni([&](const core::PeerNi& ni) { look_at(ni.answers, waiting[&ni]); });
    });
  }
  std::uint32_t answers_ = 0;  ///< the number of waiting answers before the step
};

}  // namespace

std::unique_ptr<Checker> resources_bounded_checker() {
  return std::make_unique<ResourcesBounded>();
}

}  // namespace ulnet::sim
