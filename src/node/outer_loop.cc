#include "node/outer_loop.h"

#include <utility>

#include "base/assert.h"

namespace ulnet::node {
namespace {

/// Events delivered between two flushes: enough that answers share system calls, few enough that
/// the first does not wait long.
constexpr unsigned kEventsPerTurn = 64;

}  // namespace

OuterLoop::~OuterLoop() { ULNET_ASSERT(!owes()); }

void OuterLoop::run() {
  if (running_) return;
  running_ = true;
  while (owes()) {
    settle_debts();
    run_strands();
  }
  running_ = false;
}

void OuterLoop::settle_debts() {
  settling_.swap(debts_);
  for (const Debt& d : settling_) d.host->settle(d.drivers, d.chores);
  settling_.clear();
}

void OuterLoop::run_strands() {
  unsigned budget = kEventsPerTurn;
  while (first_ready_ != nullptr && budget != 0) {
    Strand& strand = *first_ready_;
    first_ready_ = std::exchange(strand.next_ready, nullptr);
    if (first_ready_ == nullptr) last_ready_ = nullptr;
    bool more = false;
    budget -= strand.home->run(strand, budget, more);
    if (more) owe_run(strand);
  }
}

}  // namespace ulnet::node
