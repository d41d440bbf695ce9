#include "fgr/hosts/via.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/hosts/verify_fixture.h"

namespace ulnet::tools::fgr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts_of(const std::vector<std::string>& words) {
  const plan::VerifyChecks checks = two_ssus();
  const auto hosts = hosts_of(words, checks);
  if (!hosts) return {"wrong: " + hosts.error().reason};
  std::vector<std::string> all;
  for (const ViaHost& one : *hosts)
    all.push_back((one.host ? checks.hosts[*one.host].name : std::string("?")) + " " +
                  one.via.place);
  return all;
}

TEST(Via, NamesOneHost) {
  EXPECT_THAT(texts_of({"r1=door:/run/r1.sock", "ssh:root@snxn002.site", "door:/a=b.sock"}),
              ElementsAre("r1 /run/r1.sock", "snxn002 root@snxn002.site", "? /a=b.sock"));
  EXPECT_THAT(texts_of({"r1=local"}), ElementsAre("r1 "));
  EXPECT_THAT(texts_of({"ssh:10.0.0.9"}), ElementsAre("? 10.0.0.9"));
}

TEST(Via, NamesAllHosts) {
  const auto all = texts_of({"door:/run/{host}/{host}.sock", "r2=ssh:other"});
  ASSERT_EQ(all.size(), 12U) << "four routers, six servers, two clients";
  EXPECT_EQ(all[0], "r2 other");
  EXPECT_EQ(all[1], "r1 /run/r1/r1.sock");
  EXPECT_EQ(all.back(), "client2 /run/client2/client2.sock");
}

TEST(Via, SaysWhatIsWrong) {
  const auto wrong = [](const std::string& word) { return texts_of({word})[0]; };
  EXPECT_THAT(wrong("rsh:a"), HasSubstr("'rsh:a' is not local, ssh:[USER@]HOST or door:PATH"));
  EXPECT_THAT(wrong("door:"), HasSubstr("nothing behind the colon"));
  EXPECT_THAT(wrong("=local"), HasSubstr("name is missing"));
  EXPECT_THAT(wrong("ssh:-oProxyCommand=x"), HasSubstr("is not a machine"));
  EXPECT_THAT(wrong("snxn02=local"), HasSubstr("Did you mean 'snxn002'?"));
  EXPECT_THAT(wrong("r1=door:/{host}"), HasSubstr("{host} means all"));
  EXPECT_THAT(texts_of({"r1=local", "r1=door:/x"})[0], HasSubstr("r1 is there twice"));
  EXPECT_THAT(texts_of({"ssh:{host}", "door:/{host}"})[0],
              HasSubstr("only one --via may contain {host}"));
  EXPECT_THAT(texts_of({})[0], HasSubstr("--via is missing"));
}

TEST(Via, ClientsHaveNames) {
  const plan::Plan plan = two_ssus().plan;
  const auto clients = clients_of({"compute/c[08-10]", "login"}, plan);
  ASSERT_TRUE(clients) << clients.error().reason;
  ASSERT_EQ(clients->size(), 4U);
  EXPECT_EQ((*clients)[0].name, "c08");
  EXPECT_EQ((*clients)[3].name, "login");
  EXPECT_THAT(clients_of({"other/c1"}, plan).error().reason, HasSubstr("no clients 'other'"));
  EXPECT_THAT(clients_of({"r1"}, plan).error().reason,
              HasSubstr("'r1' is already the name of a host"));
  EXPECT_THAT(clients_of({"c1", "c1"}, plan).error().reason,
              HasSubstr("is already the name of a host"));
  EXPECT_FALSE(clients_of({"c[1-"}, plan));
}

}  // namespace
}  // namespace ulnet::tools::fgr
