// No message visits a router twice, and no message returns to the node that it came from, unless it
// is for that node. Source: spec/multirail.md 9.7, decision 98.
//
// On the wire the checker identifies a message by its sender and receiver, by its header and by the
// node that it is for. Among alike messages only the routers that all of them visited count, so the
// checker may overlook a loop and never reports a loop that does not exist. In a router it
// identifies a message by its record.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/routed_headers.h"

namespace ulnet::sim {
namespace {

class NoLoop final : public Checker {
 public:
  NoLoop() : Checker("no loop", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (!step.node.has_routed()) return;
    if (const wire::LnetHeader* header = for_another_node(step)) arrived(world, step, *header);
    look_at_choices(world, step);
    for (const core::Send& send : actions_of<core::Send>(step)) {
      const core::Msg* msg = step.state.find(send.tx);
      if (msg != nullptr && msg->routed) sent(world, step, send);
    }
  }

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
  using Record = PerMessage<Came>;  ///< by the ticket where the message came in

  void arrived(World& world, const ShardStep& step, const wire::LnetHeader& header) {
    const auto& in = std::get<core::HeaderArrived>(step.input);
    Came came = take(world, in.hop.nid, step.state.nis.find(in.ni)->nid(), header);
    if (!came.visited.insert(step.node.number()).second)
      violation(world, &step.node, "a message from {} to {} comes for the second time",
                header.src_nid, header.dest_nid);
    // The message's record is the only new one with this header. Without such a record the message
    // was dropped.
    Record& record = records_.of(step.node);
    step.state.messages.for_each([&](Handle, const core::Msg& msg) {
      const bool came_in_here = !msg.outgoing || msg.from != nullptr;
      if (came_in_here && is_same_message(header, msg.header) && record.find(msg.self) == nullptr)
        record.add(msg.self, came);
    });
  }

  /// Looks at the hops of the messages for which this shard has chosen a path in this step. Only
  /// what the shard knows of the neighbours now counts: later, or in the shard that transmits, more
  /// may be known.
  void look_at_choices(World& world, const ShardStep& step) {
    Record& record = records_.of(step.node);
    step.state.messages.for_each([&](Handle, const core::Msg& msg) {
      if (!msg.routed || !msg.outgoing || msg.from == nullptr) return;
      Came* came = record.find(msg.self);
      const Nid& hop = msg.hop.nid;
      if (came == nullptr || (came->hop == hop && came->tries == msg.tries)) return;
      came->hop = hop;
      came->tries = msg.tries;
      const SimNode* next = world.find(hop);
      // An NI that is being deleted still accepts messages sent to it before, although no node has
      // its NID any more.
      came->back = hop != msg.header.dest_nid && (next == nullptr || next == came->neighbour);
      if (came->back && next != nullptr && core::is_of_gateway(step.state.peers, hop, came->from))
        violation(world, &step.node, "a message from {} to {} goes back to {}", msg.header.src_nid,
                  msg.header.dest_nid, next->name());
    });
  }

  void sent(World& world, const ShardStep& step, const core::Send& send) {
    if (send.hop.nid == send.header.dest_nid) return;
    const Came* came = records_.of(step.node).find(began_as(step, send.tx));
    if (came == nullptr) return;
    Leg leg{send.header, world.find(send.header.dest_nid), &step.node, came->visited};
    // A router that does not know that both NIDs are of one node may send it back once.
    if (came->back) leg.visited.clear();
    std::vector<Leg>& legs = legs_[{step.state.nis.find(send.ni)->nid(), send.hop.nid}];
    const auto same = std::ranges::find_if(legs, [&](const Leg& other) {
      return other.target == leg.target && other.visited == leg.visited &&
             is_same_message(other.header, leg.header);
    });
    same == legs.end() ? legs.push_back(std::move(leg)) : void(++same->count);
  }

  /// Takes a message like this one off the wire.
  Came take(World& world, const Nid& from, const Nid& to, const wire::LnetHeader& header) {
    Came came;
    came.from = from;
    came.neighbour = world.find(from);
    const SimNode* target = world.find(header.dest_nid);
    std::vector<Leg>& legs = legs_[{from, to}];
    const auto is_like_it = [&](const Leg& leg) {
      const bool other = leg.target != target && leg.target != nullptr && target != nullptr;
      return !other && is_same_message(leg.header, header);
    };
    const auto first = std::ranges::find_if(legs, is_like_it);
    if (first == legs.end()) return came;
    came.neighbour = first->from;
    came.visited = first->visited;
    bool alone = true;
    for (auto other = std::next(first); other != legs.end(); ++other) {
      if (!is_like_it(*other)) continue;
      alone = false;
      std::erase_if(came.visited,
                    [&](std::uint32_t node) { return !other->visited.contains(node); });
    }
    // Among several alike messages the checker cannot know which one it was, so all of them stay.
    if (alone && --first->count == 0) legs.erase(first);
    return came;
  }
  PerNode<Record> records_;                               ///< of nodes
  std::map<std::pair<Nid, Nid>, std::vector<Leg>> legs_;  ///< by the NIDs of sender and receiver
};

}  // namespace

std::unique_ptr<Checker> no_loop_checker() { return std::make_unique<NoLoop>(); }

}  // namespace ulnet::sim
