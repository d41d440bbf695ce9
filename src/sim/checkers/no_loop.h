// No message visits a router twice, and no message returns to the node that it came from, unless it
// is for that node. Source: spec/multirail.md 9.7, decision 98.
//
// On the wire the checker identifies a message by its sender and receiver, by its header and by the
// node that it is for. Among alike messages only the routers that all of them visited count, so the
// checker may overlook a loop and never reports a loop that does not exist. In a router it
// identifies a message by its record.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/checkers/per_node.h"
#include "sim/checkers/routed_headers.h"

namespace ulnet::sim {

class NoLoop final : public Checker {
 public:
  NoLoop() : Checker("no loop", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  using Visited = std::set<std::uint32_t>;  ///< numbers of nodes
  /// A message that a router has forwarded, or several that are alike and visited the same routers.
  struct Leg {
    wire::LnetHeader header;
    const SimNode* target = nullptr;  ///< null: no node had that NID
    const SimNode* from = nullptr;
    Visited visited;
    std::uint32_t count = 1;
  };
  struct Came {
    Visited visited;
    Nid from;                            ///< the neighbour
    const SimNode* neighbour = nullptr;  ///< null: no node has that NID any more
    Nid hop;                             ///< the hop that was last chosen for it, if any
    std::int32_t tries = 0;              ///< Msg::tries when the hop was chosen
    bool back = false;                   ///< the hop is a NID of the neighbour, or now of no node
  };
  struct Record {
    PerMessage<Came> came;  ///< by the ticket where the message came in
  };
  void arrived(World& world, const ShardStep& step, const wire::LnetHeader& header);
  void look_at_choices(World& world, const ShardStep& step);
  void sent(World& world, const ShardStep& step, const core::Send& send);
  /// Takes a message like this one off the wire.
  Came take(World& world, const Nid& from, const Nid& to, const wire::LnetHeader& header);

  PerNode<Record> records_;                               ///< of nodes
  std::map<std::pair<Nid, Nid>, std::vector<Leg>> legs_;  ///< by the NIDs of sender and receiver
};

}  // namespace ulnet::sim
