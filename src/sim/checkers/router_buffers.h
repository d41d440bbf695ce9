// The buffers of a router. In each shard and pool there are never more buffers in use, or
// allocated, than the pool has. A message has a buffer that can take its payload, from the smallest
// pool with such buffers, from the first byte of the payload until its second leg has ended, and
// shares the buffer with no other message. When the world is at rest, all buffers are back. Source:
// spec/core-semantics.md 10.3.
//
// 'credits conserved' compares the buffers in use of a pool with the messages that have them.
#pragma once

#include <array>
#include <cstddef>
#include <set>

#include "lnet/core/path/router_pool.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class RouterBuffers final : public Checker {
 public:
  RouterBuffers() : Checker("router buffers", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void at_rest(World& world) override;

 private:
  using InUse = std::array<std::int32_t, core::RouterPools::kKinds>;
  void look_at(World& world, const SimNode& node, const core::Msg& msg,
               std::set<const std::byte*>& used);

  PerNode<InUse> records_;
};

}  // namespace ulnet::sim
