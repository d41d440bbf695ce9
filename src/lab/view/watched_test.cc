#include "lab/view/watched.h"

#include <gtest/gtest.h>

namespace ulnet::tools::lab {
namespace {

TEST(Doors, AreReachedThroughSsh) {
  const auto plain = parse_door("ssh:oss1");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "oss1");
  EXPECT_EQ(plain->name, "oss1");
  EXPECT_EQ(plain->path, "/run/ulnet/ulnet.sock");
  const auto whole = parse_door("ssh:admin@oss1:/run/ulnet/b.sock");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->host, "admin@oss1");
  EXPECT_EQ(whole->name, "oss1");
  EXPECT_EQ(whole->path, "/run/ulnet/b.sock");
}

TEST(Doors, AreNamedByTheirPath) {
  const auto door = parse_door("/run/ulnet/oss1.sock");
  ASSERT_TRUE(door);
  EXPECT_EQ(door->host, "");
  EXPECT_EQ(door->name, "oss1");
  EXPECT_EQ(door->path, "/run/ulnet/oss1.sock");
}

TEST(Doors, OthersAreRefused) {
  for (const char* word : {"", "ssh:", "ssh:-oProxyCommand=x", "ssh::/a", "ssh:a:b"})
    EXPECT_FALSE(parse_door(word)) << word;
}

}  // namespace
}  // namespace ulnet::tools::lab
