// A node that is down or paused takes no step, and one that has stopped only serves calls and
// timers. An NI that was removed sends nothing more. A message of an earlier incarnation changes
// nothing in a later one. Source: DESIGN.md 6, spec/wire-lnet.md 2.5.
#include <algorithm>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

using State = SimNode::State;

/// Whether the node is down or paused.
bool silent(State state) { return state == State::kDown || state == State::kPaused; }

/// Whether the shard takes a message, or has an effect outside, in this step. A HoldPayload of a
/// delay rule does not count: the shard does not look at the message before it goes on.
bool takes(const ShardStep& step) {
  const bool delayed = delayed_in(step) != nullptr;
  return !actions_of<core::Land>(step).empty() || !actions_of<core::CopyPayload>(step).empty() ||
         (!delayed && !actions_of<core::HoldPayload>(step).empty()) ||
         !actions_of<core::Send>(step).empty() || !actions_of<core::Post>(step).empty();
}

bool sends_by_removed_ni(const ShardStep& step) {
  return std::ranges::any_of(actions_of<core::Send>(step), [&](const core::Send& send) {
    const core::LocalNi* ni = step.state.nis.find(send.ni);
    return ni != nullptr && ni->phase == core::NiPhase::kDraining;
  });
}

class NothingAfterEnd final : public Checker {
 public:
  NothingAfterEnd() : Checker("nothing after the end", kAfterStep | kEvents | kMemory) {}

  void after_step(World& world, const ShardStep& step) override {
    const State state = step.node.state();
    // Users may still unlink their MDs, and answers that they await still have a deadline.
    const bool late = std::holds_alternative<core::Api>(step.input) ||
                      std::holds_alternative<core::Tick>(step.input);
    if (silent(state)) return violation(world, &step.node, "a step while it is down or frozen");
    if (state == State::kStopped && !late)
      return violation(world, &step.node, "a step after it had stopped");
    if (sends_by_removed_ni(step))
      return violation(world, &step.node, "sent a message by an NI that was removed");
    if (std::holds_alternative<core::HeaderArrived>(step.input)) {
      old_answer(world, step);
      if (step.state.shut_down && takes(step))
        violation(world, &step.node, "took a message after its shutdown began");
    }
    if (!step.state.shut_down) return;
    if (answered<core::call::Put>(step.input) || answered<core::call::Get>(step.input) ||
        answered<core::call::Ping>(step.input))
      violation(world, &step.node, "began an operation after its shutdown began");
  }

  void on_event(World& world, SimNode& node, const core::Post& post) override {
    const bool farewell = node.state() == State::kStopped && post.event.type == EventType::kUnlink;
    if (silent(node.state()) || (node.state() == State::kStopped && !farewell))
      violation(world, &node, "a handler was called after the end");
  }

  void on_memory(World& world, SimNode& node, const iovec&, bool) override {
    if (silent(node.state()) || node.state() == State::kStopped)
      violation(world, &node, "memory was touched after the end");
  }

 private:
  /// Checks that the shard takes no answer to an earlier incarnation. An ACK or a REPLY carries the
  /// incarnation of the node that requested it. A router cannot check that for other nodes.
  void old_answer(World& world, const ShardStep& step) {
    const wire::LnetHeader& header = *std::get<core::HeaderArrived>(step.input).header;
    const auto* ack = std::get_if<wire::AckPart>(&header.part);
    const auto* reply = std::get_if<wire::ReplyPart>(&header.part);
    if ((ack == nullptr && reply == nullptr) || for_another_node(step) != nullptr) return;
    const wire::WireHandle& asker = ack != nullptr ? ack->dst_wmd : reply->dst_wmd;
    if (asker.interface_cookie != step.node.incarnation() && takes(step))
      violation(world, &step.node, "took an answer for an earlier incarnation");
  }
};

}  // namespace

std::unique_ptr<Checker> nothing_after_end_checker() { return std::make_unique<NothingAfterEnd>(); }

}  // namespace ulnet::sim
