#include "lab/experiment/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/experiment/experiment_fixture.h"

namespace ulnet::tools::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(ReadExperiment, TakesWhatIsWritten) {
  const Experiment experiment = experiment_of(std::string("name: all of it\nabout: a test\n") +
                                              kSmallLab + R"(wires at most: 50mbit
loads:
    - {name: up, what: write, from: client, to: [server1, far], size: 64KiB, concurrency: 3}
    - {name: down, what: read, from: client1, to: server2, start: 1s, lasts: 6s}
    - {name: late, what: ping, from: client2, to: server2, start: 7s}
faults:
    - {at: 6s, what: link-rate, link: "server2", rate: 1mbit, for: 1s}
    - {at: 4s, what: kill, node: router}
    - {at: 5s, what: link-down, link: "client1:1", for: 500ms}
lasts: 10s
sample: 250ms
expect:
    operations lost: {up: ..20}
    rate: {up: 0.1..}
    recovered within: {down: 3s}
    rates on loopback: yes
)");
  EXPECT_EQ(experiment.name, "all of it");
  EXPECT_EQ(experiment.wires_at_most, 50'000'000U);
  EXPECT_EQ(experiment.topology.nodes[0].rails[0].wire.bits_per_second, 50'000'000U);
  EXPECT_EQ(experiment.lasts, seconds(10));
  EXPECT_EQ(experiment.sample, milliseconds(250));
  ASSERT_THAT(experiment.loads, SizeIs(3));
  EXPECT_THAT(experiment.loads[0].from, ElementsAre(0U, 1U));
  EXPECT_THAT(experiment.loads[0].to, ElementsAre(2U, 5U));
  EXPECT_EQ(experiment.loads[0].size, 65536U);
  EXPECT_EQ(experiment.loads[0].concurrency, 3U);
  EXPECT_EQ(experiment.loads[0].end, seconds(10));
  EXPECT_EQ(experiment.loads[1].what, ExperimentLoad::What::kRead);
  EXPECT_EQ(experiment.loads[1].end, seconds(7));
  EXPECT_EQ(experiment.loads[2].size, 0U);
  ASSERT_THAT(experiment.faults, SizeIs(3));
  EXPECT_EQ(description(experiment.faults[0]), "kill router") << "in the order of their times";
  EXPECT_FALSE(experiment.faults[0].mended);
  EXPECT_EQ(experiment.faults[0].end, seconds(10));
  EXPECT_EQ(description(experiment.faults[1]), "link-down client1:1");
  EXPECT_EQ(experiment.faults[1].wire.rail, 1U);
  EXPECT_EQ(description(experiment.faults[2]), "link-rate server2:0 1mbit");
  ASSERT_THAT(experiment.expected, SizeIs(3));
  EXPECT_TRUE(experiment.expected[0].lost.holds(20));
  EXPECT_FALSE(experiment.expected[0].lost.holds(21));
  EXPECT_EQ(experiment.expected[1].text, "rate: up: 0.1..");
  EXPECT_EQ(experiment.expected[2].within, seconds(3));
  EXPECT_TRUE(experiment.rates_on_loopback);
  EXPECT_EQ(experiment.console, 1U) << "client2: client1 is hit";
}

TEST(ReadExperiment, LittleWillDo) {
  const Experiment experiment = experiment_of(std::string(kSmallLab) + kOneLoad);
  EXPECT_EQ(experiment.name, "trial") << "the file's";
  EXPECT_EQ(experiment.loads.at(0).what, ExperimentLoad::What::kWrite);
  EXPECT_EQ(experiment.loads.at(0).size, 1U << 20);
  EXPECT_EQ(experiment.loads.at(0).end, seconds(20));
  EXPECT_THAT(experiment.topology_text, HasSubstr("\n    nets: {tcp: {rate"));
  EXPECT_THAT(experiment.topology_text, testing::Not(HasSubstr("loads")));
  EXPECT_TRUE(read_topology(experiment.topology_text, "x"));
}

TEST(ReadExperiment, EveryExampleIsRight) {
  for (const char* name : {"lost-router-fgr", "lost-router-flat", "rail-cut", "chain-router-pause"})
    EXPECT_GE(example_experiment(ULNET_SOURCE_DIR, name).expected.size(), 2U) << name;
}

