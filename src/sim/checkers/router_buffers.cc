// The buffers of a router. In each shard and pool there are never more buffers in use, or
// allocated, than the pool has. A message has a buffer that can take its payload, from the smallest
// pool with such buffers, from the first byte of the payload until its second leg has ended, and
// shares the buffer with no other message. When the world is at rest, all buffers are back. Source:
// spec/core-semantics.md 10.3.
//
// 'credits conserved' compares the buffers in use of a pool with the messages that have them.
#include <array>
#include <cstddef>
#include <set>

#include "lnet/core/path/router_pool.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

using core::RouterPools;
constexpr std::array kPools = {RouterPools::kTiny, RouterPools::kSmall, RouterPools::kLarge};

std::string name_of(RouterPools::Kind kind) {
  static constexpr const char* kNames[] = {"tiny", "small", "large"};
  return std::string(kNames[kind]) + " buffers";
}

/// The size of the buffer for a payload, by the pools of spec/core-semantics.md 10.3: without
/// payload, of a page, of the largest message.
constexpr std::size_t bytes_for(std::uint32_t payload) {
  return payload == 0 ? 0 : payload <= 4096 ? 4096 : limits::kMtu;
}

/// Whether the payload has begun to arrive, so that the message needs its buffer until it has left.
bool is_in_memory(const core::Msg& msg) {
  return msg.outgoing || msg.state == core::MsgState::kLanding;
}

class RouterBuffers final : public Checker {
 public:
  RouterBuffers() : Checker("router buffers", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    const core::ShardState& state = step.state;
    if (!state.router.forwards()) return;
    InUse now{};
    std::set<const std::byte*> used;
    state.messages.for_each([&](Handle, const core::Msg& msg) {
      if (msg.from == nullptr) return;
      look_at(world, step.node, msg, used);
      now[RouterPools::kind_for(msg.header.payload_length)] += msg.has_buffer;
    });
    const InUse before = std::exchange(records_.of(step.node, step.shard), now);
    for (const auto kind : kPools) {
      const core::Routing& routing = state.config->routing;
      const std::int32_t most = core::buffers_of_shard(
          routing.buffers[kind], routing.standard[kind], state.placement.shards());
      // The number may have been lowered while more were in use.
      if (now[kind] > most && now[kind] > before[kind])
        violation(world, &step.node, "{}: {} in use of {}", name_of(kind), now[kind], most);
      if (kind != RouterPools::kTiny &&
          state.pools[kind].allocated() > std::max(most, std::max(now[kind], before[kind])))
        violation(world, &step.node, "{}: more are allocated than there may be", name_of(kind));
    }
  }

  void at_rest(World& world) override {
    for_each_shard(world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t) {
      for (const auto kind : kPools)
        if (state.pools[kind].gate().credits() != state.pools[kind].gate().max())
          violation(world, &node, "{}: some did not come back", name_of(kind));
    });
  }

 private:
  using InUse = std::array<std::int32_t, core::RouterPools::kKinds>;

  void look_at(World& world, const SimNode& node, const core::Msg& msg,
               std::set<const std::byte*>& used) {
    const auto wrong = [&](const char* what) {
      violation(world, &node, "a message from {} to {} {}", msg.header.src_nid, msg.header.dest_nid,
                what);
    };
    if (is_in_memory(msg) && !msg.has_buffer) return wrong("goes on without a buffer");
    if (!msg.has_buffer) return;
    const std::size_t bytes = bytes_for(msg.header.payload_length);
    if ((msg.buffer == nullptr ? 0 : msg.buffer->whole.iov_len) != bytes)
      return wrong("has a buffer of another size than it needs");
    if (msg.buffer != nullptr && !used.insert(msg.buffer->bytes.get()).second)
      wrong("shares its buffer with another one");
  }
  PerNode<InUse> records_;
};

}  // namespace

std::unique_ptr<Checker> router_buffers_checker() { return std::make_unique<RouterBuffers>(); }

}  // namespace ulnet::sim
