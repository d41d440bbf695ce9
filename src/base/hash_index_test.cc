#include "base/hash_index.h"

#include <gtest/gtest.h>

#include <vector>

namespace ulnet {
namespace {

TEST(HashIndex, FindsWhatWasInsertedThroughGrowthAndErasure) {
  struct Weak {
    std::size_t operator()(const std::uint32_t& key) const { return key & 3; }  // many collisions
  };
  HashIndex<std::uint32_t, std::uint32_t, Weak> index;
  std::vector<std::uint32_t> objects(100);
  EXPECT_EQ(index.find(1), nullptr);
  index.erase(1);
  for (std::uint32_t i = 0; i < 100; ++i) index.insert(i, &objects[i]);
  for (std::uint32_t i = 0; i < 100; i += 3) index.erase(i);
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(index.find(i), i % 3 == 0 ? nullptr : &objects[i]) << i;
  for (std::uint32_t i = 0; i < 100; i += 3) index.insert(i, &objects[i]);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(index.find(i), &objects[i]);
  EXPECT_EQ(index.size(), 100U);
}

}  // namespace
}  // namespace ulnet
