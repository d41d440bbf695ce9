#include "lab/view/watched.h"

#include <gtest/gtest.h>

namespace ulnet::tools::lab {
namespace {

TEST(SocketPlaces, AreReachedThroughSsh) {
  const auto plain = parse_socket_place("ssh:oss1");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "oss1");
  EXPECT_EQ(plain->name, "oss1");
  EXPECT_EQ(plain->path, "/run/ulnet/ulnet.sock");
  const auto whole = parse_socket_place("ssh:admin@oss1:/run/ulnet/b.sock");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->host, "admin@oss1");
  EXPECT_EQ(whole->name, "oss1");
  EXPECT_EQ(whole->path, "/run/ulnet/b.sock");
}

TEST(SocketPlaces, AreNamedByTheirPath) {
  const auto place = parse_socket_place("/run/ulnet/oss1.sock");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "");
  EXPECT_EQ(place->name, "oss1");
  EXPECT_EQ(place->path, "/run/ulnet/oss1.sock");
}

TEST(SocketPlaces, OthersAreRefused) {
  for (const char* word : {"", "ssh:", "ssh:-oProxyCommand=x", "ssh::/a", "ssh:a:b"})
    EXPECT_FALSE(parse_socket_place(word)) << word;
}

}  // namespace
}  // namespace ulnet::tools::lab
