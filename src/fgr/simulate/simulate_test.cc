#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "fgr/plan/plan_fixture.h"
#include "fgr/simulate/report.h"
#include "fgr/simulate/simulate_fixture.h"
#include "text/chart/svg_check_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

// ---- the statements of design document 004 ------------------------------------------------------

TEST(Simulate, WithoutFgrLargerSystemsCrossMoreLinks) {
  double before = 0;
  for (const std::uint32_t ssus : {2, 6, 18, 36}) {
    const plan::Plan plan = plan_of(ssus, kWide);
    std::set<std::string> switches;
    for (const plan::Group& group : plan.groups) switches.insert(group.at_switch);
    switches.erase("");
    const Outcome flat = outcome_of(flat_plan(plan), small());
    EXPECT_TRUE(flat.flat);
    // All messages except those that use one of the routers at the OSS's own switch.
    EXPECT_NEAR(flat.crossing, 1 - 1 / static_cast<double>(switches.size()), 0.02) << ssus;
    EXPECT_GT(flat.crossing, ssus == 6 ? before - 0.02 : before) << ssus << ": two switches as 2";
    before = flat.crossing;
    const Outcome fine = outcome_of(plan, small());
    EXPECT_FALSE(fine.flat);
    EXPECT_EQ(fine.crossing, 0) << ssus;
  }
}

TEST(Simulate, LinksOfLittleBandwidthHoldAFlatSystemBack) {
  const plan::Plan plan = plan_of(18);
  EXPECT_EQ(isl_gb_per_s(plan.site.file_systems[0]), 9) << "half of six OSSs";
  const Outcome flat = outcome_of(flat_plan(plan), small()), fine = outcome_of(plan, small());
  // 5/6 of 6 x 3 GB/s are 15 GB/s for each of the links.
  EXPECT_GT(flat.seconds, 20 * 15.0 / 9 * 0.98);
  EXPECT_LT(fine.seconds, 20 * 1.05);
  for (const IslOutcome& isl : flat.isls) {
    EXPECT_LE(isl.from_core.busy, 1.0001) << isl.at_switch;
    EXPECT_GT(isl.from_core.busy, 0.6) << isl.at_switch;
  }
  for (const IslOutcome& isl : fine.isls) EXPECT_EQ(isl.to_core.bytes + isl.from_core.bytes, 0);
}

// The system of figure 8 had lost one of the four routers of the group of OSSs 6, 8, 10.
TEST(Simulate, ALostRouterShowsInItsGroupOnly) {
  const plan::Plan plan = plan_of(6, kWide);
  for (const bool write : {true, false}) {
    TrialSetup setup = small();
    setup.write = write;
    setup.lost = lost_of(plan, {"router:router00007"});
    const std::vector<double> fine = seconds_of(outcome_of(plan, setup));
    ASSERT_EQ(fine.size(), 12U);
    for (std::size_t oss = 0; oss < 12; ++oss) {
      const bool hit = oss == 6 || oss == 8 || oss == 10;
      // Three routers carry 7.8 GB/s of the 9.0 that the group's OSSs move.
      EXPECT_NEAR(fine[oss], hit ? 20 * 9 / 7.8 : 20, 0.4) << "OSS " << oss;
    }
    const std::vector<double> flat = seconds_of(outcome_of(flat_plan(plan), setup));
    EXPECT_THAT(flat, Each(AllOf(Ge(19.9), Le(20.4)))) << "17 of 18 routers carry all";
  }
}

TEST(Simulate, AFlatSystemSpreadsTheLossOfARouter) {
  plan::Plan plan = plan_of(6, kWide);
  plan.site.clients[0].router_gb_per_s = 2.0;  // 18 routers carry just what 12 OSSs move
  const auto times = [&](const std::vector<std::string>& losses) {
    TrialSetup setup = small();
    setup.lost = lost_of(plan, losses);
    return seconds_of(outcome_of(flat_plan(plan), setup));
  };
  const auto whole = times({}), one = times({"router:router00007"});
  const auto mean = [](const std::vector<double>& of) {
    double sum = 0;
    for (const double each : of) sum += each;
    return sum / static_cast<double>(of.size());
  };
  EXPECT_GT(mean(one), mean(whole) * 1.01);
  EXPECT_LT(*std::ranges::max_element(one), mean(one) * 1.05) << "no OSS is out of line";
  EXPECT_LT(mean(one), mean(whole) * 1.10);
}

