#include "fgr/plan/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/plan/plan_fixture.h"

namespace ulnet::plan {
namespace {

using testing::HasSubstr;

// Design document 004, section III.A, with the lines joined that its columns broke.
constexpr const char* kListing = R"(options lnet ip2nets="gni1 10.128.*.*;\
            o2ib6000 10.10.100.[101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118];\
            o2ib6002 10.10.100.[103,104,105,106,107,108,109,110];\
            o2ib6003 10.10.100.[111,112,113,114,115,116,117,118];\
            o2ib6004 10.10.100.[103,104,105,106,107,108,109,110];\
            o2ib6005 10.10.100.[111,112,113,114,115,116,117,118]"
options lnet routes="o2ib6000 1 [68,90]@gni1;\
           o2ib6002 1 [750,751,752,753]@gni1;\
           o2ib6003 1 [618,619,628,629]@gni1;\
           o2ib6004 1 [608,609,638,639]@gni1;\
           o2ib6005 1 [648,649,662,663]@gni1;\
           o2ib6000 2 [608,609,618,619,628,629,638,639,648,649,662,663,750,751,752,753]@gni1;\
           o2ib6002 2 [608,609,638,639]@gni1;\
           o2ib6003 2 [648,649,662,663]@gni1;\
           o2ib6004 2 [750,751,752,753]@gni1;\
           o2ib6005 2 [618,619,628,629]@gni1"
)";

TEST(Options, RoutersMatchThePapersListing) {
  EXPECT_EQ(router_options(*make_plan(paper_site()), 0, ListForm::kWrittenOut).text(), kListing);
}

TEST(Options, AreShortUnlessTheyAreToBeWrittenOut) {
  const ModuleOptions options = router_options(*make_plan(paper_site()), 0);
  EXPECT_EQ(options.text(), R"(options lnet ip2nets="gni1 10.128.*.*;\
o2ib6000 10.10.100.[101-118];\
o2ib6002,o2ib6004 10.10.100.[103-110];\
o2ib6003,o2ib6005 10.10.100.[111-118]"
options lnet routes="o2ib6000 1 [68,90]@gni1;\
o2ib6002 1 [750-753]@gni1;\
o2ib6003 1 [618,619,628,629]@gni1;\
o2ib6004 1 [608,609,638,639]@gni1;\
o2ib6005 1 [648,649,662,663]@gni1;\
o2ib6000 2 [608,609,618,619,628,629,638,639,648,649,662,663,750-753]@gni1;\
o2ib6002 2 [608,609,638,639]@gni1;\
o2ib6003 2 [648,649,662,663]@gni1;\
o2ib6004 2 [750-753]@gni1;\
o2ib6005 2 [618,619,628,629]@gni1"
)");
  ASSERT_EQ(options.parameters.size(), 2U);
  EXPECT_EQ(options.parameters[0].bytes, 120U) << "without what modprobe takes away";
  EXPECT_EQ(options.too_long(1000), nullptr);
  ASSERT_NE(options.too_long(200), nullptr);
  EXPECT_EQ(options.too_long(200)->name, "routes");
}

TEST(Options, NetsOfTheSameGatewaysAreOneEntry) {
  Site site = paper_site();
  site.file_systems.push_back(sonexion(6));
  site.file_systems[1].name = "work";
  site.file_systems[1].base.num = 7000;
  for (Server& server : site.file_systems[1].servers) server.address += 20;
  Plan plan = *make_plan(paper_site());
  plan.site = site;
  const std::vector<Group> groups = plan.groups;
  for (Group group : groups) {  // whose routers serve both file systems
    group.file_system = 1;
    group.net.num = static_cast<std::uint16_t>(group.net.num + 1000);
    plan.groups.push_back(group);
  }
  const std::string text = client_options(plan, 0).text();
  EXPECT_THAT(text, HasSubstr("o2ib[6002,7002] 1 [750-753]@gni1;\\\n"));
  EXPECT_THAT(text, HasSubstr("o2ib[6004,7004] 2 [750-753]@gni1;\\\n"));
  // A router is on o2ib7000 before o2ib7002, so that o2ib7002 does not join o2ib6002.
  EXPECT_THAT(router_options(plan, 0).text(),
              HasSubstr("o2ib7000 10.10.100.[101-118];\\\no2ib7002,o2ib7004 10.10.100.[103-110];"));
  EXPECT_THAT(
      server_options(plan, 1).text(),
      HasSubstr("routes=\"gni1 1 10.10.100.[101,102]@o2ib7000 10.10.100.[103-106]@o2ib7002 "));
}

TEST(Options, ClientsHaveTheirNetAndTheSameRoutes) {
  const std::string listing = kListing;
  EXPECT_EQ(client_options(*make_plan(paper_site()), 0, ListForm::kWrittenOut).text(),
            "options lnet ip2nets=\"gni1 10.128.*.*\"\n" +
                listing.substr(listing.find('\n', listing.find("6005 10.")) + 1));
}

TEST(Options, ServersRouteBackThroughTheirGroup) {
  const std::string text =
      server_options(*make_plan(paper_site()), 0, ListForm::kWrittenOut).text();
  EXPECT_THAT(text, HasSubstr("ip2nets=\"o2ib6000 10.10.100.[2,3];\\\n"));
  EXPECT_THAT(text, HasSubstr("  o2ib6004 10.10.100.[10,12,14];\\\n"));
  EXPECT_THAT(text, HasSubstr("routes=\"gni1 1 10.10.100.[101,102]@o2ib6000;\\\n"));
  EXPECT_THAT(text, HasSubstr("  gni1 1 10.10.100.[103,104,105,106]@o2ib6002;\\\n"));
  EXPECT_THAT(text, HasSubstr("  gni1 2 10.10.100.[107,108,109,110]@o2ib6002;\\\n"));
}

TEST(Options, OnlyServersHaveTheNetAmongThem) {
  const Plan plan = *make_plan(paper_site_with_net_among_servers());
  const Plan without = *make_plan(paper_site());
  constexpr ListForm kForm = ListForm::kWrittenOut;
  EXPECT_EQ(router_options(plan, 0, kForm).text(), kListing);
  EXPECT_EQ(client_options(plan, 0).text(), client_options(without, 0).text());
  std::string text = server_options(plan, 0, kForm).text();
  const std::string line =
      ";\\\n            o2ib6500 10.10.100.[2,3,4,5,6,7,8,9,10,11,12,13,14,15]";
  const std::size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.erase(at, line.size()), server_options(without, 0, kForm).text())
      << "and nothing else";
}

TEST(Options, WordsOfEqualLastNumbersAreOne) {
  const std::vector<Address> addresses = {kFabric + 2, kFabric + 1, kFabric + 256 + 7, kFabric + 2};
  EXPECT_EQ(words_of(addresses), "10.10.100.[1,2] 10.10.101.7");
  const std::vector<Address> square = {kFabric + 1,       kFabric + 2,       kFabric + 3,
                                       kFabric + 256 + 1, kFabric + 256 + 2, kFabric + 256 + 3};
  EXPECT_EQ(words_of(square), "10.10.[100,101].[1-3]");
  EXPECT_EQ(words_of(square, ListForm::kWrittenOut), "10.10.100.[1,2,3] 10.10.101.[1,2,3]");
}

}  // namespace
}  // namespace ulnet::plan
