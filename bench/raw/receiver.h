// The receiver of a raw loop: recv(), with a choice of ways to wait.
#pragma once

#include <sys/epoll.h>

#include "tcp.h"

namespace raw {

class Receiver {
 public:
  Receiver(int fd, Wait wait) : fd_(fd), wait_(wait) {
    if (wait_ == Wait::kRecv || wait_ == Wait::kSpin) return;
    epoll_ = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, fd_, &event) != 0) die("epoll");
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver() {
    if (epoll_ >= 0) close(epoll_);
  }

  /// Receives at most `size` bytes; waits for the first. 0: the peer has closed.
  std::size_t some(void* into, std::size_t size) {
    const ssize_t n = some_or_reset(into, size);
    if (n < 0) die("recv");
    return static_cast<std::size_t>(n);
  }
  /// The same; below 0: the peer has reset the connection.
  ssize_t some_or_reset(void* into, std::size_t size) {
    if (wait_ == Wait::kEpoll) sleep();
    const int flags = wait_ == Wait::kRecv ? 0 : MSG_DONTWAIT;
    for (double asked_since = 0;;) {
      const ssize_t n = recv(fd_, into, size, flags);
      if (n >= 0 || errno == ECONNRESET) return n;
      if (errno != EAGAIN && errno != EINTR) die("recv");
      if (wait_ == Wait::kEpoll) sleep();
      if (wait_ != Wait::kAdaptive) continue;
      if (asked_since == 0) asked_since = now();
      if (now() - asked_since > kSpinSeconds) sleep();
    }
  }
  /// Receives `size` bytes. False: the peer has closed.
  bool all(char* into, std::size_t size) {
    for (std::size_t have = 0; have < size;) {
      const std::size_t more = some(into + have, size - have);
      if (more == 0) return false;
      have += more;
    }
    return true;
  }

 private:
  void sleep() {
    epoll_event event{};
    while (epoll_wait(epoll_, &event, 1, -1) < 0) {
      if (errno != EINTR) die("epoll_wait");
    }
  }

  const int fd_;
  const Wait wait_;
  int epoll_ = -1;
};

}  // namespace raw
