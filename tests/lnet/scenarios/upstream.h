// The vocabulary of the upstream suite's cases about health, recovery and discovery under faults
// (spec/upstream-tests.md E, F): nodes that have discovered themselves or each other, messages that
// fail on purpose, and an administrator's view. The name of each test contains its case number.
#pragma once

#include "cluster.h"

namespace ulnet::sim {

/// A call that must succeed.
template <class Call>
Call does(const Person& who, Call call) {
  core::ApiCall api{std::move(call)};
  who.node.call(api);
  EXPECT_EQ(api.status, 0) << api.reason;
  return std::get<Call>(std::move(api.body));
}

/// `ping`, or `ping --source`. Returns 0 or -errno.
inline int pinged(const Person& who, const Nid& to, const Nid& from = Nid::any(),
                  Duration timeout = seconds(10)) {
  const PingRequest request{.target = {to, Pid::lustre()}, .source = from, .timeout = timeout};
  return Person::errno_of(who.node.ping(request));
}
/// `discover`. Returns 0 or -errno.
inline int discovered(const Person& who, const Nid& nid) {
  return Person::errno_of(who.node.discover(nid, false));
}

/// The state of this node's NI, as `net show` has it.
inline core::NiStats ni_of(const Person& who, const Nid& nid) {
  for (const core::call::NiRow& ni : does(who, core::call::Show{}).nis)
    if (ni.nid == nid) return ni.stats;
  ADD_FAILURE() << nid.to_string() << " is not shown";
  return {};
}
inline core::PeerNiShow peer_ni_of(const Person& who, const Nid& nid) {
  for (const core::PeerShow& peer : does(who, core::call::Show{}).peers)
    for (const core::PeerNiShow& ni : peer.nis)
      if (ni.nid == nid) return ni;
  ADD_FAILURE() << nid.to_string() << " is not shown";
  return {};
}
/// `debug recovery --local`, `--peer`.
inline std::vector<Nid> in_recovery(const Person& who, bool local) {
  return does(who, core::call::ShowRecovery{local}).nids;
}

/// A rule about all messages of one type, from one NID to another, or between all NIDs.
inline core::FaultRule rule_on(std::uint32_t messages, const Nid& from = Nid::any(),
                               const Nid& to = Nid::any()) {
  core::FaultRule rule;
  rule.messages = messages;
  rule.rate = 1;
  rule.source.nid = from;
  rule.destination.nid = to;
  return rule;
}
inline void puts_in(const Person& who, const core::FaultRule& rule) {
  does(who, core::call::FaultAdd{core::settled(rule).value()});
}
/// GETs, which pings are, fail with this error when they are sent.
inline void lets_gets_fail(const Person& who, core::Health error, const Nid& from = Nid::any(),
                           const Nid& to = Nid::any()) {
  core::FaultRule rule = rule_on(core::kFaultGet, from, to);
  rule.errors = 1U << static_cast<std::uint32_t>(error);
  puts_in(who, rule);
}
/// Messages are delayed when they are sent or arrive.
inline void holds_up(const Person& who, std::uint32_t messages, std::uint32_t latency) {
  core::FaultRule rule = rule_on(messages);
  rule.kind = core::FaultRule::Kind::kDelay;
  rule.latency = latency;
  puts_in(who, rule);
}
inline void takes_away(const Person& who,
                       core::FaultRule::Kind kind = core::FaultRule::Kind::kDrop) {
  does(who, core::call::FaultDel{kind});
}

/// Whether the condition becomes true within this time.
template <class Condition>
bool within(Cluster& given, Duration time, Condition&& condition) {
  return given.world.run_until([&](World&) { return condition(); }, {.time = time}).reached();
}
/// The node shuts down, and has nothing left but what users did not unlink.
inline void ends_cleanly(Cluster& given, const Person& who) {
  who.node.shutdown();
  EXPECT_TRUE(
      within(given, seconds(60), [&] { return who.node.state() == SimNode::State::kStopped; }));
  EXPECT_EQ(who.node.leftovers(), Leftovers{});
}

}  // namespace ulnet::sim