TEST(Simulate, SevenOfEightRoutersOfASwitchMayGo) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small();
  std::vector<std::string> losses;
  for (int router = 3; router <= 9; ++router)
    losses.push_back(fmt::format("router:router{:05}", router));
  setup.lost = lost_of(plan, losses);
  const Outcome outcome = outcome_of(plan, setup);
  for (std::size_t oss = 0; oss < 12; ++oss) {
    ASSERT_TRUE(outcome.osss[oss].seconds) << "OSS " << oss << " is reached";
    // The last router carries 2.6 GB/s for six OSSs.
    const bool left = oss % 2 == 0;
    EXPECT_NEAR(*outcome.osss[oss].seconds, left ? 20 * 18 / 2.6 : 20, left ? 10 : 0.4)
        << "OSS " << oss;
  }
  EXPECT_EQ(outcome.crossing, 0);
  // Without secondary routes a group without routers cannot be reached.
  plan::Site site = plan.site;
  site.file_systems[0].secondary_routes = false;
  const Outcome alone = outcome_of(*plan::make_plan(std::move(site)), setup);
  for (const std::size_t oss : {0, 2, 4}) EXPECT_FALSE(alone.osss[oss].seconds) << "OSS " << oss;
  for (const std::size_t oss : {6, 8, 10}) EXPECT_TRUE(alone.osss[oss].seconds) << "OSS " << oss;
}

// ---- losses -------------------------------------------------------------------------------------

TEST(Simulate, ASwitchTakesItsHostsAlong) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small();
  setup.lost = lost_of(plan, {"switch:left0"});
  EXPECT_EQ(setup.lost.cut_routers.size(), 9U);
  const Outcome outcome = outcome_of(plan, setup);
  for (std::size_t oss = 0; oss < 12; ++oss) {
    EXPECT_EQ(outcome.osss[oss].lost, oss % 2 == 0);
    EXPECT_EQ(outcome.osss[oss].seconds.has_value(), oss % 2 == 1);
  }
}

// Two of its file systems share switches and routers.
TEST(Simulate, ASwitchOfSeveralFileSystemsIsOne) {
  const auto plan =
      sound_plan_of_file(fs::path(ULNET_SOURCE_DIR) / "examples/fgr/three-file-systems.yaml");
  ASSERT_TRUE(plan) << conf::lines_of(plan.error());
  for (const plan::Plan& each : {flat_plan(*plan), *plan}) {
    const Outcome outcome = outcome_of(each, small());
    std::vector<std::string> links;
    for (const IslOutcome& isl : outcome.isls) links.push_back(isl.at_switch);
    EXPECT_THAT(links, testing::UnorderedElementsAre("home/left0", "home/right0", "projects/left0",
                                                     "projects/right0"));
    EXPECT_EQ(outcome.osss.size(), 12U + 8U + 2U);
    for (const OssOutcome& oss : outcome.osss) EXPECT_TRUE(oss.seconds);
    EXPECT_EQ(outcome.crossing > 0, outcome.flat);
  }
  EXPECT_EQ(lost_of(*plan, {"switch:projects/left0"}).cut_osss.size(), 5U) << "and of archive one";
}

TEST(Simulate, LossesAtALaterTime) {
  const plan::Plan plan = plan_of(2);
  TrialSetup setup = small(2000);
  setup.lose_at = std::chrono::seconds(10);
  setup.lost = lost_of(plan, {"oss:snx11001n005", "cable:router00003"});
  const Outcome outcome = outcome_of(plan, setup);
  EXPECT_TRUE(outcome.osss[1].lost);
  EXPECT_NEAR(outcome.osss[1].bytes, 30e9, 3e9) << "half of its amount";
  EXPECT_FALSE(outcome.osss[1].seconds);
  // Two OSSs at this switch had two routers more than they needed at their peak.
  EXPECT_TRUE(outcome.osss[0].seconds);
  EXPECT_TRUE(outcome.osss[3].seconds);
}

TEST(Simulate, BadLossesAreRefused) {
  for (const char* text : {"", "router", "router:", "host:x", ":x", "Router:x"})
    EXPECT_FALSE(parse_loss(text)) << text;
  const plan::Plan plan = plan_of(2);
  for (const char* text : {"router:snx11001n004", "oss:snx11001n002", "switch:", "cable:left0",
                           "switch:left1", "oss:router00003"})
    EXPECT_FALSE(parse_loss(text).and_then([&](const Loss& loss) {
      return find_lost(plan.site, std::vector{loss});
    })) << text;
}

