// The raw ping-pong: one message there, one back. `seconds` covers the timed round trips; half of
// a round trip counts as the one-way time.
#include <vector>

#include "receiver.h"

namespace raw {
namespace {

constexpr std::uint64_t kWarmUp = 200;
constexpr std::uint64_t kBatch = 100;  // round trips between two reads of the clock

/// Sends and receives one message.
class Pipe {
 public:
  Pipe(int fd, const Options& options)
      : fd_(fd), receiver_(fd, options.wait), buffer_(options.size, 'u') {}
  void send() { send_all(fd_, buffer_.data(), buffer_.size()); }
  /// False: the peer has closed.
  bool receive() { return receiver_.all(buffer_.data(), buffer_.size()); }

 private:
  const int fd_;
  Receiver receiver_;
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
