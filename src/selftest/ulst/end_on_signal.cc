#include "selftest/ulst/end_on_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "lnet/base/assert.h"

namespace ulnet::tools::lst {

namespace {

// A signal handler can run on any thread and is allowed to call hardly any function. It therefore
// only writes to a pipe.
std::atomic<int> signal_pipe = -1;
static_assert(decltype(signal_pipe)::is_always_lock_free);

void write_signal(int signal) {
  const int before = errno;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  const auto number = static_cast<unsigned char>(signal);
  (void)!::write(signal_pipe, &number, 1);
  errno = before;
}

}  // namespace

EndOnSignal::EndOnSignal(std::function<void()> end) : end_(std::move(end)) {
  ULNET_ASSERT(::pipe2(pipe_.data(), O_CLOEXEC) == 0);
  signal_pipe = pipe_[1];
  waiting_ = std::thread([this] { wait_for_signal(); });
  struct sigaction action {};
  action.sa_handler = write_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

EndOnSignal::~EndOnSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  constexpr unsigned char kNone = 0;
  (void)!::write(pipe_[1], &kNone, 1);
  waiting_.join();
  signal_pipe = -1;
  for (const int end : pipe_) ::close(end);
}

void EndOnSignal::wait_for_signal() {
  unsigned char signal = 0;
  while (::read(pipe_[0], &signal, 1) < 0 && errno == EINTR) continue;
  if (signal == 0) return;
  end_();
  std::fflush(stdout);
  ::_exit(128 + signal);
}

}  // namespace ulnet::tools::lst
