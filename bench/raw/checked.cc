// The raw bandwidth loop with LNet selftest's full check, over 8 buffers in turn. Each side
// treats a buffer as an ulnet node does, by the same functions: the sender fills a buffer that
// does not hold the pattern; the receiver poisons a buffer before data arrive and then compares
// every word.
#include "selftest/service/pattern.h"
#include "tcp.h"

namespace raw {
namespace {

using namespace ulnet::svc::selftest;
using ulnet::wire::LstCheck;

constexpr std::size_t kBuffers = 8;

std::vector<Bulk> buffers(std::size_t size) {
  static ulnet::MemoryBudget unlimited;
  std::vector<Bulk> all(kBuffers);
  for (Bulk& bulk : all) {
    auto* memory = static_cast<std::byte*>(std::calloc(1, size));
    if (memory == nullptr || !unlimited.take(ulnet::MemoryPart::kSelftest, size)) die("memory");
    bulk = {.memory = {memory, {&unlimited, size}}, .capacity = size};
  }
  return all;
}

int serve(const Options& options) {
  auto sink = buffers(options.size);
  const int fd = accept_one(options);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t came = 0;
  for (;; ++came) {
    Bulk& bulk = sink[came % kBuffers];
    poison_sink(bulk, 0, options.size, LstCheck::kFull);
    const ssize_t n = recv(fd, bulk.memory.get(), options.size, MSG_WAITALL);
    if (n < 0) die("recv");
    if (n == 0) break;
    if (static_cast<std::size_t>(n) != options.size ||
        !check_sink(bulk, 0, options.size, LstCheck::kFull, false))
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
