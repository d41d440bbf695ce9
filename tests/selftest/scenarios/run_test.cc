// `ulst run` from end to end: a real console and real test nodes, in simulated time.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim_bench.h"

namespace ulnet::tools::lst::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::uint64_t kSeed = 4711;

class LstRun : public ::testing::Test {
 protected:
  void SetUp() override { RecordProperty("seed", std::to_string(kSeed)); }
  static constexpr const char* kTwoToOne =
      "run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --concurrency 4 --time 2s";
};

// A read takes one message in each direction: 2 ms here.
TEST_F(LstRun, MeasuresWhatTheNodesDo) {
  SimBench bench(kSeed, {});
  const Tree all = bench.json(std::string(kTwoToOne) + " --ping --read --sizes 4k,64k", 0);
  EXPECT_EQ(all["ok"], true);
  EXPECT_EQ(all["problems"], Tree::array());
  ASSERT_EQ(all["tests"].size(), 3U);
  EXPECT_EQ(all["tests"][0]["test"], "ping");
  EXPECT_EQ(all["tests"][1]["size"], 4096);
  for (const Tree& test : all["tests"]) {
    EXPECT_THAT(test["seconds"].get<double>(), DoubleNear(2, 0.02));
    // 8 RPCs under way, 2 ms each.
    EXPECT_THAT(test["rpcs_per_s"].get<double>(), DoubleNear(4000, 200)) << test;
    EXPECT_DOUBLE_EQ(std::round(test["bytes_per_s"].get<double>()),
                     std::round(test["rpcs_per_s"].get<double>() * test["size"].get<double>()));
    EXPECT_THAT(test["rpcs"].get<double>(), DoubleNear(8000, 400));
    EXPECT_THAT(test["latency_us"]["mean"].get<double>(), DoubleNear(2000, 100));
    EXPECT_EQ(test["errors"], 0);
    ASSERT_EQ(test["clients"].size(), 2U);
    EXPECT_EQ(test["clients"][1]["node"], "10.0.0.2@tcp");
    for (const Tree& client : test["clients"]) {
      EXPECT_THAT(client["rpcs_per_s"].get<double>(), DoubleNear(2000, 100));
      EXPECT_THAT(client["latency_us"]["mean"].get<double>(), DoubleNear(2000, 100));
    }
    ASSERT_EQ(test["servers"].size(), 1U);
    EXPECT_THAT(test["servers"][0]["rpcs_per_s"].get<double>(), DoubleNear(4000, 200));
    // Every ulnet node reports how long its RPCs took.
    for (const Tree& flow : {test["clients"][0], test["clients"][1], test})
      for (const char* share : {"p50", "p99", "p99.9"})
        EXPECT_THAT(flow["latency_us"][share].get<double>(), DoubleNear(2000, 300)) << share;
    EXPECT_TRUE(test["clients"][1]["latency_us"]["no_percentiles"].is_null());
  }
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, TheConsolesNodeMayBeBothEnds) {
  SimBench bench(kSeed, {.nodes = 1});
  const Tree all = bench.json(
      "run --from 10.0.0.1@tcp --to 10.0.0.1@tcp --time 100ms "
      "--max-rate 1000 --write --check full",
      0);
  const Tree& test = all["tests"][0];
  // The window counts its own 96 RPCs, and those that the next window begins.
  EXPECT_THAT(test["rpcs"].get<int>(), AllOf(Ge(96), Le(192)));
  EXPECT_EQ(test["clients"][0]["rpcs"], test["servers"][0]["rpcs"]);
  EXPECT_FALSE(test["latency_us"]["p99"].is_null());
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, WrongDataMakeItFail) {
  SimBench bench(kSeed, {.nodes = 3, .spoil = {0, 0, 3}});
  const Said said = bench.ulst(std::string(kTwoToOne) + " --read --write --sizes 64k --check full");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.all, HasSubstr("@tcp: read 64k: the data of "));
  EXPECT_THAT(said.all, HasSubstr("were wrong\n"));
  EXPECT_THAT(said.all, Not(HasSubstr("write 64k: the data")));
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, WrongDataAreCounted) {
  for (const char* way : {"--read", "--write"}) {
    SimBench bench(kSeed, {.nodes = 3, .spoil = {0, 3, 3}});
    const Tree all = bench.json(
        "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time 1s --check simple "
        "--sizes 4k " +
            std::string(way),
        1);
    EXPECT_EQ(all["ok"], false);
    EXPECT_EQ(all["tests"][0]["wrong_data"], 3) << all;
    EXPECT_EQ(all["tests"][0]["errors"], 3);
    EXPECT_EQ(all["problems"][0]["node"], "10.0.0.2@tcp");
    EXPECT_TRUE(all["tests"][0]["latency_us"]["mean"].is_null()) << "units that failed rest";
  }
}

