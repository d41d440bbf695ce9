#include "sim/checkers/no_loop.h"

#include <algorithm>
#include <iterator>

#include "lnet/core/path/select_route.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void NoLoop::after_step(World& world, const ShardStep& step) {
  if (!step.node.has_routed()) return;
  if (const wire::LnetHeader* header = for_another_node(step)) arrived(world, step, *header);
  look_at_choices(world, step);
  for (const core::Action& action : step.actions) {
    const auto* send = std::get_if<core::Send>(&action);
    const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
    if (msg != nullptr && msg->routed) sent(world, step, *send);
  }
}

NoLoop::Came NoLoop::take(World& world, const Nid& from, const Nid& to,
                          const wire::LnetHeader& header) {
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
    std::erase_if(came.visited, [&](std::uint32_t node) { return !other->visited.contains(node); });
  }
  // Among several alike messages the checker cannot know which one it was, so all of them stay.
  if (alone && --first->count == 0) legs.erase(first);
  return came;
}

void NoLoop::arrived(World& world, const ShardStep& step, const wire::LnetHeader& header) {
  const auto& in = std::get<core::HeaderArrived>(step.input);
  Came came = take(world, in.hop.nid, step.state.nis.find(in.ni)->nid(), header);
  if (!came.visited.insert(step.node.number()).second)
    violation(world, &step.node,
              "a message from " + header.src_nid.to_string() + " to " +
                  header.dest_nid.to_string() + " comes for the second time");
  // The message's record is the only new one with this header. Without such a record the message
  // was dropped.
  Record& record = records_.of(step.node);
  step.state.messages.for_each([&](Handle, const core::Msg& msg) {
    const bool came_in_here = !msg.outgoing || msg.from != nullptr;
    if (came_in_here && is_same_message(header, msg.header) &&
        record.came.find(msg.self) == nullptr)
      record.came.add(msg.self, came);
  });
}

/// Looks at the hops of the messages for which this shard has chosen a path in this step. Only what
/// the shard knows of the neighbours now counts: later, or in the shard that transmits, more may be
/// known.
void NoLoop::look_at_choices(World& world, const ShardStep& step) {
  Record& record = records_.of(step.node);
  step.state.messages.for_each([&](Handle, const core::Msg& msg) {
    if (!msg.routed || !msg.outgoing || msg.from == nullptr) return;
    Came* came = record.came.find(msg.self);
    const Nid& hop = msg.hop.nid;
    if (came == nullptr || (came->hop == hop && came->tries == msg.tries)) return;
    came->hop = hop;
    came->tries = msg.tries;
    const SimNode* next = world.find(hop);
    // An NI that is being deleted still accepts messages sent to it before, although no node has
    // its NID any more.
    came->back = hop != msg.header.dest_nid && (next == nullptr || next == came->neighbour);
    if (came->back && next != nullptr && core::is_of_gateway(step.state.peers, hop, came->from))
      violation(world, &step.node,
                "a message from " + msg.header.src_nid.to_string() + " to " +
                    msg.header.dest_nid.to_string() + " goes back to " + next->name());
  });
}

void NoLoop::sent(World& world, const ShardStep& step, const core::Send& send) {
  if (send.hop.nid == send.header.dest_nid) return;
  const Came* came = records_.of(step.node).came.find(began_as(step, send.tx));
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

}  // namespace ulnet::sim
