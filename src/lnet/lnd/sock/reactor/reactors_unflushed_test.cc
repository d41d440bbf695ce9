#include "lnet/lnd/sock/reactor/reactors_unflushed.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace ulnet::lnd::sock {
namespace {

const int kOne = 0, kTwo = 0;  // their addresses stand for drivers

std::multiset<std::size_t> all_of(Unflushed& unflushed, const void* driver) {
  std::multiset<std::size_t> reactors;
  for (std::size_t reactor = 0; unflushed.take(driver, reactor);) reactors.insert(reactor);
  return reactors;
}

TEST(Unflushed, EachReactorIsTakenOnceHoweverOftenItWasAdded) {
  Unflushed unflushed;
  for (const std::size_t reactor : {3, 0, 3, 255, 0}) unflushed.add(&kOne, reactor);
  EXPECT_EQ(all_of(unflushed, &kOne), (std::multiset<std::size_t>{0, 3, 255}));
  EXPECT_EQ(all_of(unflushed, &kOne), std::multiset<std::size_t>{});
}

TEST(Unflushed, DriversDoNotTakeEachOthers) {
  Unflushed unflushed;
  unflushed.add(&kOne, 1);
  unflushed.add(&kTwo, 1);
  unflushed.add(&kTwo, 2);
  EXPECT_EQ(all_of(unflushed, &kTwo), (std::multiset<std::size_t>{1, 2}));
  EXPECT_EQ(all_of(unflushed, &kOne), std::multiset<std::size_t>{1});
}

TEST(Unflushed, EveryThreadHasItsOwn) {
  Unflushed::of_this_thread().add(&kOne, 1);
  std::thread([] {
    EXPECT_EQ(all_of(Unflushed::of_this_thread(), &kOne), std::multiset<std::size_t>{});
  }).join();
  EXPECT_EQ(all_of(Unflushed::of_this_thread(), &kOne), std::multiset<std::size_t>{1});
}

}  // namespace
}  // namespace ulnet::lnd::sock
