#include "selftest/ulst/run/data_gaps.h"

#include <gtest/gtest.h>

namespace ulnet::tools::lst::run {
namespace {

using namespace std::chrono_literals;

constexpr Step kPings{Operation::kPing, 0};
/// The counters of a client with 8 RPCs under way.
struct Client {
  DataWatch watch{kPings, Role::kClient, 8, Counts{}};
  Counts counts;
  bool tick(std::uint32_t sent, std::uint32_t bad) {
    counts.sent += sent;
    counts.bad += bad;
    return watch.has_moved(counts);
  }
};

TEST(DataWatch, HangingRpcsAreNotEnded) {
  Client client;
  EXPECT_FALSE(client.tick(8, 0)) << "all that were sent are under way";
  EXPECT_TRUE(client.tick(1, 0));
  EXPECT_FALSE(client.tick(0, 0));
  EXPECT_FALSE(client.tick(0, 8)) << "the RPCs have failed";
  EXPECT_FALSE(client.tick(8, 0)) << "others are sent in their places";
  EXPECT_TRUE(client.tick(8, 0));
}

TEST(DataWatch, UnsentRpcsHideNoEndedOnes) {
  Client client;
  EXPECT_TRUE(client.tick(100, 0));
  EXPECT_FALSE(client.tick(0, 1000));
  EXPECT_TRUE(client.tick(20, 0));
}

TEST(DataWatch, ASilentNodeReportsNoGap) {
  Client client;
  EXPECT_FALSE(client.watch.has_moved({}));
  EXPECT_TRUE(client.tick(100, 0));
  DataWatch late(kPings, Role::kClient, 8, {});
  EXPECT_FALSE(late.has_moved(Counts{.sent = 100})) << "nothing is known of the time before";
  EXPECT_FALSE(late.has_moved(Counts{.sent = 108}));
  EXPECT_TRUE(late.has_moved(Counts{.sent = 109}));
}

TEST(DataWatch, TheConsolesNodeAndServersReportWhatEnded) {
  DataWatch own(kPings, Role::kClient, 8, Counts{.rpcs = 0});
  EXPECT_FALSE(own.has_moved(Counts{.sent = 100, .rpcs = 0}));
  EXPECT_TRUE(own.has_moved(Counts{.sent = 100, .bad = 50, .rpcs = 1}));
  DataWatch server({Operation::kWrite, 4096}, Role::kServer, 0, Counts{});
  EXPECT_FALSE(server.has_moved(Counts{.received = 5}));
  EXPECT_TRUE(server.has_moved(Counts{.received = 5, .moved = 4096}));
}

// A node may be client and server. For the time without data everywhere only clients count.
TEST(DataGaps, AreOfEachRoleAndOfAllClients) {
  std::vector<Node> nodes = {{"a", true, true, ""}, {"b", true, false, ""}};
  const std::vector<std::optional<Counts>> idle = {Counts{.rpcs = 0}, Counts{}};
  DataGaps gaps(nodes, {Operation::kWrite, 8}, 0, idle);
  gaps.note({Counts{.moved = 8, .rpcs = 0}, {}}, 1s);
  EXPECT_EQ(gaps.everywhere(), Duration(1s)) << "a server only has moved data";
  gaps.note({Counts{.moved = 8, .rpcs = 0}, Counts{.sent = 3}}, 2s);
  EXPECT_EQ(gaps.at(0, Role::kClient), Duration(3s));
  EXPECT_EQ(gaps.at(0, Role::kServer), Duration(2s));
  EXPECT_EQ(gaps.at(1, Role::kClient), Duration(1s));
  EXPECT_EQ(gaps.at(1, Role::kServer), Duration{});
  EXPECT_EQ(gaps.everywhere(), Duration(1s));
}

}  // namespace
}  // namespace ulnet::tools::lst::run
