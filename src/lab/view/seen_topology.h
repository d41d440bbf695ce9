// The topology of nodes that no file describes, made from the answers of their control APIs. For
// `ulnet-lab view --client`, which shows daemons that run anywhere.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "lab/topology/topology.h"
#include "lab/view/observation.h"

namespace ulnet::tools::lab {

/// Returns the topology of the nodes, with their nets and NIDs, and with the routes whose gateways
/// are among them. Each net has a switch of its own.
Topology seen_topology(const std::vector<ObservedNode>& nodes);

/// The topology over time. A node that dies, or is not configured, keeps its former NIs, so that it
/// stays in its place. Any thread.
class SeenNetwork {
 public:
  void see(const std::vector<ObservedNode>& nodes);
  /// Increases with each change of the topology. A picture of an older version has to be drawn
  /// anew.
  std::uint64_t version() const;
  Topology topology() const;

 private:
  mutable std::mutex lock_;
  std::vector<ObservedNode> nodes_;  ///< the state of each node when it was last up
  std::uint64_t version_ = 1;
};

}  // namespace ulnet::tools::lab
