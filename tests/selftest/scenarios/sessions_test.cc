// Sessions of test nodes: spec/wire-selftest.md 2, 3.1 to 3.3, 3.6, 3.7.
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

const LstSessionId kOther{Nid::small({NetType::kTcp, 0}, 0x0a0000ff), 1};

LstMakeSession make(const LstSessionId& id, const char* name, bool force = false) {
  return {0, id, force ? 1U : 0U, LstName(name)};
}

/// Adds the fields that ulnet nodes add to their answers: docs/SELFTEST.md.
LstMakeSessionReply marked(LstMakeSessionReply reply) {
  reply.sign = lst_sign(reply.session);
  reply.abilities = kLstReportsLatency | kLstTakesRisks | kLstAnyLength;
  return reply;
}

// spec/wire-selftest.md 3.1, 3.3
TEST(Sessions, IsMadeOnceAndAskedFor) {
  Script s(1);
  auto nobody = s.ask_for<LstDebugReply>(1, LstDebug{0, s.session(), 0});
  EXPECT_EQ(nobody.status, static_cast<std::uint32_t>(ESRCH));
  EXPECT_TRUE(nobody.session.is_none());
  const auto made = s.ask_for<LstMakeSessionReply>(1, make(s.session(), "demo"));
  EXPECT_EQ(made, marked({0, s.session(), 100, {}}));
  const auto said = s.ask_for<LstDebugReply>(1, LstDebug{0, kOther, 0});
  EXPECT_EQ(said, (LstDebugReply{0, s.session(), 100, 0, LstName("demo")}))
      << "the answer is the same for any asker";
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.1
TEST(Sessions, AnotherIsRefusedUnlessForced) {
  Script s(2);
  s.make_session(1);
  const auto refused = s.ask_for<LstMakeSessionReply>(1, make(kOther, "other"));
  EXPECT_EQ(refused, marked({EBUSY, s.session(), 100, LstName("story")}));
  const auto forced = s.ask_for<LstMakeSessionReply>(1, make(kOther, "other", true));
  EXPECT_EQ(forced, marked({0, kOther, 100, {}}));
  EXPECT_EQ(s.selftest(1).framework().session()->name, LstName("other"));
  s.expect_nothing_left();
}

TEST(Sessions, AnEmptyIdAndUnknownFeaturesAreRefused) {  // spec/wire-selftest.md 2.3, 3.1
  Script s(3);
  EXPECT_EQ(s.ask_for<LstMakeSessionReply>(1, make({}, "")).status,
            static_cast<std::uint32_t>(EINVAL));
  const RpcReply unknown = s.ask(1, make(s.session(), ""), {}, 0x3);
  EXPECT_EQ(unknown.message.status(), static_cast<std::uint32_t>(EPROTO));
  EXPECT_EQ(unknown.message.features, kLstFeatures);
  EXPECT_EQ(s.selftest(1).framework().session(), nullptr);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.1, 3.2
TEST(Sessions, EndsWithItsLastReference) {
  Script s(4);
  EXPECT_EQ(s.ask_for<LstRemoveSessionReply>(1, LstRemoveSession{0, {}}),
            (LstRemoveSessionReply{EINVAL, {}}));
  EXPECT_EQ(s.ask_for<LstRemoveSessionReply>(1, LstRemoveSession{0, s.session()}),
            (LstRemoveSessionReply{ESRCH, {}}));
  s.make_session(1);
  s.make_session(1);
  EXPECT_EQ(s.ask_for<LstRemoveSessionReply>(1, LstRemoveSession{0, kOther}),
            (LstRemoveSessionReply{EBUSY, s.session()}));
  EXPECT_EQ(s.ask_for<LstRemoveSessionReply>(1, LstRemoveSession{0, s.session()}),
            (LstRemoveSessionReply{0, s.session()}));
  EXPECT_EQ(s.ask_for<LstRemoveSessionReply>(1, LstRemoveSession{0, s.session()}),
            (LstRemoveSessionReply{0, {}}));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 2.3
TEST(Sessions, HasFeaturesThatEveryRequestRepeats) {
  Script s(5);
  EXPECT_EQ(s.ask(1, make(s.session(), "pages"), {}, 0).message.status(), 0U);
  const RpcReply refused = s.ask(1, LstStat{0, s.session(), 0}, {}, 1);
  EXPECT_EQ(refused.message.status(), static_cast<std::uint32_t>(EPROTO));
  EXPECT_EQ(refused.message.features, 0U) << "the features of the session";
  EXPECT_EQ(*refused.message.session(), s.session());
  EXPECT_EQ(s.ask(1, LstStat{0, s.session(), 0}, {}, 0).message.status(), 0U);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.3, 7
TEST(Sessions, ExpiresWithoutAWordFromItsConsole) {
  Script s(6);
  s.make_session(1);
  s.world().run_for(seconds(99));
  EXPECT_NE(s.selftest(1).framework().session(), nullptr);
  s.ask_for<LstDebugReply>(1, LstDebug{0, s.session(), 0});
  s.world().run_for(seconds(99));
  EXPECT_NE(s.selftest(1).framework().session(), nullptr) << "any request keeps the session";
  s.world().run_for(seconds(2));
  EXPECT_EQ(s.selftest(1).framework().session(), nullptr);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.6
TEST(Sessions, ReportsStatisticsToItsConsoleOnly) {
  Script s(7);
  s.acquaint_all();
  EXPECT_EQ(s.stat(1).status, static_cast<std::uint32_t>(ESRCH));
  s.make_session(1);
  s.world().run_for(seconds(3));
  const LstStatReply stat = s.stat(1);
  EXPECT_EQ(stat.status, 0U);
  EXPECT_EQ(stat.session, s.session());
  EXPECT_GE(stat.framework.running_ms, 3000U);
  EXPECT_LT(stat.framework.running_ms, 3100U);
  EXPECT_EQ(stat.rpc.received, 3U);
  EXPECT_EQ(stat.lnet.recv_length, 3U * kLstMessageBytes);
  EXPECT_EQ(stat.lnet.send_length, 2U * kLstMessageBytes);
  EXPECT_EQ(s.ask_for<LstStatReply>(1, LstStat{0, kOther, 0}).status,
            static_cast<std::uint32_t>(ESRCH));
  EXPECT_EQ(s.ask_for<LstStatReply>(1, LstStat{0, {}, 0}).status,
            static_cast<std::uint32_t>(EINVAL));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 2.2
TEST(Sessions, AnotherVersionIsRefused) {
  Script s(8);
  s.make_session(1);
  std::optional<RpcReply> said;
  LstMessage request;
  request.version = 2;
  request.body = LstRemoveSession{0, s.session()};
  s.host(0).run([&] {
    s.selftest(0).caller().call(s.node(1).id(), request, {}, seconds(30),
                                [&](const RpcReply& reply) { said = reply; });
  });
  ASSERT_TRUE(s.wait_for([&] { return said.has_value(); }));
  EXPECT_EQ(said->message.status(), static_cast<std::uint32_t>(EPROTO));
  EXPECT_EQ(said->message.version, kLstVersion);
  EXPECT_NE(s.selftest(1).framework().session(), nullptr);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 3.7
TEST(Sessions, JoinIsForConsoles) {
  Script s(9);
  EXPECT_EQ(s.ask(1, LstJoin{0, {}, LstName("group")}).status, -ETIMEDOUT) << "nobody answers";
  EXPECT_EQ(s.selftest(1).counters().dropped, 1U);
  s.selftest(1).on_join([&](const ProcessId& from, std::uint32_t features, const LstJoin& asked) {
    EXPECT_EQ(from, s.node(0).id());
    EXPECT_EQ(features, kLstFeatures);
    return LstJoinReply{EEXIST, kOther, 300, asked.group};
  });
  EXPECT_EQ(s.ask_for<LstJoinReply>(1, LstJoin{0, {}, LstName("group")}),
            (LstJoinReply{EEXIST, kOther, 300, LstName("group")}));
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.3: every RPC ends, even when the node is down.
TEST(Sessions, AConsoleHearsOfANodeThatIsAway) {  // spec/cli-lst.md 4
  Script s(10);
  s.crash(1);
  const RpcReply reply = s.ask(1, LstDebug{});
  EXPECT_NE(reply.status, 0);
  s.expect_nothing_left();
}

// spec/wire-selftest.md 1.1: a node can be a test node of its own console.
TEST(Sessions, TheConsolesOwnNode) {
  Script s(11);
  EXPECT_EQ(s.make_session(0), 0U);
  EXPECT_EQ(s.remove_session(0), 0U);
  s.expect_nothing_left();
}

}  // namespace
}  // namespace ulnet::sim
