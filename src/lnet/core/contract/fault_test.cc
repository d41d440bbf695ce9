// Fault rules as values. spec/multirail.md 11.1, 11.2, 11.3, spec/cli-lnetctl.md 3.15.
#include "lnet/core/contract/fault.h"

#include <gtest/gtest.h>

namespace ulnet::core {
namespace {

Nid nid(const char* text) { return Nid::parse(text).value(); }

FaultRule drop_rule() {
  FaultRule rule;
  rule.rate = 1;
  return rule;
}
FaultRule delay_rule() {
  FaultRule rule = drop_rule();
  rule.kind = FaultRule::Kind::kDelay;
  rule.latency = 2;
  return rule;
}
bool refused(const FaultRule& rule) {
  const auto checked = settled(rule);
  return !checked && checked.error().code == -EINVAL;
}

TEST(FaultNids, AreOneOrThoseOfANetOrAll) {  // spec/multirail.md 11.1
  const auto one = FaultNids::parse("10.0.0.1@tcp1").value();
  EXPECT_TRUE(one.match(nid("10.0.0.1@tcp1")));
  EXPECT_FALSE(one.match(nid("10.0.0.2@tcp1")));
  EXPECT_FALSE(one.match(nid("10.0.0.1@tcp")));
  const auto net = FaultNids::parse("*@tcp1").value();
  EXPECT_TRUE(net.match(nid("10.0.0.2@tcp1")));
  EXPECT_FALSE(net.match(nid("10.0.0.2@tcp")));
  const auto all = FaultNids::parse("*").value();
  EXPECT_TRUE(all.match(nid("7@kfi")));
}

TEST(FaultNids, AreShownAsTheyWereGiven) {
  for (const char* text : {"10.0.0.1@tcp1", "*@tcp1", "*@tcp", "*", "2001:db8::1@tcp"})
    EXPECT_EQ(FaultNids::parse(text).value().to_string(), text);
}

TEST(FaultNids, BadNidsAreRefused) {
  for (const char* text : {"bogus", "", "*@", "*@nonet", "10.0.0.[1-2]@tcp", "<?>"}) {
    const auto nids = FaultNids::parse(text);
    ASSERT_FALSE(nids) << text;
    EXPECT_EQ(nids.error().code, -EINVAL);
    EXPECT_EQ(nids.error().reason, std::string("Invalid NID: ") + text);
  }
}

TEST(FaultRule, HasEitherRateOrInterval) {  // spec/multirail.md 11.2
  FaultRule rule;
  EXPECT_TRUE(refused(rule)) << "neither";
  rule.drop_all = true;
  EXPECT_TRUE(refused(rule)) << "drop-all alone is neither";
  rule.rate = 1;
  EXPECT_TRUE(settled(rule));
  rule.interval = 1;
  EXPECT_TRUE(refused(rule)) << "both";
  rule.rate = 0;
  EXPECT_TRUE(settled(rule));
}

TEST(FaultRule, DelayRulesHaveALatencyOnly) {  // spec/multirail.md 11.3
  FaultRule rule = delay_rule();
  EXPECT_TRUE(settled(rule));
  rule.latency = 0;
  EXPECT_TRUE(refused(rule));
  rule = delay_rule();
  rule.errors = fault_error_bit("local_error");
  EXPECT_TRUE(refused(rule));
  rule = delay_rule();
  rule.drop_all = true;
  EXPECT_TRUE(refused(rule));
  rule = drop_rule();
  rule.latency = 1;
  EXPECT_TRUE(refused(rule));
}

TEST(FaultRule, IsRandomInIntervalsOnly) {
  FaultRule rule = drop_rule();
  rule.random = true;
  EXPECT_TRUE(refused(rule));
  rule.rate = 0;
  rule.interval = 3;
  EXPECT_TRUE(settled(rule));
}

TEST(FaultRule, WithPortalsIsAboutPutAndGet) {  // spec/multirail.md 11.2
  FaultRule rule = drop_rule();
  EXPECT_EQ(settled(rule).value().messages, kFaultAllMessages);
  rule.portals = 1;
  EXPECT_EQ(settled(rule).value().messages, kFaultPut | kFaultGet);
  rule.messages = kFaultGet | kFaultReply;
  EXPECT_EQ(settled(rule).value().messages, kFaultGet);
  rule.messages = kFaultAck;
  EXPECT_TRUE(refused(rule));
}

TEST(FaultRule, HasNoBitsThatMeanNothing) {
  FaultRule rule = drop_rule();
  rule.messages = 16;
  EXPECT_TRUE(refused(rule));
  rule = drop_rule();
  rule.errors = 1U << kFaultErrors;
  EXPECT_TRUE(refused(rule));
}

TEST(FaultNames, AreThoseOfLnetctl) {
  EXPECT_EQ(fault_error_bit("random"), kFaultRandomError);
  EXPECT_EQ(fault_error_bit("local_interrupt"), 1U << static_cast<int>(Health::kLocalInterrupt));
  EXPECT_EQ(fault_error_bit("network_timeout"), 1U << static_cast<int>(Health::kNetworkTimeout));
  EXPECT_EQ(fault_error_bit("foo"), 0U);
  EXPECT_EQ(fault_message_bit("ACK"), kFaultAck);
  EXPECT_EQ(fault_message_bit("put"), kFaultPut);
  EXPECT_EQ(fault_message_bit("Get"), kFaultGet);
  EXPECT_EQ(fault_message_bit("REPLY"), kFaultReply);
  EXPECT_EQ(fault_message_bit("FOO"), 0U);
}

}  // namespace
}  // namespace ulnet::core
