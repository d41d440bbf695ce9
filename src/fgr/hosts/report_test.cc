#include "fgr/hosts/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fgr/hosts/verify_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Router r1 was asked. It reaches one of the two servers of its OSS group, and both metadata
/// servers.
class VerifyReports : public testing::Test {
 protected:
  VerifyReports() : checks_(two_ssus()), seen_(checks_.hosts.size()) {
    plan::HostSeen& seen = seen_[*checks_.find("r1")];
    seen.state = plan::HostSeen::State::kAsked;
    seen.routing = true;
    for (const Nid& nid : checks_.hosts[*checks_.find("r1")].nids) seen.nis.push_back({nid});
    for (const auto& route : checks_.configs[checks_.hosts[*checks_.find("r1")].config].routes)
      seen.routes.push_back({route.net, route.gateway, route.hops, true, ""});
    for (const auto& target : checks_.pings[*checks_.find("r1")]) {
      const bool answered = checks_.hosts[target.host].name != "snxn006";
      seen.pings.push_back({target, answered,
                            answered ? std::vector{target.nid} : std::vector<Nid>{},
                            answered ? "" : "timed out"});
    }
    verdict_ = diagnose(checks_, seen_, {});
  }
  VerifyReport report() const { return {checks_, seen_, verdict_, notes_}; }

  plan::VerifyChecks checks_;
  std::vector<plan::HostSeen> seen_;
  plan::VerifyVerdict verdict_;
  std::vector<std::string> notes_;
};

TEST_F(VerifyReports, IsATableAMapAndSuspects) {
  const std::string text = verify_text(report());
  EXPECT_THAT(text, HasSubstr("r1       router  left0   asked      3 of 4   -\n"));
  EXPECT_THAT(text, HasSubstr("snxn006  server  left0   not asked  -        0 of 1      <-\n"));
  EXPECT_THAT(text, HasSubstr("       2 3 4 5 6 7\n"
                              "r1     + + + . X .\n"
                              "r2     ? ? ? . ? .\n"
                              "r3     ? ? . ? . ?\n"));
  EXPECT_THAT(text, HasSubstr("1. host snxn006 [dead]\n   snxn006 does not answer: none of 1 ping\n"
                              "     seen: r1 -> snxn006 10.2.1.6@o2ib6002: timed out\n"));
  EXPECT_THAT(text, HasSubstr("1 suspect: 1 of 12 hosts asked, 3 of 4 pings answered\n"));
}

TEST_F(VerifyReports, SaysThatAllIsRightOnlyWhenAllWasAsked) {
  for (plan::SeenPing& ping : seen_[*checks_.find("r1")].pings) ping.answered = true;
  verdict_ = diagnose(checks_, seen_, {});
  EXPECT_THAT(verify_text(report()), HasSubstr("\nall right: 1 of 12 hosts asked"));
  EXPECT_THAT(verify_json(report()), HasSubstr("\"all right\": true"));
  notes_ = {"r2 was not asked"};
  EXPECT_THAT(verify_text(report()), HasSubstr("note: r2 was not asked\n"));
  EXPECT_THAT(verify_text(report()), Not(HasSubstr("all right")));
}

TEST_F(VerifyReports, IsATree) {
  const auto tree = nlohmann::json::parse(verify_json(report()));
  EXPECT_EQ(tree["all right"], false);
  EXPECT_EQ(tree["asked"], 1);
  ASSERT_EQ(tree["suspects"].size(), 1U);
  EXPECT_EQ(tree["suspects"][0]["kind"], "host");
  EXPECT_EQ(tree["suspects"][0]["cause"], "dead");
  EXPECT_EQ(tree["map"].size(), 4U * 2 + 4 * 2);
  EXPECT_EQ(tree["map"][0]["answered"], "all");
}

TEST(VerifyReportsOfServers, TheirPingsAmongThemAreNotOnTheMap) {
  std::string text = kTwoSsus;
  text.replace(text.find("net: o2ib6000"), 13, "net: o2ib6000, net among servers: o2ib6500");
  const auto checks = plan::checks_of(*plan::make_plan(*read_site(text)), {});
  std::vector<plan::HostSeen> seen(checks.hosts.size());
  const std::size_t oss = *checks.find("snxn006");
  seen[oss].state = plan::HostSeen::State::kAsked;
  for (const auto& target : checks.pings[oss]) seen[oss].pings.push_back({target, true, {}, ""});
  for (const Nid& nid : checks.hosts[oss].nids) seen[oss].nis.push_back({nid});
  const std::string said = verify_text({checks, seen, diagnose(checks, seen, {}), {}});
  EXPECT_THAT(said, HasSubstr("snxn006  server  left0   asked      4 of 4   -"));
  EXPECT_THAT(said, HasSubstr("snxn003  server  right0  not asked  -        1 of 1\n"));
  EXPECT_THAT(said, HasSubstr("       2 3 4 5 6 7\n"
                              "r1     ? ? ? . + .\n"
                              "r2     ? ? ? . + .\n"
                              "r3     ? ? . ? . ?\n"));
}

TEST_F(VerifyReports, IsAPicture) {
  const std::string svg = verify_svg(checks_, seen_);
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("snxn007"));
  EXPECT_THAT(svg, HasSubstr("percent of the pings answered"));
  EXPECT_THAT(svg, HasSubstr(">50</text>")) << "the scale is from 0 to 100";
}

}  // namespace
}  // namespace ulnet::tools::fgr
