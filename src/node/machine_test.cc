#include "node/machine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "node/incarnation.h"
#include "node/link_watch.h"

namespace ulnet::node {
namespace {

TEST(Machine, TheLoopbackInterfaceIsThereWithItsAddress) {
  const auto interfaces = local_interfaces();
  const auto lo = std::find_if(interfaces.begin(), interfaces.end(),
                               [](const auto& i) { return i.name == "lo"; });
  ASSERT_NE(lo, interfaces.end());
  EXPECT_TRUE(lo->loopback);
  EXPECT_TRUE(lo->up);
  EXPECT_NE(std::find(lo->addresses.begin(), lo->addresses.end(), *Nid::parse("127.0.0.1@tcp")),
            lo->addresses.end());
}

TEST(Machine, AnyAddressOf127DependsOnTheLoopbackDevice) {
  EXPECT_EQ(device_of(*Nid::parse("127.0.0.1@tcp3")), "lo");
  EXPECT_EQ(device_of(*Nid::parse("127.9.8.7@tcp")), "lo");
  EXPECT_EQ(device_of(*Nid::parse("192.0.2.77@tcp")), "");
}

TEST(Incarnations, GrowWithinTheProcess) {
  Incarnations one("", "a"), two("", "b");
  const auto first = one.next();
  const auto second = two.next();
  EXPECT_LT(first, second);
  EXPECT_LT(second, one.next());
}

TEST(Incarnations, GrowOverRestartsThoughTheClockSteppedBack) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ulnet_incarnation_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::uint64_t far =
      4'000'000'000ULL * 1'000'000'000ULL;  // the last life had a clock far ahead of ours
  std::ofstream(folder / "node.incarnation") << far << '\n';
  {
    Incarnations now(folder.string(), "node");
    EXPECT_EQ(now.last(), far);
    EXPECT_GT(now.next(), far);
  }
  Incarnations later(folder.string(), "node");
  EXPECT_GT(later.next(), far + 1);
  std::ofstream(folder / "node.incarnation") << "garbage";
  EXPECT_EQ(Incarnations(folder.string(), "node").last(), 0u);
  std::filesystem::remove_all(folder);
  EXPECT_GT(Incarnations(folder.string(), "node").next(), 0u)
      << "a folder that is gone is no error";
}

TEST(LinkWatch, StartsAndStopsWithAndWithoutAThread) {
  LinkWatch threaded;
  if (!threaded.start([](const std::string&, bool) {}, true))
    GTEST_SKIP() << "no rtnetlink on this machine";
  threaded.stop();
  threaded.stop();
  LinkWatch polled;
  ASSERT_TRUE(polled.start([](const std::string&, bool) {}, false));
  polled.poll();
}

}  // namespace
}  // namespace ulnet::node
