#include "lab/live/stop_signal.h"

#include <atomic>

namespace ulnet::tools::lab {

namespace {

std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
}

}  // namespace

StopSignal::StopSignal() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
    // Keeps ignoring signals that were ignored before: nohup sets that, and a shell for programs in
    // the background.
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignal::came() { return first_signal; }

}  // namespace ulnet::tools::lab
