#include "fgr/log/clusters.h"

#include <gtest/gtest.h>

namespace ulnet::plan {
namespace {

constexpr std::size_t kSets = 15;  ///< sets 0 to 9 have four hosts each, sets 10 to 14 eight each

std::vector<CountedHost> forty_hosts() {
  std::vector<CountedHost> hosts;
  for (std::size_t i = 0; i < 40; ++i) hosts.push_back({.role = 0, .sets = {i / 4, 10 + i / 8}});
  return hosts;
}

std::vector<Cluster> clusters_with(std::vector<std::pair<std::size_t, std::uint64_t>> more,
                                   std::uint64_t each) {
  const auto hosts = forty_hosts();
  std::vector<HostCount> counts;
  for (std::size_t i = 0; i < hosts.size(); ++i) counts.push_back({i, hosts[i].sets, each});
  for (const auto& [host, count] : more) counts[host].count += count;
  return clusters_of(hosts, counts, kSets, 5);
}

TEST(Clusters, WithoutASurplusThereAreNone) {
  EXPECT_TRUE(clusters_with({}, 0).empty());
  EXPECT_TRUE(clusters_with({}, 1).empty());
  EXPECT_TRUE(clusters_with({}, 1'000'000).empty());
  EXPECT_TRUE(clusters_with({{3, 1}}, 0).empty()) << "one line is no evidence";
}

TEST(Clusters, OneHostIsFound) {
  const auto found = clusters_with({{7, 300}}, 10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].one_host);
  EXPECT_EQ(found[0].which, 7U);
  EXPECT_EQ(found[0].count, 310U);
  EXPECT_EQ(found[0].of, 700U);
  EXPECT_DOUBLE_EQ(found[0].expected, 17.5);
}

TEST(Clusters, AreTheSmallestSetThatHasTheSurplus) {
  const auto four = clusters_with({{4, 100}, {5, 90}, {6, 110}, {7, 100}}, 10);
  ASSERT_EQ(four.size(), 1U);
  EXPECT_FALSE(four[0].one_host);
  EXPECT_EQ(four[0].which, 1U);
  std::vector<std::pair<std::size_t, std::uint64_t>> eight;
  for (std::size_t host = 16; host < 24; ++host) eight.emplace_back(host, 100);
  const auto found = clusters_with(eight, 10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].which, 12U);
}

TEST(Clusters, ComeOneAfterTheOther) {
  const auto found = clusters_with({{0, 150}, {36, 200}, {37, 200}, {38, 200}, {39, 200}}, 10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].which, 9U);
  EXPECT_TRUE(found[1].one_host);
  EXPECT_EQ(found[1].which, 0U);
  EXPECT_EQ(found[1].of, found[0].of - found[0].count);
}

TEST(Clusters, RolesAreNotComparedWithEachOther) {
  // The ten hosts of role 1 all have the same count, a hundred times that of the others.
  auto hosts = forty_hosts();
  std::vector<HostCount> counts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].role = i % 4 == 0 ? 1 : 0;
    counts.push_back({i, hosts[i].sets, i % 4 == 0 ? 1000U : 10U});
  }
  EXPECT_TRUE(clusters_of(hosts, counts, kSets, 5).empty());
}

}  // namespace
}  // namespace ulnet::plan
