// The raw rate of small messages: one send call for each `gather` messages; the receiver reads up
// to 64 KiB at a time and counts.
#include <vector>

#include "tcp.h"

namespace raw {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::uint64_t kBatch = 1024;  // messages between two reads of the clock

int serve(const Options& options) {
  std::vector<char> sink(kReadBytes);
  const int fd = accept_one(options);
  const double start = now();
  const double cpu = cpu_seconds();
  std::uint64_t bytes = 0;
  for (;;) {
    const ssize_t n = recv(fd, sink.data(), sink.size(), 0);
    if (n < 0) die("recv");
    if (n == 0) break;
    bytes += static_cast<std::uint64_t>(n);
  }
  send_all(fd, "!", 1);
  report(bytes / options.size, bytes, now() - start, cpu_seconds() - cpu);
  return 0;
}

int drive(const Options& options) {
  const std::vector<char> messages(options.size * options.gather, 'u');
  const int fd = connect_one(options);
  const double start = now();
  const double cpu = cpu_seconds();
  std::uint64_t sent = 0;
  for (const Until until{options}; !until.over(sent);) {
    for (const std::uint64_t end = sent + kBatch; sent < end; sent += options.gather)
      send_all(fd, messages.data(), messages.size());
  }
  shutdown(fd, SHUT_WR);
  char done = 0;
  if (recv(fd, &done, 1, MSG_WAITALL) != 1) die("recv");
  report(sent, sent * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

}  // namespace

int rate(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
