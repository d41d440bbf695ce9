#include "ulnetd/listening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <sstream>

namespace ulnet::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kTable4 =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0B00007F:2ED4 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 111 1 0\n"
    "   1: 0C00007F:2ED4 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 222 1 0\n"
    "   2: 00000000:2ED5 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 333 1 0\n"
    "   3: 0B00007F:2ED4 0C00007F:0400 01 00000000:00000000 00:00000000 00000000 0 0 444 1 0\n"
    "   4: 0B00007F\n   5: 0B00007F 0 0A 0 0 0 0 0 0 555\n\n";
constexpr const char* kTable6 =
    "  sl  local_address remote_address st\n"
    "   0: 00000000000000000000000000000000:2ED6 0:0000 0A 0:0 00:0 0 0 0 666 1\n"
    "   1: B80D0120000000000000000001000000:2ED4 0:0000 0A 0:0 00:0 0 0 0 777 1\n"
    "   2: 0000000000000000FFFF00000B00007F:2ED4 0:0000 0A 0:0 00:0 0 0 0 888 1\n";

PortUse use(const char* table, std::vector<const char*> addresses, std::uint16_t port) {
  std::vector<Nid> nids;
  for (const char* address : addresses) nids.push_back(Nid::parse(address).value());
  std::istringstream text(table);
  PortUse found;
  add_use(found, text, nids, port);
  return found;
}

std::set<std::string> inodes(const char* table, std::vector<const char*> addresses,
                             std::uint16_t port) {
  return use(table, std::move(addresses), port).listening;
}

class Listening : public testing::Test {
 protected:
  void SetUp() override {
    if (std::endian::native != std::endian::little) GTEST_SKIP() << "tables of another byte order";
  }
};

TEST_F(Listening, OnlyAMatchingAddressCounts) {
  EXPECT_THAT(inodes(kTable4, {"127.0.0.11"}, 11988), ElementsAre("111"));
  EXPECT_THAT(inodes(kTable4, {"127.0.0.12@tcp7"}, 11988), ElementsAre("222"));
  EXPECT_THAT(inodes(kTable4, {"127.0.0.13"}, 11988), IsEmpty());
  EXPECT_THAT(inodes(kTable4, {"127.0.0.13"}, 11989), ElementsAre("333"));
  EXPECT_THAT(inodes(kTable4, {}, 11988), ElementsAre("111", "222"));
  EXPECT_THAT(inodes(kTable4, {"127.0.0.11"}, 988), IsEmpty());
}

TEST_F(Listening, ThroughIpv6Too) {
  EXPECT_THAT(inodes(kTable6, {"127.0.0.13"}, 11990), ElementsAre("666"));
  EXPECT_THAT(inodes(kTable6, {"2001:db8::1"}, 11988), ElementsAre("777"));
  EXPECT_THAT(inodes(kTable6, {"127.0.0.11"}, 11988), ElementsAre("888"));
}

TEST_F(Listening, EndedConnectionsAreReported) {
  constexpr const char* kTable =
      "  sl  local_address rem_address   st\n"
      "   0: 0B00007F:03DC 0C00007F:03FF 06 0:0 00:0 0 0 0 0 3\n"
      "   1: 0C00007F:03DC 0B00007F:03FF 01 0:0 00:0 0 0 0 444 1\n"
      "   2: 0D00007F:03DC 0B00007F:03FF 05 0:0 00:0 0 0 0 0 3\n";
  EXPECT_TRUE(use(kTable, {"127.0.0.11"}, 988).ended) << "TIME-WAIT";
  EXPECT_FALSE(use(kTable, {"127.0.0.12"}, 988).ended) << "it is still there";
  EXPECT_TRUE(use(kTable, {"127.0.0.13"}, 988).ended) << "FIN-WAIT-2";
  EXPECT_FALSE(use(kTable, {"127.0.0.11"}, 989).ended);
  EXPECT_THAT(inodes(kTable, {"127.0.0.11"}, 988), IsEmpty());
}

}  // namespace
}  // namespace ulnet::tools
