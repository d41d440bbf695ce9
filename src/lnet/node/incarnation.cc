#include "lnet/node/incarnation.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace ulnet::node {

namespace {

/// The largest number that any node of this process has used.
std::atomic<std::uint64_t> process_last{0};

}  // namespace

std::uint64_t next_incarnation() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count());
  std::uint64_t seen = process_last.load();
  std::uint64_t mine;
  do {
    mine = std::max(ns, seen + 1);
  } while (!process_last.compare_exchange_weak(seen, mine));
  return mine;
}

std::uint64_t last_incarnation() { return process_last.load(); }

void use_incarnation(std::uint64_t number) {
  std::uint64_t seen = process_last.load();
  while (seen < number && !process_last.compare_exchange_weak(seen, number)) {
  }
}

}  // namespace ulnet::node
