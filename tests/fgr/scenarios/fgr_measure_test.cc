// `ulnet-fgr measure` from end to end: a planned site with its routers and routes, a real console
// and real test nodes, in simulated time.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "fgr/measure/measuring.h"
#include "fgr/measure/report.h"
#include "fgr/plan/plan_fixture.h"
#include "selftest/ulst/run/outcome.h"
#include "sim_bench.h"

namespace ulnet::tools::fgr {
namespace {

using lst::test::SimBench;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr std::uint64_t kSeed = 1217;
constexpr std::uint32_t kClients = 2;

Nid tcp_nid(std::uint16_t net, std::uint32_t address) {
  return Nid::small({NetType::kTcp, net}, address);
}
Nid client_nid(std::uint32_t client) { return tcp_nid(0, 10U << 24 | 1U << 16 | (client + 1)); }

/// Four OSSs in two groups, each group with two routers; two more routers for the MGS and the MDS.
plan::Site small_site() {
  plan::FileSystem system = plan::sonexion(2);
  system.base = {NetType::kTcp, 6000};
  system.osss_per_group = 2;
  system.routers_per_group = 2;
  plan::ClientSystem clients{.name = "c", .net = {NetType::kTcp, 0}, .addresses = "10.1.*.*"};
  std::uint32_t last = 101;
  for (const char* at : {"left0", "right0", "left0", "left0", "right0", "right0"}) {
    plan::Router router = plan::router(last, last, at, last < 103);
    router.client_nid = tcp_nid(0, 10U << 24 | 1U << 16 | last++);
    clients.router_gb_per_s = 2.6;
    clients.routers.push_back(router);
  }
  return {.clients = {clients}, .file_systems = {system}};
}

/// The nets and routes of the nodes, as the plan says them.
class PlannedNodes {
 public:
  explicit PlannedNodes(const plan::Plan& plan) : plan_(plan) {}

  std::vector<sim::NodeSetup> make(const std::map<std::string, Duration>& services) {
    std::vector<sim::NodeSetup> nodes;
    for (std::uint32_t i = 0; i < kClients; ++i)
      nodes.push_back(leaf("client" + std::to_string(i), client_nid(i), client_routes()));
    const auto& routers = plan_.site.clients[0].routers;
    for (std::size_t i = 0; i < routers.size(); ++i) {
      sim::NodeSetup node{.name = routers[i].host, .routing = {.on = true}};
      for (const Nid& nid : nids_of(i)) node.nis.push_back({.nid = nid});
      nodes.push_back(std::move(node));
    }
    for (const plan::Group& group : plan_.groups)
      for (const std::size_t server : group.servers)
        nodes.push_back(
            leaf(plan_.site.file_systems[0].servers[server].host,
                 Nid::small(group.net, plan_.site.file_systems[0].servers[server].address),
                 server_routes(group)));
    for (sim::NodeSetup& node : nodes)
      if (const auto at = services.find(node.name); at != services.end())
        for (sim::NiSetup& ni : node.nis) ni.service = at->second;
    return nodes;
  }

