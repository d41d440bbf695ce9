#include "lnet/lnd/per_thread.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace ulnet::lnd {
namespace {

using Numbers = std::vector<int>;

TEST(PerThread, EachThreadHasItsOwn) {
  per_thread<Numbers>().assign(1, 7);
  std::thread([] {
    EXPECT_TRUE(per_thread<Numbers>().empty());
    per_thread<Numbers>().assign(100, 1);
  }).join();
  EXPECT_EQ(per_thread<Numbers>(), Numbers{7});
  per_thread<Numbers>().clear();
}

TEST(PerThread, IsThereWhenStaticsAreDestroyed) {
  struct Late {
    ~Late() {
      if (!per_thread<Numbers>().empty()) std::_Exit(1);
      per_thread<Numbers>().assign(1000, 1);
    }
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Late late;
        per_thread<Numbers>().assign(1000, 1);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ulnet::lnd
