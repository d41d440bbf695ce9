// Random sites: all files that the plan writes, read back, are as planned.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/sanitizers.h"
#include "base/temp_folder_fixture.h"
#include "plan/check/check.h"
#include "plan/check/compare.h"
#include "plan/outputs.h"
#include "tests/plan/random_site.h"
#include "tools/fgr/check/difference.h"
#include "tools/fgr/check/existing_files.h"
#include "tools/fgr/check/read_actual.h"
#include "tools/fgr/output_folder.h"

namespace ulnet::plan {
namespace {

constexpr int kSites = kAddressSanitizer ? 8 : 40;

std::string told(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += fmt::format("{}:{} {} {}\n", finding.file, finding.spot.line, info_of(finding.rule).id,
                        finding.what);
  return text;
}

/// Texts that are longer than a module parameter may be are told; nothing else is.
void expect_only_long_parameters(std::vector<Finding> findings, const std::vector<Actual>& files) {
  std::set<std::string> longer, told_longer;
  for (const Actual& file : files)
    for (const ActualParameter& each : file.parameters)
      if (each.bytes > limits::kParamTextMax) longer.insert(file.file + " " + each.name);
  std::erase_if(findings, [&](const Finding& finding) {
    if (finding.rule != Rule::kLongParameter) return false;
    EXPECT_EQ(finding.severity, Severity::kWarning);
    told_longer.insert(finding.file);
    return true;
  });
  EXPECT_EQ(told(findings), "");
  for (const std::string& each : longer)
    EXPECT_TRUE(told_longer.contains(each.substr(0, each.find(' ')))) << each;
  EXPECT_LE(told_longer.size(), longer.size());
}

TEST(RoundTrip, WhatThePlanWritesIsAsPlanned) {
  std::size_t files = 0, with_net_among_servers = 0;
  for (std::uint64_t seed = 1; seed <= kSites && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Site site = RandomSite(seed).make();
    for (const FileSystem& system : site.file_systems)
      with_net_among_servers += system.among_servers ? 1 : 0;
    const auto plan = make_plan(site);
    ASSERT_TRUE(plan);
    const Planned planned(*plan);
    EXPECT_EQ(told(check_site(site, {})), "");
    EXPECT_EQ(told(check_plan(planned)), "");
    std::vector<Actual> read;
    std::size_t expected = 0;
    for (const OutputFile& file : outputs_of(*plan, {})) {
      const bool of_hosts = file.path.find('/') != std::string::npos;
      const tools::fgr::FileKind kind = tools::fgr::kind_of(file.path, file.text);
      ASSERT_EQ(kind != tools::fgr::FileKind::kOther, of_hosts) << file.path << file.text;
      if (!of_hosts) continue;
      ++expected;
      auto actual = tools::fgr::check_text(file.path, file.text);
      ASSERT_TRUE(actual) << file.path << ": " << actual.error().reason;
      actual->hosts = tools::fgr::hosts_of(planned, file.path, *actual);
      ASSERT_FALSE(actual->hosts.empty()) << file.path;
      actual->shared = actual->shared || actual->hosts.size() > 1;
      EXPECT_TRUE(compare(planned, *actual).empty()) << file.path;
      read.push_back(std::move(*actual));
    }
    EXPECT_EQ(read.size(), expected);
    files += read.size();
    expect_only_long_parameters(check_files(planned, read), read);
  }
  EXPECT_GT(files, 100U);
  EXPECT_GT(with_net_among_servers, 2U);
}

TEST(RoundTrip, OfAFolderWithAndWithoutTrust) {
  const TempFolder folder;
  const auto plan = make_plan(RandomSite(11).make());
  ASSERT_TRUE(plan);
  const Planned planned(*plan);
  const auto outputs = outputs_of(*plan, {});
  ASSERT_TRUE(tools::fgr::write_folder(folder / "out", outputs, false));
  for (const bool trust : {true, false}) {
    SCOPED_TRACE(trust);
    const auto existing = tools::fgr::read_existing(
        planned, {.paths = {folder / "out"}, .hosts = {}, .trust_identical = trust});
    EXPECT_TRUE(existing.mistakes.empty());
    EXPECT_EQ(existing.files.size() + existing.others, outputs.size());
    const auto trusted = std::ranges::count(existing.files, true, &Actual::as_planned);
    EXPECT_EQ(trusted > 0, trust);
    expect_only_long_parameters(check_files(planned, existing.files), existing.files);
    const auto exports = tools::fgr::read_existing(
        planned,
        {.paths = {folder / "out"}, .hosts = {}, .trust_identical = trust, .only_lnetctl = true});
    EXPECT_EQ(exports.files.size(), planned.hosts().size());
    EXPECT_TRUE(tools::fgr::differences(planned, exports.files).empty());
  }
}

}  // namespace
}  // namespace ulnet::plan
