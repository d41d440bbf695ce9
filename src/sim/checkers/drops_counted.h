// No message is lost without a trace. Each one that arrives is received, or dropped with a reason
// and a counter; each one that leaves is counted; in a world of pipe drivers the messages sent
// are those that arrived and those that the wire lost. Over TCP counts cannot show that sum: what
// was written on a connection and not read is lost when it ends, and nobody knows how much that
// is. There tcp_talk.h follows each connection and accounts for every message. Source:
// spec/core-semantics.md 9, 18.12.
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
    bool routed_empty = false;  ///< it has no payload, and waits in this router
  };
  struct Record {
    Counters before;
    PerMessage<Rx> held;
    PerMessage<bool> routed;            ///< with the driver, and for another node
    std::map<Rx, Held> held_by_driver;  ///< those of `held`
    std::map<core::NiId, ByType> sent;
    DelayedArrivals delayed;
    /// Headers not refused; of these, messages that failed to land.
    std::uint64_t arrived = 0, failed = 0;
  };
  /// What a step does with messages that came in.
  struct InStep {
    std::uint64_t dropped = 0, refused = 0;
    /// Messages without payload that waited in this router and wait no more: each was either sent
    /// on or dropped, and its record may have ended with the step in both cases.
    std::uint64_t either = 0;
  };
  static InStep look_at_actions(const ShardStep& step, Record& record);
  static bool end_held(Record& record, const Rx& rx);
  static void note_routed(const ShardStep& step, Record& record);
  void check_sums(World& world, const SimNode& node);
  static Counters counters(const core::ShardState& state);

  PerNode<Record> records_;
  std::uint64_t arrived_ = 0;  ///< from other nodes, in the whole world
};

}  // namespace ulnet::sim
