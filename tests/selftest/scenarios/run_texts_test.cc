// The options of `ulst run`, and its output: tables, JSON and CSV as documented in ulst(8).
#include <gmock/gmock.h>

#include "bench.h"
#include "selftest/ulst/run/progress.h"
#include "selftest/ulst/run/summary.h"

namespace ulnet::tools::lst::test {
namespace {

using namespace run;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class LstRunOptions : public Bench {
 protected:
  /// All mistakes in the options have the same exit code.
  std::string wrong(const std::string& line) {
    const Said said = lst("run " + line);
    EXPECT_EQ(said.code, 4) << line;
    return said.all;
  }
  std::string why(const std::string& options) {
    return wrong("--from 10.99.0.1@tcp --to 10.99.0.2@tcp " + options);
  }
};

TEST_F(LstRunOptions, ErrorsAreNamedBeforeASessionBegins) {
  EXPECT_EQ(wrong("--from 10.99.0.1@tcp"), "--to NIDS is missing\n");
  EXPECT_EQ(wrong("--from 10.99.0.[1@tcp --to 10.99.0.2@tcp"),
            "Syntax error in \"10.99.0.[1@tcp\"\n");
  EXPECT_EQ(why("--sizes 4k,,8k"), "Invalid size \n");
  EXPECT_EQ(why("--sizes 2m"), "Size exceed limitation: 2097152 bytes\n");
  EXPECT_EQ(why("--time 10x"), "--time 10x: not a time (10s, 500ms)\n");
  EXPECT_EQ(why("--time 25h"), "--time 25h: not a time within the limits\n");
  EXPECT_EQ(why("--interval 1ms"), "--interval 1ms: not a time within the limits\n");
  EXPECT_EQ(why("--concurrency 0"), "--concurrency 0: not a number from 1 to 1024\n");
  EXPECT_EQ(why("--check frob"), "--check frob: not none, simple, full or discard\n");
  EXPECT_EQ(why("--timeout 3601"), "--timeout 3601: not a number from 1 to 3600\n");
  EXPECT_EQ(why("--distribute 1"), "Invalid distribution: 1\n");
  EXPECT_EQ(why("--max-rate -1"), "--max-rate -1: not a rate (100M: MiB/s; 100: RPC/s)\n");
  EXPECT_THAT(why("--ping --max-rate 1M"), HasSubstr("a ping moves no data"));
  EXPECT_THAT(why("--distribute 1:2 --max-concurrency 1"), HasSubstr("to each of its 2 servers"));
  EXPECT_EQ(why("--json --csv"), "--json or --csv, not both\n");
  EXPECT_EQ(why("--matrix --sweep"), "--matrix or --sweep, not both\n");
  EXPECT_THAT(why("--matrix --read --write"), HasSubstr("--matrix measures one test"));
  EXPECT_THAT(why("--matrix --distribute 1:2"), HasSubstr("--matrix measures pairs of nodes"));
  EXPECT_EQ(wrong("--from 10.99.0.1@tcp --to 10.99.0.1@tcp --matrix"),
            "--matrix measures pairs of different nodes: there is only 12345-10.99.0.1@tcp\n");
  EXPECT_EQ(why("--svg x.svg"),
            "--svg draws what --matrix or --sweep measures: give one of them\n");
  EXPECT_THAT(wrong("--from 10.99.0.1@tcp --to 2001:db8::1@tcp"),
              HasSubstr("a node that has IPv6 only can be neither"));
  EXPECT_THAT(why("more"), HasSubstr("Usage: "));
  EXPECT_THAT(wrong("--from 10.99.0.1@tcp --frob"), HasSubstr("Usage: "));
  EXPECT_EQ(console.calls, 0U);
}

TEST_F(LstRunOptions, RunWithoutFromRunsABatch) {
  good("new_session x");
  EXPECT_THAT(bad("run none"), StartsWith("Failed to get count of nodes from none"));
  EXPECT_THAT(good("help run"), HasSubstr("Usage: lst run [--timeout SEC] [NAME]\n"));
  EXPECT_THAT(good("help run"), HasSubstr("Usage: lst run --from IDS --to IDS"));
}

/// Fake nodes that report to run, send RPCs, and carry out requests.
class LstRunNodes : public LstRunOptions {
 protected:
  void SetUp() override {
    for (const std::uint32_t last : {2U, 3U, 11U}) {
      FakeNode& node = nodes.node(last);
      node.grows.framework.running_ms = 500;
      node.grows.rpc.sent = 100;
    }
  }
  void is_ulnet(std::uint32_t last, Duration took, int rpcs) {
    FakeNode& node = nodes.node(last);
    node.abilities = wire::kLstAbilities;
    node.latency.emplace();
    for (int i = 0; i < rpcs; ++i) node.latency->record(took);
  }
  static constexpr const char* kRun =
      "run --from 10.99.0.[2-3]@tcp --to 10.99.0.11@tcp --time 2s --ping ";
};

TEST_F(LstRunNodes, ThatAreNotUlnetAreShownWithoutPercentiles) {
  is_ulnet(2, 1ms, 10);
  const std::string table = good(kRun);
  EXPECT_THAT(table, HasSubstr("No P50, P99 and P99.9 of 10.99.0.3@tcp: not ulnet.\n"
                               "The percentiles of all clients are those of the other clients.\n"));
  const Said json = lst(std::string(kRun) + "--json");
  const Tree test = Tree::parse(json.all)["tests"][0];
  EXPECT_NEAR(test["clients"][0]["latency_us"]["p50"].get<double>(), 1000, 125);
  EXPECT_EQ(test["clients"][0]["rpcs"], 10) << "the histogram has the number of RPCs that ended";
  EXPECT_TRUE(test["clients"][1]["latency_us"]["p50"].is_null());
  EXPECT_EQ(test["clients"][1]["latency_us"]["no_percentiles"], "not ulnet");
  EXPECT_NEAR(test["latency_us"]["p50"].get<double>(), 1000, 125);
  EXPECT_THAT(good(std::string(kRun) + "--csv"), HasSubstr(",0,,not ulnet\n"));
}

// The mean of the two medians would be half a second.
TEST_F(LstRunNodes, PercentilesOfAllAreOfAllRpcsTogether) {
  is_ulnet(2, 10us, 990);
  is_ulnet(3, 1s, 10);
  const Said json = lst(std::string(kRun) + "--json");
  const Tree latency = Tree::parse(json.all)["tests"][0]["latency_us"];
  EXPECT_NEAR(latency["p50"].get<double>(), 10, 1.25);
  EXPECT_NEAR(latency["p99"].get<double>(), 10, 1.25);
  EXPECT_NEAR(latency["p99.9"].get<double>(), 1e6, 125e3);
}

TEST_F(LstRunNodes, RiskyTestsNeedTheUsersConsent) {
  const std::string discard =
      "run --from 10.99.0.2@tcp --to 10.99.0.11@tcp --time 1s --check discard";
  EXPECT_THAT(bad(discard),
              HasSubstr("10.99.0.2@tcp is not known to be ulnet: the test is not sent"));
  EXPECT_THAT(good(discard + " --nodes-are-safe"), HasSubstr("read 1M"));
}

TEST_F(LstRunNodes, AreShownWithTheirNames) {
  const std::string named = std::string(kRun) +
                            "--name 10.99.0.2@tcp=client1 --name "
                            "10.99.0.11@tcp=oss1 ";
  EXPECT_THAT(good(named), AllOf(HasSubstr(" 10.99.0.2@tcp (client1) client "),
                                 HasSubstr(" 10.99.0.3@tcp           client "),
                                 HasSubstr(" 10.99.0.11@tcp (oss1)   server ")));
  const Tree clients = Tree::parse(good(named + "--json"))["tests"][0]["clients"];
  EXPECT_EQ(clients[0]["node"], "10.99.0.2@tcp");
  EXPECT_EQ(clients[0]["name"], "client1");
  EXPECT_FALSE(clients[1].contains("name"));
  EXPECT_THAT(good(named + "--csv"), HasSubstr(",0,client1,not ulnet\n"));
  EXPECT_THAT(bad(std::string(kRun) + "--name client1"), HasSubstr("NID=NAME"));
}

TEST_F(LstRunNodes, ThatOthersHaveAreReportedWithTheirSession) {
  nodes.node(11).join(svc::selftest::console::test::kSomebody, "ulst run 17");
  EXPECT_THAT(bad(std::string(kRun) + "--name 10.99.0.99@tcp=client9"),
              HasSubstr("10.99.0.11@tcp: is in the session 'ulst run 17' of the console "
                        "10.99.0.99@tcp (client9): wait until it ends; there 'ulst show_session' "
                        "prints its key, and 'LST_SESSION=KEY ulst end_session' ends it; --force "
                        "here takes the node away from there\n"));
  good(std::string(kRun) + "--force");
}

TEST_F(LstRunNodes, ATakenConsoleNamesItsUser) {
  good("new_session mine");
  EXPECT_THAT(bad(kRun),
              StartsWith("ulst: the console of 10.99.0.1@tcp has the session 'mine' (key 4711) "
                         "already: wait until it ends; 'LST_SESSION=4711 ulst end_session' there "
                         "ends it, and so does --force here\n"));
  good(std::string(kRun) + "--force");
}

TEST_F(LstRunNodes, WithoutSelftestAreAskedAbout) {
  nodes.node(11).silent = true;
  EXPECT_THAT(bad(kRun),
              HasSubstr("10.99.0.11@tcp: cannot be taken into the test: no answer (Connection "
                        "timed out); does it serve selftest? ('ulnetd --selftest' "));
}

TEST_F(LstRunNodes, ThatDoNotStopAreReportedWithWhatIsKnownOfTheirRpcs) {
  const std::string line =
      "run --from 10.99.0.2@tcp --to 10.99.0.11@tcp --time 1s --ping --timeout 3 --concurrency 4";
  FakeNode& node = nodes.node(2);
  node.lingers = 1;
  node.grows.rpc.sent = 0;
  EXPECT_THAT(bad(line),
              HasSubstr("lost: its test does not stop, and it made no RPC at all: can it "
                        "reach its servers?"));
  node.session = {};
  node.grows.rpc.sent = 1000;
  EXPECT_THAT(bad(line), HasSubstr("lost: its test does not stop\n"));
}

TEST_F(LstRunOptions, BecomeAPlan) {
  const auto plan_for = [](const Words& words) { return *plan_of(*plan_arguments(words)); };
  Plan plan = plan_for({"run", "--from", "10.0.0.[1-2]@tcp,10.0.0.9@tcp", "--from", "10.0.0.4@tcp",
                        "--to", "10.0.0.5@tcp"});
  EXPECT_EQ(plan.from.size(), 4U);
  EXPECT_EQ(plan.steps, (std::vector<Step>{{Operation::kRead, 1 << 20}}));
  EXPECT_EQ(plan.time, 10s);
  EXPECT_GE(plan.timeout, 90) << "a minute's outage, and what TCP then needs to find back";
  EXPECT_FALSE(plan.nodes_are_safe);
  EXPECT_FALSE(plan.stop_on_error);
  EXPECT_TRUE(plan_for({"run", "--from", "10.0.0.1@tcp", "--to", "10.0.0.5@tcp", "--stop-on-error"})
                  .stop_on_error);
  plan = plan_for({"run", "-f", "10.0.0.1@tcp", "-t", "10.0.0.2@tcp", "--ping", "--write",
                   "--sizes", "4k,64K", "--sizes", "1m", "--time", "1.5", "--interval", "200ms"});
  EXPECT_EQ(plan.steps, (std::vector<Step>{{Operation::kPing, 0},
                                           {Operation::kWrite, 4096},
                                           {Operation::kWrite, 65536},
                                           {Operation::kWrite, 1 << 20}}));
  EXPECT_EQ(plan.time, 1500ms);
  EXPECT_EQ(plan.interval, 200ms);
}

TEST(LstRunPace, BurstsAreWhatAWindowMayHave) {
  Plan plan;
  plan.limits.bytes_per_s = 100 << 20;
  const Pace fast = pace_of(plan, {Operation::kRead, 1 << 20});
  EXPECT_EQ(fast.concurrency, 8U);
  EXPECT_EQ(fast.loop, 1) << "ten a window, eight at a time";
  EXPECT_EQ(fast.window, 80ms);
  const Pace slow = pace_of(plan, {Operation::kRead, 8});
  EXPECT_EQ(slow.concurrency, 8U);
  EXPECT_EQ(slow.loop, 163840);
  plan.limits.bytes_per_s = 1 << 19;
  plan.spread = {1, 4};
  const Pace rare = pace_of(plan, {Operation::kRead, 1 << 20});
  EXPECT_EQ(rare.concurrency, 1U);
  EXPECT_EQ(rare.loop, 1);
  EXPECT_EQ(rare.window, 8s) << "one to each of four servers";
  plan.limits = {};
  EXPECT_FALSE(pace_of(plan, {Operation::kPing, 0}).limited());
  plan.limits.rpcs_per_s = 1e-9;
  EXPECT_EQ(pace_of(plan, {Operation::kPing, 0}).window, 24h);
}

Flow flow(const char* node, Role role, double rpcs, double size) {
  Flow flow{.node = node, .role = role, .seconds = 10, .rpcs_per_s = rpcs};
  flow.bytes_per_s = rpcs * size;
  flow.rpcs = static_cast<std::uint64_t>(rpcs * 10);
  return flow;
}

Outcome sample_outcome() {
  StepResult step{.step = {Operation::kWrite, 1 << 20}, .seconds = 10.002};
  step.pace = {.concurrency = 8};
  step.clients = {flow("10.0.0.1@tcp", Role::kClient, 1000, 1 << 20),
                  flow("10.0.0.2@tcp", Role::kClient, 500.25, 1 << 20)};
  step.clients[0].mean_us = 8000;
  step.clients[0].percentiles = {{.p50 = 7500, .p99 = 12345, .p999 = 1'234'567}};
  step.clients[1].errors = 3;
  step.clients[1].wrong = 1;
  step.clients[1].no_data = 4;
  step.clients[1].no_percentiles = "not ulnet";
  step.servers = {flow("10.0.0.3@tcp", Role::kServer, 1500, 1 << 20)};
  step.servers[0].lost = "lost: no answer (Connection timed out)";
  step.total = sum_of(step.clients);
  Outcome outcome;
  outcome.steps = {step};
  outcome.remarks = {{"12345-10.0.0.2@tcp", "write 1M: silent for 61.0 s meanwhile"}};
  outcome.problems = {{"12345-10.0.0.3@tcp", "lost: no answer (Connection timed out)"},
                      {"", "the console is gone"}};
  return outcome;
}

TEST(LstRunTexts, Table) {
  EXPECT_EQ(table_of({}, sample_outcome()),
            "TEST       NODE         ROLE        RPC/s     MiB/s    MEAN     P50     P99   P99.9  "
            "ERRORS  WRONG NO DATA s\n"
            "write 1M   2 clients    all          1500    1500.2       -       -       -       -   "
            "    3      1       0.0\n"
            "           10.0.0.1@tcp client       1000    1000.0  8.00ms  7.50ms  12.3ms   1.23s   "
            "    0      0       0.0\n"
            "           10.0.0.2@tcp client        500     500.2       -       -       -       -   "
            "    3      1       4.0\n"
            "           10.0.0.3@tcp server       1500    1500.0       -       -       -       -   "
            "    0      0       0.0  lost: no answer (Connection timed out)\n\n"
            "10.0 s, concurrency 8\n"
            "No P50, P99 and P99.9 of 10.0.0.2@tcp: not ulnet.\n"
            "The percentiles of all clients are those of the other clients.\n"
            "10.0.0.2@tcp: write 1M: silent for 61.0 s meanwhile\n");
  EXPECT_EQ(lines_of({}, sample_outcome().problems),
            "10.0.0.3@tcp: lost: no answer (Connection timed out)\nulst: the console is gone\n");
  EXPECT_EQ(table_of({}, {}), "");
}

// A node that was silent when the test's time was over has no rate over that time.
TEST(LstRunTexts, RatesOverAnotherTimeAreNotShown) {
  Outcome outcome = sample_outcome();
  StepResult& step = outcome.steps[0];
  step.clients[1].rated = step.servers[0].rated = false;
  step.total = sum_of(step.clients);
  const std::string table = table_of({}, outcome);
  EXPECT_THAT(table, HasSubstr("write 1M   1 of 2 clients all"));
  EXPECT_THAT(table, ContainsRegex("10.0.0.2@tcp +client +- +- +- "));
  EXPECT_THAT(table, ContainsRegex("10.0.0.3@tcp +server +- +- +- "));
  const Tree test = Tree::parse(json_of({}, outcome))["tests"][0];
  EXPECT_TRUE(test["clients"][1]["rpcs_per_s"].is_null());
  EXPECT_TRUE(test["servers"][0]["bytes_per_s"].is_null());
  EXPECT_EQ(test["rpcs"], 15002) << "these are known";
  EXPECT_THAT(csv_of({}, outcome), HasSubstr(",5002,3,1,4.000,,,"));
}

TEST(LstRunTexts, HowTestsWereDoneIsSaidOnceWhereItIsTheSame) {
  Outcome outcome = sample_outcome();
  outcome.remarks.clear();
  outcome.steps.push_back(outcome.steps[0]);
  EXPECT_THAT(table_of({}, outcome), HasSubstr("\nEach test: 10.0 s, concurrency 8\n"));
  outcome.steps[1].seconds = 10.1;
  EXPECT_THAT(table_of({}, outcome), HasSubstr("\nEach test: 10.0 s to 10.1 s, concurrency 8\n"));
  outcome.steps[1].pace = {.concurrency = 1, .loop = 1, .window = 100ms};
  EXPECT_THAT(
      table_of({}, outcome),
      HasSubstr("\nwrite 1M   10.0 s, concurrency 8\n"
                "write 1M   10.1 s, concurrency 1, limited: 1 RPC to each server, then none "
                "for 100ms\n"));
}

TEST(LstRunTexts, Json) {
  const Tree tree = Tree::parse(json_of({}, sample_outcome()));
  EXPECT_EQ(
      tree.dump(),
      R"_({"version":1,"ok":false,"interrupted":false,)_"
      R"_("problems":[{"node":"10.0.0.3@tcp","why":"lost: no answer (Connection timed out)"},)_"
      R"_({"node":null,"why":"the console is gone"}],)_"
      R"_("remarks":[{"node":"10.0.0.2@tcp","why":"write 1M: silent for 61.0 s meanwhile"}],)_"
      R"_("tests":[{"test":"write","size":1048576,"check":"none","seconds":10.002,)_"
      R"_("concurrency":8,"limited":false,"rpcs":15002,"errors":3,"wrong_data":1,"seconds_without_data":0.0,)_"
      R"_("rpcs_per_s":1500.25,"bytes_per_s":1573126144.0,)_"
      R"_("latency_us":{"mean":null,"p50":null,"p99":null,"p99.9":null},)_"
      R"_("clients":[{"node":"10.0.0.1@tcp","lost":null,"rpcs":10000,"errors":0,)_"
      R"_("wrong_data":0,"seconds_without_data":0.0,"rpcs_per_s":1000.0,"bytes_per_s":1048576000.0,)_"
      R"_("latency_us":{"mean":8000.0,"p50":7500.0,"p99":12345.0,"p99.9":1234567.0,)_"
      R"_("no_percentiles":null}},)_"
      R"_({"node":"10.0.0.2@tcp","lost":null,"rpcs":5002,"errors":3,"wrong_data":1,"seconds_without_data":4.0,)_"
      R"_("rpcs_per_s":500.25,"bytes_per_s":524550144.0,)_"
      R"_("latency_us":{"mean":null,"p50":null,"p99":null,"p99.9":null,)_"
      R"_("no_percentiles":"not ulnet"}}],)_"
      R"_("servers":[{"node":"10.0.0.3@tcp","lost":"lost: no answer (Connection timed out)",)_"
      R"_("rpcs":15000,"errors":0,"wrong_data":0,"seconds_without_data":0.0,"rpcs_per_s":1500.0,)_"
      R"_("bytes_per_s":1572864000.0}]}]})_");
}

TEST(LstRunTexts, Csv) {
  EXPECT_EQ(
      csv_of({}, sample_outcome()),
      "test,size,check,role,node,seconds,concurrency,rpcs,errors,wrong_data,"
      "seconds_without_data,rpcs_per_s,bytes_per_s,mean_us,p50_us,p99_us,p99.9_us,lost,name,no_"
      "percentiles\n"
      "write,1048576,none,all,,10.002,8,15002,3,1,0.000,1500.250,1573126144.000,,,,,0,,\n"
      "write,1048576,none,client,10.0.0.1@tcp,10.002,8,10000,0,0,0.000,1000.000,1048576000.000,"
      "8000.000,7500.000,12345.000,1234567.000,0,,\n"
      "write,1048576,none,client,10.0.0.2@tcp,10.002,8,5002,3,1,4.000,500.250,524550144.000,,,,,0,,"
      "not ulnet\n"
      "write,1048576,none,server,10.0.0.3@tcp,10.002,8,15000,0,0,0.000,1500.000,1572864000.000,"
      ",,,,1,,\n");
}

Live sample_live() {
  const StepResult step = sample_outcome().steps[0];
  Live live{.step = step.step, .number = 2, .of = 3, .elapsed = 3s, .total = 10s};
  live.rows = {step.clients[0], step.clients[1], step.servers[0]};
  return live;
}

TEST(LstRunTexts, LiveTable) {
  EXPECT_EQ(live_table(sample_live(), 120, 24),
            "test 2 of 3: write 1M  3.0 of 10.0 s\n"
            "NODE                     ROLE        RPC/s READ MiB/s WRIT MiB/s   ERRORS\n"
            "10.0.0.1@tcp             client       1000          -     1000.0        0\n"
            "10.0.0.2@tcp             client        500          -      500.2        3\n"
            "10.0.0.3@tcp             server       1500          -     1500.0        0  lost: no "
            "answer (Connection timed out)\n");
  // A terminal that is too small shows what fits, and does not scroll.
  EXPECT_EQ(live_table(sample_live(), 30, 5),
            "test 2 of 3: write 1M  3.0 of \n"
            "NODE                     ROLE \n"
            "10.0.0.1@tcp             clien\n"
            "and 2 more\n");
}

TEST(LstRunTexts, SilentNodesAreShown) {
  Live live = sample_live();
  live.rows[2].lost.clear();
  live.rows[2].note = "silent for 12.0 s";
  live.rows.push_back(live.rows[2]);  // it is a client too
  EXPECT_THAT(live_table(live, 120, 24), HasSubstr("       0  silent for 12.0 s\n"));
  EXPECT_THAT(live_line(live), HasSubstr(" 3 errors  10.0.0.3@tcp silent for 12.0 s\n"));
}

TEST(LstRunTexts, LiveLine) {
  EXPECT_EQ(live_line(sample_live()),
            "test 2 of 3: write 1M  3.0 of 10.0 s  1500 RPC/s  1500.2 MiB/s  3 errors\n");
}

}  // namespace
}  // namespace ulnet::tools::lst::test
