// The buffers of a router. In each shard and pool never more are in use, nor allocated, than the
// pool has; a message has a buffer that can take its payload, of the smallest pool with such ones,
// from its first byte there until its second leg has ended, and shares it with no other. When the
// world is at rest all are back. Source: spec/core-semantics.md 10.3.
//
// 'credits conserved' compares what a pool has given out with the messages that have it.
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
