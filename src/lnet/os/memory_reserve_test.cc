#include "lnet/os/memory_reserve.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "lnet/base/sanitizers_fixture.h"
#include "lnet/lnd/memory_short.h"

namespace ulnet::node {
namespace {

constexpr std::size_t kMiB = 1U << 20;

/// Bytes that this process may write to, as RLIMIT_DATA counts them.
std::size_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmData:")) return std::stoul(line.substr(7)) * 1024;
  return 0;
}

/// From now on the system gives this process at most this many more bytes.
void limit_memory(std::size_t more) {
  const rlimit limit{data_bytes() + more, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &limit);
}

#define ENSURE(condition)                                        \
  do {                                                           \
    if (condition) break;                                        \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
    std::_Exit(1);                                               \
  } while (false)

/// Memory that is allocated in pieces.
class Pieces {
 public:
  static constexpr std::size_t kPiece = 16U << 10;
  Pieces() { pieces_.reserve(1U << 16); }
  /// False: no memory is left.
  bool more() {
    try {
      pieces_.push_back(std::make_unique<char[]>(kPiece));
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  void clear() { pieces_.clear(); }

 private:
  std::vector<std::unique_ptr<char[]>> pieces_;
};

/// Takes all available memory with malloc(), in pieces of at most `piece` bytes.
std::size_t exhaust(std::size_t piece) {
  std::size_t taken = 0;
  for (; piece >= 512; piece /= 2)
    while (std::malloc(piece) != nullptr) taken += piece;
  return taken;
}

class MemoryReserveTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer)
      GTEST_SKIP() << "the sanitizer has an allocator of its own, which ends the program";
  }
};

void first_failure() {
  MemoryReserve reserve;
  Pieces pieces;
  limit_memory(8 * kMiB);
  ENSURE(!lnd::memory_is_short);
  while (!lnd::memory_is_short) ENSURE(pieces.more());
  std::size_t beyond = 0;
  while (pieces.more()) beyond += Pieces::kPiece;
  ENSURE(beyond >= 3 * kMiB && beyond < 6 * kMiB);
  ENSURE(!reserve.restore());
  ENSURE(lnd::memory_is_short);
  pieces.clear();
  ENSURE(reserve.restore());
  ENSURE(!lnd::memory_is_short);
  while (!lnd::memory_is_short) ENSURE(pieces.more());  // and again
  std::_Exit(0);
}

TEST_F(MemoryReserveTest, IsGivenAtTheFirstFailureAndTakenAgainWhenThereIsMemory) {
  EXPECT_EXIT(first_failure(), testing::ExitedWithCode(0), "");
}

void malloc_fails() {
  const MemoryReserve reserve;
  limit_memory(8 * kMiB);
  exhaust(kMiB);
  ENSURE(!lnd::memory_is_short);
  void* volatile memory = ::operator new(kMiB);  // volatile, or the compiler would omit it
  ENSURE(memory != nullptr);
  ENSURE(lnd::memory_is_short);
  std::_Exit(0);
}

TEST_F(MemoryReserveTest, IsNotForMalloc) {
  EXPECT_EXIT(malloc_fails(), testing::ExitedWithCode(0), "");
}

void all_fail_at_once() {
  MemoryReserve reserve;
  std::atomic<int> waiting{0}, failed{0}, ended{0};
  std::atomic<bool> go{false};
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      Pieces pieces;
      ++waiting;
      while (!go) std::this_thread::yield();
      for (int n = 0; n < 24; ++n)
        if (!pieces.more()) ++failed;
      ++ended;
      while (go) std::this_thread::yield();
    });
  while (waiting != kThreads) std::this_thread::yield();
  limit_memory(0);
  exhaust(kMiB);
  go = true;
  // Attempts to restore the reserve take nothing from these threads meanwhile.
  while (ended != kThreads) (void)reserve.restore();
  ENSURE(failed == 0);
  std::_Exit(0);
}

TEST_F(MemoryReserveTest, IsForAllThreadsThatFailAtOnce) {
  EXPECT_EXIT(all_fail_at_once(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ulnet::node
