
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fgr/existing/report.h"
#include "fgr/fabric/fabric.h"
#include "fgr/fabric/fabric_fixture.h"
#include "fgr/hosts/report.h"
#include "fgr/hosts/verify_fixture.h"
#include "fgr/output/exit_code.h"
#include "fgr/plan/cables.h"
#include "fgr/plan/hosts_in_fabric.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

const fs::path kExample = fs::path(ULNET_SOURCE_DIR) / "examples/fgr-fabric";
const std::string kSite = kExample / "site.yaml", kText = kExample / "ibnetdiscover.txt";

/// A copy of the example's text with a change.
class FabricFile : public testing::Test {
 protected:
  FabricFile() {
    std::ifstream in(kText);
    text_.assign(std::istreambuf_iterator<char>(in), {});
  }
  ~FabricFile() override { fs::remove(file_); }

  void replace(const std::string& from, const std::string& to) {
    std::size_t at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text_.find(from, at + to.size()))
      text_.replace(at, from.size(), to);
  }
  const std::string& written() {
    std::ofstream(file_) << text_;
    return file_;
  }
  /// The output of check for the text, and its exit code.
  std::pair<std::string, int> check(const std::string& site = kSite) {
    const auto report = check_site_file(site, {.fabric = written(), .paths = {}, .hosts = {}});
    if (!report) return {conf::lines_of(report.error()), kExitInput};
    return {text_of(*report), exit_code_of(*report)};
  }

  std::string text_;
  const std::string file_ = testing::TempDir() + "fabric_file_test.txt";
};

TEST_F(FabricFile, TheExampleIsPlannedByIt) {
  EXPECT_THAT(conf::lines_of(plan_of_file(kSite).error()),
              HasSubstr("site.yaml:21:15: nid00068: it has no 'switch'"
                        ", nor have 9 others"));
  const auto plan = sound_plan_of_file(kSite, kText);
  ASSERT_TRUE(plan) << conf::lines_of(plan.error());
  for (const plan::Cable& cable : plan::cables_of(*plan, plan::CableOrder::kRouters)) {
    EXPECT_FALSE(cable.adapter_guid.empty() || cable.switch_guid.empty()) << cable.host;
    EXPECT_TRUE(cable.adapter_port != 0 && cable.switch_port != 0) << cable.host;
    EXPECT_THAT(cable.switch_place, testing::StartsWith("R0 U4")) << cable.host;
  }
  const auto [said, code] = check();
  EXPECT_EQ(code, kExitDone) << said;
}

TEST_F(FabricFile, MissingAdaptersAreWarningsWithAnExitCode) {
  replace("snx11001n005 HCA-1", "MT25408 ConnectX Mellanox Technologies");
  const auto [said, code] = check();
  EXPECT_EQ(code, kExitPartly);
  EXPECT_THAT(said, HasSubstr(file_ + ": warning: the fabric: 1 adapter has the vendor's default "
                                      "name: 0002c90300a100f0 at right0 port 7"));
  EXPECT_THAT(said, HasSubstr("site.yaml:27:76: warning: snx11001n005: no adapter of it is in the "
                              "fabric [FGR030 not-in-fabric]"));
  const auto plan = plan_of_file(kSite, file_);
  ASSERT_TRUE(plan) << conf::lines_of(plan.error());
  EXPECT_EQ(exit_code_of(fabric_report(*plan, file_)), kExitPartly);
}

TEST_F(FabricFile, ATextThatIsCutOrOfAnotherSite) {
  const std::string whole = text_;
  text_.resize(whole.rfind("Ca\t"));
  EXPECT_EQ(check().second, kExitPartly);
  EXPECT_THAT(check().first, HasSubstr("1 link is at one end only [FGR032 cut-fabric]"));
  text_ = whole;
  replace("nid", "other");
  replace("snx", "other");
  const std::string site = fs::path(ULNET_SOURCE_DIR) / "examples/fgr/six-ssu.yaml";
  EXPECT_EQ(check(site).second, kExitPartly);
  EXPECT_THAT(check(site).first, HasSubstr("[FGR033 other-fabric]"));
  EXPECT_THAT(conf::lines_of(plan_of_file(kSite, file_).error()),
              HasSubstr("none of the site's 16 routers and "
                        "servers is among its 17 adapters"));
}

TEST_F(FabricFile, ACableInAnotherSwitchIsAnError) {
  const std::string site = fs::path(ULNET_SOURCE_DIR) / "examples/fgr/six-ssu.yaml";
  replace("snx11001n004 ", "X ");
  replace("snx11001n005 ", "snx11001n004 ");
  const auto [said, code] = check(site);
  EXPECT_EQ(code, kExitFound) << said;
  EXPECT_THAT(said,
              HasSubstr("error: snx11001n004 is at switch right0 port 7, and planned at left0 "
                        "[FGR029 other-cable]"));
}

TEST_F(FabricFile, OthersAreRefused) {
  EXPECT_THAT(to_string(fabric_of_file("/nowhere").error()), HasSubstr("/nowhere: No such file"));
  EXPECT_THAT(fabric_of_file(kSite).error().reason, EndsWith("is it the output of ibnetdiscover?"));
  EXPECT_FALSE(fabric_of_file(testing::TempDir()));
  text_ = std::string("\x2b\x83\xe7\x8f") + "no cache";
  EXPECT_FALSE(fabric_of_file(written()));
  EXPECT_FALSE(plan_of_file(kSite, "/nowhere"));
}

TEST(VerifyCables, AreJudgedWithoutHosts) {
  plan::Plan plan = two_ssus().plan;
  std::string text = plan::two_switches();
  const auto report_of = [&] {
    plan.fabric = plan::see_fabric(plan, *plan::read_ibnetdiscover(text));
    const auto checks = plan::checks_of(plan, {});
    const std::vector<plan::HostSeen> seen(checks.hosts.size());
    return verify_text({checks, seen, diagnose(checks, seen, plan.fabric->cables), {}, true});
  };
  EXPECT_THAT(report_of(), HasSubstr("host     place  adapter GUID"));
  EXPECT_THAT(report_of(),
              EndsWith("all right: 10 of 10 cables are at the planned switch; only cables were "
                       "judged, and no host was asked (--via asks hosts)\n"));
  for (const char* from : {"snxn004", "snxn005", "oss-5"}) {
    const std::string to = from == std::string("snxn004")   ? "oss-5"
                           : from == std::string("snxn005") ? "snxn004"
                                                            : "snxn005";
    for (std::size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  }
  EXPECT_THAT(report_of(), HasSubstr("1. cable snxn004 and snxn005 [exchanged]"));
  EXPECT_THAT(report_of(), HasSubstr("1 suspect: 8 of 10 cables are at the planned switch"));
}

}  // namespace
}  // namespace ulnet::tools::fgr