TEST(Simulate, AnUnknownNameIsReportedWithTheNearestOne) {
  const plan::Plan plan = plan_of(2);
  const auto reason = [&](std::string_view text) {
    const auto lost = find_lost(plan.site, std::vector{*parse_loss(text)});
    return lost ? std::string() : lost.error().reason;
  };
  EXPECT_EQ(reason("router:routr00003"),
            "the site has no router 'routr00003' (did you mean 'router00003'?)");
  EXPECT_EQ(reason("oss:snx1101n004"),
            "the site has no OSS 'snx1101n004' (did you mean 'snx11001n004'?)");
  EXPECT_EQ(reason("switch:left9"), "the site has no switch 'left9' (did you mean 'left0'?)");
  EXPECT_EQ(reason("cable:snx11001n04"),
            "the site has no router or OSS 'snx11001n04' (did you mean 'snx11001n004'?)");
  EXPECT_EQ(reason("oss:snx11001n002"),
            "the site has no OSS 'snx11001n002': it is an MGS or MDS, which are not simulated");
}

TEST(Simulate, ALossAfterTheEndHasNoEffect) {
  const plan::Plan plan = plan_of(2);
  TrialSetup setup = small(400);
  setup.lose_at = std::chrono::seconds(100);
  setup.lost = lost_of(plan, {"oss:snx11001n005"});
  const Simulated simulated{.plan = plan,
                            .setup = setup,
                            .losses = {"oss:snx11001n005"},
                            .outcomes = {outcome_of(plan, setup)}};
  EXPECT_FALSE(simulated.outcomes[0].osss[1].lost);
  EXPECT_THAT(simulated_text(simulated), HasSubstr("all was moved before anything was lost\n"));
}

// ---- how it is simulated ------------------------------------------------------------------------

TEST(Simulate, LargerMessagesGiveTheSameTimes) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small();
  setup.lost = lost_of(plan, {"router:router00007"});
  setup.messages = 3000;
  const Outcome coarse = outcome_of(plan, setup);
  setup.messages = 30000;
  const Outcome fine = outcome_of(plan, setup);
  EXPECT_NEAR(coarse.message_bytes / fine.message_bytes, 10, 0.1);
  for (std::size_t oss = 0; oss < 12; ++oss)
    EXPECT_NEAR(*coarse.osss[oss].seconds / *fine.osss[oss].seconds, 1, 0.03) << "OSS " << oss;
}

TEST(Simulate, LinksAreAsBusyInAShortTrialAsInALongOne) {
  const plan::Plan plan = flat_plan(plan_of(6, 4.5));
  TrialSetup setup = small();
  setup.bytes_per_oss = 64 << 20;
  const Outcome brief = outcome_of(plan, setup);
  ASSERT_LT(brief.seconds, 0.1) << "a part of the slice in which the world runs";
  for (const IslOutcome& isl : brief.isls) {
    EXPECT_GT(isl.to_core.busy, 0.6) << isl.at_switch;
    const double carried = isl.to_core.bytes / brief.seconds / (isl.gb_per_s * 1e9);
    EXPECT_NEAR(isl.to_core.busy, carried, 0.05) << isl.at_switch;
  }
}

TEST(Simulate, LatenciesAreADistribution) {
  const plan::Plan plan = plan_of(6);
  const Outcome flat = outcome_of(flat_plan(plan), small());
  EXPECT_TRUE(std::ranges::is_sorted(flat.latencies.percentiles));
  EXPECT_GT(flat.latencies.percentiles.front(), 0);
  EXPECT_LT(flat.latencies.percentiles[50], flat.latencies.percentiles[100]);
  // The messages under way all the time are the window of each OSS.
  double mean = 0;
  for (const double seconds : flat.latencies.percentiles) mean += seconds / 101;
  EXPECT_NEAR(mean * static_cast<double>(flat.latencies.messages), 12 * 8 * flat.seconds,
              0.1 * 12 * 8 * flat.seconds);
}

TEST(Simulate, ASeedGivesTheSameAgain) {
  const plan::Plan plan = plan_of(2);
  const Outcome one = outcome_of(flat_plan(plan), small(1000));
  const Outcome two = outcome_of(flat_plan(plan), small(1000));
  EXPECT_EQ(seconds_of(one), seconds_of(two));
  EXPECT_EQ(one.steps, two.steps);
  TrialSetup other = small(1000);
  other.seed = kSeed + 1;
  EXPECT_NE(outcome_of(flat_plan(plan), other).steps, one.steps);
}

TEST(Simulate, AmountsAreTimesOrBytes) {
  const plan::Plan plan = plan_of(2);
  TrialSetup setup = small(400);
  EXPECT_DOUBLE_EQ(outcome_of(plan, setup).bytes_per_oss, 60e9);
  setup.bytes_per_oss = 3 << 20;
  const Outcome little = outcome_of(plan, setup);
  EXPECT_EQ(little.latencies.messages, 4 * 3U) << "messages of 1 MiB";
  EXPECT_EQ(little.message_bytes, 1 << 20);
}

