// The raw requests and answers, with a fixed number of requests under way. Messages that may be
// sent at the same time, because several arrived together, go out in sends of at most `gather`
// messages. Requests and answers have sizes of their own. With check=1 each side compares what
// arrives with what was sent. Both sides read up to 64 KiB at a time, or a whole message if it is
// larger.
#include <algorithm>
#include <vector>

#include "receiver.h"

namespace raw {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

/// The contents of a message: always the same, so that the receiver can compare.
std::vector<char> message(std::size_t size) {
  std::vector<char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + 7);
  return bytes;
}

/// Counts whole messages in a stream, however it is split.
class Arrivals {
 public:
  Arrivals(int fd, std::size_t size, const Options& options)
      : receiver_(fd, options.wait), size_(size), sink_(std::max(size, kReadBytes)) {
    if (!options.check) return;
    const std::vector<char> one = message(size);
    while (expected_.size() < sink_.size() + size)
      expected_.insert(expected_.end(), one.begin(), one.end());
  }
  /// Waits for bytes; returns how many messages have ended. 0: the other side has closed.
  std::uint64_t wait() {
    for (;;) {
      const std::size_t n = receiver_.some(sink_.data(), sink_.size());
      if (n == 0) return 0;
      if (!expected_.empty() && std::memcmp(sink_.data(), expected_.data() + part_, n) != 0)
        die("wrong data");
      part_ += n;
      const std::uint64_t whole = part_ / size_;
      part_ %= size_;
      if (whole != 0) return whole;
    }
  }

 private:
  Receiver receiver_;
  const std::size_t size_;
  std::size_t part_ = 0;  ///< bytes of an incomplete message
  std::vector<char> sink_;
  /// The contents of messages in sequence; empty: nothing is compared.
  std::vector<char> expected_;
};

/// Sends messages of one content.
class Messages {
 public:
  Messages(int fd, std::size_t size, const Options& options)
      : fd_(fd), size_(size), gather_(options.gather) {
    const std::vector<char> one = message(size);
    for (std::size_t i = 0; i < gather_; ++i) bytes_.insert(bytes_.end(), one.begin(), one.end());
  }
  void send(std::uint64_t count) const {
    for (std::uint64_t now; count > 0; count -= now) {
      now = std::min<std::uint64_t>(count, gather_);
      send_all(fd_, bytes_.data(), now * size_);
    }
  }

 private:
  const int fd_;
  const std::size_t size_, gather_;
  std::vector<char> bytes_;  ///< `gather_` messages
};

std::size_t request_size(const Options& options) {
  return options.request != 0 ? options.request : options.size;
}
std::size_t answer_size(const Options& options) {
  return options.answer != 0 ? options.answer : options.size;
}

int serve(const Options& options) {
  const int fd = accept_one(options);
  const Messages answers(fd, answer_size(options), options);
  const double start = now(), cpu = cpu_seconds();
  Arrivals requests(fd, request_size(options), options);
  std::uint64_t served = 0;
  while (const std::uint64_t more = requests.wait()) {
    answers.send(more);
    served += more;
  }
  report(served, served * request_size(options), now() - start, cpu_seconds() - cpu);
  return 0;
}

int drive(const Options& options) {
  if (std::min(request_size(options), answer_size(options)) > kReadBytes)
    return std::fputs("exchange: one direction must be short, or both sides wait forever\n",
                      stderr),
           2;
  const int fd = connect_one(options);
  const Messages requests(fd, request_size(options), options);
  Arrivals answers(fd, answer_size(options), options);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t under_way = options.outstanding, answered = 0;
  requests.send(under_way);
  for (const Until until{options}; under_way != 0;) {
    const std::uint64_t more = answers.wait();
    if (more == 0) die("the server has closed");
    answered += more;
    under_way -= more;
    if (until.over(answered)) continue;
    requests.send(more);
    under_way += more;
  }
  const std::size_t payload = std::max(request_size(options), answer_size(options));
  report(answered, answered * payload, now() - start, cpu_seconds() - cpu);
  close(fd);
  return 0;
}

}  // namespace

int exchange(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
