#include "node/percpt_lock.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace ulnet::node {
namespace {

TEST(PercptLock, OnePartitionsHolderDoesNotKeepAnotherOut) {
  PercptLock lock(3);
  const PercptLock::Hold first(lock, 0);
  std::thread other([&] { const PercptLock::Hold second(lock, 1); });
  other.join();  // would not end
}

TEST(PercptLock, TheExclusiveHolderIsAlone) {
  constexpr std::int32_t kParts = 3;
  PercptLock lock(kParts);
  std::array<int, kParts> own{};
  int shared = 0;
  std::atomic<bool> torn{false};
  std::vector<std::thread> threads;
  for (std::int32_t cpt = 0; cpt < kParts; ++cpt)
    threads.emplace_back([&, cpt] {
      for (int i = 0; i < 2000; ++i) {
        {
          const PercptLock::Hold hold(lock, cpt);
          ++own[static_cast<std::size_t>(cpt)];
          if (shared % 2 != 0) torn = true;  // read while nobody may change it
        }
        if (i % 10 != 0) continue;
        const PercptLock::Hold hold(lock, -1);
        ++shared;
        ++shared;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(own, (std::array<int, kParts>{2000, 2000, 2000}));
  EXPECT_EQ(shared, kParts * 200 * 2);
  EXPECT_FALSE(torn);
}

}  // namespace
}  // namespace ulnet::node
