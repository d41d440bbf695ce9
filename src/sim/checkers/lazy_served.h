// Nobody waits on a lazy portal for a buffer that is there, on whatever partition once no letter is
// under way any more, and those that wait are served in the order in which they came. Source:
// spec/core-semantics.md 4.3, 7.1, 18.10.
#pragma once

#include "sim/checkers/books.h"

namespace ulnet::core {
struct Me;
struct Msg;
}  // namespace ulnet::core

namespace ulnet::sim {

class LazyServed final : public Checker {
 public:
  LazyServed() : Checker("lazy portals served", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  void check_all(World& world) override;

 private:
  void between_shards(World& world, const SimNode& node);
};

}  // namespace ulnet::sim
