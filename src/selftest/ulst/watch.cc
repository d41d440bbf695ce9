#include "selftest/ulst/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace ulnet::tools::lst {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

// A signal handler can run on any thread, but has to end the pause of the waiting thread. It
// therefore writes a byte to a pipe.
std::atomic<bool> noted = false;
std::atomic<int> bell = -1;
static_assert(decltype(noted)::is_always_lock_free && decltype(bell)::is_always_lock_free);

void note(int) {
  const int before = errno;
  noted = true;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  (void)!::write(bell, "", 1);
  errno = before;
}

class SystemWatch final : public Watch {
 public:
  SystemWatch() {
    if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) == 0) bell = pipe_[1];
  }
  ~SystemWatch() override {
    heed(false);
    bell = -1;
    for (const int end : pipe_) ::close(end);
  }

  Instant now() const override {
    return Instant(std::chrono::steady_clock::now().time_since_epoch());
  }
  void pause(Duration time) override {
    const Instant end = now() + time;
    for (Duration left = time; left > Duration{}; left = end - now()) {
      pollfd rung{pipe_[0], POLLIN, 0};
      const timespec wait{static_cast<time_t>(left.count() / 1'000'000'000),
                          static_cast<long>(left.count() % 1'000'000'000)};
      if (::ppoll(&rung, 1, &wait, nullptr) <= 0) continue;
      std::array<char, 8> bytes{};
      (void)!::read(pipe_[0], bytes.data(), bytes.size());
      return;
    }
  }
  void heed(bool interrupts) override {
    if (interrupts == heeding_) return;
    heeding_ = interrupts;
    if (interrupts) noted = false;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (interrupts)
        ::sigaction(kSignals[i], &action, &before_[i]);
      else
        ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  bool interrupted() const override { return noted; }

 private:
  std::array<int, 2> pipe_{-1, -1};
  bool heeding_ = false;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace

std::unique_ptr<Watch> system_watch() { return std::make_unique<SystemWatch>(); }

}  // namespace ulnet::tools::lst
