// A life that is over does nothing more, and what belongs to it changes nothing in the next one.
// Source: DESIGN.md 6, spec/wire-lnet.md 2.5.
#pragma once

#include "sim/checkers/books.h"

namespace ulnet::sim {

class NothingAfterEnd final : public Checker {
 public:
  NothingAfterEnd() : Checker("nothing after the end", kAfterStep | kEvents | kMemory) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void on_memory(World& world, SimNode& node, const iovec& memory, bool written) override;

 private:
  void old_answer(World& world, const ShardStep& step);
};

}  // namespace ulnet::sim
