// Credits are neither lost nor made up, and no message waits for one while any is left. Source:
// spec/core-semantics.md 10.1, 10.2, 18.13.
//
// The checker counts the messages that were handed to drivers and have not ended. A gate must
// agree: its credits in use are those of messages with the driver, and for a peer NI also those
// of messages that wait for the NI's credit. check_all() counts every message of every node; and of
// a router also its credits for peer NIs and its buffers (10.3).
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
  /// Credits in use: messages with the driver, and what the gate said when last looked at.
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
