// Fault rules on live nodes. Source: spec/multirail.md 11.
#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

using core::FaultRule;
using Kind = FaultRule::Kind;

class Faults : public TwoNodes {
 protected:
  static FaultRule rule(std::uint32_t messages) {
    FaultRule made;
    made.source.net = made.destination.net = kNet;
    made.messages = messages;
    made.rate = 1;
    return made;
  }
  /// Adds the rule; returns it as it is in force.
  static Result<FaultRule> added(Node& node, const FaultRule& rule) {
    conf::Change change = AddFault{rule};
    if (auto done = node.change_all({&change, 1}).front(); !done)
      return tl::unexpected<Error>(done.error());
    return std::get<AddFault>(change).rule;
  }
  /// Returns how many rules were deleted.
  static Result<std::size_t> deleted(Node& node, const DelFault& del) {
    conf::Change change = del;
    if (auto done = node.change_all({&change, 1}).front(); !done)
      return tl::unexpected<Error>(done.error());
    return std::get<DelFault>(change).gone;
  }
  int pinged(std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    const auto reply = a_->ping({id_b_, Nid::any(), timeout});
    return reply ? 0 : reply.error().code;
  }
  /// The first rule of a node, once a message has matched it: a ping may end before that.
  static core::FaultRow met(Node& node) {
    for (;; std::this_thread::yield())
      if (const core::FaultRow row = faults_of(node).at(0); row.hits != 0) return row;
  }
};
// In inline mode a ping would move only the bytes of its own node.
INSTANTIATE_TEST_SUITE_P(Modes, Faults, testing::Values(Mode::kShared), mode_name);

TEST_P(Faults, DroppedAnswersFailAPingUntilTheRuleIsDeleted) {
  EXPECT_EQ(pinged(), 0);
  ASSERT_TRUE(added(*a_, rule(core::kFaultReply)));
  EXPECT_EQ(pinged(std::chrono::milliseconds(300)), -ETIMEDOUT);
  ASSERT_EQ(faults_of(*a_).size(), 1U);
  const auto row = met(*a_);
  EXPECT_EQ(row.hits, 1U);
  EXPECT_EQ(row.matched.reply, 1U);
  ASSERT_TRUE(a_->change(ResetFaults{Kind::kDrop}));
  EXPECT_EQ(faults_of(*a_).at(0).hits, 0U);
  EXPECT_EQ(deleted(*a_, {Kind::kDrop, core::FaultNids{kNet}, core::FaultNids{kNet}}).value(), 1U);
  EXPECT_EQ(pinged(), 0);
  EXPECT_EQ(deleted(*a_, {Kind::kDrop}).error().code, -ENOENT);
}

TEST_P(Faults, ARuleThatIsNotAboutPingsIsNotNamed) {
  EXPECT_EQ(pinged(), 0);
  FaultRule made = rule(core::kFaultPut);
  ASSERT_TRUE(added(*a_, made));
  b_->stop(std::chrono::seconds(0));
  const auto reply = a_->ping({id_b_, Nid::any(), std::chrono::seconds(20)});
  EXPECT_EQ(said(reply).find("fault rule"), std::string::npos) << said(reply);
}

TEST_P(Faults, AnErrorIsFeltAtOnce) {
  EXPECT_EQ(pinged(), 0);
  FaultRule made = rule(core::kFaultGet);
  made.errors = core::fault_error_bit("remote_timeout");
  ASSERT_TRUE(added(*a_, made));
  const auto reply = a_->ping({id_b_, Nid::any(), std::chrono::seconds(20)});
  EXPECT_EQ(said(reply),
            "-5 a fault rule of this node hits its messages (drop *@tcp -> *@tcp, 1 so far): see "
            "'ulnetctl fault drop show'");
  EXPECT_EQ(a_->state().statistics.remote_timeout_count, 1U);
}

TEST_P(Faults, DeletingTheRuleReleasesDelayedMessages) {
  EXPECT_EQ(pinged(), 0);
  FaultRule made = rule(core::kFaultGet);
  made.kind = Kind::kDelay;
  made.latency = 3600;
  ASSERT_TRUE(added(*b_, made));
  EXPECT_EQ(pinged(std::chrono::milliseconds(200)), -ETIMEDOUT);
  EXPECT_EQ(met(*b_).hits, 1U);
  EXPECT_EQ(deleted(*b_, {Kind::kDelay}).value(), 1U);
  EXPECT_EQ(pinged(), 0);
}

TEST_P(Faults, ANodeDrawsASeedWhereNoneIsGiven) {
  FaultRule made = rule(core::kFaultGet);
  EXPECT_NE(added(*a_, made).value().seed, 0U);
  made.seed = 4711;
  EXPECT_EQ(added(*a_, made).value().seed, 4711U);
  EXPECT_EQ(faults_of(*a_).at(0).rule.seed, 4711U) << "the newest is asked first";
  made.rate = 0;
  EXPECT_EQ(added(*a_, made).error().code, -EINVAL);
  ASSERT_TRUE(a_->stop({}));
  EXPECT_EQ(added(*a_, rule(0)).error().code, -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::node
