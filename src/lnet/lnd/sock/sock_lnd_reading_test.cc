// Which connections the driver reads without asking epoll, tested over real sockets by its
// counters. Source: DESIGN.md 3.
#include <gtest/gtest.h>

#include "lnet/lnd/sock/sock_lnd_fixture.h"

namespace ulnet::lnd::sock {
namespace {

using namespace test;

class SockLndReading : public testing::Test {
 protected:
  static SockTunables spinning() {
    SockTunables t = trusting_tunables();
    t.wait = Wait::kSpin;
    return t;
  }
  void SetUp() override {
    one.put(two.ni.nid, ++sent);
    // A peer has three connections.
    ASSERT_TRUE(until({&one, &two}, [&] {
      return two.inlet.headers == 1 && one.count("opened") == 3 && two.count("opened") == 3;
    }));
    be_silent();
  }
  /// Long enough for `two` to leave all connections to epoll.
  void be_silent() {
    for (int i = 0; i < 1000; ++i) two.driver->progress({});
  }
  /// Sends a message; when this returns, it has arrived at `two`, which has not read it.
  void send() {
    one.put(two.ni.nid, ++sent);
    one.driver->progress({});
  }
  /// Sends messages one by one; `two` finds one whenever it looks.
  void flow(int messages) {
    for (int i = 0; i < messages; ++i) {
      send();
      two.driver->progress({});
    }
  }

  Node one{1, trusting_tunables()}, two{2, spinning()};
  std::uint32_t sent = 0;
};

TEST_F(SockLndReading, AShortReadEndsTheReading) {
  const auto receives = two.count("calls_receive"), empty = two.count("calls_receive_empty");
  flow(100);
  EXPECT_EQ(two.inlet.headers, 101);
  EXPECT_EQ(two.count("calls_receive") - receives, 100U);
  EXPECT_EQ(two.count("calls_receive_empty") - empty, 0U) << "the two others are not looked at";
}

TEST_F(SockLndReading, AConnectionThatIsSilentIsSoonLeftToEpoll) {
  flow(1);
  for (int i = 0; i < 50; ++i) two.driver->progress({});
  const auto empty = two.count("calls_receive_empty"), waits = two.count("calls_wait");
  for (int i = 0; i < 1000; ++i) two.driver->progress({});
  EXPECT_EQ(two.count("calls_receive_empty") - empty, 0U);
  EXPECT_EQ(two.count("calls_wait") - waits, 1000U) << "epoll is asked instead";
  send();
  EXPECT_TRUE(until({&two}, [&] { return two.inlet.headers == 3; })) << "and finds it";
}

TEST_F(SockLndReading, AConnectionThatAlwaysHasSomethingDoesNotKeepOthersWaiting) {
  Node three(3, trusting_tunables());
  const auto accepted = two.count("accepted");
  flow(10);
  three.put(two.ni.nid, 1);
  flow(200);
  EXPECT_GT(two.count("accepted"), accepted);
}

}  // namespace
}  // namespace ulnet::lnd::sock
