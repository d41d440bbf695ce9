#include "lnet/base/hash_index.h"

#include <gtest/gtest.h>

#include <vector>

namespace ulnet {
namespace {

struct Weak {
  std::size_t operator()(const std::uint32_t& key) const { return key & 3; }  // many collisions
};

TEST(HashIndex, TakesTheKeyFromTheObject) {
  struct Object {
    std::uint32_t key = 0;
  };
  HashIndex<std::uint32_t, Object, Weak, &Object::key> index;
  std::vector<Object> objects(100);
  for (std::uint32_t i = 0; i < 100; ++i) {
    objects[i].key = i;
    index.insert(i, &objects[i]);
  }
  for (std::uint32_t i = 0; i < 100; i += 3) index.erase(i);
  for (std::uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(index.find(i), i % 3 == 0 ? nullptr : &objects[i]) << i;
  EXPECT_EQ(index.find(200), nullptr);
}

TEST(HashIndex, FindsWhatWasInsertedThroughGrowthAndErasure) {
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