TEST(ReadExperiment, SharesAreRanges) {
  EXPECT_TRUE(parse_share("0.7..")->holds(0.7));
  EXPECT_TRUE(parse_share("0.7..")->holds(50));
  EXPECT_FALSE(parse_share("0.7..")->holds(0.69));
  EXPECT_TRUE(parse_share("..0.5")->holds(0));
  EXPECT_FALSE(parse_share("0.4..0.6")->holds(0.61));
  EXPECT_TRUE(parse_share("1")->holds(1));
  for (const char* wrong :
       {"", "..", "x", "0.5..0.4", "-1..", "0.5.0", "1e3", "1001", "0.1..0.2..", "nan", "0x1"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
}

TEST(ReadExperiment, BlankedTextKeepsItsPlaces) {
  EXPECT_EQ(blanked("a: 1\nb: {c: 2}\nd: 3\n", {2, 4}, {3, 1}), "    \n   {c: 2}\n    \n");
  EXPECT_EQ(blanked("a:\n  b: \xc3\xa4\n", {2, 3}, {}), "  \n  b: \xc3\xa4\n");
}

struct WrongExperiment {
  std::string text;
  int line;
  std::string reason;
};
void PrintTo(const WrongExperiment& wrong, std::ostream* out) { *out << wrong.text; }

class ReadWrongExperiment : public testing::TestWithParam<WrongExperiment> {};
TEST_P(ReadWrongExperiment, IsReportedWithItsPlace) {
  const auto read = read_experiment(GetParam().text, "folder/trial.yaml");
  ASSERT_FALSE(read) << GetParam().text;
  ASSERT_THAT(read.error(), SizeIs(1)) << conf::lines_of(read.error());
  const conf::Problem& mistake = read.error().front();
  EXPECT_EQ(mistake.file, "folder/trial.yaml");
  EXPECT_EQ(mistake.place.line, GetParam().line) << conf::lines_of(read.error());
  EXPECT_GT(mistake.place.column, 0);
  EXPECT_THAT(mistake.reason, HasSubstr(GetParam().reason));
}

/// kSmallLab has 7 lines.
std::string small(const std::string& more) { return kSmallLab + more; }
std::string fault(const std::string& text) {
  return small(kOneLoad) + "faults:\n    - {" + text + "}\n";
}
std::string expected(const std::string& text) {
  return fault("at: 5s, what: pause, node: router, for: 1s") + "expect:\n    " + text + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Files, ReadWrongExperiment,
    testing::Values(
        WrongExperiment{"", 1, "the file is empty"},
        WrongExperiment{"{", 1, "a key must be plain text"},
        WrongExperiment{small(kOneLoad) + "---\nloads: 1\n", 11, "a second YAML document"},
        WrongExperiment{small(kOneLoad) + "expcet: {}\n", 10, "did you mean 'expect'?"},
        WrongExperiment{kOneLoad, 1, "without 'topology'"},
        WrongExperiment{kSmallLab, 1, "without 'loads'"},
        WrongExperiment{std::string("topology: two-node\n") + kOneLoad, 1,
                        "no topology 'two-node': did you mean 'two-nodes'?"},
        WrongExperiment{std::string("topology: nowhere.yaml\n") + kOneLoad, 1,
                        "no file folder/nowhere.yaml"},
        WrongExperiment{std::string("topology: [a]\n") + kOneLoad, 1, "expected a name, a file"},
        WrongExperiment{
            std::string("topology:\n    nodes:\n        a: tcp\n        b: tpc\n") + kOneLoad, 4,
            "tpc"},
        WrongExperiment{"{topology: {nodes: {a: tcp, b: tcp}}, loads: [{name: x, from: a, to: b}]}",
                        1, "on lines of their own"},
        WrongExperiment{"{loads: [{name: x, from: a, to: b}], topology: {nodes: {a: tcp, b: tcp}}}",
                        1, "on lines of their own"},
        WrongExperiment{"topology: " + std::string(300, 'x') + "\n" + kOneLoad, 1,
                        "no topology 'xxx"},
        WrongExperiment{small(kOneLoad) + "wires at most: fast\n", 10, "fast"},
        WrongExperiment{small(kOneLoad) + "lasts: 2h\n", 10, "at most an hour"},
        WrongExperiment{small(kOneLoad) + "sample: 1ms\n", 10, "at least 100ms"},
        WrongExperiment{small(kOneLoad) + "sample: 8s\n", 1, "at least four times 'sample'"}));
INSTANTIATE_TEST_SUITE_P(
    Loads, ReadWrongExperiment,
    testing::Values(
        WrongExperiment{small("loads: []\n"), 8, "at least one load"},
        WrongExperiment{small("loads:\n    - {from: client, to: far}\n"), 9, "without 'name'"},
        WrongExperiment{small("loads:\n    - {name: a b, from: client, to: far}\n"), 9, "a b"},
        WrongExperiment{small("loads:\n    - {name: a, what: wirte, from: client, to: far}\n"), 9,
                        "not one of write, read, ping: did you mean 'write'?"},
        WrongExperiment{small("loads:\n    - {name: a, from: cleint1, to: far}\n"), 9,
                        "unknown node 'cleint1': did you mean 'client1'?"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: far, size: 2MiB}\n"), 9,
                        "from 8 to 1MiB"},
        WrongExperiment{small("loads:\n    - {name: a, what: ping, from: client, to: far, size: "
                              "8}\n"),
                        9, "unknown key 'size'"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: far, concurrency: 0}\n"),
                        9, "0 is not from 1"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: far, start: 20s}\n"), 9,
                        "beyond the experiment's end, 20s"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: far, lasts: 21s}\n"), 9,
                        "beyond the experiment's end, 20s"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: far, lasts: 600ms}\n"), 9,
                        "at least twice 'sample'"},
        WrongExperiment{small("loads:\n    - {name: a, from: client, to: client1}\n"), 9,
                        "client1 is in 'from' and in 'to'"},
        WrongExperiment{small("loads:\n    - {name: a, from: client1, to: far}\n"
                              "    - {name: a, from: client2, to: server1}\n"),
                        10, "two loads with the name a"},
        WrongExperiment{small("loads:\n    - {name: a, from: client1, to: far, lasts: 9s}\n"
                              "    - {name: b, from: client2, to: far, start: 8s}\n"),
                        10, "loads a and b run at the same time, and both use far"},
        WrongExperiment{small("loads:\n    - {name: a, from: server1, to: far}\n"
                              "    - {name: b, from: client2, to: server1}\n"),
                        10, "both use server1"},
        WrongExperiment{"topology:\n    nodes: {a: tcp, b: tcp}\nloads: [{name: x, from: a, to: "
                        "b}]\n",
                        3, "nothing limits the load: add 'wires at most: 100mbit'"},
        WrongExperiment{"topology:\n    nodes: {a: tcp, b: tcp1, r: {nets: [tcp, tcp1], routing: "
                        "yes}}\n    routes: none\nwires at most: 1mbit\nloads: [{name: x, from: a, "
                        "to: b}]\n",
                        5, "a shares no net with b, and has no route"}));