TEST_F(LstRun, GoesOnAfterErrorsUnlessConfiguredOtherwise) {
  const auto rpcs = [](const std::string& more) {
    SimBench bench(kSeed, {.nodes = 3, .spoil = {0, 0, 2}});
    const Tree all = bench.json(
        "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time 1s --check simple --sizes 4k "
        "--concurrency 2" +
            more,
        1);
    EXPECT_EQ(all["tests"][0]["errors"], 2);
    return all["tests"][0]["rpcs"].get<int>();
  };
  EXPECT_THAT(rpcs(""), Ge(850)) << "2 RPCs under way, 2 ms each, and a rest of 100 ms";
  EXPECT_EQ(rpcs(" --stop-on-error"), 0) << "both units stop at their first RPC";
}

TEST_F(LstRun, ALostNodeIsReportedAndTheOthersFinish) {
  SimBench bench(kSeed, {.nodes = 5});
  bench.crash_after(2s, 4);
  const Instant begun = bench.world().now();
  const Tree all = bench.json(
      "run --from 10.0.0.[2-3]@tcp --to 10.0.0.[4-5]@tcp --time 20s "
      "--timeout 3 --write --sizes 4k --max-rate 200",
      1);
  EXPECT_LE(bench.world().now() - begun, 35s);
  const Tree& test = all["tests"][0];
  EXPECT_EQ(test["seconds"].get<double>() >= 20, true) << test;
  EXPECT_GT(test["clients"][0]["rpcs"].get<int>(), 2000) << "RPCs to the server that is up";
  EXPECT_TRUE(test["servers"][0]["lost"].is_null());
  EXPECT_THAT(test["servers"][1]["lost"].get<std::string>(), StartsWith("lost: no answer for 3 s"));
  EXPECT_EQ(all["problems"][0]["node"], "10.0.0.5@tcp");
  EXPECT_TRUE(bench.free_of_sessions());
}

/// A line of a run: "ping 7.0 of 20.0 s 500 RPC/s 0 errors 10.0.0.3@tcp silent for 2.0 s".
struct Line {
  double at = 0, rate = 0;
  std::string rest;
};
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    Line parsed;
    char rest[256] = "";
    if (std::sscanf(line.c_str(), "ping %lf of %*f s %lf RPC/s %255[^\n]", &parsed.at, &parsed.rate,
                    rest) < 2)
      continue;
    parsed.rest = rest;
    lines.push_back(parsed);
  }
  return lines;
}

