// Shards and drivers keep their contract: every header gets exactly one verdict, every Land one
// PayloadLanded, every Send one SendDone, in time; a ticket that has ended is not used again;
// Drained is reported only when nothing is in flight on the NI. Source: DESIGN.md 2,
// lnet/core/contract/ports.h.
#include <algorithm>
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class DriverContract final : public Checker {
 public:
  DriverContract() : Checker("driver contract", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    take_input(world, step, record);
    for (const core::Action& action : step.actions) take_action(world, step, record, action);
  }

  void on_node(World& world, SimNode& node, NodeChange change) override {
    for (std::uint32_t shard = 0; shard < node.shards(); ++shard) {
      Record& record = records_.of(node, shard);
      if (change == NodeChange::kResumed) record.resumed = world.now();
      if (change != NodeChange::kStopped) continue;
      for (const auto& [ni, count] : record.in_flight)
        if (count != 0) violation(world, &node, "stopped with messages in its drivers' hands");
    }
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr || node.state() == SimNode::State::kPaused) continue;
      for_each_shard(node, [&](const core::ShardState&, std::uint32_t shard) {
        Record& record = records_.of(node, shard);
        record.sends.for_each([&](Handle, const Sent& sent) {
          if (sent.deadline == kNever) return;
          if (std::max(sent.deadline, record.resumed) + kGrace < world.now())
            violation(world, &node, "a Send whose time is over did not end");
        });
      });
    }
  }

  void at_end(World& world) override {
    for (const SimNode& node : world.nodes()) {
      for_each_shard(node, [&](const core::ShardState&, std::uint32_t shard) {
        for (const auto& [ni, count] : records_.of(node, shard).in_flight)
          if (count != 0) violation(world, &node, "a message without an end");
      });
    }
  }
  /// How long after its deadline a driver may still have a Send.
  static constexpr Duration kGrace = std::chrono::minutes(2);

 private:
  struct Sent {
    core::NiId ni;
    Instant deadline{};
  };
  struct Record {
    /// Held messages for which the shard has given a DropPayload, with the step of the world in
    /// which it did. The driver carries the DropPayload out in the same step of the world. Until
    /// then the end of the message's connection may cross it.
    PerMessage<std::uint64_t> dropped;
    PerMessage<Sent> sends;
    PerMessage<core::NiId> landings;
    PerMessage<Rx> held;
    std::map<Rx, core::MsgTicket> waiting;  ///< `held` by Rx
    std::map<core::NiId, std::int64_t> in_flight;
    Instant resumed{};  ///< when the node was last resumed
  };

  void take_input(World& world, const ShardStep& step, Record& record) {
    const auto wrong = [&](const char* what) { violation(world, &step.node, what); };
    if (const auto* arrived = std::get_if<core::HeaderArrived>(&step.input)) {
      if (record.waiting.contains({arrived->ni, arrived->rx.value}))
        return wrong("two messages with one ticket");
      std::size_t verdicts = 0;
      bool deferred = false;  // another shard gives the verdict, unless this step gives one
      for (const core::Action& action : step.actions) {
        const auto about = [&](const auto* verdict) {
          return verdict != nullptr && verdict->ni == arrived->ni && verdict->rx == arrived->rx;
        };
        const auto* hold = std::get_if<core::HoldPayload>(&action);
        deferred = deferred || (about(hold) && hold->how == core::Hold::kDefer);
        verdicts += about(std::get_if<core::Land>(&action)) +
                    (about(hold) && hold->how == core::Hold::kStage) +
                    about(std::get_if<core::DropPayload>(&action)) +
                    about(std::get_if<core::Reject>(&action));
        const auto* send = std::get_if<core::Send>(&action);
        verdicts += send != nullptr && arrived->rx.value != 0 && send->answers == arrived->rx;
      }
      if (verdicts != 1 && !(verdicts == 0 && deferred))
        wrong(verdicts == 0 ? "a header without a verdict" : "more than one verdict");
    } else if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input)) {
      if (const core::NiId* ni = record.landings.find(landed->msg)) {
        --record.in_flight[*ni];
        record.landings.erase(landed->msg);
      } else if (const Rx* rx = record.held.find(landed->msg)) {
        if (landed->status == 0) return wrong("a held message landed by itself");
        --record.in_flight[rx->ni];
        record.waiting.erase(*rx);
        record.held.erase(landed->msg);
      } else {
        const std::uint64_t* dropped = record.dropped.find(landed->msg);
        if (landed->status == 0 || dropped == nullptr || *dropped != world.steps())
          return wrong("PayloadLanded for a message that was not landing");
        record.dropped.erase(landed->msg);
      }
    } else if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      const Sent* sent = record.sends.find(done->tx);
      if (sent == nullptr) return wrong("SendDone for a message that was not sent");
      --record.in_flight[sent->ni];
      record.sends.erase(done->tx);
    }
  }

  void take_action(World& world, const ShardStep& step, Record& record,
                   const core::Action& action) {
    const auto wrong = [&](const char* what) { violation(world, &step.node, what); };
    if (const auto* send = std::get_if<core::Send>(&action)) {
      if (record.sends.find(send->tx) != nullptr) return wrong("one message sent twice");
      // A fault rule may have delayed the message past its deadline.
      const Instant deadline = std::max(send->deadline, world.now());
      record.sends.add(send->tx, {send->ni, deadline});
      ++record.in_flight[send->ni];
    } else if (const auto* land = std::get_if<core::Land>(&action)) {
      if (!end_rx(record, step, {land->ni, land->rx.value})) return wrong("Land of a dead ticket");
      if (land->sink.length > land->rlen) return wrong("Land of more than there is");
      record.landings.add(land->msg, land->ni);
      ++record.in_flight[land->ni];
    } else if (const auto* copy = std::get_if<core::CopyPayload>(&action)) {
      const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
      if (arrived == nullptr || !arrived->whole)
        return wrong("CopyPayload of a payload that has not come");
      if (copy->to.size() != copy->from.size()) return wrong("CopyPayload of two lengths");
      if (copy->from.size() > arrived->header->payload_length)
        return wrong("CopyPayload of more than there is");
      if (!copy->from.empty() && copy->from.data() != arrived->immediate.data())
        return wrong("CopyPayload of something else");
      // The actions that report the payload come after the CopyPayload.
      const auto reports_payload = [](const core::Action& each) {
        return std::holds_alternative<core::Post>(each) ||
               std::holds_alternative<core::Send>(each) ||
               shard_msg_of<core::shard_msg::Ended>(each) != nullptr;
      };
      const core::Action* next = &action + 1;
      const core::Action* end = step.actions.data() + step.actions.size();
      const auto* done = next == end ? nullptr : std::get_if<core::DropPayload>(next);
      if (done == nullptr || done->rx != arrived->rx ||
          done->rlen != arrived->header->payload_length)
        return wrong("CopyPayload without its DropPayload");
      if (std::any_of(step.actions.data(), &action, reports_payload))
        wrong("CopyPayload of a payload that was reported already");
    } else if (const auto* hold = std::get_if<core::HoldPayload>(&action)) {
      const Rx rx{hold->ni, hold->rx.value};
      if (!end_rx(record, step, rx)) return wrong("HoldPayload of a dead ticket");
      record.held.add(hold->msg, rx);
      record.waiting[rx] = hold->msg;
      ++record.in_flight[hold->ni];
    } else if (const auto* drop = std::get_if<core::DropPayload>(&action)) {
      if (!drop_rx(world, record, step, {drop->ni, drop->rx.value}))
        wrong("DropPayload of a dead ticket");
    } else if (const auto* reject = std::get_if<core::Reject>(&action)) {
      if (!end_rx(record, step, {reject->ni, reject->rx.value})) wrong("Reject of a dead ticket");
    } else if (const auto* cancel = std::get_if<core::Cancel>(&action)) {
      if (record.sends.find(cancel->tx) == nullptr) wrong("Cancel of a message that was not sent");
    } else if (const auto* drained = std::get_if<core::Drained>(&action)) {
      if (record.in_flight[drained->ni] != 0) wrong("Drained with messages in flight");
    }
  }

  /// Ends the wait for a verdict, for the message that arrived in this step or for one that was
  /// held. False: no such message waits.
  static bool end_rx(Record& record, const ShardStep& step, const Rx& rx) {
    const auto held = record.waiting.find(rx);
    if (held == record.waiting.end()) {
      const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
      return arrived != nullptr && arrived->ni == rx.ni && arrived->rx.value == rx.ticket;
    }
    --record.in_flight[rx.ni];
    record.held.erase(held->second);
    record.waiting.erase(held);
    return true;
  }

  /// As end_rx(), for a DropPayload. When the connection of a held message dies, its PayloadLanded
  /// may cross the DropPayload (lnet/core/contract/ports.h, PayloadLanded). This can happen in a
  /// step with any input: when a payload fails, or a Send on that connection, a router goes on with
  /// the messages that wait.
  static bool drop_rx(World& world, Record& record, const ShardStep& step, const Rx& rx) {
    const auto held = record.waiting.find(rx);
    if (held != record.waiting.end()) record.dropped.add(held->second, world.steps());
    return end_rx(record, step, rx);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> driver_contract_checker() { return std::make_unique<DriverContract>(); }

}  // namespace ulnet::sim
