// Shards and drivers keep their contract: every header gets exactly one verdict, every Land one
// PayloadLanded, every Send one SendDone, in time; a ticket that has ended is not used again;
// Drained is reported only when nothing is in flight on the NI. Source: DESIGN.md 2,
// lnet/core/contract/ports.h.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class DriverContract final : public Checker {
 public:
  DriverContract() : Checker("driver contract", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

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
  void take_input(World& world, const ShardStep& step, Record& record);
  void take_action(World& world, const ShardStep& step, Record& record, const core::Action& action);
  static bool end_rx(Record& record, const ShardStep& step, const Rx& rx);
  static bool drop_rx(World& world, Record& record, const ShardStep& step, const Rx& rx);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
