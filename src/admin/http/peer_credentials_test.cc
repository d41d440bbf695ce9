#include "admin/http/peer_credentials.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lnet/os/process_name.h"

namespace ulnet::http {
namespace {

constexpr Ownership kOwnership{.owner = 500, .group = 600};

TEST(PeerCredentials, RootAndOwnerWrite) {
  EXPECT_EQ(judge({.uid = 0, .groups = {0}}, kOwnership).access, Access::kWrite);
  EXPECT_EQ(judge({.uid = 500, .groups = {1}}, kOwnership).access, Access::kWrite);
}

TEST(PeerCredentials, TheGroupReadsAlsoAsASupplementaryOne) {
  EXPECT_EQ(judge({.uid = 1000, .groups = {600}}, kOwnership).access, Access::kRead);
  const Caller caller = judge({.uid = 1000, .groups = {1000, 27, 600}}, kOwnership);
  EXPECT_EQ(caller.access, Access::kRead);
  EXPECT_NE(caller.refusal.find("may look"), std::string::npos);
}

TEST(PeerCredentials, OthersAreRefusedWithTheReason) {
  const Caller caller = judge({.uid = 1000, .groups = {1000}}, kOwnership);
  EXPECT_EQ(caller.access, Access::kNone);
  EXPECT_NE(caller.refusal.find("user 1000"), std::string::npos);
  EXPECT_NE(caller.refusal.find("group (600)"), std::string::npos);
}

TEST(PeerCredentials, TheKernelGivesTheCredentials) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Caller caller = identify(ends[0], {.owner = ::geteuid(), .group = 600});
  EXPECT_EQ(caller.access, Access::kWrite);
  EXPECT_EQ(caller.who, node::named_process(::getpid(), ::geteuid()));
  EXPECT_NE(caller.who.find("(pid " + std::to_string(::getpid())), std::string::npos);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(PeerCredentials, ABadDescriptorIsRefused) {
  EXPECT_EQ(identify(-1, kOwnership).access, Access::kNone);
}

}  // namespace
}  // namespace ulnet::http
