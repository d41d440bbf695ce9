// No message is lost without a trace. Each message that arrives is received, or dropped with a
// reason and a counter; each message that leaves is counted. In a world of pipe drivers the
// messages sent are those that arrived and those that the wire lost. Over TCP counters cannot show
// that sum: bytes that were written to a connection and not read are lost when it ends, and no
// counter has their number. There tcp_talk.h follows each connection and accounts for every
// message. Source: spec/core-semantics.md 9, 18.12.
#include <map>

#include "lnet/core/contract/drop_reason.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

bool pipes_only(const World& world) {
  for (const SimNode& node : world.nodes())
    for (const NiSetup& ni : node.setup().nis)
      if (ni.driver.value_or(node.setup().driver) != DriverKind::kPipe) return false;
  return true;
}

/// Whether a message for another node whose payload is already in memory, or that has no payload.
bool needs_no_landing(const ShardStep& step, const wire::LnetHeader* routed) {
  if (routed == nullptr) return false;
  return taken_at_once(step) != nullptr || routed->payload_length == 0;
}

class DropsCounted final : public Checker {
 public:
  DropsCounted() : Checker("drops counted", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    const Counters now = counters(step.state);
    const Counters was = std::exchange(record.before, now);
    if (answered<core::call::ResetStats>(step.input) != nullptr) {
      record.arrived = record.failed = 0;
      return record.sent.clear();
    }

    const wire::LnetHeader* routed = for_another_node(step);
    auto [dropped, refused, either] = look_at_actions(step, record);
    std::uint64_t received = 0;
    if (const auto* arrived = std::get_if<core::HeaderArrived>(&step.input)) {
      if (!arrived->hop.nid.is_loopback()) ++arrived_;
      const wire::MsgType type = arrived->header->type();
      const bool taken = taken_at_once(step) != nullptr ||
                         (!carries_payload(type) && refused == 0 && now.received != was.received);
      // A message that a router forwards does not count as received (spec/core-semantics.md 9), and
      // its driver reads no payload of its own.
      const bool goes_on =
          now.reasons == was.reasons && dropped != 0 && needs_no_landing(step, routed);
      received = taken && routed == nullptr;
      dropped -= received || goes_on;
    } else if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input)) {
      const Rx* held = record.held.find(landed->msg);
      const bool lost = held != nullptr;
      if (lost) end_held(record, Rx(*held));
      dropped += lost;
      const bool for_others = record.routed.find(landed->msg) != nullptr;
      if (step.state.find(landed->msg) == nullptr) record.routed.erase(landed->msg);
      received = !lost && !for_others && landed->status == 0;
      // The shard counts the message as one that could not be forwarded.
      record.failed -= for_others && landed->status != 0;
    }
    dropped += std::min(either, now.dropped - std::min(now.dropped, was.dropped + dropped));
    bool sent = false;
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      sent = done->status == 0 && record.routed.find(done->tx) == nullptr;
      if (sent_again(step) == nullptr) record.routed.erase(done->tx);
    }
    note_routed(step, record);
    const auto wrong = [&](const char* what, std::uint64_t counted, std::uint64_t seen) {
      violation(world, &step.node, "{}: {} counted, {} seen in one step", what, counted, seen);
    };
    record.arrived += std::holds_alternative<core::HeaderArrived>(step.input) && refused == 0;
    if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input))
      record.failed += landed->status != 0;
    // Several messages may go on in one step. Another shard may count what this shard drops: see
    // at_end().
    if (record.delayed.look(step) || step.node.shards() > 1) return;
    if (now.dropped - was.dropped != dropped)
      return wrong("dropped", now.dropped - was.dropped, dropped);
    // A router whose routing is turned off ends second legs for the same reason as arriving
    // messages.
    const bool is_off = step.node.has_routed() && !step.state.router.forwards();
    if (!is_off && now.reasons - was.reasons != dropped + refused)
      return wrong("dropped with a reason", now.reasons - was.reasons, dropped + refused);
    if (now.received - was.received != received)
      return wrong("received", now.received - was.received, received);
    if (now.sent - was.sent != sent) wrong("sent", now.sent - was.sent, sent);
  }

  void check_all(World& world) override {
    for_each_shard(
        world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
          Record& record = records_.of(node, shard);
          for (const core::LocalNi* ni : state.nis.configured()) {
            if (by_type(ni->traffic.sent) != record.sent[ni->config.id])
              violation(world, &node, "{}: does not count the messages that it sends", ni->nid());
          }
        });
  }

  void at_end(World& world) override {
    for (const SimNode& node : world.nodes())
      if ((node.shards() > 1 || node.has_routed()) && node.shard_state() != nullptr)
        check_sums(world, node);
    if (!pipes_only(world)) return;
    const Exercised& seen = world.exercised();
    const std::uint64_t left = sum(seen.messages) + seen.duplicated;
    if (left != arrived_ + sum(seen.lost))
      violation(world, nullptr, "{} messages were on the wire, {} arrived and {} were lost", left,
                arrived_, sum(seen.lost));
  }

 private:
  /// A node's counters at the last look.
  struct Counters {
    std::uint64_t sent = 0, received = 0, dropped = 0;
    std::uint64_t reasons = 0;  ///< sum over the drop reasons of messages that arrived
  };
  struct Held {
    core::MsgTicket msg;
    bool routed_empty = false;  ///< the message has no payload, and waits in this router
  };
  struct Record {
    Counters before;
    PerMessage<Rx> held;
    PerMessage<bool> routed;            ///< messages for other nodes that the driver has
    std::map<Rx, Held> held_by_driver;  ///< the messages of `held`
    std::map<core::NiId, ByType> sent;
    DelayedArrivals delayed;
    /// Headers not refused; part of these: messages that failed to land.
    std::uint64_t arrived = 0, failed = 0;
  };
  /// What a step does with messages that came in.
  struct InStep {
    std::uint64_t dropped = 0, refused = 0;
    /// Messages without payload that waited in this router and wait no more: each was either
    /// forwarded or dropped, and its record may have ended with the step in both cases.
    std::uint64_t either = 0;
  };

  /// Notes which messages are held and sent in this step.
  static InStep look_at_actions(const ShardStep& step, Record& record) {
    InStep seen;
    const wire::LnetHeader* routed = for_another_node(step);
    const bool routed_empty = routed != nullptr && routed->payload_length == 0;
    for (const core::Action& action : step.actions) {
      if (const auto* drop = std::get_if<core::DropPayload>(&action))
        ++(end_held(record, {drop->ni, drop->rx.value}) ? seen.either : seen.dropped);
      seen.refused += std::holds_alternative<core::Reject>(action);
      if (const auto* hold = std::get_if<core::HoldPayload>(&action)) {
        const Rx& rx = record.held.add(hold->msg, {hold->ni, hold->rx.value});
        record.held_by_driver[rx] = {hold->msg, routed_empty};
      }
      if (const auto* land = std::get_if<core::Land>(&action))
        end_held(record, {land->ni, land->rx.value});
      if (const auto* send = std::get_if<core::Send>(&action))
        ++record.sent[send->ni][index(send->header.type())];
    }
    return seen;
  }

  /// Ends the hold of the message with this ticket, if the driver held one. True: the message has
  /// no payload, and waited in this router.
  static bool end_held(Record& record, const Rx& rx) {
    const auto held = record.held_by_driver.find(rx);
    if (held == record.held_by_driver.end()) return false;
    const Held was = held->second;
    record.held.erase(was.msg);
    record.held_by_driver.erase(held);
    return was.routed_empty;
  }

  /// Notes messages for other nodes that the driver gets, to read their payload or to send them.
  static void note_routed(const ShardStep& step, Record& record) {
    const auto note = [&](core::MsgTicket ticket) {
      const core::Msg* msg = step.state.find(ticket);
      if (msg != nullptr && msg->routed) record.routed.add(ticket, true);
    };
    for (const core::Action& action : step.actions) {
      if (const auto* land = std::get_if<core::Land>(&action)) note(land->msg);
      if (const auto* send = std::get_if<core::Send>(&action)) note(send->tx);
    }
  }

  /// Checks over all shards that every message that arrived was received, dropped, or failed to
  /// land; or that it was for another node, and was forwarded or could not be.
  void check_sums(World& world, const SimNode& node) {
    Counters counted;
    std::uint64_t arrived = 0, failed = 0, routed = 0, ended = 0;
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
      const Counters more = counters(state);
      counted.received += more.received;
      counted.dropped += more.dropped;
      routed += state.counters.global.route_count + drops(state, core::DropReason::kNotForwarded);
      // Some of the messages that ended were in buffers when routing ended, and do not count as
      // dropped.
      ended += drops(state, core::DropReason::kRoutingOff);
      arrived += records_.of(node, shard).arrived;
      failed += records_.of(node, shard).failed;
    });
    const std::uint64_t known = counted.received + counted.dropped + routed;
    if (known > arrived || known + failed + ended < arrived)
      violation(world, &node,
                "{} messages arrived, {} received, {} dropped, {} for other nodes, at most {} "
                "failed, at most {} ended with routing",
                arrived, counted.received, counted.dropped, routed, failed, ended);
  }

  static Counters counters(const core::ShardState& state) {
    const core::GlobalStats& global = state.counters.global;
    return {global.send_count, global.recv_count, global.drop_count,
            all_drops(state) - drops(state, core::DropReason::kQueuedTooLong) -
                drops(state, core::DropReason::kFaultRuleSent) -
                drops(state, core::DropReason::kNotForwarded)};
  }
  PerNode<Record> records_;
  std::uint64_t arrived_ = 0;  ///< messages from other nodes, in the whole world
};

}  // namespace

std::unique_ptr<Checker> drops_counted_checker() { return std::make_unique<DropsCounted>(); }

}  // namespace ulnet::sim
