#include "sim/checkers/no_loop.h"

#include "core/path/select_route.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {

void NoLoop::after_step(World& world, const ShardStep& step) {
  if (!step.node.setup().routing.on) return;
  if (const wire::LnetHeader* header = for_another_node(step)) arrived(world, step, *header);
  for (const core::Action& action : step.actions) {
    const auto* send = std::get_if<core::Send>(&action);
    const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
    if (msg != nullptr && msg->routed) sent(world, step, *send);
  }
}

void NoLoop::arrived(World& world, const ShardStep& step, const wire::LnetHeader& header) {
  const auto& in = std::get<core::HeaderArrived>(step.input);
  const std::uint32_t here = step.node.number();
  const auto new_here = [&](const Visited& visited) { return !visited.contains(here); };
  Came came;
  came.from = in.hop.nid;
  on_the_wire_[step.state.nis.find(in.ni)->nid()].take(header, new_here, came.visited);
  if (!came.visited.insert(here).second)
    violation(world, &step.node,
              "a message from " + header.src_nid.to_string() + " to " +
                  header.dest_nid.to_string() + " comes for the second time");
  records_.of(step.node).came.add(header, std::move(came));
}

void NoLoop::sent(World& world, const ShardStep& step, const core::Send& send) {
  Record& record = records_.of(step.node);
  const SimNode* next = world.find(send.hop.nid);
  const auto from_elsewhere = [&](const Came& came) { return world.find(came.from) != next; };
  const core::MsgTicket began = began_as(step, send.tx);
  Came* leg = record.legs.find(began);
  if (leg == nullptr) {
    Came came;
    record.came.take(send.header, from_elsewhere, came);
    leg = &record.legs.add(began, std::move(came));
  }
  if (send.hop.nid == send.header.dest_nid) return;
  const bool back = next != nullptr && !from_elsewhere(*leg);
  const bool known = core::is_of_gateway(step.state.peers, send.hop.nid, leg->from);
  if (back && known)
    violation(world, &step.node,
              "a message from " + send.header.src_nid.to_string() + " to " +
                  send.header.dest_nid.to_string() + " goes back to " + next->name());
  // A router that does not know that both NIDs are of one node may send it back once.
  if (!back) on_the_wire_[send.hop.nid].add(send.header, leg->visited);
}

}  // namespace ulnet::sim