INSTANTIATE_TEST_SUITE_P(
    Faults, ReadWrongExperiment,
    testing::Values(
        WrongExperiment{fault("what: pause, node: router"), 11, "without 'at'"},
        WrongExperiment{fault("at: 1s, node: router"), 11, "without 'what'"},
        WrongExperiment{fault("at: 1s, what: kil, node: router"), 11, "did you mean 'kill'?"},
        WrongExperiment{fault("at: 1s, what: kill, node: ruoter"), 11, "did you mean 'router'?"},
        WrongExperiment{fault("at: 1s, what: pause, node: server"), 11, "more than one node"},
        WrongExperiment{fault("at: 1s, what: pause"), 11, "without 'node'"},
        WrongExperiment{fault("at: 1s, what: pause, node: router, link: x"), 11,
                        "unknown key 'link'"},
        WrongExperiment{fault("at: 1s, what: link-down, link: \"client1:7\""), 11, "client1:7"},
        WrongExperiment{fault("at: 1s, what: link-down, link: client1"), 11, "2 rails"},
        WrongExperiment{fault("at: 1s, what: link-rate, link: far"), 11, "without 'rate'"},
        WrongExperiment{fault("at: 1s, what: link-rate, link: far, rate: 0"), 11, "at least 8kbit"},
        WrongExperiment{fault("at: 20s, what: kill, node: router"), 11, "beyond the experiment"},
        WrongExperiment{fault("at: 19s, what: kill, node: router, for: 2s"), 11,
                        "would end at 21s, beyond the experiment's end, 20s"},
        WrongExperiment{fault("at: 1s, what: kill, node: router, for: 0s"), 11, "more than 0"},
        WrongExperiment{fault("at: 1s, what: kill, node: server1"), 11,
                        "server1 is a node of load up"},
        WrongExperiment{fault("at: 1s, what: kill, node: router}\n    - {at: 2s, what: pause, "
                              "node: router"),
                        12, "router is broken already, from 1s to 20s"},
        WrongExperiment{fault("at: 1s, what: pause, node: client1}\n    - {at: 1s, what: pause, "
                              "node: client2}\n    - {at: 1s, what: pause, node: server1"),
                        1, "needs one node without a fault"}));
