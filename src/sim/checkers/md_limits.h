// An MD accepts what its user allowed and no more: its length, truncation, max_size, the threshold.
// Source: spec/core-semantics.md 4.2, 4.5, 18.7 to 18.9.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class MdLimits final : public Checker {
 public:
  MdLimits() : Checker("MD limits", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  struct MdRecord {
    std::uint32_t options = 0, max_size = 0;
    std::uint64_t length = 0;
    std::int64_t threshold = 0;
    std::int64_t operations = 0;  ///< operations that ended
  };
  using Record = std::map<std::uint64_t, MdRecord>;
  void posted(World& world, const ShardStep& step, Record& record, const core::Post& post);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
