// What a node keeps on behalf of peers stays within its limits: the connections that they have
// opened, in all and from one address (accept_open, accept_open_per_address), the payload that a
// TCP driver holds, and the answers that wait. Source: decisions 109 and 111.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class ResourcesBounded final : public Checker {
 public:
  ResourcesBounded() : Checker("resources bounded", kBeforeStep | kAfterStep) {}
  void before_step(World& world, const ShardStep& step) override;
  /// Checks the limits. It checks the held payload in each step with a HoldPayload: only such a
  /// step begins to hold payload.
  void after_step(World& world, const ShardStep& step) override;
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;

 private:
  void check_memory(World& world, const SimNode& node) const;
  void check_connections(World& world, const SimNode& node) const;
  void check_answers(World& world, const SimNode& node) const;

  std::uint32_t answers_ = 0;  ///< the number of waiting answers before the step
};

}  // namespace ulnet::sim
