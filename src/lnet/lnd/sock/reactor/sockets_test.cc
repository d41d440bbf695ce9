// The errors of dials that cannot begin, in a network namespace of the test's own. Skipped where
// the test cannot make one.
#include "lnet/lnd/sock/reactor/sockets.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

namespace ulnet::lnd::sock {
namespace {

constexpr int kNoNamespace = 255;

bool sh(const char* command) { return std::system(command) == 0; }  // NOLINT: a fixed command

/// Enters a network namespace of its own. Root may do that; another user first becomes root of a
/// user namespace.
bool own_network() {
  if (unshare(CLONE_NEWNET) == 0) return true;
  const std::string map = "0 " + std::to_string(geteuid()) + " 1";
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  return static_cast<bool>(std::ofstream("/proc/self/uid_map") << map << std::flush);
}

/// Dials from 10.9.0.1 in a new network namespace, in which the interface d0 has 10.9.0.1/24,
/// after `prepare` was called there. Returns DialStart::error.
int dial_after(const std::function<bool()>& prepare, const char* to) {
  const pid_t child = fork();
  if (child == 0) {
    if (!own_network() ||
        !sh("ip link add d0 type veth peer name d1 2>/dev/null && ip addr add 10.9.0.1/24 dev d0 "
            "&& ip link set d0 up && ip link set d1 up") ||
        !prepare())
      _exit(kNoNamespace);
    SockTunables tunables;
    tunables.unprivileged_connect = 1;
    const DialOrder order{*parse_address("10.9.0.1"), {*parse_address(to), 988}, -1};
    _exit(start_dial(order, tunables).error);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Dial : ::testing::Test {
  void SetUp() override {
    if (dial_after([] { return true; }, "10.9.0.2") == kNoNamespace)
      GTEST_SKIP() << "no network namespace can be had here, or no ip(8)";
  }
};

// DESIGN.md 2: a link that is down, an address that is gone and a missing route give different
// errors
TEST_F(Dial, BeginsOnASoundInterface) {
  EXPECT_EQ(dial_after([] { return true; }, "10.9.0.2"), 0);
}
TEST_F(Dial, FailsWithoutARoute) {
  EXPECT_EQ(dial_after([] { return true; }, "10.8.0.2"), ENETUNREACH);
}
TEST_F(Dial, FailsOnAnInterfaceThatIsDown) {
  EXPECT_EQ(dial_after([] { return sh("ip link set d0 down"); }, "10.9.0.2"), ENETDOWN);
}
TEST_F(Dial, FailsFromARemovedAddress) {
  EXPECT_EQ(dial_after([] { return sh("ip addr del 10.9.0.1/24 dev d0"); }, "10.9.0.2"),
            EADDRNOTAVAIL);
}

}  // namespace
}  // namespace ulnet::lnd::sock
