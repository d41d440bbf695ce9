// Counts for the bounds of a scenario: the messages of discovery that each pair of nodes exchanges,
// and the messages that each NI handles. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/checkers/per_node.h"
#include "sim/world/checker.h"

namespace ulnet::sim {

class Tally final : public Checker {
 public:
  Tally() : Checker("tally", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

  /// The most messages of discovery between any two nodes, in both directions together: pings and
  /// pushes, and the answers to them.
  std::uint64_t most_discovery() const;
  /// The number of messages in and out of the busiest NI.
  std::uint64_t busiest() const;
  /// The age of the world without the time that the busiest of its NIs was busy (its messages times
  /// its service time), in round trips of the scenario's link, rounded up.
  std::uint64_t round_trips(World& world) const;

 private:
  /// A number per NI: only their sum and the largest are used, so their order does not matter.
  std::unordered_map<std::uint64_t, std::uint64_t> handled_;
  std::unordered_map<std::uint64_t, std::uint64_t> discovery_;  ///< by pair of nodes
};

}  // namespace ulnet::sim
