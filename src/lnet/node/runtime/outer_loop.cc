#include "lnet/node/runtime/outer_loop.h"

#include <utility>

namespace ulnet::node {
namespace {

/// Events delivered between two flushes: enough for answers to share system calls, few enough for
/// the first answer not to wait long.
constexpr unsigned kEventsPerTurn = 64;
/// After this many turns the thread gives the remaining work to the timekeepers' threads
/// (DeferredWork::take_over()).
constexpr unsigned kTurns = 128;

}  // namespace

OuterLoop::~OuterLoop() { ULNET_ASSERT(!has_deferred()); }

void OuterLoop::run() noexcept {
  if (running_) return;
  ULNET_ASSERT(!inside_);
  running_ = true;
  for (unsigned turn = 1; has_deferred(); ++turn) {
    run_deferred();
    run_strands();
    clock_read_ = false;  // the first turn uses the time that was read for its batch
    if (turn % kTurns == 0) offload();
  }
  running_ = clock_read_ = false;
}

void OuterLoop::offload() {
  std::erase_if(deferred_, [](const Deferred& d) { return d.to->take_over(nullptr, d.kinds); });
  Strand* strand = first_ready_;
  first_ready_ = last_ready_ = nullptr;
  while (strand != nullptr) {
    Strand* next = std::exchange(strand->next_ready, nullptr);
    if (!strand->owner->host().take_over(strand, 0)) defer_run(*strand);
    strand = next;
  }
}

void OuterLoop::run_deferred() {
  running_now_.swap(deferred_);
  for (const Deferred& d : running_now_) d.to->run_deferred(d.kinds);
  running_now_.clear();
}

void OuterLoop::run_strands() {
  unsigned budget = kEventsPerTurn;
  while (first_ready_ != nullptr && budget != 0) {
    Strand& strand = *first_ready_;
    first_ready_ = std::exchange(strand.next_ready, nullptr);
    if (first_ready_ == nullptr) last_ready_ = nullptr;
    bool more = false;
    budget -= strand.owner->run(strand, budget, more);
    if (more) defer_run(strand);
  }
}

}  // namespace ulnet::node
