// The raw request and response rate: so many requests under way, one send call per message in both
// directions; both sides read 64 KiB at a time and take what has come.
#include <vector>

#include "tcp.h"

namespace raw {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

/// Whole messages out of a stream, however it is cut.
class Arrivals {
 public:
  Arrivals(int fd, std::size_t size) : fd_(fd), size_(size), sink_(kReadBytes) {}
  /// How many more have ended; 0 when the other side has closed.
  std::uint64_t wait() {
    for (;;) {
      const ssize_t n = recv(fd_, sink_.data(), sink_.size(), 0);
      if (n < 0) die("recv");
      if (n == 0) return 0;
      part_ += static_cast<std::size_t>(n);
      const std::uint64_t whole = part_ / size_;
      part_ %= size_;
      if (whole != 0) return whole;
    }
  }

 private:
  const int fd_;
  const std::size_t size_;
  std::size_t part_ = 0;  ///< bytes of a message that has not ended
  std::vector<char> sink_;
};

void send_some(int fd, const std::vector<char>& message, std::uint64_t count) {
  for (; count > 0; --count) send_all(fd, message.data(), message.size());
}

int serve(const Options& options) {
  const std::vector<char> answer(options.size, 'u');
  const int fd = accept_one(options);
  const double start = now(), cpu = cpu_seconds();
  Arrivals requests(fd, options.size);
  std::uint64_t served = 0;
  while (const std::uint64_t more = requests.wait()) {
    send_some(fd, answer, more);
    served += more;
  }
  report(served, served * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

int drive(const Options& options) {
  const std::vector<char> request(options.size, 'u');
  const int fd = connect_one(options);
  Arrivals answers(fd, options.size);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t under_way = options.outstanding, answered = 0;
  send_some(fd, request, under_way);
  for (const Until until{options}; under_way != 0;) {
    const std::uint64_t more = answers.wait();
    if (more == 0) die("the server has closed");
    answered += more;
    under_way -= more;
    if (until.over(answered)) continue;
    send_some(fd, request, more);
    under_way += more;
  }
  report(answered, answered * options.size, now() - start, cpu_seconds() - cpu);
  close(fd);
  return 0;
}

}  // namespace

int exchange(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
