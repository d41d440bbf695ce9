#include "lnet/core/flow/routing_loops.h"

#include <gtest/gtest.h>

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {

using std::chrono::seconds;

namespace {

constexpr NetId kLost{NetType::kTcp, 7};  ///< no node is on this net

/// Three routers in a circle: messages for kLost go from r to s, from s to t, and from t to r.
struct Circle : Routed {
  Circle() {
    for (End* end : {&s, &t}) {
      ends.push_back(end);
      end->config->routing.on = end->config->routing.at_once = true;
      configure(*end);
      introduce(*end);
    }
    route(a, kLost, tcp(3));
    route(r, kLost, tcp(4, 1));
    route(s, kLost, tcp(5, 2));
    route(t, kLost, tcp(3));
    for (int i = 0; i < 3; ++i) tick(std::chrono::milliseconds(10));
  }
  void put_to_nobody() {
    auto source = bytes(8);
    introduce(a, {tcp(9, 7)});
    put(a, bind(a, source, nullptr, 1), tcp(9, 7));
  }
  RouteTrouble trouble(End& end) {
    for (const RouteRow& row : call(end, call::ShowRoutes{}).routes)
      if (row.route.net == kLost) return row.trouble;
    return RouteTrouble::kNone;  // it has no such route
  }
  /// How many of the routers have found the loop. One is enough to break it.
  int found() {
    int count = 0;
    for (End* end : {&r, &s, &t}) count += trouble(*end) == RouteTrouble::kLoop ? 1 : 0;
    return count;
  }
  std::uint64_t forwarded() {
    return counted(r).route_count + counted(s).route_count + counted(t).route_count;
  }

  End s{{tcp(4, 1), tcp(4, 2)}, 0xd};
  End t{{tcp(5, 2), tcp(5)}, 0xe};
};

TEST(RoutingLoops, AreFoundByAPingThatComesBack) {
  Circle p;
  p.put_to_nobody();  // it would never end
  EXPECT_GE(p.found(), 1);
  EXPECT_EQ(p.messages_at_router(), 0U);
  EXPECT_GE(p.dropped(p.r, DropReason::kCameBack) + p.dropped(p.s, DropReason::kCameBack) +
                p.dropped(p.t, DropReason::kCameBack),
            1U);
  const std::uint64_t before = p.forwarded();
  for (int i = 0; i < 10; ++i) p.put_to_nobody();
  EXPECT_LE(p.forwarded(), before + 20) << "each is dropped where the route is down";
}

TEST(RoutingLoops, OtherRoutesAreNotAffected) {
  Circle p;
  p.put_to_nobody();
  auto source = bytes(10), sink = bytes(10);
  Recorder receiver;
  p.attach(p.b, sink, &receiver, {.options = kOpPut | kManageRemote});
  p.puts(source, 3);
  EXPECT_EQ(receiver.events.size(), 3U);
}

TEST(RoutingLoops, ARouteIsTriedAgainAfterAWhile) {
  Circle p;
  p.put_to_nobody();
  ASSERT_GE(p.found(), 1);
  p.tick_for(seconds(4 * 60));
  EXPECT_GE(p.found(), 1);
  p.tick_for(seconds(2 * 60 + 1));
  EXPECT_EQ(p.found(), 0);
  p.put_to_nobody();
  EXPECT_GE(p.found(), 1) << "it is found again at once";
}

TEST(RoutingLoops, OtherRoutesAreTriedAtOnce) {
  Circle p;
  p.put_to_nobody();
  ASSERT_GE(p.found(), 1);
  for (End* end : {&p.r, &p.s, &p.t}) p.route(*end, {NetType::kTcp, 6}, tcp(9, 5));
  EXPECT_EQ(p.found(), 0);
}

TEST(RoutingLoops, ASilentDestinationBlamesNoRoute) {
  Circle p;
  p.t.config->routes = RouteList::none();
  p.configure(p.t);
  p.put_to_nobody();  // a loop that ends at t: s pings
  p.tick_for(seconds(60));
  EXPECT_EQ(p.found(), 0);
  for (const PeerShow& peer : p.show(p.s).peers)
    for (const PeerNiShow& ni : peer.nis) EXPECT_EQ(ni.health_value, kHealthMax);
}

TEST(RoutingLoops, SingleHopRoutesAreNotProbed) {
  Circle p;
  p.route(p.r, {NetType::kTcp, 2}, tcp(4, 1));
  p.tick(seconds(1));
  p.t.config->routes = RouteList::none();
  p.configure(p.t);
  const auto sent_after_a_message_to = [&](const Nid& nid) {
    wire::LnetHeader header;
    header.dest_nid = nid;
    header.src_nid = tcp(1, 8);  // behind the router that it comes from
    header.part.emplace<wire::GetPart>();
    const std::uint64_t sent = p.counted(p.r).send_count;
    p.arrive(p.r, header, tcp(5), kRouterNear);
    return p.counted(p.r).send_count - sent;
  };
  EXPECT_EQ(sent_after_a_message_to(tcp(8, 2)), 0U);
  EXPECT_EQ(sent_after_a_message_to(tcp(9, 7)), 1U) << "a ping";
  EXPECT_EQ(sent_after_a_message_to(tcp(9, 7)), 0U) << "once in an interval";
}

TEST(RoutingLoops, WithoutChecksNoProbesAreSent) {
  Circle p;
  for (End* end : {&p.r, &p.s, &p.t}) {
    end->config->globals.alive_router_check_interval = 0;
    p.configure(*end);
  }
  p.t.config->routes = RouteList::none();  // otherwise the message would never end
  p.configure(p.t);
  const std::uint64_t sent = p.counted(p.s).send_count;
  p.put_to_nobody();
  EXPECT_EQ(p.counted(p.s).send_count, sent);
}

TEST(RoutingLoops, AreForgottenWhenChecksEnd) {
  Circle p;
  p.put_to_nobody();
  ASSERT_GE(p.found(), 1);
  for (End* end : {&p.r, &p.s, &p.t}) {
    end->config->globals.alive_router_check_interval = 0;
    p.configure(*end);
  }
  EXPECT_EQ(p.found(), 0);
}

TEST(RoutingLoops, TurningRoutingOffForgetsThem) {
  Circle p;
  p.put_to_nobody();
  ASSERT_GE(p.found(), 1);
  for (End* end : {&p.r, &p.s, &p.t}) {
    end->config->routing.on = false;
    p.configure(*end);
  }
  p.tick(notice_time(p.r.config->globals) + seconds(1));
  EXPECT_EQ(p.found(), 0);
}

/// A header that claims to be a ping of r for kLost, sent while such a ping is under way.
struct Forged : Circle {
  Forged() {
    r.hold_sends = true;  // so that the ping does not come back
    wire::LnetHeader header;
    header.dest_nid = tcp(9, 7);
    header.src_nid = tcp(1, 8);
    header.part.emplace<wire::GetPart>();
    arrive(r, header, tcp(5), kRouterNear);
    for (const Send& send : r.sends)
      if (send.header.src_nid == tcp(3, 1) && send.header.dest_nid == tcp(9, 7)) ping = send.header;
    EXPECT_EQ(ping.dest_nid, tcp(9, 7));
  }
  RouteTrouble after(const wire::LnetHeader& header) {
    arrive(r, header, tcp(5), kRouterNear);
    return trouble(r);
  }
  wire::LnetHeader ping;
};

TEST(RoutingLoops, OnlyThePingItselfCounts) {
  Forged p;
  const auto with = [&](auto change) {
    wire::LnetHeader header = p.ping;
    change(header, std::get<wire::GetPart>(header.part));
    return p.after(header);
  };
  EXPECT_EQ(with([](auto&, auto& get) { get.return_wmd.interface_cookie ^= 1; }),
            RouteTrouble::kNone);
  EXPECT_EQ(with([](auto&, auto& get) { get.return_wmd.object_cookie ^= 8; }), RouteTrouble::kNone);
  EXPECT_EQ(with([](auto&, auto& get) { get.portal = 5; }), RouteTrouble::kNone);
  EXPECT_EQ(with([](auto& header, auto&) { header.dest_nid = tcp(8, 7); }), RouteTrouble::kNone);
  EXPECT_EQ(with([](auto& header, auto&) { header.src_nid = tcp(3); }), RouteTrouble::kNone);
  EXPECT_EQ(p.dropped(p.r, DropReason::kCameBack), 5U);
  EXPECT_EQ(with([](auto&, auto&) {}), RouteTrouble::kLoop);
}

}  // namespace
}  // namespace ulnet::core::test
