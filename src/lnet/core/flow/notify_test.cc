#include "lnet/core/flow/notify.h"

#include <gtest/gtest.h>

#include "lnet/core/flow/checked_fixture.h"

namespace ulnet::core::test {

using std::chrono::seconds;

TEST(Notify, APeerOfARouterIsUpOrDown) {  // spec/core-semantics.md 11; spec/multirail.md 8
  Checked p;
  const auto state = [&] { return std::string(p.peer_at_router(tcp(1)).state); };
  EXPECT_EQ(state(), "up");
  p.loses(p.r, kRouterNear, tcp(1));
  EXPECT_EQ(state(), "down");
  auto source = bytes(8);
  p.put(p.b, p.bind(p.b, source, nullptr, 1), tcp(1));
  EXPECT_EQ(p.dropped(p.r, DropReason::kNotForwarded), 1U) << "core-semantics.md 11";
  const auto drops_to_a = [&] { return p.peer_at_router(tcp(1)).traffic.dropped.put; };
  EXPECT_EQ(drops_to_a(), 1U) << "9";
  p.puts(source, 1);
  EXPECT_EQ(state(), "up") << "a message came";
  EXPECT_EQ(drops_to_a(), 1U);
  int status = 0;
  p.call(p.r, call::NotifyPeer{.nid = tcp(1), .seconds_ago = -1}, &status);
  EXPECT_EQ(status, -EINVAL) << "the time is to come";
  p.tick(seconds(5));
  p.call(p.r, call::NotifyPeer{.nid = tcp(1), .alive = false, .seconds_ago = 60});
  EXPECT_EQ(state(), "up") << "something was heard since";
  p.call(p.r, call::NotifyPeer{.nid = tcp(1), .alive = false});
  EXPECT_EQ(state(), "down");
  p.call(p.r, call::NotifyPeer{.nid = tcp(1)});
  EXPECT_EQ(state(), "up");
}

/// No recovery ping goes to a peer NI that a router has lost, since its health does not fall.
TEST(Notify, WithoutHealthARouterTriesALostPeerOnceInItsPeerTimeout) {  // core-semantics.md 11
  Checked p;
  p.r.config->globals.health_sensitivity = 0;
  p.r.config->nis[1].tunables.peer_timeout = 20;
  p.configure(p.r);
  auto source = bytes(8);
  const auto sends = [&] {
    p.put(p.b, p.bind(p.b, source, nullptr, 1), tcp(1));
    return p.dropped(p.r, DropReason::kNotForwarded);
  };
  p.loses(p.r, kRouterNear, tcp(1));
  EXPECT_EQ(sends(), 1U);
  p.tick(seconds(20));
  EXPECT_EQ(sends(), 1U) << "it is tried";
  EXPECT_EQ(sends(), 2U) << "it has not answered";
  p.tick(seconds(20));
  EXPECT_EQ(sends(), 2U);
  EXPECT_EQ(p.peer_at_router(tcp(1)).state, std::string("down"));
  p.puts(source, 1);
  EXPECT_EQ(sends(), 2U) << "it has spoken";
}

TEST(Notify, APeerNiIsDownWhenItsPeerSaysSo) {  // spec/multirail.md 8; spec/upstream-tests.md 236
  Checked p;
  ASSERT_EQ(p.peer_at_router(tcp(1)).state, std::string("up"));
  p.a.config->nis[1].up = false;
  p.configure(p.a);
  EXPECT_EQ(p.peer_at_router(tcp(1)).state, std::string("down"));
  p.a.config->nis[1].up = true;
  p.configure(p.a);
  EXPECT_EQ(p.peer_at_router(tcp(1)).state, std::string("up"));
}

/// The router r has a second NI on the near net.
struct TwoNisOfTheRouter : Checked {
  TwoNisOfTheRouter() { add_second_ni(r, tcp(8)); }
  void lost_by(NiId ni) { loses(r, ni, tcp(1)); }
  std::string state() { return peer_at_router(tcp(1)).state; }
};

TEST(Notify, APeerIsDownWhenAllNisOfTheNetHaveLostIt) {  // spec/multirail.md 8
  TwoNisOfTheRouter p;
  p.lost_by(p.kSecond);
  p.lost_by(p.kSecond);
  EXPECT_EQ(p.state(), "up") << "the other NI may have it still";
  auto source = bytes(8);
  p.put(p.b, p.bind(p.b, source, nullptr, 1), tcp(1));
  EXPECT_EQ(p.dropped(p.r, DropReason::kNotForwarded), 0U);
  p.lost_by(kRouterNear);
  EXPECT_EQ(p.state(), "down");
  p.put(p.b, p.bind(p.b, source, nullptr, 1), tcp(1));
  EXPECT_EQ(p.dropped(p.r, DropReason::kNotForwarded), 1U) << "no buffer waits for it";
  p.puts(source, 1);
  EXPECT_EQ(p.state(), "up") << "a message came";
  p.lost_by(kRouterNear);
  EXPECT_EQ(p.state(), "up") << "what the second NI had lost before does not count any more";
}

TEST(Notify, AnNiThatHasFailedIsNotWaitedFor) {
  TwoNisOfTheRouter p;
  p.input(p.r, NiState{p.kSecond, NiLink::kFailed});
  EXPECT_EQ(p.state(), "up");
  p.lost_by(kRouterNear);
  EXPECT_EQ(p.state(), "down");
}

TEST(Notify, AnAdministratorsNotifyCoversAllNis) {
  TwoNisOfTheRouter p;
  p.call(p.r, call::NotifyPeer{.nid = tcp(1), .alive = false});
  EXPECT_EQ(p.state(), "down");
  p.call(p.r, call::NotifyPeer{.nid = tcp(1)});
  EXPECT_EQ(p.state(), "up");
}

}  // namespace ulnet::core::test
