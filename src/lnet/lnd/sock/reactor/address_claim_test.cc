#include "lnet/lnd/sock/reactor/address_claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace ulnet::lnd::sock {
namespace {

/// An endpoint that only this process uses.
Endpoint own_endpoint(const char* address = "127.0.0.1") {
  return {*parse_address(address), static_cast<std::uint16_t>(20000 + getpid() % 40000)};
}

/// A process that claims an endpoint and keeps it until this object is destroyed.
struct Holder {
  explicit Holder(const Endpoint& endpoint) {
    int ready[2];
    if (pipe(ready) != 0) return;
    pid = fork();
    if (pid == 0) {
      const auto claim = claim_endpoint(endpoint);
      const char done = claim ? 1 : 0;
      if (write(ready[1], &done, 1) == 1) pause();
      _exit(0);
    }
    char done = 0;
    held = read(ready[0], &done, 1) == 1 && done == 1;
    close(ready[0]);
    close(ready[1]);
  }
  ~Holder() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
  bool held = false;
};

TEST(AddressClaim, ASecondProcessGetsThePidOfTheFirst) {
  const Endpoint endpoint = own_endpoint();
  {
    const Holder holder(endpoint);
    ASSERT_TRUE(holder.held);
    const auto refused = claim_endpoint(endpoint);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, -EADDRINUSE);
    EXPECT_EQ(refused.error().reason,
              endpoint.to_string() + " is used by process " + std::to_string(holder.pid) +
                  ": give this node another address, because only one node can use it");
    EXPECT_TRUE(claim_endpoint(own_endpoint("127.0.0.2"))) << "another address";
    EXPECT_TRUE(claim_endpoint(own_endpoint("::1")));
    EXPECT_TRUE(claim_endpoint({endpoint.address, 19999})) << "another port";
  }
  EXPECT_TRUE(claim_endpoint(endpoint)) << "the process that held it has ended";
}

TEST(AddressClaim, ASecondNodeOfThisProcessIsRefused) {
  const auto claim = claim_endpoint(own_endpoint());
  ASSERT_TRUE(claim) << claim.error().reason;
  const auto refused = claim_endpoint(own_endpoint());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("another node of this process"), std::string::npos);
}

// Each refused claimant leaves a connection in the claim's queue, which has a limited length.
TEST(AddressClaim, TheNextProcessGetsThePidAfterManyRefusals) {
  const auto claim = claim_endpoint(own_endpoint());
  ASSERT_TRUE(claim);
  for (int i = 0; i < 3 * kClaimantsWaiting; ++i) {
    const auto refused = claim_endpoint(own_endpoint());
    ASSERT_FALSE(refused);
    ASSERT_NE(refused.error().reason.find("of this process"), std::string::npos) << i;
    dismiss_claimants(claim->get());
  }
}

}  // namespace
}  // namespace ulnet::lnd::sock
