#include "lnet/node/runtime/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>

#include "lnet/base/assert.h"
#include "lnet/lnd/pause.h"
#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

Poller::Poller() = default;

Poller::~Poller() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

void Poller::add(lnd::Lnd& driver) {
  ULNET_ASSERT(driver.progress_kind() == lnd::Progress::kPolled);
  drivers_.push_back(&driver);
  if (const int fd = driver.wait_descriptor(); fd >= 0) descriptors_.push_back({fd, POLLIN, 0});
}

void Poller::allow_wake() {
  wake_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake_fd_ < 0)
    throw std::system_error(errno, std::generic_category(), "no descriptor for the poller");
  descriptors_.insert(descriptors_.begin(), {wake_fd_, POLLIN, 0});
}

bool Poller::look() {
  bool moved = false;
  const std::size_t count = drivers_.size();
  for (std::size_t i = 0; i < count; ++i)
    moved = drivers_[(first_ + i) % count]->progress(Duration::zero()) || moved;
  if (count > 1) first_ = (first_ + 1) % count;
  return moved;
}

bool Poller::wait(Duration wait) {
  // A driver's own wait takes a system call less.
  if (drivers_.size() == 1 && wake_fd_ < 0) return drivers_.front()->progress(wait);
  Instant at = now();
  duty_.end(at);  // what was delivered by the last wait() has been handled
  const Instant until = wait < kNever - at ? at + wait : kNever;
  for (;;) {
    duty_.begin(at);
    if (look()) return true;
    at = now();
    if (at >= until) return false;
    const Duration most = may_sleep(until - at);
    if (most == Duration::zero()) {
      lnd::pause();
      continue;
    }
    duty_.sleep();
    if (sleep(most)) return false;
    at = now();
  }
}

Duration Poller::may_sleep(Duration most) {
  for (lnd::Lnd* driver : drivers_) {
    most = std::min(most, driver->may_sleep());
    if (most <= Duration::zero()) return {};
  }
  return most;
}

bool Poller::sleep(Duration most) {
  constexpr Duration kLongest = std::chrono::hours(1);
  const auto ns = std::min(most, kLongest).count();
  const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
  const int ready = ppoll(descriptors_.data(), descriptors_.size(), &timeout, nullptr);
  if (ready <= 0 || wake_fd_ < 0 || (descriptors_.front().revents & POLLIN) == 0) return false;
  std::uint64_t times = 0;
  return read(wake_fd_, &times, sizeof times) == sizeof times;
}

void Poller::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

}  // namespace ulnet::node
