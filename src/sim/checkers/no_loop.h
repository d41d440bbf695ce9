// No message visits a router twice, and none goes back to the node that it came from, unless it is
// for that. Source: spec/multirail.md 9.7, docs/DECISIONS.md 98.
//
// A message is known by its header. Of several that are alike those count that visited fewer
// routers, so the checker may overlook a loop and never sees one where there is none.
#pragma once

#include <set>

#include "sim/checkers/per_node.h"
#include "sim/checkers/routed_headers.h"

namespace ulnet::sim {

class NoLoop final : public Checker {
 public:
  NoLoop() : Checker("no loop", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  using Visited = std::set<std::uint32_t>;  ///< numbers of nodes
  struct Came {
    Visited visited;
    Nid from;  ///< the neighbour
  };
  struct Record {
    RoutedHeaders<Came> came;  ///< until they leave
    PerMessage<Came> legs;     ///< second legs, by the ticket where the message came in
  };
  void arrived(World& world, const ShardStep& step, const wire::LnetHeader& header);
  void sent(World& world, const ShardStep& step, const core::Send& send);

  PerNode<Record> records_;                            ///< of nodes
  std::map<Nid, RoutedHeaders<Visited>> on_the_wire_;  ///< sent on by a router, by the next hop
};

}  // namespace ulnet::sim
