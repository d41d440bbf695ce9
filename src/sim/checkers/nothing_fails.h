// Where nothing is broken nothing fails: for worlds without faults, with time to spare. Not one of
// all.h's, for in other worlds messages do fail.
#pragma once

#include "sim/checkers/books.h"

namespace ulnet::sim {

class NothingFails final : public Checker {
 public:
  NothingFails() : Checker("nothing fails", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
};

}  // namespace ulnet::sim