INSTANTIATE_TEST_SUITE_P(
    Expectations, ReadWrongExperiment,
    testing::Values(
        WrongExperiment{expected("rate: {upp: 1}"), 13, "unknown load 'upp': did you mean 'up'?"},
        WrongExperiment{expected("rate: {up: fast}"), 13, "'fast' is no share"},
        WrongExperiment{expected("rate: [1]"), 13, "'load: value' lines"},
        WrongExperiment{expected("operations lost: some"), 13, "some"},
        WrongExperiment{expected("recovered within: {up: soon}"), 13, "soon"},
        WrongExperiment{expected("recoverd within: {up: 1s}"), 13,
                        "did you mean 'recovered within'?"},
        WrongExperiment{expected("rates on loopback: maybe"), 13, "neither yes nor no"},
        WrongExperiment{
            fault("at: 5s, what: pause, node: router, for: 900ms") + "expect: {rate: {up: 1}}\n",
            12, "for less than two samples while 'pause router' is there"},
        WrongExperiment{small(kOneLoad) + "expect: {rate: {up: 1}}\n", 10, "there are no faults"},
        WrongExperiment{small("loads:\n    - {name: up, from: client, to: far, start: 5s}\n"
                              "faults:\n    - {at: 5s, what: kill, node: router}\n"
                              "expect: {rate: {up: 1}}\n"),
                        12, "does not run for two samples before the first fault, at 5s"},
        WrongExperiment{small("loads:\n    - {name: up, from: client, to: far, lasts: 5s}\n"
                              "faults:\n    - {at: 5s, what: kill, node: router}\n"
                              "expect: {recovered within: {up: 1s}}\n"),
                        12, "has ended when the first fault comes"}));

TEST(ReadExperiment, ReportsEveryMistakeInItsOrder) {
  const auto read =
      read_experiment(small("wires at most: x\nloads:\n    - {name: a, form: client, to: far}\n"
                            "faults:\n    - {at: 1s, what: kill, node: nobody}\nlsats: 1s\n"),
                      "t.yaml");
  ASSERT_FALSE(read);
  std::vector<int> lines;
  for (const conf::Problem& mistake : read.error()) lines.push_back(mistake.place.line);
  EXPECT_THAT(lines, ElementsAre(8, 10, 10, 12, 13));
}

TEST(ReadExperiment, AMissingFileIsReportedWithItsName) {
  const auto read = read_experiment_file("/nowhere/at/all.yaml");
  ASSERT_FALSE(read);
  EXPECT_EQ(conf::lines_of(read.error()), "/nowhere/at/all.yaml: No such file or directory\n");
}

TEST(ReadExperiment, SaysWhatLoopbackDoesNotHave) {
  EXPECT_TRUE(not_on_loopback(example_experiment(ULNET_SOURCE_DIR, "rail-cut")).empty());
  const Experiment rate =
      experiment_of(fault("at: 1s, what: link-rate, link: far, rate: 1mbit, for: 1s"));
  ASSERT_THAT(not_on_loopback(rate), SizeIs(1));
  EXPECT_EQ(not_on_loopback(rate)[0].place.line, 11);
}

}  // namespace
}  // namespace ulnet::tools::lab
