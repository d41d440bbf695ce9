// Credits are neither lost nor created, and no message waits for a credit while one is free.
// Source: spec/core-semantics.md 10.1, 10.2, 18.13.
//
// The checker counts the messages that were given to drivers and have not ended. A gate must agree:
// its credits in use are those of messages that drivers have, and for a peer NI also those of
// messages that wait for the NI's credit. check_all() counts every message of every node; in a
// router it also counts the credits for peer NIs and the buffers (10.3).
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
  /// Credits in use: by messages that a driver has, and as the gate last reported.
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
