// When a world in which LNet's own pings continue counts as quiet.
#include <gtest/gtest.h>

#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {
namespace {

/// c checks its router each second. A check takes at least four crossings of a link (multirail.md
/// 9.4), 1.2 s here, so the wire is never empty.
Scenario with_a_ping_on_the_wire(const std::string& driver, const std::string& more) {
  auto read = read_scenario("edge: " + driver +
                            "\n"
                            "nodes:\n"
                            "    - {name: a, nids: 10.0.0.1@tcp}\n"
                            "    - {name: b, nids: 10.0.0.2@tcp}\n"
                            "    - name: c\n"
                            "      nids: 10.0.0.3@tcp\n"
                            "      routes: [{net: tcp1, gateway: 10.0.0.9@tcp}]\n"
                            "    - {name: r, nids: [10.0.0.9@tcp, 10.1.0.9@tcp1], routing: yes}\n"
                            "links: {default: {delay: 300ms}, long: {delay: 100s}}\n"
                            "lasts: 200s\n" +
                            more);
  EXPECT_TRUE(read) << read.error().front().reason;
  Scenario made = read.value_or(Scenario{});
  made.nodes.at(2).globals.alive_router_check_interval = 1;
  return made;
}

TEST(RunQuiet, ChecksOfARouterThatFillSlowLinksDoNotCountAsUnderWay) {
  for (const std::string driver : {"pipe", "tcp"}) {
    const Scenario slow =
        with_a_ping_on_the_wire(driver,
                                "workload: [{from: a, to: b, count: 4, every: 3s}]\n"
                                "quiet within: 60s\n"
                                "expect: {delivered: 4}\n");
    const Report report = sim::Run(slow, {}).go();
    EXPECT_EQ(report.ending, Ending::kGood) << driver << report.checker << ": " << report.what;
    EXPECT_GE(report.age, std::chrono::seconds(60 + 60));
  }
}

// a pings b first. At 100 s it has the answer, sends its PUT and forgets it; the PUT arrives at
// 200 s. The world may become quiet for three times "quiet within" after a has sent it.
TEST(RunQuiet, AUsersMessageCountsAsUnderWayAmongPings) {
  for (const std::uint32_t within : {60, 20}) {
    Scenario late = with_a_ping_on_the_wire("pipe",
                                            "between: [{from: a, to: b, link: long, both: no}]\n"
                                            "workload: [{from: a, to: b, ack: no}]\n"
                                            "expect: {events: {PUT: 1}}\n");
    for (NodeSetup& node : late.nodes) node.globals.discovery = 0;
    late.nodes[0].globals.transaction_timeout = 1000;
    late.quiet_within = std::chrono::seconds(within);
    const Report report = sim::Run(late, {}).go();
    EXPECT_EQ(report.ending, within == 60 ? Ending::kGood : Ending::kViolated) << report.what;
  }
}

}  // namespace
}  // namespace ulnet::sim
