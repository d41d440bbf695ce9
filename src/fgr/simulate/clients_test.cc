// The clients of a simulated site, their files, and how long their messages take.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "fgr/simulate/report.h"
#include "fgr/simulate/simulate_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::HasSubstr;

TEST(SimulatedClients, TooLargeForTheMemoryIsRefused) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small();
  setup.files.clients = 100'000;
  const auto outcome = run_trial(plan, setup, [](double) { return true; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, -E2BIG);
}

TEST(SimulatedClients, FewerMessagesAreSimulatedWhereTheMemoryIsShort) {
  const std::vector<plan::Plan> few = {plan_of(6)}, many = {flat_plan(plan_of(180))};
  TrialSetup setup = small(1'000'000);
  EXPECT_EQ(messages_that_fit(few, setup), 1'000'000U);
  setup.files.clients = 25'000;
  const std::uint64_t fit = messages_that_fit(many, setup);
  EXPECT_LT(fit, 200'000U);
  EXPECT_GT(fit, 50'000U);
}

// ---- clients and their files --------------------------------------------------------------------

// 25,000 clients fit into memory because none has routes that it never takes.
TEST(SimulatedClients, SecondaryRoutesThatAreNeverTakenMakeNoDifference) {
  const plan::Plan plan = plan_of(6);
  for (const std::vector<std::string>& losses :
       {std::vector<std::string>{}, {"router:router00007", "router:router00003"}}) {
    TrialSetup setup = small();
    setup.lost = lost_of(plan, losses);
    const Outcome taken = outcome_of(plan, setup);
    setup.all_routes = true;
    const Outcome all = outcome_of(plan, setup);
    EXPECT_LT(taken.steps, all.steps) << "fewer gateways were asked";
    for (std::size_t oss = 0; oss < 12; ++oss)
      EXPECT_NEAR(*taken.osss[oss].seconds / *all.osss[oss].seconds, 1, 0.02)
          << "OSS " << oss << ", " << losses.size() << " lost";
    EXPECT_NEAR(taken.latencies.mean / all.latencies.mean, 1, 0.02);
  }
}

// An answer goes through the router of its request. If the client has no route through that router,
// it goes through the next of the client's own.
TEST(SimulatedClients, AFlatSystemWhoseClientsHaveFewRoutesIsAsFast) {
  const plan::Plan plan = flat_plan(plan_of(6));
  TrialSetup setup = small();
  setup.files.clients = 720;
  const Outcome all = outcome_of(plan, setup);
  setup.client_routes = 4;
  const Outcome few = outcome_of(plan, setup);
  EXPECT_EQ(few.client_routes, 4U);
  EXPECT_EQ(all.client_routes, 0U);
  for (std::size_t oss = 0; oss < 12; ++oss)
    EXPECT_NEAR(*few.osss[oss].seconds / *all.osss[oss].seconds, 1, 0.06) << "OSS " << oss;
  EXPECT_NEAR(few.latencies.mean / all.latencies.mean, 1, 0.05);
  EXPECT_NEAR(few.crossing, all.crossing, 0.03);
}

TEST(SimulatedClients, FilesAreSpreadEvenly) {
  plan::Plan plan = plan_of(6);
  const auto stripes = [&](const ClientFiles& files) {
    std::map<std::size_t, std::size_t> count;
    for (const PlacedFile& file : place_files(plan, files))
      for (const std::size_t oss : file.osss) ++count[oss];
    std::set<std::size_t> counts;
    for (const auto& [oss, each] : count) counts.insert(each);
    return std::pair(count.size(), counts);
  };
  EXPECT_EQ(stripes({.clients = 3}), (std::pair<std::size_t, std::set<std::size_t>>(12, {1})));
  EXPECT_EQ(stripes({.clients = 25}), (std::pair<std::size_t, std::set<std::size_t>>(12, {8, 9})));
  EXPECT_EQ(place_files(plan, {.clients = 1, .stripes = 50})[0].osss.size(), 12U);
  plan.site.file_systems[0].osts_per_oss = 2;
  EXPECT_EQ(place_files(plan, {.clients = 1, .stripes = 50})[0].osss.size(), 24U);
  const auto files = place_files(plan, {.clients = 1});
  EXPECT_EQ(std::set(files[0].osss.begin(), files[0].osss.end()).size(), 4U)
      << "OSTs one after the other are at different OSSs";
}

TEST(SimulatedClients, AnOssWithoutAFileIsAnError) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small();
  setup.files.clients = 2;
  const auto outcome = run_trial(plan, setup, [](double) { return true; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, -EINVAL);
  EXPECT_EQ(outcome.error().reason,
            "no client has a file on OSS snx11001n012: more --clients or --stripes are needed");
}

TEST(SimulatedClients, EndsWhenItIsNotToGoOn) {
  const plan::Plan plan = plan_of(2);
  const auto outcome = run_trial(plan, small(), [](double share) { return share < 0.5; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, -EINTR);
}

// ---- how long messages take ---------------------------------------------------------------------

TEST(SimulatedClients, MessagesAreCountedByTheirPath) {
  const plan::Plan plan = plan_of(6);
  for (const bool write : {true, false}) {
    TrialSetup setup = small();
    setup.write = write;
    const Outcome flat = outcome_of(flat_plan(plan), setup), fine = outcome_of(plan, setup);
    EXPECT_EQ(fine.of(PayloadWay::kOwn).messages, fine.latencies.messages);
    EXPECT_EQ(flat.of(PayloadWay::kOwn).messages + flat.of(PayloadWay::kCrossing).messages,
              flat.latencies.messages);
    EXPECT_GT(flat.of(PayloadWay::kCrossing).messages, flat.latencies.messages / 3);
    // 12 x 3 GB/s through 16 routers of 2.6 GB/s, and flat through 18.
    EXPECT_NEAR(fine.routers_busy, 36 / (16 * 2.6), 0.02);
    EXPECT_NEAR(flat.routers_busy, 36 / (18 * 2.6), 0.05);
    std::vector<std::string> losses;
    for (int router = 3; router <= 9; ++router)
      losses.push_back(fmt::format("router:router{:05}", router));
    setup.lost = lost_of(plan, losses);
    const Outcome one_left = outcome_of(plan, setup);
    // For three of the twelve OSSs the last of the eight routers belongs to the other group.
    EXPECT_EQ(one_left.of(PayloadWay::kSecondary).messages, one_left.latencies.messages / 4);
  }
}

TEST(SimulatedClients, TheTextOnMessagesMatchesTheFigures) {
  const plan::Plan plan = plan_of(2);
  const TrialSetup setup;
  const auto text = [&](double flat_p50, double fine_p50, double flat_p99, double fine_p99) {
    Outcome flat{.flat = true}, fine;
    const auto fill = [](Latencies& of, double p50, double p99) {
      of.messages = 100;
      of.mean = p50;
      of.percentiles[50] = p50;
      of.percentiles[99] = p99;
    };
    fill(flat.latencies, flat_p50, flat_p99);
    fill(fine.latencies, fine_p50, fine_p99);
    fill(flat.by_way[0], 1, 1);
    fill(flat.by_way[2], 3, 3);
    flat.osss = fine.osss = {{.seconds = 5}, {}};
    return simulated_text({.plan = plan, .setup = setup, .losses = {}, .outcomes = {flat, fine}});
  };
  const std::string raised = text(1, 2, 9, 3);
  EXPECT_THAT(raised,
              HasSubstr("fine-grained the median is higher (2 s, flat 1 s), and the slowest "
                        "1 % are faster (3 s or more, flat 9 s)\n"));
  EXPECT_THAT(raised, HasSubstr("cross links take longer than those that stay at their switch: 3 "
                                "and 1 s in the mean; the quick messages lower the flat median"));
  EXPECT_THAT(raised, HasSubstr("1 of 2 OSSs moved their amount, 1 never ended; among those that "
                                "did, an OSS takes 5.00 to 5.00 s"));
  EXPECT_THAT(text(2, 1, 3, 9),
              HasSubstr("median is lower (1 s, flat 2 s), and the slowest 1 % are "
                        "slower (9 s or more, flat 3 s)\n"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
