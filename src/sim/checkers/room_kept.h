// What peers make a TCP driver keep stays within the node's limits: the connections that they have
// opened, in all and from one address (accept_open, accept_open_per_address), and the payload that
// is held. Source: docs/DECISIONS.md 109.
#pragma once

#include "sim/kernel/checker.h"

namespace ulnet::sim {

class RoomKept final : public Checker {
 public:
  RoomKept() : Checker("room kept", kAfterStep) {}
  /// Payload begins to be held in a step that says so.
  void after_step(World& world, const ShardStep& step) override;
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;

 private:
  void check_memory(World& world, const SimNode& node) const;
  void check_connections(World& world, const SimNode& node) const;
};

}  // namespace ulnet::sim
