// Sites to simulate, and checks of the outcomes, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fgr/simulate/trial.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {

inline constexpr std::uint64_t kSeed = 7;
/// Links between switches that limit no traffic.
inline constexpr double kWide = 1000;

/// Returns a Sonexion of this many SSUs with four routers of a Cray XE for each group.
inline plan::Plan plan_of(std::uint32_t ssus, double isl_gb_per_s = 0) {
  const auto text = new_site({.ssus = ssus, .cluster = "snx11001", .net = {NetType::kO2ib, 6000}});
  EXPECT_TRUE(text) << text.error().reason;
  auto site = read_site(*text);
  EXPECT_TRUE(site.has_value());
  site->file_systems[0].isl_gb_per_s = isl_gb_per_s;
  return *plan::make_plan(std::move(*site));
}

inline TrialSetup small(std::uint64_t messages = 6000) {
  return {
      .seconds = 20, .seed = kSeed, .files = {.clients = 72}, .window = 8, .messages = messages};
}

inline Lost lost_of(const plan::Plan& plan, const std::vector<std::string>& words) {
  std::vector<Loss> losses;
  for (const std::string& word : words) losses.push_back(*parse_loss(word));
  const auto lost = find_lost(plan.site, losses);
  EXPECT_TRUE(lost) << lost.error().reason;
  return *lost;
}

inline Outcome outcome_of(const plan::Plan& plan, const TrialSetup& setup) {
  SCOPED_TRACE(fmt::format("seed {}", setup.seed));
  auto outcome = run_trial(plan, setup, [](double) { return true; });
  EXPECT_TRUE(outcome) << outcome.error().reason;
  return outcome ? std::move(*outcome) : Outcome{};
}

/// Returns the seconds of each OSS, in the order of the paper's numbers of OSSs.
inline std::vector<double> seconds_of(const Outcome& outcome) {
  std::vector<double> seconds;
  for (const OssOutcome& oss : outcome.osss) seconds.push_back(oss.seconds.value_or(-1));
  return seconds;
}

}  // namespace ulnet::tools::fgr
