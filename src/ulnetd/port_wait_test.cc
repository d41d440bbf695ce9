#include "ulnetd/port_wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ulnet::tools {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A port that is in TIME-WAIT for some time, and a daemon that may have to end meanwhile.
struct Host {
  seconds held_for{0};
  seconds ended_after = seconds::max();
  seconds now{0};
  std::vector<std::string> said;

  bool waits() {
    return wait_for_port(
        {.look = [&] { return now < held_for ? std::optional<std::uint16_t>(988) : std::nullopt; },
         .rest = [&](seconds time) { return (now += time) < ended_after; },
         .say = [&](const std::string& line) { said.push_back(line); }});
  }
};

TEST(PortWait, APortThatIsFreeIsNotWaitedFor) {
  Host host;
  EXPECT_TRUE(host.waits());
  EXPECT_EQ(host.now, seconds(0));
  EXPECT_THAT(host.said, IsEmpty());
}

TEST(PortWait, TheNodeStartsWhenTheSystemLetsGoOfThePort) {
  Host host{.held_for = seconds(60)};
  EXPECT_TRUE(host.waits());
  EXPECT_EQ(host.now, seconds(60));
  EXPECT_THAT(host.said, ElementsAre(HasSubstr("port 988 is in TIME-WAIT: nobody listens on it"),
                                     "port 988 is free"));
}

TEST(PortWait, TheWaitHasAnEnd) {
  Host host{.held_for = seconds(600)};
  EXPECT_TRUE(host.waits()) << "listening will say what is wrong";
  EXPECT_EQ(host.now, kMaxPortWait);
  EXPECT_EQ(host.said.size(), 1U);
}

TEST(PortWait, ASignalEndsIt) {
  Host host{.held_for = seconds(60), .ended_after = seconds(3)};
  EXPECT_FALSE(host.waits());
  EXPECT_EQ(host.now, seconds(3));
}

}  // namespace
}  // namespace ulnet::tools
