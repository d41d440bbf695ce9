// How test nodes handle requests that are wrong, too many, or incomplete: spec/wire-selftest.md
// 1.2, 2.2, 3.4, 4.
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

// PUTs these bytes to a request portal, unchanged.
void put_raw(Script& s, std::size_t to, std::uint32_t portal, std::uint64_t bits,
             std::vector<std::byte> bytes) {
  static const auto alive = [] {
    struct Ignore final : EventSink {
      void on_event(const Event&) override {}
    };
    return std::make_unique<Ignore>();
  }();
  const iovec fragment{bytes.data(), bytes.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = 1;
  spec.sink = alive.get();
  const auto md = s.node(0).md_bind(spec, UnlinkMode::kUnlink);
  ASSERT_TRUE(md);
  ASSERT_TRUE(
      s.node(0).put({*md, s.node(to).id(), {portal}, {bits}, 0, 0, AckRequest::kNoAck, {}}));
  s.world().run_for(milliseconds(1));
}

std::vector<std::byte> encoded(const LstMessage& message) {
  std::vector<std::byte> bytes(kLstMessageBytes);
  encode_lst_message(message, std::span<std::byte, kLstMessageBytes>(bytes));
  return bytes;
}

LstMessage ping() {
  LstMessage message;
  message.body = LstPing{};
  return message;
}

// spec/wire-selftest.md 1.2, 4.1
TEST(ForeignPeers, AreNotAnsweredWhenTheyMakeNoSense) {
  Script s(1);
  const auto dropped = [&] { return s.selftest(1).counters().dropped; };
  auto bytes = encoded(ping());
  bytes.resize(159);
  put_raw(s, 1, 50, 12, bytes);
  EXPECT_EQ(dropped(), 1U) << "too short";
  bytes = encoded(ping());
  bytes[0] = std::byte{};
  put_raw(s, 1, 50, 12, bytes);
  EXPECT_EQ(dropped(), 2U) << "no magic";
  put_raw(s, 1, 50, 11, encoded(ping()));
  EXPECT_EQ(dropped(), 3U) << "another service";
  LstMessage reply;
  reply.body = LstPingReply{};
  put_raw(s, 1, 50, 12, encoded(reply));
  EXPECT_EQ(dropped(), 4U) << "a reply";
  LstMessage magic;
  magic.body = LstPing{0, 1, 0, 0, 0};
  put_raw(s, 1, 50, 12, encoded(magic));
  EXPECT_EQ(dropped(), 5U) << "another magic";
  LstMessage debug;
  debug.body = LstDebug{};
  put_raw(s, 1, 51, 7, encoded(debug));
  EXPECT_EQ(dropped(), 6U) << "a service that nobody has";
  bytes = encoded(ping());
  bytes.resize(161);
  put_raw(s, 1, 50, 12, bytes);
  EXPECT_EQ(dropped(), 6U) << "too long for LNet already";
  EXPECT_EQ(s.selftest(1).counters().received, 6U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 2.1, 6: the other byte order.
TEST(ForeignPeers, MayHaveTheOtherByteOrder) {
  Script s(2);
  const auto ask_swapped = [&](LstBody body) {
    std::optional<RpcReply> said;
    LstMessage request;
    request.swapped = true;
    request.body = std::move(body);
    s.host(0).run([&] {
      s.selftest(0).caller().call(s.node(1).id(), request, {}, seconds(30),
                                  [&](const RpcReply& reply) { said = reply; });
    });
    EXPECT_TRUE(s.wait_for([&] { return said.has_value(); }));
    EXPECT_EQ(said->status, 0);
    return said->message;
  };
  const LstMessage made = ask_swapped(LstMakeSession{0, s.session(), 0, LstName("far")});
  EXPECT_EQ(made.status(), 0U);
  EXPECT_EQ(*made.session(), s.session());
  const LstMessage pinged = ask_swapped(LstPing{0, kLstPingMagic, 77, 0, 0});
  EXPECT_EQ(std::get<LstPingReply>(pinged.body), (LstPingReply{0, kLstPingMagic, 77}));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.3, 3.4, 7: requests are served one by one, and each wait is short.
TEST(ForeignPeers, AListThatIsNotServedHoldsTheOthersUpForAShortTimeOnly) {
  Script s(14, {.nodes = 3});
  s.make_session(1);
  LstTest test = ping_test(1);
  test.session = s.session();
  test.batch = 1;
  test.is_client = true;
  test.destinations = 1;
  std::optional<RpcReply> said;
  LstMessage request;
  request.body = test;
  s.host(0).run([&] {
    s.selftest(0).caller().call(s.node(1).id(), request, {}, seconds(30),
                                [&](const RpcReply& reply) { said = reply; });
  });
  const Instant asked = s.world().now();
  const RpcReply other = s.ask(1, LstDebug{}, {}, kLstFeatures, 2);
  EXPECT_EQ(other.status, 0);
  EXPECT_FALSE(said) << "the list was waited for";
  EXPECT_GE(s.world().now() - asked, seconds(5));
  EXPECT_LE(s.world().now() - asked, seconds(6)) << "another console's command";
  ASSERT_TRUE(s.wait_for([&] { return said.has_value(); }));
  EXPECT_EQ(said->status, -ETIMEDOUT) << "a failed bulk has no reply";
  EXPECT_TRUE(s.selftest(1).framework().session()->batches.empty());
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.3: while a list is not served, the console still learns the state of the
// session.
TEST(ForeignPeers, AListThatIsNotServedEndsNoSessionThatIsAskedFor) {
  Script s(16, {.nodes = 3, .settings = {.session_timeout = seconds(4)}});
  s.acquaint_all();
  s.make_session(1);
  LstTest test = ping_test(1);
  test.session = s.session();
  test.batch = 1;
  test.is_client = true;
  test.destinations = 1;
  std::size_t ended = 0;
  const auto ask = [&](LstBody body) {
    s.host(0).run([&] {
      s.selftest(0).caller().call(s.node(1).id(), {.body = std::move(body)}, {}, seconds(30),
                                  [&](const RpcReply&) { ++ended; });
    });
  };
  ask(test);
  s.world().run_for(seconds(2));
  for (int i = 0; i < 2; ++i) ask(LstDebug{0, s.session(), 0});
  s.world().run_for(milliseconds(2800));
  EXPECT_EQ(ended, 0U);
  EXPECT_NE(s.selftest(1).framework().session(), nullptr);
  s.world().run_for(seconds(3));
  EXPECT_EQ(ended, 2U);
  EXPECT_NE(s.selftest(1).framework().session(), nullptr);
  s.world().run_for(seconds(2));
  EXPECT_EQ(s.selftest(1).framework().session(), nullptr);
  ASSERT_TRUE(s.wait_for([&] { return ended == 3; }));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 2.1, 6: data filled by a sender of the other byte order are right when
// swapped.
TEST(ForeignPeers, DataAreCheckedInTheSendersByteOrder) {
  Script s(3);
  for (const bool swapped : {false, true}) {
    for (const bool right : {true, false}) {
      std::vector<std::byte> data(64);
      const std::uint64_t magic = 0xeeb0eeb1eeb2eeb3;
      for (std::size_t i = 0; i < data.size(); i += 8)
        store_le(data.data() + i, swapped == right ? swap_bytes(magic) : magic);
      std::optional<RpcReply> said;
      LstMessage request;
      request.swapped = swapped;
      request.body = LstBrw{0, 0, LstBrwOp::kWrite, 64, LstCheck::kFull};
      s.host(0).run([&] {
        s.selftest(0).caller().call(s.node(1).id(), request, data, seconds(30),
                                    [&](const RpcReply& reply) { said = reply; });
      });
      ASSERT_TRUE(s.wait_for([&] { return said.has_value(); }));
      EXPECT_EQ(said->message.status(), right ? 0U : status(EBADMSG)) << swapped;
    }
  }
  s.expect_nothing_left();
}

// spec/wire-selftest.md 2.3, 4.2
TEST(ForeignPeers, ABulkRequestThatMakesNoSenseIsRefused) {
  Script s(4);
  for (const LstBrw& brw : {LstBrw{0, 0, LstBrwOp{3}, 8, LstCheck::kNone},
                            LstBrw{0, 0, LstBrwOp::kRead, 8, LstCheck{0}},
                            LstBrw{0, 0, LstBrwOp::kRead, 8, LstCheck{5}},
                            LstBrw{0, 0, LstBrwOp::kRead, 0, LstCheck::kNone},
                            LstBrw{0, 0, LstBrwOp::kRead, (1 << 20) + 8, LstCheck::kNone}}) {
    EXPECT_EQ(s.ask(1, brw).message.status(), status(EINVAL));
  }
  const LstBrw odd{0, 0, LstBrwOp::kRead, 4104, LstCheck::kNone};
  EXPECT_EQ(s.ask(1, odd, {}, 0).message.status(), status(EINVAL)) << "no pages";
  for (const LstBody& body : {LstBody(odd), LstBody(LstPing{})}) {
    const RpcReply reply = s.ask(1, body, {}, 2);
    EXPECT_EQ(reply.message.status(), status(EPROTO));
    EXPECT_EQ(reply.message.features, kLstFeatures);
  }
  s.expect_nothing_left();
}

// spec/wire-selftest.md 4.2: data that do not come end the RPC without a reply.
TEST(ForeignPeers, AWriteWithoutDataIsNotAnswered) {  // spec/wire-selftest.md 3.4
  Script s(5);
  s.make_session(1);
  EXPECT_EQ(s.ask(1, LstBrw{0, 0, LstBrwOp::kWrite, 8, LstCheck::kNone}).status, -ETIMEDOUT);
  LstTest test = ping_test(1);
  test.session = s.session();
  test.is_client = true;
  test.destinations = 1;
  EXPECT_EQ(s.ask(1, test).status, -ETIMEDOUT);
  s.world().run_for(seconds(30));
  EXPECT_EQ(s.selftest(1).counters().dropped, 2U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.1: the portals are lazy, so requests beyond the buffers wait and are
// served.
TEST(ForeignPeers, MoreThanANodeServesAtOnceWait) {
  Script s(6, {.nodes = 3, .settings = {.brw_workitems = 200, .ping_workitems = 500}});
  for (const std::size_t at : {1, 2}) s.make_session(at);
  s.add_client(1, {2}, brw_test(2, {LstBrwOp::kRead, LstCheck::kFull, 4096, 0}, 1000));
  s.add_client(1, {2}, ping_test(2, 1024));
  s.run(1);
  ASSERT_TRUE(s.wait_until_idle(1)) << s.world().explain();
  const LstStatReply stat = s.stat(1);
  EXPECT_EQ(stat.framework.brw_errors + stat.framework.ping_errors, 0U);
  EXPECT_EQ(stat.rpc.sent, 2 * 2024U);
  s.expect_nothing_left();
}

// A random message; some of its numbers are now and then those of an existing session.
LstMessage any_message(Rng& rng, const LstSessionId& session) {
  std::vector<std::byte> bytes(kLstMessageBytes);
  encode_lst_message({}, std::span<std::byte, kLstMessageBytes>(bytes));
  std::fill(bytes.begin() + 24, bytes.end(), std::byte{0});
  for (std::size_t i = 24; i < bytes.size(); ++i)
    if (rng.below(4) == 0) bytes[i] = static_cast<std::byte>(rng.below(6));
  const auto request = static_cast<std::uint32_t>(2 * rng.below(9));
  store_le(bytes.data() + 8, request);
  const std::size_t at = request == 8 ? 40 : 32;
  store_le(bytes.data() + at, session.console.to_nid4());
  store_le(bytes.data() + at + 8, session.stamp + static_cast<std::int64_t>(rng.below(8) / 7));
  if (request == 8) store_le(bytes.data() + 64, static_cast<std::uint32_t>(10 + rng.below(4)));
  if (rng.below(10) == 0) store_le(bytes.data() + 20, static_cast<std::uint32_t>(rng.below(4)));
  auto message = decode_lst_message(bytes).value();
  message.swapped = rng.below(4) == 0;
  return message;
}

// A peer that knows the protocol sends random messages, with and without data. Every RPC ends on
// both sides, and tests that they start end with their session.
TEST(ForeignPeers, MaySayAnything) {
  std::array<std::uint32_t, 80> heard{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Script s(seed, {.nodes = 2, .settings = {.rpc_timeout = milliseconds(50)}});
    Rng rng(seed);
    s.make_session(1);
    int under_way = 0;
    for (int i = 0; i < 200; ++i) {
      const LstMessage message = any_message(rng, s.session());
      std::vector<std::byte> offered;
      if (rng.below(2) == 0) {
        offered.resize(12 * (1 + rng.below(4)));
        encode_lst_destinations(std::vector<ProcessId>(offered.size() / 12, s.node(1).id()),
                                offered);
      }
      ++under_way;
      s.host(0).run([&] {
        s.selftest(0).caller().call(s.node(1).id(), message, offered, seconds(1),
                                    [&](const RpcReply& reply) {
                                      --under_way;
                                      const auto status = reply.message.status();
                                      if (reply.status == 0 && status < heard.size())
                                        ++heard[status];
                                    });
      });
      s.world().run_for(milliseconds(rng.below(20)));
    }
    ASSERT_TRUE(s.wait_for([&] { return under_way == 0; }));
    s.expect_nothing_left();
  }
  for (const int code : {0, EINVAL, ENOENT, ESRCH, EBUSY, EPROTO})
    EXPECT_GT(heard[static_cast<std::size_t>(code)], 0U) << code;
}

// A node that has stopped answers no request, and holds nothing.
TEST(ForeignPeers, GetNothingFromAStoppedNode) {
  Script s(7);
  s.host(1).run([&] { s.selftest(1).stop(); });
  EXPECT_NE(s.ask(1, LstDebug{}).status, 0);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.3: RPCs of this node that are under way when it stops end with an
// error.
TEST(ForeignPeers, AStopEndsWaitingRpcsWithAnError) {
  Script s(8);
  int end_status = 0;
  s.host(0).run([&] {
    LstMessage request;
    request.body = LstDebug{};
    s.selftest(0).caller().call(s.node(1).id(), request, {}, seconds(30),
                                [&](const RpcReply& reply) { end_status = reply.status; });
    s.selftest(0).stop();
  });
  EXPECT_EQ(end_status, -ESHUTDOWN);
  s.expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::sim
