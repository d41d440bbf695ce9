// The topology of nodes that nobody has described: as their doors tell it. For `ulnet-lab view
// --door`, which shows daemons that run anywhere.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "lab/topology/topology.h"
#include "lab/view/observation.h"

namespace ulnet::tools::lab {

/// Nodes with the nets and NIDs that they have, and the routes whose gateways are among them. Each
/// net has a switch of its own.
Topology seen_topology(const std::vector<ObservedNode>& nodes);

/// The same over time. A node that dies, or is not configured, keeps the NIs that it had, so that
/// it stays in its place. Any thread.
class SeenNetwork {
 public:
  void see(const std::vector<ObservedNode>& nodes);
  /// Rises with each change of the topology: a picture of an older one is to be drawn anew.
  std::uint64_t version() const;
  Topology topology() const;

 private:
  mutable std::mutex lock_;
  std::vector<ObservedNode> nodes_;  ///< as they were when they were last up
  std::uint64_t version_ = 1;
};

}  // namespace ulnet::tools::lab
