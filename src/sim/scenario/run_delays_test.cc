// Fault rules that hold arriving messages, under all checkers.
#include <gtest/gtest.h>

#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::sim {
namespace {

/// Rules of both nodes hold every second arriving message, so that several go on at once.
TEST(RunDelays, ReceivedMessagesMayBeDelayed) {  // spec/multirail.md 11.3
  for (const std::string driver : {"pipe", "tcp"})
    for (const std::string partitions : {"1", "3"})
      for (const std::string nets : {"'*@tcp'", "'*'"}) {  // '*': also messages of 0@lo
        const std::string rest = ", partitions: " + partitions + "}\n";
        const auto world = read_scenario(
            "edge: " + driver +
            "\n"
            "nodes:\n"
            "    - {name: a, nids: 10.0.0.1@tcp" +
            rest + "    - {name: b, nids: 10.0.0.2@tcp" + rest +
            "workload:\n"
            "    - {what: put, from: a, to: b, count: 50, size: 0..9KB, every: 40ms}\n"
            "    - {what: get, from: a, to: b, count: 50, size: 0..9KB, every: 40ms}\n"
            "    - {what: mix, count: 50, size: 0..9KB, every: 40ms}\n"
            "    - {what: random, count: 1000, size: 0..4KiB, every: 2ms}\n"
            "    - {what: ping, from: a, to: b, count: 5, every: 300ms}\n"
            "faults:\n"
            "    - {rule: delay, at: 10ms, for: 30s, node: a, source: " +
            nets + ", dest: " + nets +
            ", rate: 2, latency: 1}\n"
            "    - {rule: delay, at: 10ms, for: 3s, node: b, source: " +
            nets + ", dest: " + nets + ", rate: 2, latency: 2}\n");
        ASSERT_TRUE(world) << world.error().front().reason;
        const Report report = sim::Run(*world, {}).go();
        EXPECT_EQ(report.ending, Ending::kGood)
            << driver << ", " << partitions << " partitions, " << nets << ": " << report.checker
            << ": " << report.what;
      }
}

/// The health of n0 rises by each of several messages that go on in one step; the health of a
/// becomes full by a message that goes on in the step in which a is pinged.
TEST(RunDelays, DelayedMessagesMakeAPeerNiWellInOneStep) {  // spec/multirail.md 5.2, 7, 11.3
  const auto several = read_scenario(
      "seed: 21255\n"
      "links: {default: {delay: 30ms, jitter: 1ms}}\n"
      "nodes:\n"
      "    - {name: n0, nids: 10.0.0.1@tcp}\n"
      "    - {name: n1, nids: 10.0.0.2@tcp}\n"
      "workload:\n"
      "    - {what: ping, from: n0, to: n1, count: 10, every: 300ms}\n"
      "    - {what: ping, from: n0, to: n1, count: 10, every: 300ms}\n"
      "faults:\n"
      "    - {rule: delay, at: 1124ms, for: 30s, node: n1, source: 10.0.0.1@tcp,\n"
      "       dest: 10.0.0.2@tcp, rate: 1, latency: 1}\n"
      "    - {what: health, at: 3162ms, node: n1, of peer: yes, value: 500}\n");
  const auto behind_a_ping = read_scenario(
      "edge: pipe\n"
      "nodes:\n"
      "    - {name: a, nids: 10.0.0.1@tcp}\n"
      "    - {name: b, nids: 10.0.0.2@tcp}\n"
      "workload:\n"
      "    - {what: get, from: b, to: a, size: 100}\n"
      "    - {what: get, from: b, to: a, size: 100, start: 700ms}\n"
      "    - {what: get, from: b, to: a, size: 100, start: 1000100us}\n"
      "faults:\n"
      "    - {rule: delay, at: 500ms, for: 6s, node: a, source: 10.0.0.2@tcp,\n"
      "       dest: 10.0.0.1@tcp, rate: 1, latency: 1, messages: GET}\n"
      "    - {what: health, at: 1500ms, node: a, of peer: yes, value: 800}\n");
  for (const auto& world : {several, behind_a_ping}) {
    ASSERT_TRUE(world) << world.error().front().reason;
    const Report report = sim::Run(*world, {}).go();
    EXPECT_EQ(report.ending, Ending::kGood) << report.checker << ": " << report.what;
  }
}

}  // namespace
}  // namespace ulnet::sim
