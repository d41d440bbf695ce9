#include "fgr/existing/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fgr/existing/difference.h"
#include "fgr/output/output_folder.h"
#include "fgr/plan/outputs.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Checked : public testing::Test {
 protected:
  void SetUp() override {
    site_ = *new_site({.ssus = 6, .cluster = "snx", .net = {NetType::kO2ib, 6000}});
    const auto plan = plan::make_plan(*read_site(site_));
    ASSERT_TRUE(plan);
    ASSERT_TRUE(write_folder(folder_ / "out", plan::outputs_of(*plan, {}), false));
  }

  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::ifstream in(folder_ / file);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    write(file, text.replace(at, from.size(), to));
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }
  tl::expected<CheckReport, conf::Problems> check(const std::string& path,
                                                  ExistingFilesOptions options = {}) {
    if (!path.empty()) options.paths = {(folder_ / path).string()};
    return check_site_text("site.yaml", site_, options);
  }
  std::vector<HostDifference> diff(const std::string& path) {
    const auto plan = plan::make_plan(*read_site(site_));
    const plan::Planned planned(*plan);
    const auto existing = read_existing(
        planned, {.paths = {(folder_ / path).string()}, .hosts = {}, .only_lnetctl = true});
    EXPECT_THAT(existing.mistakes, IsEmpty());
    return differences(planned, existing.files);
  }

  const TempFolder temp_;
  const fs::path folder_ = temp_.path();
  std::string site_;
};

TEST_F(Checked, GoodIsSaidWithCounts) {
  const auto report = check("out");
  ASSERT_TRUE(report) << conf::lines_of(report.error());
  EXPECT_EQ(text_of(*report).substr(0, 27), "good: 33 hosts, 69 files, 1");
  EXPECT_THAT(text_of(*check("")), HasSubstr("good: 33 hosts, 0 files"));
}

TEST_F(Checked, EveryExampleIsAsPlanned) {
  std::size_t examples = 0;
  for (const auto& entry : fs::directory_iterator(ULNET_SOURCE_DIR "/examples/fgr")) {
    const std::string file = entry.path().string(), out = folder_ / entry.path().stem();
    const auto plan = sound_plan_of_file(file);
    ASSERT_TRUE(plan) << conf::lines_of(plan.error());
    ASSERT_TRUE(write_folder(out, plan::outputs_of(*plan, {}), false));
    const auto report = check_site_file(file, {.paths = {out}});
    ASSERT_TRUE(report) << conf::lines_of(report.error());
    for (const plan::Finding& finding : report->findings)
      EXPECT_EQ(finding.rule, plan::Rule::kBandwidth) << file << ": " << finding.reason;
    ++examples;
  }
  EXPECT_GE(examples, 7U);
}

TEST_F(Checked, ATextHasPlaceRuleAndCure) {
  replace("out/routes/snxn004.routes", "hop: 1 }\n", "hop: 4 }\n");
  const auto report = check("out");
  ASSERT_TRUE(report) << conf::lines_of(report.error());
  EXPECT_EQ(
      text_of(*report),
      (folder_ / "out/routes/snxn004.routes").string() +
          ":1:1: error: server snxn004 has the primary route to gni1 (clients xe) by o2ib6002 "
          "(home, group 002) through router00003 with hop count 4, not 1 [FGR022 "
          "secondary-first]\n"
          "    Give primary routes hop count 1 and secondary ones 2, all with the same "
          "priority.\n1 error\n");
}

TEST_F(Checked, FindingsOfTheSiteHaveTheirLine) {
  const std::string line = "address: \"10.10.100.[103-106]\"";
  const std::size_t at = site_.find(line);
  ASSERT_NE(at, std::string::npos) << site_;
  site_.replace(at, line.size(), "address: \"10.10.100.[103,101,105,106]\"");
  const auto report = check("");
  ASSERT_TRUE(report) << conf::lines_of(report.error());
  EXPECT_THAT(text_of(*report),
              HasSubstr("site.yaml:12:15: error: router00004 has the address of router00001, "
                        "10.10.100.101 [FGR001 duplicate-address]\n"));
  EXPECT_THAT(text_of(*report), testing::EndsWith("\n1 error\n"));
}

TEST_F(Checked, AHostWithoutAnAddressIsFound) {
  const std::string line = ", address: \"10.10.100.101\"";
  const std::size_t at = site_.find(line);
  ASSERT_NE(at, std::string::npos) << site_;
  site_.erase(at, line.size());
  EXPECT_FALSE(read_site(site_)) << "the plan needs it";
  const auto report = check("");
  ASSERT_TRUE(report) << conf::lines_of(report.error());
  EXPECT_THAT(text_of(*report), HasSubstr("[FGR003 missing-address]"));
}

TEST_F(Checked, ReasonsAgainstAPlanAreFound) {
  const std::string line = "routers per group: 4";
  site_.replace(site_.find(line), line.size(), "routers per group: 5");
  const auto report = check("out");
  ASSERT_TRUE(report) << conf::lines_of(report.error());
  ASSERT_THAT(report->findings, SizeIs(2)) << "one for each switch";
  for (const plan::Finding& finding : report->findings) {
    EXPECT_EQ(finding.rule, plan::Rule::kTooFewRouters);
    EXPECT_EQ(finding.file, "site.yaml");
    EXPECT_GT(finding.place.line, 3);
  }
}

