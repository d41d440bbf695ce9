// A load of a scenario with fixed senders, targets, counts and sizes. It verifies the contents
// where they arrive. Source: spec/core-semantics.md 6, 7.
#pragma once

#include <memory>
#include <vector>

#include "sim/load/load.h"
#include "sim/scenario/scenario.h"
#include "sim/world/world.h"

namespace ulnet::sim {

/// What arrived in an interval.
struct Delivered {
  std::uint64_t messages = 0;  ///< as TrafficCounts::delivered
  std::uint64_t bytes = 0;     ///< of their contents
  bool operator==(const Delivered&) const = default;
};

/// Whether one node reaches the other without discovery: they share a net, or a route leads there.
bool reaches(const NodeSetup& from, const NodeSetup& to);

struct TrafficCounts {
  std::uint64_t begun = 0;
  /// Messages whose contents arrived and were right; pings that were answered.
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;  ///< operations that ended with an error
  /// Operations forgotten because the incarnation of their node ended.
  std::uint64_t forgotten = 0;
};

class Traffic final : public Load {
 public:
  /// Attaches its MDs at `portal` of every target. `sample`: the length of series()' intervals; 0:
  /// there is no series.
  Traffic(std::string name, LoadSpec spec, Portal portal, Duration sample = {});
  ~Traffic() override;

  const TrafficCounts& counts() const { return counts_; }
  /// The deliveries of each interval since the world began, up to the last interval in which a
  /// message arrived.
  const std::vector<Delivered>& series() const { return series_; }
  /// Whether all operations of the spec have ended.
  bool done() const override;
  void take_back(World& world) override;

  void begin(World& world) override;
  void act(World&) override {}
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World&) override { over_ = true; }

 private:
  struct Target;
  struct Sender;
  struct Slot;
  friend struct Slot;

  void wrong(const SimNode& node, const std::string& what);
  void under_way(int more);
  void delivered(std::uint64_t bytes);
  bool may_begin(std::uint64_t begun) const;

  const LoadSpec spec_;
  const Portal portal_;
  const Duration sample_;
  World* world_ = nullptr;
  bool over_ = false;
  std::uint64_t under_way_ = 0;
  TrafficCounts counts_;
  std::vector<Delivered> series_;
  std::vector<std::unique_ptr<Target>> targets_;
  std::vector<std::unique_ptr<Sender>> senders_;
};

}  // namespace ulnet::sim
