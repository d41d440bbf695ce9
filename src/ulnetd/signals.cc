#include "ulnetd/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "lnet/base/assert.h"

namespace ulnet::tools {

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  ULNET_ASSERT(descriptor_ >= 0);
}

Signals::~Signals() { ::close(descriptor_); }

std::optional<Signals::Signal> Signals::wait(std::chrono::milliseconds time, int other) {
  pollfd polled[2] = {{descriptor_, POLLIN, 0}, {other, POLLIN, 0}};
  ::poll(polled, 2, static_cast<int>(time.count()));
  signalfd_siginfo info{};
  if (::read(descriptor_, &info, sizeof info) != sizeof info) return {};
  return Signal{static_cast<int>(info.ssi_signo), static_cast<pid_t>(info.ssi_pid), info.ssi_uid};
}

}  // namespace ulnet::tools
