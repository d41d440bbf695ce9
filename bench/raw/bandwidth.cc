// The raw bandwidth loop. The sender writes its buffers in turn, back to back; the receiver reads
// what has arrived, up to 64 KiB or a whole message, into its buffers in turn. Both sides measure
// CPU time from the first to the last byte.
#include <algorithm>
#include <array>
#include <vector>

#include "receiver.h"

namespace raw {
namespace {

constexpr std::size_t kReadAtLeast = 64 * 1024;

/// Buffers whose pages are allocated before the time starts.
std::vector<std::vector<char>> buffers(const Options& options, std::size_t size) {
  return std::vector<std::vector<char>>(options.buffers, std::vector<char>(size, 'u'));
}

int serve(const Options& options) {
  auto sink = buffers(options, std::max(options.size, kReadAtLeast));
  const int fd = accept_one(options);
  Receiver receiver(fd, options.wait);
  std::uint64_t bytes = 0;
  double cpu = cpu_seconds();
  const double start = now();
  for (std::size_t next = 0;; next = (next + 1) % sink.size()) {
    const std::size_t n = receiver.some(sink[next].data(), sink[next].size());
    if (n == 0) break;
    bytes += n;
  }
  cpu = cpu_seconds() - cpu;
  send_all(fd, "!", 1);  // reports that everything has arrived
  report(bytes / options.size, bytes, now() - start, cpu);
  return 0;
}

int drive(const Options& options) {
  auto source = buffers(options, options.size);
  const int fd = connect_one(options);
  double cpu = cpu_seconds();
  const double start = now();
  std::uint64_t sent = 0;
  const Until until{options};
  while (!until.over(sent)) {
    for (const auto& buffer : source) send_all(fd, buffer.data(), buffer.size());
    sent += source.size();
  }
  shutdown(fd, SHUT_WR);
  char done = 0;
  if (recv(fd, &done, 1, MSG_WAITALL) != 1) die("recv");
  const double seconds = now() - start;
  cpu = cpu_seconds() - cpu;
  report(sent, sent * options.size, seconds, cpu);
  return 0;
}

}  // namespace

int bandwidth(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
