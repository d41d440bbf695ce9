// The raw bandwidth loop of LNet selftest's full check: the sender fills each of 8 rotating buffers
// with the pattern and writes it, the receiver reads it as a whole and compares every word. The
// pattern's own code is that of the selftest.
#include "svc/selftest/pattern.h"
#include "tcp.h"

namespace raw {
namespace {

using namespace ulnet::svc::selftest;
using ulnet::wire::LstCheck;

constexpr std::size_t kBuffers = 8;

std::vector<Bulk> buffers(std::size_t size) {
  std::vector<Bulk> all(kBuffers);
  for (Bulk& bulk : all) bulk = {.memory = std::make_unique<std::byte[]>(size), .room = size};
  return all;
}

int serve(const Options& options) {
  const auto sink = buffers(options.size);
  const int fd = accept_one(options);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t came = 0;
  for (;; ++came) {
    std::byte* memory = sink[came % kBuffers].memory.get();
    const ssize_t n = recv(fd, memory, options.size, MSG_WAITALL);
    if (n < 0) die("recv");
    if (n == 0) break;
    if (static_cast<std::size_t>(n) != options.size ||
        !looks_right({memory, options.size}, LstCheck::kFull, false))
      die("wrong data");
  }
  send_all(fd, "!", 1);
  report(came, came * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

int drive(const Options& options) {
  auto source = buffers(options.size);
  const int fd = connect_one(options);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t sent = 0;
  for (const Until until{options}; !until.over(sent); ++sent) {
    Bulk& bulk = source[sent % kBuffers];
    bulk.filled = 0;  // filled again
    fill_source(bulk, 0, options.size, LstCheck::kFull, false);
    send_all(fd, reinterpret_cast<const char*>(bulk.memory.get()), options.size);
  }
  shutdown(fd, SHUT_WR);
  char done = 0;
  if (recv(fd, &done, 1, MSG_WAITALL) != 1) die("recv");
  report(sent, sent * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

}  // namespace

int checked(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace raw
