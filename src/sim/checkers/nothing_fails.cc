// No message and no operation fails: for worlds without faults, whose time-outs are long enough. It
// is not in all.h, since messages do fail in other worlds.
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class NothingFails final : public Checker {
 public:
  NothingFails() : Checker("nothing fails", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override {
    const auto* done = std::get_if<core::SendDone>(&step.input);
    if (done == nullptr || !step.node.up() || done->status == 0 || done->status == -ECANCELED)
      return;
    violation(world, &step.node, "a message failed with {}, {}, though nothing was broken",
              done->status, core::to_string(done->health));
  }
};

}  // namespace

std::unique_ptr<Checker> nothing_fails_checker() { return std::make_unique<NothingFails>(); }

}  // namespace ulnet::sim
