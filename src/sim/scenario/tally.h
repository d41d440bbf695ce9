// Counts what a scenario's bounds are about: the messages of discovery that each pair of nodes
// exchanges, and the messages that each NI handles. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "sim/checkers/per_node.h"
#include "sim/world/checker.h"

namespace ulnet::sim {

class Tally final : public Checker {
 public:
  Tally() : Checker("tally", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

  /// Messages of discovery between two nodes, in both directions together, of the pair with the
  /// most: pings and pushes, and the answers to them.
  std::uint64_t most_discovery() const;
  /// Messages in and out of the NI that handled the most.
  std::uint64_t busiest() const;
  /// The age of the world without the time that the busiest of its NIs was busy (its messages times
  /// its service time), in round trips of the scenario's link; part of a round trip counts whole.
  std::uint64_t round_trips(World& world) const;

 private:
  /// A number per NI: only sums and the largest are taken, so their order does not matter.
  std::unordered_map<std::uint64_t, std::uint64_t> handled_;
  std::unordered_map<std::uint64_t, std::uint64_t> discovery_;  ///< by pair of nodes
};

}  // namespace ulnet::sim