TEST(Simulate, SlowerKindsOfOsssMoveLessInTheSameTime) {
  plan::Site site = plan_of(2, kWide).site;
  plan::FileSystem second = site.file_systems[0];
  second.name = "scratch";
  second.base = {NetType::kO2ib, 7000};
  second.oss_gb_per_s = 1.5;
  for (plan::Server& server : second.servers) {
    server.host += "s";
    server.address += 4096;
  }
  site.file_systems.push_back(second);
  const std::vector<plan::Router> routers = site.clients[0].routers;
  for (plan::Router router : routers) {
    router.host += "s";
    router.client_nid = Nid::small(site.clients[0].net, router.client_nid.address4() + 1000);
    router.addresses[0] += 4096;
    router.file_systems = {1};
    site.clients[0].routers.push_back(router);
  }
  const auto plan = plan::make_plan(std::move(site));
  ASSERT_TRUE(plan);
  TrialSetup setup = small();
  Simulated simulated{
      .plan = *plan, .setup = setup, .losses = {}, .outcomes = {outcome_of(*plan, setup)}};
  for (const OssOutcome& oss : simulated.outcomes[0].osss) {
    EXPECT_NEAR(oss.amount, oss.place.first == 0 ? 60e9 : 30e9, 1e7);
    EXPECT_EQ(oss.bytes, oss.amount);
    EXPECT_NEAR(oss.seconds.value_or(0), 20, 0.4) << "no OSS is slow at its own peak";
  }
  EXPECT_THAT(simulated_text(simulated), HasSubstr("each of which moves 30 to 60 GB"));
  setup.bytes_per_oss = 30'000'000'000;
  for (const OssOutcome& oss : outcome_of(*plan, setup).osss) EXPECT_NEAR(oss.bytes, 30e9, 1);
}

TEST(Simulate, TwoSystemsOfClientsWithTheSameNumbers) {
  plan::Site site = plan::paper_site();
  plan::ClientSystem second = site.clients[0];
  second.name = "xc";
  second.net = {NetType::kGni, 2};
  for (plan::Router& router : second.routers) {
    router.host = "xc-" + router.host;
    router.client_nid = Nid::small(second.net, router.client_nid.address4());
    router.addresses[0] += 100;
  }
  site.clients.push_back(second);
  const auto plan = plan::make_plan(std::move(site));
  ASSERT_TRUE(plan);
  TrialSetup setup = small();
  setup.lost = lost_of(*plan, {"router:nid00608"});
  const Outcome outcome = outcome_of(*plan, setup);
  for (const double seconds : seconds_of(outcome)) EXPECT_NEAR(seconds, 20, 0.4);
}

// ---- the output --------------------------------------------------------------------------------

TEST(Simulate, AllReportsShowEveryOss) {
  const plan::Plan plan = plan_of(6);
  TrialSetup setup = small(3000);
  setup.lost = lost_of(plan, {"router:router00007", "oss:snx11001n004"});
  Simulated simulated{.plan = plan,
                      .setup = setup,
                      .losses = {"router:router00007", "oss:snx11001n004"},
                      .outcomes = {outcome_of(flat_plan(plan), setup), outcome_of(plan, setup)}};
  const std::string text = simulated_text(simulated);
  EXPECT_THAT(text, HasSubstr("a simulated message represents 228.9 MiB"));
  EXPECT_THAT(text, HasSubstr("lost from the start: router:router00007, oss:snx11001n004\n"));
  EXPECT_THAT(text, HasSubstr("home 004  o2ib6004  left0   snx11001n[010-014/2]  "));
  EXPECT_THAT(text, HasSubstr("lost "));
  const auto json = simulated_json(simulated);
  ASSERT_EQ(json["runs"].size(), 2U);
  std::size_t osss = 0, never = 0;
  for (const auto& group : json["runs"][1]["groups"])
    for (const auto& oss : group["osss"]) {
      ++osss;
      if (oss["seconds"].is_null()) ++never;
    }
  EXPECT_EQ(osss, 12U);
  EXPECT_EQ(json["runs"][0]["percentiles_s"].size(), 101U);
  EXPECT_EQ(never, 1U);
  const std::string picture = simulated_picture(simulated);
  EXPECT_EQ(chart::svg_problem(picture), "");
  EXPECT_THAT(picture, AllOf(HasSubstr("home 005"), HasSubstr("#d55e00"), HasSubstr(">10</text>"),
                             HasSubstr(">more than a tenth above the median<"),
                             HasSubstr(">fine-grained</text>")));
  // The output names all losses, however many there are.
  simulated.losses.assign(9, "router:router00007");
  simulated.losses.back() = "cable:router00099";
  EXPECT_THAT(simulated_picture(simulated), HasSubstr("cable:router00099"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
