// Credits are neither lost nor created, and no message waits for a credit while one is free.
// Source: spec/core-semantics.md 10.1, 10.2, 18.13.
//
// The checker counts the messages that drivers have: each was given to a driver, and its SendDone
// has not come. A gate counts the credits of an NI or of a peer NI. After a step, the number of
// credits in use at an NI's gate must equal the number of messages that its driver has. At a peer
// NI's gate it may be larger, because messages that wait for an NI's credit already hold a credit
// of their peer NI. check_all() compares every gate of every shard with all messages of that shard.
// In a router it also compares the router credits of each peer NI, and the router buffers (10.3).
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {

class CreditsConserved final : public Checker {
 public:
  CreditsConserved() : Checker("credits conserved", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  /// The credits in use of a gate: by messages that a driver has, and at the gate's last check.
  struct InUse {
    std::int32_t with_driver = 0;
    std::int32_t before = 0;
  };
  struct Path {
    core::NiId ni;
    Nid peer;
  };
  struct Record {
    PerMessage<Path> sent;
    std::map<core::NiId, InUse> nis;
    std::map<Nid, InUse> peers;
  };
  void check(World& world, const SimNode& node, const core::ShardState& state, Record& record);
  void look(World& world, const ShardStep& step, Record& record, const Path& path);
  void look(World& world, const SimNode& node, const core::Gate& gate, InUse& in_use,
            std::int32_t more, const Nid& whose);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
