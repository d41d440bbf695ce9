// A message is sent again only after failures that allow it, at most retry_count times, and not
// past the deadline of the first try; never while a driver has it, nor after it has left. The next
// path is chosen after the health of the failed one was lowered. Each message that another shard
// transmits exists there once. Source: spec/multirail.md 5.2, 5.3, shard_msg.h.
//
// A delay rule takes a message that has its credits and holds it; then the message goes on (11.3).
// The deadline counts at the time when the rule takes the message.
#include <algorithm>
#include <map>
#include <optional>

#include "lnet/core/path/health.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether the peer that gets a request of this node always sees the same NI of the node: it is
/// behind a router and has no multi-rail, whatever that router has (spec/multirail.md 3.1: "Any,
/// remote, not MR", 3.4).
bool sees_one_ni_through_router(const core::ShardState& state, const core::Msg& msg) {
  if (msg.routed || msg.hop.nid == msg.header.dest_nid) return false;
  const core::PeerNid* target = state.peers.find(msg.header.dest_nid);
  return target == nullptr || !target->multi_rail();
}

class SentAgain final : public Checker {
 public:
  SentAgain() : Checker("sent again as allowed", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    health_before_.clear();
    const auto* done = std::get_if<core::SendDone>(&step.input);
    if (done == nullptr || step.state.fault_rules.empty()) return;
    const core::Msg* failed = step.state.find(done->tx);
    const std::int32_t sensitivity = step.state.config->globals.health_sensitivity;
    for (const core::LocalNi* ni : step.state.nis.configured()) {
      const bool blamed = core::blames_ni(done->health) && failed != nullptr && failed->ni == ni;
      health_before_[ni->config.id] = core::health_after(ni->health, blamed ? -1 : 0, sensitivity);
    }
  }

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    record.retry_count = std::max(record.retry_count, step.state.config->globals.retry_count);
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      const Handle* key = record.began.find(done->tx);
      Message* message = key == nullptr ? nullptr : record.messages.find(*key);
      if (message != nullptr) {
        message->with_driver = false;
        message->status = done->status;
        message->health = done->health;
        message->begun = done->begun;
      }
    }
    for (const core::Send& send : actions_of<core::Send>(step)) sent(world, step, record, send);
    if (step.state.fault_holds.size() != 0) note_held(step, record);
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes())
      if (node.shards() > 1 && node.shard_msgs() == 0) look_at(world, node);
  }

 private:
  /// A message, by its ticket in the shard where it began.
  struct Message {
    bool with_driver = false;
    std::int32_t again = 0;  ///< how often it was sent again
    Instant deadline{};
    std::optional<Instant> held;  ///< since when a delay rule has held it
    // How the last Send ended.
    int status = 0;
    core::Health health = core::Health::kOk;
    bool begun = false;
  };
  struct Record {
    PerMessage<Message> messages;
    PerMessage<Handle> began;  ///< the key of `messages`, by the ticket that a driver has
    std::int32_t retry_count = 0;
  };

  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send) {
    const core::Msg* msg = step.state.find(send.tx);
    if (msg == nullptr) return;  // the driver has ended it within the step
    const Handle key = began_as(step, send.tx);
    record.began.add(send.tx, key);
    Message* known = record.messages.find(key);
    if (known == nullptr) {
      record.messages.add(key, {.with_driver = true, .deadline = send.deadline});
      return;
    }
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "a message to {} {}", send.hop.nid, what);
    };
    if (known->with_driver) return wrong("is with a driver already");
    if (known->status == 0) return wrong("has left, and is sent again");
    if (known->begun) return wrong("was begun, and is sent again");
    if (known->health == core::Health::kOk || !core::health_row(known->health).resend)
      return wrong("is sent again after a failure that does not allow it");
    if (++known->again > record.retry_count) return wrong("is sent again too often");
    const Instant given = std::exchange(known->held, std::nullopt).value_or(step.now);
    if (given > known->deadline) return wrong("is sent again past its deadline");
    if (send.deadline != known->deadline) return wrong("gets another deadline");
    known->with_driver = true;
    const auto* done = std::get_if<core::SendDone>(&step.input);
    if (done != nullptr && done->tx == send.tx) look_at_choice(world, step, send);
  }

  /// Notes which messages a delay rule has begun to hold in this step.
  void note_held(const ShardStep& step, Record& record) {
    step.state.messages.for_each([&](Handle message, const core::Msg& msg) {
      if (msg.state != core::MsgState::kDelayed || !msg.outgoing) return;
      Message* known = record.messages.find(began_as(step, step.state.name(message)));
      if (known != nullptr && !known->held) known->held = step.now;
    });
  }

  /// Checks the NI of a message that failed and is sent again in one step. If LNet may choose the
  /// NI, no other NI of the net may have better health than the chosen one.
  void look_at_choice(World& world, const ShardStep& step, const core::Send& send) {
    const core::Msg& msg = *step.state.find(send.tx);
    const bool free =
        msg.internal || (msg.peer->multi_rail() && !sees_one_ni_through_router(step.state, msg));
    if (!free || !msg.source.is_any()) return;
    const core::LocalNi& chosen = *msg.ni;
    const auto before = health_before_.find(chosen.config.id);
    const std::int32_t health =
        before == health_before_.end() ? chosen.health : std::max(before->second, chosen.health);
    for (const core::LocalNi* other : step.state.nis.configured())
      if (other->nid().net() == chosen.nid().net() && other->fatal == chosen.fatal &&
          other->health > health)
        violation(world, &step.node,
                  "a message that failed is sent again by {}, while {} has better health",
                  chosen.nid(), other->nid());
  }

  /// Counts the messages while no inter-shard message is under way. Each message that waits for
  /// Returned is then a message of another shard, or an inter-shard message there that refers to a
  /// configuration that the shard has not got yet.
  void look_at(World& world, const SimNode& node) {
    std::size_t waiting = 0, transmitted = 0;
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
      state.messages.for_each([&](Handle, const core::Msg& msg) {
        if (msg.state == core::MsgState::kElsewhere) ++waiting;
        if (!msg.outgoing || !msg.remote.msg) return;
        ++transmitted;
        const core::ShardState* began = node.shard_state(core::shard_of(msg.remote.msg));
        const core::Msg* owner = began == nullptr ? nullptr : began->find(msg.remote.msg);
        if (owner == nullptr || owner->state != core::MsgState::kElsewhere)
          violation(world, &node, "a message is transmitted for which no shard waits");
      });
      for (const core::ShardMsg& shard_msg : state.early)
        transmitted += std::holds_alternative<core::shard_msg::Transmit>(shard_msg.body) ? 1 : 0;
    });
    if (waiting != transmitted)
      violation(world, &node, "{} messages are elsewhere, where {} are transmitted", waiting,
                transmitted);
  }
  PerNode<Record> records_;
  /// The health of the NIs before a step in which a fault rule may fail other messages: that may
  /// lower the health after the choice.
  std::map<core::NiId, std::int32_t> health_before_;
};

}  // namespace

std::unique_ptr<Checker> sent_again_checker() { return std::make_unique<SentAgain>(); }

}  // namespace ulnet::sim