// One of two servers is paused: the other continues, and the table shows its true rate.
TEST_F(LstRun, ASilentNodeNeitherHoldsUpNorSpoilsTheRates) {
  SimBench bench(kSeed, {});
  bench.pause_after(5200ms, 2, 8s);
  const Said said = bench.ulst(
      "run --from 10.0.0.1@tcp --to 10.0.0.[2-3]@tcp --distribute 1:2 --concurrency 1 --time 20s "
      "--ping");
  EXPECT_EQ(said.code, 0) << said.all;
  const std::vector<Line> lines = lines_of(said.all);
  ASSERT_GE(lines.size(), 18U) << said.all;
  double before = 0;
  for (const Line& line : lines) {
    EXPECT_LE(line.at - before, 1.6) << "a line is missing before " << line.at;
    before = line.at;
    EXPECT_LE(line.rate, 1050) << "500 of each server, at " << line.at;
    if (line.at > 7.5 && line.at < 12.5) {
      EXPECT_THAT(line.rate, DoubleNear(500, 30)) << line.at;
      EXPECT_THAT(line.rest, HasSubstr("10.0.0.3@tcp silent for "));
    }
  }
  EXPECT_THAT(said.all, ContainsRegex("10.0.0.3@tcp: ping: silent for [78]\\.[0-9] s meanwhile\n"));
  EXPECT_THAT(said.all, ContainsRegex("10.0.0.3@tcp server .* [78]\\.[0-9]\n"))
      << "seconds without data";
  // Little's law does not hold while RPCs hang.
  EXPECT_THAT(said.all, ContainsRegex("1 client +all +[0-9]+ +0.00 +- "));
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, AnOutageOfAMinuteIsSurvived) {
  for (const std::size_t frozen : {1U, 2U}) {
    SimBench bench(kSeed, {});
    bench.pause_after(2s, frozen, 60s);
    const Tree all = bench.json(
        "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --concurrency 1 --time 80s --write --sizes 4k",
        1);
    const Tree& test = all["tests"][0];
    EXPECT_EQ(test["errors"], 0);
    EXPECT_THAT(test["rpcs"].get<double>(), DoubleNear(20 * 250, 300)) << "while nobody was silent";
    EXPECT_THAT(test["rpcs_per_s"].get<double>(), DoubleNear(250.0 * 20 / 80, 10)) << "an average";
    EXPECT_THAT(test["seconds_without_data"].get<double>(), DoubleNear(60, 2));
    EXPECT_THAT(all["problems"][0]["why"].get<std::string>(), StartsWith("write 4k: no data in "));
    EXPECT_EQ(all["remarks"][0]["node"], SimBench::nid(frozen + 1));
    EXPECT_THAT(all["remarks"][0]["why"].get<std::string>(), HasSubstr("silent for 60."));
    EXPECT_TRUE(test["latency_us"]["mean"].is_null());
    EXPECT_FALSE(test["latency_us"]["p99.9"].is_null());
    EXPECT_TRUE(bench.free_of_sessions());
  }
}

/// A run of one or more tests, each of `seconds`, lasts no longer than this.
constexpr Duration most(int tests, int seconds) { return tests * seconds * 1s + 3s; }

// A node is silent when the test's time is over. Its rates would cover another time span than those
// of the others, so the table does not show them.
TEST_F(LstRun, ANodeSilentAtTheEndIsReportedAndNotWaitedFor) {
  SimBench bench(kSeed, {});
  bench.pause_after(2s, 1, 30s);
  const Instant begun = bench.world().now();
  const Tree all = bench.json(
      "run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --concurrency 1 --time 10s --ping", 1);
  EXPECT_LE(bench.world().now() - begun, most(1, 10));
  const Tree& test = all["tests"][0];
  EXPECT_THAT(test["clients"][0]["rpcs_per_s"].get<double>(), DoubleNear(500, 10));
  EXPECT_TRUE(test["clients"][1]["rpcs_per_s"].is_null()) << test;
  EXPECT_THAT(test["clients"][1]["rpcs"].get<double>(), DoubleNear(500, 10))
      << "as the client reported last";
  EXPECT_THAT(test["clients"][1]["seconds_without_data"].get<double>(), DoubleNear(9, 0.1));
  EXPECT_THAT(test["rpcs_per_s"].get<double>(), DoubleNear(500, 10))
      << "the rates of the clients with known rates";
  ASSERT_EQ(all["problems"].size(), 1U) << all;
  EXPECT_EQ(all["problems"][0]["node"], "10.0.0.2@tcp");
  EXPECT_THAT(all["problems"][0]["why"].get<std::string>(),
              ContainsRegex("silent for (9|10)\\.[0-9] s at the end"));
}