 private:
  static sim::NodeSetup leaf(const std::string& name, const Nid& nid,
                             std::shared_ptr<const core::RouteList> routes) {
    return {.name = name, .nis = {{.nid = nid}}, .routes = std::move(routes)};
  }
  static void add(core::RouteList& routes, NetId net, const Nid& gateway, int hops) {
    EXPECT_TRUE(routes.add({.net = net, .gateway = gateway, .hops = hops}, 0));
  }
  Nid at_servers(std::size_t router, const plan::Group& group) const {
    return Nid::small(group.net, plan_.site.clients[0].routers[router].addresses.front());
  }
  std::vector<Nid> nids_of(std::size_t router) const {
    std::vector<Nid> nids = {plan_.site.clients[0].routers[router].client_nid};
    for (const plan::Group& group : plan_.groups)
      if (group.routers[0].has(1, router) || group.routers[0].has(2, router))
        nids.push_back(at_servers(router, group));
    return nids;
  }
  std::shared_ptr<const core::RouteList> client_routes() const {
    auto routes = std::make_shared<core::RouteList>();
    for (const plan::Group& group : plan_.groups)
      for (const int hops : plan::kHops)
        for (const std::size_t router : group.routers[0].of(hops))
          add(*routes, group.net, plan_.site.clients[0].routers[router].client_nid, hops);
    return routes;
  }
  std::shared_ptr<const core::RouteList> server_routes(const plan::Group& group) const {
    auto routes = std::make_shared<core::RouteList>();
    for (const int hops : plan::kHops)
      for (const std::size_t router : group.routers[0].of(hops))
        add(*routes, plan_.site.clients[0].net, at_servers(router, group), hops);
    return routes;
  }

  const plan::Plan& plan_;
};

/// Counts the calls that report progress.
class CountingProgress final : public MeasureProgress {
 public:
  void begin(std::size_t number, std::size_t of, const std::string& title, std::uint32_t) override {
    titles.push_back(fmt::format("{}/{} {}", number, of, title));
  }
  void show(Duration, Duration, double) override { ++shown; }
  void end(const Measured* measured) override { ended += measured != nullptr; }
  std::vector<std::string> titles;
  std::size_t shown = 0, ended = 0;
};

class FgrMeasure : public ::testing::Test {
 protected:
  FgrMeasure() : plan_(*plan::make_plan(small_site())) {
    RecordProperty("seed", std::to_string(kSeed));
    setup_.runs = *plan::measure_runs(plan_, {});
    setup_.id_of = [this](const plan::Oss& oss) {
      return ProcessId{plan::nid_of(plan_, oss), Pid::lustre()}.to_string();
    };
    setup_.title_of = [](const plan::MeasureRun& run) { return plan::to_string(run.scopes[0]); };
    for (std::uint32_t i = 0; i < kClients; ++i)
      setup_.how.from.push_back(ProcessId{client_nid(i), Pid::lustre()}.to_string());
    setup_.how.steps = {{lst::run::Operation::kRead, 64 << 10}};
    setup_.how.time = 500ms;
    setup_.how.interval = 100ms;
    setup_.concurrencies = {4};
  }

  /// Measures; `services` are the times that a message occupies each of these hosts.
  void measure_with(const std::map<std::string, Duration>& services) {
    bench_on(services);
    measure_again();
  }
  void bench_on(const std::map<std::string, Duration>& services) {
    bench_ = std::make_unique<SimBench>(
        kSeed, SimBench::Scene{.setups = PlannedNodes(plan_).make(services)});
    // The first nodes to start asked gateways that did not run yet. They ask again after a minute.
    EXPECT_TRUE(bench_->world().run_for(130s).reached());
  }
  void measure_again() {
    bench_->with_tool([&](lst::Tool& tool) {
      const lst::Heeding heeding(tool.watch());
      measurement_ = measure(tool.with_key(1), setup_, progress_);
    });
    EXPECT_TRUE(bench_->free_of_sessions());
  }
  MeasureReport report() const {
    return {plan_, measurement_, 0.8,
            [this](const plan::Oss& oss) { return plan::nid_of(plan_, oss).to_string(); }};
  }
  /// "each OSS 003/HOST" for each suspect.
  std::vector<std::string> suspects() const {
    std::vector<std::string> all;
    for (const JudgedCase& each : report().cases)
      for (const plan::MeasureSuspect& suspect : each.verdict.suspects)
        all.push_back(fmt::format(
            "{} {:03}{}", each.what.title, plan_.groups[suspect.group].suffix,
            suspect.server ? "/" + plan::server_of(plan_, {suspect.group, *suspect.server}).host
                           : ""));
    return all;
  }