TEST_F(Checked, WhatCannotBeReadIsReported) {
  write("bad.yaml", "net:\n    - net type: nonsense\n");
  EXPECT_THAT(conf::lines_of(check("bad.yaml").error()), HasSubstr("bad.yaml:2:"));
  write("plain.txt", "hello\n");
  EXPECT_THAT(conf::lines_of(check("plain.txt").error()),
              HasSubstr("plain.txt: the file is neither"));
  EXPECT_THAT(conf::lines_of(check("absent").error()), HasSubstr("absent: No such file"));
  EXPECT_THAT(conf::lines_of(check("", {.paths = {}, .hosts = {"nobody=x"}}).error()),
              HasSubstr("--host nobody=x: the site has no host nobody"));
  EXPECT_THAT(conf::lines_of(check("", {.paths = {}, .hosts = {"x"}}).error()),
              HasSubstr("--host x: expected HOST=FILE"));
  site_ = "clients: 7\n";
  EXPECT_THAT(conf::lines_of(check("").error()), HasSubstr("site.yaml:1:"));
}

TEST_F(Checked, AFileIsOfTheHostThatIsSaid) {
  fs::copy_file(folder_ / "out/lnetctl/snxn004.yaml", folder_ / "one.yaml");
  const auto unknown = check("one.yaml");
  ASSERT_TRUE(unknown);
  EXPECT_THAT(text_of(*unknown), HasSubstr("FGR026"));
  const std::string file = (folder_ / "one.yaml").string();
  const auto known = check("", {.paths = {}, .hosts = {"snxn004=" + file}});
  ASSERT_TRUE(known);
  EXPECT_THAT(known->findings, IsEmpty());
  EXPECT_EQ(known->files, 1U);
  fs::create_directory(folder_ / "snxn004");
  fs::rename(folder_ / "one.yaml", folder_ / "snxn004/lnet.yaml");
  EXPECT_THAT(check("snxn004")->findings, IsEmpty()) << "by its folder";
}

TEST_F(Checked, JsonAndSarifHaveAllOfIt) {
  replace("out/routes/snxn004.routes", "hop: 1 }\n", "hop: 4 }\n");
  const auto report = check("out");
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(json_of(*report));
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["warnings"], 0);
  EXPECT_EQ(json["findings"][0]["rule"], "FGR022");
  EXPECT_EQ(json["findings"][0]["line"], 1);
  const auto sarif = nlohmann::json::parse(sarif_of(*report));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const auto& run = sarif["runs"][0];
  ASSERT_EQ(run["results"].size(), 1U);
  const auto& result = run["results"][0];
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
            result["ruleId"]);
  const auto& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"],
            "file://" + (folder_ / "out/routes/snxn004.routes").string());
  EXPECT_EQ(place["region"]["startLine"], 1);
}

plan::Finding warning_about(std::string file) {
  return {
      {.reason = "x", .file = std::move(file), .hint = "y", .severity = plan::Severity::kWarning},
      plan::Rule::kUnknownHost,
      {},
      {}};
}

TEST(CheckReport, UrisHaveNoBlanks) {
  CheckReport report;
  report.findings.push_back(warning_about("a file#1"));
  const auto sarif = nlohmann::json::parse(sarif_of(report));
  const auto& place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20file%231");
  EXPECT_FALSE(place.contains("region")) << "the file as a whole";
}

TEST(CheckReport, AsTextHasTheFirstThousand) {
  CheckReport report;
  report.findings.resize(1002, warning_about("f"));
  const std::string text = text_of(report);
  EXPECT_THAT(text, testing::EndsWith("\nand 2 more\n1002 warnings\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2002);
}

TEST_F(Checked, DiffShowsHostByHost) {
  EXPECT_THAT(diff("out/lnetctl"), IsEmpty());
  EXPECT_EQ(diff_text({}, "site.yaml", "d"), "");
  replace("out/lnetctl/snxn004.yaml", "hop: 1\n", "hop: 3\n");
  replace("out/lnetctl/snxn005.yaml", "net-spec: o2ib6003", "net-spec: o2ib6004");
  replace("out/lnetctl/router00001.yaml", "enable: 1", "enable: 0");
  fs::remove(folder_ / "out/lnetctl/snxn006.yaml");
  write("out/lnetctl/stranger.yaml", "route:\n");
  const auto hosts = diff("out/lnetctl");
  const std::string folder = (folder_ / "out/lnetctl").string();
  EXPECT_EQ(diff_text(hosts, "site.yaml", folder),
            "--- plan of site.yaml\n+++ " + folder + "\n@@ router00001 " + folder +
                "/router00001.yaml @@\n-routing 1\n+routing 0\n"
                "@@ snxn004 " +
                folder +
                "/snxn004.yaml @@\n-route gni1 by 10.10.100.103@o2ib6002 hop 1\n"
                "+route gni1 by 10.10.100.103@o2ib6002 hop 3\n"
                "@@ snxn005 " +
                folder +
                "/snxn005.yaml @@\n-net o2ib6003 10.10.100.5\n+net o2ib6004 10.10.100.5\n"
                "Only in the plan: snxn006\nOnly in " +
                folder + ": " + folder + "/stranger.yaml (belongs to no host of the site)\n");
  const auto json = nlohmann::json::parse(diff_json(hosts));
  EXPECT_EQ(json["hosts"].size(), 5U);
  EXPECT_EQ(json["hosts"][3]["what"], "no file");
}

TEST(CheckReport, ListsTheRules) {
  EXPECT_THAT(rules_text(), HasSubstr("FGR001  duplicate-address        error     Two hosts"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
