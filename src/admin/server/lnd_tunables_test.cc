// Drivers' tunables in requests: which an NI of a net may have. The node only records (FakeNode).
#include "admin/api/changes.h"
#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LndTunables : public Endpoints {
 protected:
  std::string added(const std::string& net, const std::string& tunables) {
    return outcome_of(ask(
        "POST", "/v1/net",
        R"({"interface": "eth1", "net": ")" + net + R"(", "lnd tunables": {)" + tunables + "}}"));
  }
  std::string set(const std::string& body) { return outcome_of(ask("PATCH", "/v1/net", body)); }
};

TEST_F(LndTunables, OfANewNiHaveTheRangesOfItsDriver) {  // spec/cli-lnetctl.md 3.2
  EXPECT_EQ(added("tcp7", R"("tos": 256)"), "-22 'lnd tunables.tos' must be from -1 to 255");
  EXPECT_EQ(added("tcp7", R"("conns_per_peer": -1)"),
            "-22 'lnd tunables.conns_per_peer' must be from 0 to 127");
  EXPECT_EQ(added("tcp7", R"("nagle": 1)"), "-22 unknown key 'lnd tunables.nagle'");
  EXPECT_THAT(node().recorded(), IsEmpty());
}

TEST_F(LndTunables, DoNotHideThatANetIsRefused) {
  EXPECT_EQ(added("lo", R"("tos": 3)"), "-19 setting @lo not allowed");
  EXPECT_EQ(added("foo", R"("tos": 3)"), "-2 cannot parse net");
  EXPECT_EQ(added("o2ib", R"("tos": 3)"), "0") << "a node without such a driver refuses it";
  EXPECT_THAT(node().recorded(), ElementsAre("net_add o2ib eth1"));
}

TEST_F(LndTunables, OfAnotherDriverAreRefused) {  // spec/cli-lnetctl.md 3.5
  EXPECT_EQ(set(R"({"nid": "0@lo", "conns_per_peer": 4})"),
            "-22 an NI of net lo has no tunable 'conns_per_peer'");
  EXPECT_EQ(set(R"({"nid": "10.99.0.3@tcp", "tos": 4})"), "-22 unknown key 'tos'");
  EXPECT_EQ(set(R"({"all": true})"),
            "-22 nothing to set: 'health', 'conns_per_peer' or 'lnd_timeout'");
  EXPECT_THAT(node().recorded(), IsEmpty());
}

TEST_F(LndTunables, AreAllInTheRequest) {
  conf::NiItem ni;
  ni.interface = "eth1";
  ni.lnd_tunables = {{"conns_per_peer", -1}, {"tos", 3}};
  EXPECT_EQ(
      api::request_of(conf::change::AddNi{{NetType::kTcp, 0}, ni}).body["lnd tunables"].dump(),
      R"({"tos":3})");
  ni.lnd_tunables = {{"nagle", 1}, {"tos", 3}};
  EXPECT_EQ(api::request_of(conf::change::AddNi{NetId::loopback(), ni}).body["lnd tunables"].dump(),
            R"({"nagle":1,"tos":3})")
      << "so that the node refuses them";
}

}  // namespace
}  // namespace ulnet::node::control