  const plan::Plan plan_;
  MeasureSetup setup_;
  CountingProgress progress_;
  std::unique_ptr<SimBench> bench_;
  Measurement measurement_;
};

TEST_F(FgrMeasure, AllInLine) {
  measure_with({});
  ASSERT_THAT(measurement_.measured, SizeIs(7));
  EXPECT_THAT(progress_.titles, SizeIs(7));
  EXPECT_EQ(progress_.titles[4], "5/7 all OSSs");
  EXPECT_EQ(progress_.ended, 7U);
  EXPECT_GE(progress_.shown, 7U * 4U);
  EXPECT_TRUE(report().ok()) << measure_verdict(report());
  // A read takes two messages over two hops each: 4 ms. 8 reads are under way to each OSS.
  for (const Measured& test : measurement_.measured) {
    EXPECT_EQ(test.osss_of_a_client, test.figures.size());
    for (const plan::OssFigure& figure : test.figures)
      EXPECT_NEAR(figure.bytes_per_s, 8 / 4e-3 * (64 << 10), 0.1 * 8 / 4e-3 * (64 << 10));
    ASSERT_GE(test.samples.size(), 4U);
    for (const RateSample& sample : test.samples)
      EXPECT_THAT(sample.bytes_per_s, SizeIs(test.figures.size()));
  }
  const std::string text = measure_tables(report()) + measure_verdict(report());
  EXPECT_THAT(text, AllOf(HasSubstr("read 64k from 2 clients, 4 RPCs at a time to each of up to 4"),
                          HasSubstr("home 002  snx11001n004  10.10.100.4@tcp6002"),
                          HasSubstr("all in line: nobody has less than 80 %")));
}

TEST_F(FgrMeasure, ASlowOssIsNamed) {
  measure_with({{"snx11001n007", 3ms}});
  EXPECT_THAT(suspects(), ElementsAre("each OSS 003/snx11001n007", "each group 003/snx11001n007",
                                      "all at once 003/snx11001n007"));
  EXPECT_FALSE(report().ok());
  EXPECT_THAT(measure_verdict(report()),
              AllOf(HasSubstr("snx11001n007 of home 003 is out of line; its NID: "
                              "10.10.100.7@tcp6003; its switch: right0\n    each OSS: "),
                    Not(HasSubstr("all in line"))));
}

TEST_F(FgrMeasure, SlowRoutersAreTheGroupsMatter) {
  measure_with({{"nid00103", 1ms}, {"nid00104", 1ms}});
  EXPECT_THAT(suspects(), ElementsAre("each OSS 002", "each group 002", "all at once 002"));
  EXPECT_THAT(measure_verdict(report()),
              HasSubstr("home 002 is out of line; its routers: nid00103, nid00104"));
}

TEST_F(FgrMeasure, ADeadOssHasFailedAndTheOthersAreMeasured) {
  bench_on({});
  // the second OSS: before it come the clients, six routers, the MGS, the MDS and the first OSS
  bench_->crash_after(0ms, kClients + 6 + 3);
  measure_again();
  ASSERT_THAT(measurement_.measured, SizeIs(7));
  EXPECT_THAT(suspects(), ElementsAre("each OSS 002/snx11001n006", "each group 002/snx11001n006",
                                      "all at once 002/snx11001n006"));
  EXPECT_THAT(report().cases[0].verdict.suspects[0].why, HasSubstr("no answer"));
  EXPECT_EQ(measurement_.measured[4].osss_of_a_client, 3U) << "all at once";
  EXPECT_GT(measurement_.measured[4].figures[3].bytes_per_s, 0);
}

TEST_F(FgrMeasure, WithoutAClientNothingIsMeasured) {
  bench_on({});
  bench_->crash_after(0ms, 1);
  measure_again();
  EXPECT_THAT(measurement_.measured, IsEmpty());
  EXPECT_THAT(measurement_.stopped, HasSubstr("10.1.0.2@tcp: cannot be taken into the test"));
  EXPECT_FALSE(report().ok());
  EXPECT_THAT(measure_verdict(report()), HasSubstr("stopped: 10.1.0.2@tcp"));
  EXPECT_EQ(measure_tables(report()), "");
  EXPECT_THAT(measure_bars(report()), HasSubstr("Nothing was measured"));
  EXPECT_THAT(measure_curves(report()), HasSubstr("<svg"));
}

TEST_F(FgrMeasure, AnInterruptEndsSessionsAndKeepsTheResults) {
  bench_on({});
  bench_->interrupt_after(900ms);
  measure_again();
  EXPECT_TRUE(measurement_.interrupted);
  EXPECT_THAT(measurement_.measured, SizeIs(1)) << "the test that ran is dropped";
  EXPECT_THAT(measure_verdict(report()), HasSubstr("interrupted: not all was measured"));
}

TEST_F(FgrMeasure, OverConcurrencies) {
  setup_.concurrencies = {1, 2, 4};
  setup_.runs = *plan::measure_runs(
      plan_,
      {.scopes = {plan::MeasureScope::kEachGroup, plan::MeasureScope::kAllGroups}, .groups = {}});
  measure_with({});
  ASSERT_THAT(measurement_.measured, SizeIs(9));
  EXPECT_NEAR(measurement_.measured[2].figures[0].bytes_per_s,
              4 * measurement_.measured[0].figures[0].bytes_per_s,
              0.1 * measurement_.measured[2].figures[0].bytes_per_s);
  EXPECT_EQ(report().cases.front().what.tests.front()->concurrency, 4U) << "the highest is judged";
  EXPECT_THAT(measure_curves(report()),
              AllOf(HasSubstr("concurrency (RPCs of a client at a time to an OSS)"),
                    HasSubstr(">home 003</text>")));
  EXPECT_THAT(measure_bars(report()), HasSubstr("Bandwidth of each group"));
}

TEST_F(FgrMeasure, PicturesAndData) {
  measure_with({{"snx11001n007", 3ms}});
  const std::string bars = measure_bars(report());
  EXPECT_THAT(bars, AllOf(HasSubstr("Bandwidth of each OSS"), HasSubstr(">home 002</text>"),
                          HasSubstr("80 % of the median"), HasSubstr(">all at once</text>"),
                          HasSubstr("font-weight=\"bold\" transform=\"rotate(-90")));
  EXPECT_THAT(measure_curves(report()),
              AllOf(HasSubstr("time (seconds)"), HasSubstr("each group (MiB/s)")));
  const auto data = lst::Tree::parse(measure_json(report()));
  EXPECT_EQ(data["ok"], false);
  EXPECT_EQ(data["test"], "read");
  EXPECT_EQ(data["size"], 64 << 10);
  ASSERT_EQ(data["tests"].size(), 7U);
  const auto& at_once = data["tests"][4];
  EXPECT_EQ(at_once["scopes"], (lst::Tree{"all OSSs", "all groups"}));
  EXPECT_EQ(at_once["osss"].size(), 4U);
  EXPECT_EQ(at_once["groups"][1]["group"], "home 003");
  std::uint64_t sum = 0;
  for (const auto& oss : at_once["osss"]) sum += oss["bytes_per_s"].get<std::uint64_t>();
  EXPECT_NEAR(at_once["bytes_per_s"].get<double>(), static_cast<double>(sum), 4);
  ASSERT_EQ(data["verdicts"].size(), 3U);
  EXPECT_EQ(data["verdicts"][0]["of"], "each OSS");
  EXPECT_EQ(data["verdicts"][0]["suspects"][0]["oss"], "snx11001n007");
  EXPECT_EQ(data["verdicts"][0]["suspects"][0]["nid"], "10.10.100.7@tcp6003");
}

}  // namespace
}  // namespace ulnet::tools::fgr
