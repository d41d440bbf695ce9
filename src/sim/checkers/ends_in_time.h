// Everything ends: an awaited ACK or REPLY by its deadline, a ping by its own, a message soon
// after its deadline, and a message that its user gave up as soon as its driver can end it.
// Source: spec/multirail.md 6, spec/core-semantics.md 11, DESIGN.md 6.
#pragma once

#include <map>
#include <set>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class EndsInTime final : public Checker {
 public:
  EndsInTime() : Checker("ends in time", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

  /// The longest time by which timers are late.
  static constexpr Duration kSlack = std::chrono::seconds(2);
  /// A message that waits for credits has to wait until other messages have ended.
  static constexpr Duration kGrace = std::chrono::minutes(10);

 private:
  struct MdRecord {
    std::uint32_t options = 0;
    std::uint64_t awaited = 0;
    Instant due = kNever;  ///< kNever: no answer is awaited
  };
  struct Record {
    std::map<std::uint64_t, MdRecord> mds;  ///< MDs bound with a handler
    std::set<std::pair<Instant, std::uint64_t>> due;
    std::map<std::uint64_t, Instant> pings;
    Instant resumed{};  ///< when the node was last resumed
  };
  void await(Record& record, std::uint64_t cookie, Instant due);
  void stop_waiting(Record& record, std::uint64_t cookie, bool all);
  void given_up(World& world, const ShardStep& step) const;
  void overdue(World& world, const SimNode& node, const Record& record);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
