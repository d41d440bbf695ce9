// No message is lost without a trace. Each message that arrives is received, or dropped with a
// reason and a counter; each message that leaves is counted. In a world of pipe drivers the
// messages sent are those that arrived and those that the wire lost. Over TCP counters cannot show
// that sum: bytes that were written to a connection and not read are lost when it ends, and no
// counter has their number. There tcp_talk.h follows each connection and accounts for every
// message. Source: spec/core-semantics.md 9, 18.12.
#pragma once

#include <map>

#include "lnet/core/contract/drop_reason.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/delayed_arrivals.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class DropsCounted final : public Checker {
 public:
  DropsCounted() : Checker("drops counted", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

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
  static InStep look_at_actions(const ShardStep& step, Record& record);
  static bool end_held(Record& record, const Rx& rx);
  static void note_routed(const ShardStep& step, Record& record);
  void check_sums(World& world, const SimNode& node);
  static Counters counters(const core::ShardState& state);

  PerNode<Record> records_;
  std::uint64_t arrived_ = 0;  ///< messages from other nodes, in the whole world
};

}  // namespace ulnet::sim