// The only server is away for some seconds. RPCs fail, others follow them, and the losses are
// counted. One of the two clients runs on the console's node, the other does not.
TEST_F(LstRun, AnOutageCostsItsTimeAndNoMore) {
  for (const char* client : {"10.0.0.1@tcp", "10.0.0.2@tcp"}) {
    SimBench bench(kSeed, {.rpc_timeout = 3s});
    bench.pause_after(5s, 2, 8s);
    const Instant begun = bench.world().now();
    const Tree all = bench.json("run --from " + std::string(client) +
                                    " --to 10.0.0.3@tcp --concurrency 4 --time 20s --ping",
                                1);
    EXPECT_LE(bench.world().now() - begun, most(1, 20));
    const Tree& test = all["tests"][0];
    EXPECT_THAT(test["rpcs_per_s"].get<double>(), DoubleNear(2000 * 11 / 20, 250)) << test;
    EXPECT_THAT(test["rpcs"].get<double>(), DoubleNear(2000 * 11, 4500));
    EXPECT_THAT(test["errors"].get<int>(), AllOf(Ge(4), Le(16))) << "one for each, again and again";
    EXPECT_THAT(test["seconds_without_data"].get<double>(), AllOf(Ge(7), Le(11)));
    EXPECT_TRUE(bench.free_of_sessions());
  }
}

// The server is away when the run ends. RPCs that are under way to it are given up, and counted.
TEST_F(LstRun, AnOutageThatLastsEndsNoLaterThanTheRun) {
  SimBench bench(kSeed, {});
  bench.pause_after(2s, 2, 60s);
  const Instant begun = bench.world().now();
  const Tree all = bench.json(
      "run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --concurrency 4 --time 6s --write --sizes "
      "4k",
      1);
  EXPECT_LE(bench.world().now() - begun, most(1, 6));
  const Tree& test = all["tests"][0];
  EXPECT_EQ(test["errors"], 8) << test;
  EXPECT_THAT(test["seconds"].get<double>(), DoubleNear(6, 0.6));
  for (const Tree& client : test["clients"]) {
    EXPECT_THAT(client["seconds_without_data"].get<double>(), DoubleNear(4, 1.1));
    EXPECT_THAT(client["rpcs_per_s"].get<double>(), DoubleNear(1000 * 2 / 6, 60));
  }
  EXPECT_TRUE(test["servers"][0]["rpcs_per_s"].is_null()) << "silent when the time was over";
}

// A test that has no server left does not run. The results of the tests before it stay.
TEST_F(LstRun, WithoutAServerTheNextTestIsNotRun) {
  SimBench bench(kSeed, {});
  bench.pause_after(1s, 2, 60s);
  const Instant begun = bench.world().now();
  const Tree all =
      bench.json("run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --time 6s --ping --write", 1);
  EXPECT_LE(bench.world().now() - begun, most(1, 6));
  ASSERT_EQ(all["tests"].size(), 1U);
  EXPECT_GT(all["tests"][0]["rpcs"].get<int>(), 1000);
}

TEST_F(LstRun, ManyTestsInABrokenNetworkTakeNoLonger) {
  SimBench bench(kSeed, {.nodes = 4, .rpc_timeout = 2s});
  bench.pause_after(500ms, 3, 60s);
  bench.look(10ms, {});
  const Instant begun = bench.world().now();
  const Said said = bench.ulst(
      "run --from 10.0.0.[2-3]@tcp --to 10.0.0.[1,4]@tcp --time 1s --ping --read --write --sizes "
      "4k,64k");
  EXPECT_EQ(said.code, 1) << said.all;
  EXPECT_LE(bench.world().now() - begun, most(5, 1));
  EXPECT_THAT(said.all, HasSubstr("10.0.0.4@tcp: "));
}

TEST_F(LstRun, AnInterruptDoesNotWaitForSilentNodes) {
  SimBench bench(kSeed, {});
  bench.pause_after(2s, 2, 90s);
  bench.interrupt_after(4s);
  const Instant begun = bench.world().now();
  const Tree all = bench.json("run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time 1h --ping", 130);
  EXPECT_LE(bench.world().now() - begun, 25s);
  EXPECT_GT(all["tests"][0]["rpcs"].get<int>(), 100);
}

TEST_F(LstRun, RiskyTestsGoToUlnetNodes) {
  SimBench bench(kSeed, {});
  const Tree all = bench.json(
      "run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --time 500ms --write --check discard", 0);
  EXPECT_EQ(all["tests"][0]["check"], "discard");
  EXPECT_GT(all["tests"][0]["rpcs"].get<int>(), 10);
}

