// After its shutdown a node has nothing left, except what its users did not unlink. Source:
// DESIGN.md 6.

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class MemoryReturned final : public Checker {
 public:
  MemoryReturned() : Checker("memory returned", kAfterStep) {}

  void after_step(World&, const ShardStep& step) override {
    MdHandle made;
    if (const auto* bind = answered<core::call::MdBind>(step.input)) made = bind->md;
    if (const auto* attach = answered<core::call::MdAttach>(step.input)) made = attach->md;
    if (const core::Md* md = made ? step.state.memory.find(made) : nullptr)
      records_.of(step.node, step.shard).add(md->self, true);
  }

  void on_node(World& world, SimNode& node, NodeChange change) override {
    if (change != NodeChange::kStopped) return;
    const auto wrong = [&](const std::string& what) { violation(world, &node, "{} left", what); };
    const Leftovers left = node.leftovers();
    if (left.messages != 0) {
      std::string states;
      for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
        state.messages.for_each([&](Handle, const core::Msg& msg) {
          states += std::string(states.empty() ? "" : ", ") + core::to_string(msg.state) +
                    (msg.parked ? " parked" : "") + " at " + std::to_string(shard);
        });
      });
      return wrong(std::to_string(left.messages) + " messages (" + states + ")");
    }
    if (left.driver_messages != 0)
      return wrong(std::to_string(left.driver_messages) + " of a driver's");
    if (left.events != 0) return wrong(std::to_string(left.events) + " events");
    if (left.shard_msgs != 0)
      return wrong(std::to_string(left.shard_msgs) + " inter-shard messages");
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
      stopped(world, node, state, records_.of(node, shard));
    });
  }

 private:
  using Record = PerMessage<bool>;  ///< the MDs of users

  void stopped(World& world, const SimNode& node, const core::ShardState& state, Record& record) {
    const auto wrong = [&](const std::string& what) { violation(world, &node, "{} left", what); };
    if (state.remote_mds.size() != 0) return wrong("an MD of another shard");
    if (state.portal0.mds.size() != 0)
      return wrong(std::to_string(state.portal0.mds.size()) + " own MDs");
    if (!state.nis.configured().empty()) return wrong("NIs");
    if (!state.ready.empty()) return wrong("messages that were given credits");
    state.memory.for_each([&](const core::Md& md) {
      if (record.find(md.self) == nullptr) wrong("an MD that no user made");
    });
    state.portals.for_each([&](const core::PortalState& portal) {
      if (!portal.held.empty()) wrong("messages on a lazy portal");
    });
    state.peers.for_each_ni([&](const core::PeerNi& ni) {
      if (ni.in_flight != 0 || ni.answers != 0 || ni.queued_bytes != 0 ||
          ni.tx.credits() != ni.tx.max())
        wrong("a credit or a message of peer " + ni.nid.to_string());
    });
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> memory_returned_checker() { return std::make_unique<MemoryReturned>(); }

}  // namespace ulnet::sim
