// Random sites: all files that the plan writes, read back, are as planned.
#include <fmt/format.h>
#include <gtest/gtest.h>

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
    std::vector<Finding> of_plan = check_plan(planned);
    std::erase_if(of_plan, [](const Finding& each) { return each.rule == Rule::kLongParameter; });
    EXPECT_EQ(told(of_plan), "");
    std::vector<Actual> read;
    std::size_t expected = 0;
    const ListForm form = seed % 2 == 0 ? ListForm::kShort : ListForm::kWrittenOut;
    for (const OutputFile& file : outputs_of(*plan, {}, form)) {
      const bool of_hosts = file.path.find('/') != std::string::npos &&
                            !file.text.starts_with("# ");  // of parameters that are too long
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
    EXPECT_EQ(told(check_files(planned, read)), "");
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
    EXPECT_EQ(told(check_files(planned, existing.files)), "");
    const auto exports = tools::fgr::read_existing(
        planned,
        {.paths = {folder / "out"}, .hosts = {}, .trust_identical = trust, .only_lnetctl = true});
    EXPECT_EQ(exports.files.size(), planned.hosts().size());
    EXPECT_TRUE(tools::fgr::differences(planned, exports.files).empty());
  }
}

}  // namespace
}  // namespace ulnet::plan