TEST_F(LstRun, ItEndsEarlyWithoutNodes) {
  SimBench bench(kSeed, {});
  bench.crash_after(1s, 2);
  const Tree all = bench.json(
      "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time 1h --timeout 3 "
      "--ping --write --max-rate 100",
      1);
  EXPECT_EQ(all["tests"].size(), 1U);
  EXPECT_LT(all["tests"][0]["seconds"].get<double>(), 30);
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, AnInterruptEndsItAndPrintsTheResultsSoFar) {
  SimBench bench(kSeed, {});
  bench.interrupt_after(1500ms);
  const Said said = bench.ulst(std::string(kTwoToOne) + " --ping --read");
  EXPECT_EQ(said.code, 130);
  EXPECT_THAT(said.all, HasSubstr("ping       2 clients"));
  EXPECT_THAT(said.all, Not(HasSubstr("read 1M"))) << "the next test does not begin";
  EXPECT_THAT(said.all, HasSubstr("Interrupted: these are the results so far.\n"));
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, UnavailableNodesAreReportedBeforeAnythingRuns) {
  SimBench bench(kSeed, {});
  Said said = bench.ulst("run --from 10.0.0.1@tcp --to 10.0.0.[3,9]@tcp --time 1s");
  EXPECT_EQ(said.code, 255);
  EXPECT_THAT(said.all, HasSubstr("10.0.0.9@tcp: cannot be taken into the test: no answer ("));
  EXPECT_TRUE(bench.free_of_sessions());
  said = bench.ulst("run --from 10.0.0.1@tcp --to 10.0.0.3@tcp --distribute 1:2");
  EXPECT_EQ(said.code, 255);
  EXPECT_THAT(said.all, HasSubstr("but only 1 are active"));
  EXPECT_TRUE(bench.free_of_sessions());
}

/// The number of RPCs that the client has begun, sampled at least every `kEvery`.
constexpr Duration kEvery = 5ms;
std::vector<std::pair<Instant, std::uint32_t>> begun_during(SimBench& bench, std::size_t client,
                                                            const std::string& line) {
  std::vector<std::pair<Instant, std::uint32_t>> begun;
  bench.look(kEvery, [&] {
    begun.emplace_back(bench.world().now(), bench.selftest(client).counters().sent);
  });
  const Said said = bench.ulst(line);
  EXPECT_EQ(said.code, 0) << said.all;
  bench.look(1h, {});
  return begun;
}

// The promise of run/pace.h: in any time T at most rate x T and two bursts.
TEST_F(LstRun, LimitsAreKeptInEverySpanOfTime) {
  struct Limit {
    const char* options;
    double rpcs_per_s, burst;
    const char* time = "4s";
  };
  for (const Limit& limit : {Limit{"--ping --max-rate 500", 500, 50},
                             Limit{"--read --sizes 64k --max-rate 10M", 160, 16},
                             Limit{"--write --sizes 1M --max-rate 512k", 0.5, 1, "12s"}}) {
    SimBench bench(kSeed, {});
    const auto begun = begun_during(bench, 1,
                                    "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time " +
                                        std::string(limit.time) + " " + limit.options);
    for (std::size_t i = 0; i < begun.size(); ++i) {
      for (std::size_t j = i; j < begun.size(); ++j) {
        const double seconds =
            std::chrono::duration<double>(begun[j].first - begun[i].first + kEvery).count();
        ASSERT_LE(begun[j].second - begun[i].second, limit.rpcs_per_s * seconds + 2 * limit.burst)
            << limit.options;
      }
    }
    // The limit does not slow the client more than it must.
    const double seconds =
        std::chrono::duration<double>(begun.back().first - begun.front().first).count();
    EXPECT_GE(begun.back().second, 0.8 * limit.rpcs_per_s * (seconds - 0.5)) << limit.options;
  }
}

