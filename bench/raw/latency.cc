// The raw ping-pong: one message there, one back. Spinning: recv with MSG_DONTWAIT until it is all
// there. Blocking: epoll_wait, then recv, as an event loop does. `seconds` covers the timed round
// trips; a one-way time is half of one.
#include <sys/epoll.h>

#include <vector>

#include "tcp.h"

namespace raw {
namespace {

constexpr std::uint64_t kWarmUp = 200;
constexpr std::uint64_t kBatch = 100;  // round trips between two looks at the clock

class Pipe {
 public:
  Pipe(int fd, const Options& options) : fd_(fd), spin_(options.spin), buffer_(options.size, 'u') {
    if (spin_) return;
    epoll_ = epoll_create1(0);
    epoll_event event{};
    event.events = EPOLLIN;
    if (epoll_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, fd_, &event) != 0) die("epoll");
  }
  void send() { send_all(fd_, buffer_.data(), buffer_.size()); }
  /// False: the peer has finished.
  bool receive() {
    std::size_t have = 0;
    while (have < buffer_.size()) {
      if (!spin_) wait();
      const ssize_t n = recv(fd_, buffer_.data() + have, buffer_.size() - have, MSG_DONTWAIT);
      if (n == 0) return false;
      if (n > 0) have += static_cast<std::size_t>(n);
      if (n < 0 && errno != EAGAIN && errno != EINTR) die("recv");
    }
    return true;
  }

 private:
  void wait() {
    epoll_event event{};
    while (epoll_wait(epoll_, &event, 1, -1) < 0) {
      if (errno != EINTR) die("epoll_wait");
    }
  }

  const int fd_;
  const bool spin_;
  int epoll_ = -1;
  std::vector<char> buffer_;
};

int serve(const Options& options) {
  Pipe pipe(accept_one(options), options);
  const double start = now();
  const double cpu = cpu_seconds();
  std::uint64_t messages = 0;
  for (; pipe.receive(); ++messages) pipe.send();
  report(messages, messages * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

int drive(const Options& options) {
  Pipe pipe(connect_one(options), options);
  const auto round_trips = [&pipe](std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
      pipe.send();
      if (!pipe.receive()) die("the server is gone");
    }
  };
  round_trips(options.count != 0 ? 1 : kWarmUp);
  const double start = now();
  const double cpu = cpu_seconds();
  std::uint64_t done = 0;
  for (const Until until{options}; !until.over(done); done += kBatch) round_trips(kBatch);
  report(done, done * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

}  // namespace

int latency(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
