#include "lnet/base/shortest_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "lnet/base/expr_list.h"
#include "lnet/base/rng.h"

namespace ulnet {
namespace {

using Values = std::vector<std::uint32_t>;

TEST(ShortestItems, AreRangesWhereTheseAreShorter) {
  EXPECT_EQ(shortest_items(Values{}), "");
  EXPECT_EQ(shortest_items(Values{7}), "7");
  EXPECT_EQ(shortest_items(Values{7, 8}), "7,8");
  EXPECT_EQ(shortest_items(Values{1, 2, 3, 4, 7, 9, 11, 13}), "1-4,7-13/2");
  EXPECT_EQ(shortest_items(Values{4, 6, 8}), "4,6,8") << "as short as 4-8/2";
  EXPECT_EQ(shortest_items(Values{10, 12, 14}), "10-14/2");
  EXPECT_EQ(shortest_items(Values{10, 12, 14, 15}, Steps::kNone), "10,12,14,15");
  EXPECT_EQ(shortest_items(Values{8, 9, 10, 11}, Steps::kNone, 5), "00008-00011");
  EXPECT_EQ(shortest_items(Values{0, 0xffffffff}), "0,4294967295");
}

/// The bytes of the shortest way to divide the numbers into items.
std::size_t least_bytes(const Values& numbers, std::size_t from) {
  if (from == numbers.size()) return 0;
  std::size_t least = SIZE_MAX;
  for (std::size_t last = from; last < numbers.size(); ++last) {
    const std::uint32_t step = last == from ? 1 : numbers[from + 1] - numbers[from];
    if (last > from && numbers[last] - numbers[last - 1] != step) break;
    std::string item = std::to_string(numbers[from]);
    if (last > from) item += "-" + std::to_string(numbers[last]);
    if (step != 1) item += "/" + std::to_string(step);
    const std::size_t rest = least_bytes(numbers, last + 1);
    least = std::min(least, item.size() + rest + (rest == 0 ? 0 : 1));
  }
  return least;
}

TEST(ShortestItems, RandomNumbersAreShortestAndReadBack) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    std::set<std::uint32_t> drawn;
    const std::uint64_t below = seed % 2 == 0 ? 20 : 300;
    for (std::uint64_t count = 1 + rng.below(12); count > 0; --count)
      drawn.insert(static_cast<std::uint32_t>(95 + rng.below(below)));
    const Values numbers(drawn.begin(), drawn.end());
    const std::string items = shortest_items(numbers);
    EXPECT_EQ(items.size(), least_bytes(numbers, 0)) << items;
    const auto read = ExprList::parse('[' + items + ']', 0xffff);
    ASSERT_TRUE(read) << items;
    EXPECT_EQ(read->expand(100).value(), numbers) << items;
  }
}

}  // namespace
}  // namespace ulnet