TEST_F(LstRun, ConcurrencyIsLimitedOverAllServersOfAClient) {
  SimBench bench(kSeed, {});
  const Tree all = bench.json(
      "run --from 10.0.0.1@tcp --to 10.0.0.[2-3]@tcp --distribute 1:2 "
      "--time 1s --ping --max-concurrency 3",
      0);
  EXPECT_EQ(all["tests"][0]["concurrency"], 1);
  EXPECT_THAT(all["tests"][0]["rpcs_per_s"].get<double>(), DoubleNear(1000, 50));
}

TEST_F(LstRun, AMatrixIsOfAllPairsAndGoesOnWithoutThoseThatFail) {
  SimBench bench(kSeed, {});
  const std::string line =
      "run --from 10.0.0.[1-2,9]@tcp --to 10.0.0.[2-3]@tcp --time 500ms --matrix";
  const Said said = bench.ulst(line + " --ping");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.all, HasSubstr("pair 3 of 5: ping"));
  EXPECT_THAT(said.all, ContainsRegex("\nFROM          10.0.0.2@tcp  10.0.0.3@tcp\n"
                                      "10.0.0.1@tcp +[34][0-9]+\\.[0-9] +[34][0-9]+\\.[0-9]\n"
                                      "10.0.0.2@tcp +- +[34][0-9]+\\.[0-9]\n"
                                      "10.0.0.9@tcp +- +-\n\n"
                                      "RPC/s, ping, concurrency 8, one pair after the other\n"));
  EXPECT_THAT(said.all, HasSubstr("(10.0.0.9@tcp to 10.0.0.3@tcp)\n"));
  const Tree all = bench.json(line + " --write", 1);
  EXPECT_EQ(all["tests"].size(), 3U);
  EXPECT_EQ(all["problems"].size(), 2U);
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, AnInterruptEndsAMatrix) {
  SimBench bench(kSeed, {});
  bench.interrupt_after(1500ms);
  const Tree all = bench.json(
      "run --from 10.0.0.[1-3]@tcp --to 10.0.0.[1-3]@tcp --time 1s --matrix --max-rate 100", 130);
  EXPECT_EQ(all["tests"].size(), 2U);
  EXPECT_EQ(all["interrupted"], true);
  EXPECT_TRUE(bench.free_of_sessions());
}

TEST_F(LstRun, ASweepIsOfPowersOfTwoBothWays) {
  SimBench bench(kSeed, {});
  const Tree all = bench.json(
      "run --from 10.0.0.2@tcp --to 10.0.0.3@tcp --time 100ms --sweep --max-concurrency 1", 0);
  ASSERT_EQ(all["tests"].size(), 36U);
  EXPECT_EQ(all["tests"][0]["size"], 8);
  EXPECT_EQ(all["tests"][17]["size"], 1 << 20);
  EXPECT_EQ(all["tests"][18]["test"], "write");
}

/// A file that belongs to the test and is removed afterwards.
class Picture {
 public:
  ~Picture() { std::remove(path.c_str()); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::string path = ::testing::TempDir() + "run-" + std::to_string(::getpid()) + ".svg";
};

TEST_F(LstRun, PicturesShowWhatTheTablesDo) {
  SimBench bench(kSeed, {});
  const Picture picture;
  const std::string nodes = "run --from 10.0.0.[1-2]@tcp --to 10.0.0.3@tcp --time 200ms --svg ";
  EXPECT_EQ(bench.ulst(nodes + picture.path + " --matrix --read").code, 0);
  EXPECT_THAT(picture.text(), AllOf(StartsWith("<svg"), HasSubstr("10.0.0.2@tcp"),
                                    HasSubstr("MiB/s"), HasSubstr("read 1M")));
  EXPECT_EQ(bench.ulst(nodes + picture.path + " --sweep --sizes 4k,64k").code, 0);
  EXPECT_THAT(picture.text(),
              AllOf(HasSubstr("write, mean"), HasSubstr("2 clients, 1 server"), HasSubstr("64k")));
  const Said said = bench.ulst(nodes + "/none/here.svg --matrix --read");
  EXPECT_EQ(said.code, 255);
  EXPECT_EQ(said.all, "cannot write /none/here.svg: No such file or directory\n");
}

}  // namespace
}  // namespace ulnet::tools::lst::test
