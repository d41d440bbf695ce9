#include "lnet/base/slab.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace ulnet {
namespace {

struct Counted {
  explicit Counted(int v) : value(v) { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  int value;
  static inline int alive = 0;
};

TEST(Slab, AHandleFindsItsObjectUntilItIsErased) {
  Slab<std::string> slab;
  const auto [handle, made] = slab.make("here");
  EXPECT_EQ(slab.find(handle), made);
  EXPECT_EQ(slab.size(), 1U);
  slab.erase(handle);
  EXPECT_EQ(slab.find(handle), nullptr);
  EXPECT_EQ(slab.size(), 0U);
}

TEST(Slab, AStaleHandleNeverFindsTheNextObject) {
  Slab<int> slab;
  const Handle first = slab.make(1).first;
  slab.erase(first);
  const Handle second = slab.make(2).first;
  EXPECT_EQ(second.slot, first.slot) << "the place is reused";
  EXPECT_EQ(slab.find(first), nullptr);
  EXPECT_EQ(*slab.find(second), 2);
}

TEST(Slab, HandlesThatWereNeverGivenOutFindNothing) {
  Slab<int> slab;
  EXPECT_FALSE(Handle{});
  EXPECT_EQ(slab.find({}), nullptr);
  EXPECT_EQ(slab.find({0, 1}), nullptr);
  const Handle handle = slab.make(1).first;
  EXPECT_TRUE(handle);
  EXPECT_EQ(slab.find({handle.slot, handle.generation + 1}), nullptr);
  EXPECT_EQ(slab.find({handle.slot, handle.generation + 2}), nullptr);
  EXPECT_EQ(slab.find({~0U, 1}), nullptr);
}

TEST(Slab, AddressesStayWhenItGrows) {
  Slab<int, 4> slab;
  const auto [handle, first] = slab.make(7);
  for (int i = 0; i < 1000; ++i) slab.make(i);
  EXPECT_EQ(slab.find(handle), first);
  EXPECT_EQ(*first, 7);
}

TEST(Slab, WalksObjectsInSlotOrder) {
  Slab<int, 4> slab;
  std::vector<Handle> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(slab.make(i).first);
  slab.erase(handles[3]);
  slab.erase(handles[8]);
  std::vector<int> seen;
  slab.for_each([&](Handle handle, int& value) {
    EXPECT_EQ(slab.find(handle), &value);
    seen.push_back(value);
  });
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 4, 5, 6, 7, 9}));
}

TEST(Slab, WalksInParts) {
  Slab<int, 4> slab;
  std::vector<Handle> handles;
  for (int i = 0; i < 7; ++i) handles.push_back(slab.make(i).first);
  slab.erase(handles[2]);
  std::vector<int> seen;
  std::uint32_t slot = 0;
  const auto two = [&] {
    std::size_t left = 2;
    slot = slab.walk(slot, [&](int value) {
      seen.push_back(value);
      return --left > 0;
    });
  };
  two();
  EXPECT_EQ(seen, (std::vector<int>{0, 1}));
  slab.erase(handles[3]);  // between two parts
  two();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 4, 5}));
  two();
  two();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 4, 5, 6}));
}

TEST(Slab, ReturnsTheNextHandleWhichCanBeSkipped) {
  Slab<int, 4> slab;
  const Handle skipped = slab.next();
  slab.skip();
  EXPECT_EQ(slab.find(skipped), nullptr);
  const Handle next = slab.next();
  EXPECT_NE(next, skipped);
  const Handle made = slab.make(7).first;
  EXPECT_EQ(made, next);
  EXPECT_EQ(slab.find(skipped), nullptr);
  EXPECT_EQ(slab.size(), 1U);
}

TEST(Slab, DestroysRemainingObjects) {
  {
    Slab<Counted> slab;
    slab.make(1);
    slab.erase(slab.make(2).first);
    EXPECT_EQ(Counted::alive, 1);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(SlabDeathTest, ErasingTwiceIsAProgrammerError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Slab<int> slab;
  const Handle handle = slab.make(1).first;
  slab.erase(handle);
  EXPECT_DEATH(slab.erase(handle), "generation");
}

RC_GTEST_PROP(Slab, BehavesLikeAMapThatNeverReusesAKey, ()) {
  Slab<int, 4> slab;
  std::vector<std::pair<Handle, int>> model;
  std::vector<Handle> dead;
  for (int step = *rc::gen::inRange(0, 60); step > 0; --step) {
    if (model.empty() || *rc::gen::arbitrary<bool>()) {
      model.emplace_back(slab.make(step).first, step);
    } else {
      const auto at = *rc::gen::inRange<std::size_t>(0, model.size());
      slab.erase(model[at].first);
      dead.push_back(model[at].first);
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
    }
    RC_ASSERT(slab.size() == model.size());
    for (const auto& [handle, value] : model)
      RC_ASSERT(slab.find(handle) != nullptr && *slab.find(handle) == value);
    for (const Handle handle : dead) RC_ASSERT(slab.find(handle) == nullptr);
  }
}

}  // namespace
}  // namespace ulnet
