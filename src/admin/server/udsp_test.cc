// /v1/udsp: rules are added and deleted, wrong ones are refused with the reason, and their effects
// on nets and peers are shown. The node only keeps the list (FakeNode).
#include "admin/server/endpoints_fixture.h"
#include "lnet/base/limits.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class UdspEndpoints : public Endpoints {
 protected:
  Reply ask(const char* method, std::string body = {}, Access access = Access::kWrite,
            const char* path = "/v1/udsp") {
    return Endpoints::ask(method, path, std::move(body), access);
  }
  Json at(const char* path) { return Json::parse(ask("GET", {}, Access::kRead, path).body); }
  /// Returns how the change ended: "0" or "-22 words".
  std::string said(const char* method, const std::string& body) {
    return outcome_of(ask(method, body));
  }
  std::string shown() { return ask("GET").body; }
};

TEST_F(UdspEndpoints, RulesAreChangedInABatch) {
  const Reply reply = ask("POST", R"({"requests": [
      {"method": "POST", "path": "/v1/udsp", "body": {"src": "tcp"}},
      {"method": "POST", "path": "/v1/selection", "body": {"type": "net", "net": "tcp1"}},
      {"method": "POST", "path": "/v1/udsp", "body": {"src": "tcp"}},
      {"method": "POST", "path": "/v1/udsp", "body": {"src": "tcp2"}},
      {"method": "DELETE", "path": "/v1/udsp", "body": {"idx": 0}},
      {"method": "DELETE", "path": "/v1/selection", "body": {"type": "net", "net": "tcp2"}}]})",
                          Access::kWrite, "/v1/batch");
  EXPECT_EQ(Json::parse(reply.body)["answers"],
            Json::parse(R"([{}, {}, {"errno": -114, "descr": "the rule is there already"}, {}, {},
                            {}])"));
  EXPECT_EQ(shown(), "{\"udsp\":[{\"idx\":0,\"src\":\"tcp1\",\"action\":{\"priority\":0}}]}\n");
  EXPECT_THAT(slot_.fake->recorded(),
              ElementsAre("together {", "change_udsp", "change_udsp", "change_udsp", "change_udsp",
                          "change_udsp", "change_udsp", "}"));
  EXPECT_THAT(ask("POST", R"({"requests": []})", Access::kRead, "/v1/batch").status, 403);
}

TEST_F(UdspEndpoints, RulesAreAddedShownAndDeleted) {  // spec/cli-lnetctl.md 3.14, 4.8
  EXPECT_EQ(shown(), "{\"udsp\":[]}\n");
  EXPECT_EQ(said("POST", R"({"src": "tcp0"})"), "0");
  EXPECT_EQ(said("POST", R"({"dst": "10.1.1.[1-5]@tcp", "priority": 7, "idx": 0})"), "0");
  EXPECT_EQ(said("POST", R"({"src": "o2ib*", "dst": "*@o2ib1"})"), "0");
  EXPECT_EQ(shown(), R"({"udsp":[{"idx":0,"dst":"10.1.1.[1-5]@tcp","action":{"priority":7}},)"
                     R"({"idx":1,"src":"tcp","action":{"priority":0}},)"
                     R"({"idx":2,"src":"o2ib*","dst":"*@o2ib1"}]})"
                     "\n");
  EXPECT_EQ(said("DELETE", R"({"idx": 1})"), "0");
  EXPECT_EQ(at("/v1/udsp")["udsp"].size(), 2U);
  EXPECT_EQ(said("DELETE", R"({"all": true})"), "0");
  EXPECT_EQ(shown(), "{\"udsp\":[]}\n");
}

TEST_F(UdspEndpoints, BadRulesAreRefusedWithTheReason) {  // spec/cli-lnetctl.md 3.14
  const auto post = [&](const char* body) { return said("POST", body); };
  EXPECT_THAT(post("{}"), HasSubstr("-22 Missing required argument(s)"));
  EXPECT_THAT(post(R"({"src": "nonsense"})"), HasSubstr("-22 failed to parse src parameter: "));
  EXPECT_THAT(post(R"({"src": "tcp", "rte": "tcp"})"), HasSubstr("cannot be combined"));
  EXPECT_THAT(post(R"({"src": "tcp", "dst": "tcp", "rte": "tcp"})"), HasSubstr("not supported"));
  EXPECT_THAT(post(R"({"src": "tcp", "priority": -1})"), HasSubstr("-22 'priority'"));
  EXPECT_THAT(post(R"({"src": "tcp", "priority": 2147483648})"), HasSubstr("-22 'priority'"));
  EXPECT_THAT(post(R"({"src": "tcp", "idx": -1})"), HasSubstr("-22 'idx'"));
  EXPECT_THAT(post(R"({"src": 7})"), HasSubstr("'src' must be a text"));
  EXPECT_THAT(post(R"({"src": "tcp", "action": {}})"), HasSubstr("'action'"));
  const std::string longest(ulnet::limits::kUdspTextMax + 1, '1');
  EXPECT_THAT(post(("{\"src\": \"" + longest + "\"}").c_str()), HasSubstr("-7 "));
  EXPECT_EQ(shown(), "{\"udsp\":[]}\n");
  EXPECT_THAT(slot_.fake->recorded(), ElementsAre("change_udsp", "change_udsp", "change_udsp"))
      << "the list refuses combinations only";
}

TEST_F(UdspEndpoints, ExistingAndMissingRulesAreReported) {
  EXPECT_EQ(said("POST", R"({"src": "tcp", "priority": 3})"), "0");
  EXPECT_THAT(said("POST", R"({"src": "tcp", "priority": 3})"), HasSubstr("-114 "));
  EXPECT_EQ(ask("POST", R"({"src": "tcp", "priority": 3})").status, 409);
  EXPECT_THAT(said("DELETE", R"({"idx": 1})"), HasSubstr("-2 "));
  EXPECT_THAT(said("DELETE", "{}"), HasSubstr("-22 either 'idx' or 'all'"));
  EXPECT_THAT(said("DELETE", R"({"idx": 0, "all": true})"), HasSubstr("-22 either"));
  EXPECT_EQ(at("/v1/udsp")["udsp"].size(), 1U);
}

TEST_F(UdspEndpoints, ChangingRulesNeedsWriteAccess) {
  EXPECT_EQ(ask("POST", R"({"src": "tcp"})", Access::kRead).status, 403);
  EXPECT_EQ(ask("DELETE", R"({"all": true})", Access::kRead).status, 403);
  EXPECT_EQ(said("POST", R"({"src": "tcp"})"), "0");
  EXPECT_THAT(logged_.back(), HasSubstr("udsp add {\"src\": \"tcp\"}: done, asked by ulnetctl"));
  ASSERT_TRUE(slot_.slot.unconfigure(std::chrono::seconds(0)));
  for (const char* method : {"GET", "POST", "DELETE"}) EXPECT_EQ(ask(method, "{}").status, 503);
}

TEST_F(UdspEndpoints, SelectionsAreTheSameRulesInAnotherForm) {  // spec/design-vs-today.md 2.5
  const char* const path = "/v1/selection";
  const auto change = [&](const char* method, const char* body) {
    const Reply reply = ask(method, body, Access::kWrite, path);
    return reply.status == 200 ? "0" : Json::parse(reply.body)["descr"].get<std::string>();
  };
  EXPECT_EQ(change("POST", R"({"type": "nid", "nid": "*@tcp", "priority": 3})"), "0");
  EXPECT_EQ(at(path).dump(), R"({"selection":[{"id":1,"type":"nid","nid":"*@tcp","priority":3}]})");
  EXPECT_EQ(at("/v1/udsp")["udsp"].size(), 2U);
  EXPECT_THAT(change("POST", R"({"type": "nid", "nid": "*@tcp", "priority": 3})"),
              HasSubstr("there already"));
  EXPECT_THAT(change("POST", R"({"nid": "*@tcp"})"), HasSubstr("no type of selection"));
  EXPECT_THAT(change("POST", R"({"type": "net", "net": "tcp", "idx": 0})"), HasSubstr("'idx'"));
  EXPECT_THAT(change("POST", R"({"type": "net", "net": "tcp", "priority": -1})"),
              HasSubstr("'priority'"));
  EXPECT_THAT(change("DELETE", R"({"type": "nid", "nid": "*@tcp", "priority": 3})"),
              HasSubstr("does not say which to delete"));
  EXPECT_THAT(change("DELETE", R"({"type": "nid", "nid": "*@tcp", "id": 2})"),
              HasSubstr("does not match"));
  EXPECT_EQ(change("DELETE", R"({"type": "nid", "id": 1})"), "0");
  EXPECT_EQ(at("/v1/udsp")["udsp"].size(), 0U);
  EXPECT_EQ(ask("POST", "{}", Access::kRead, path).status, 403);
  EXPECT_EQ(ask("DELETE", "{}", Access::kRead, path).status, 403);
  ASSERT_TRUE(slot_.slot.unconfigure(std::chrono::seconds(0)));
  for (const char* method : {"GET", "POST", "DELETE"})
    EXPECT_EQ(ask(method, "{}", Access::kWrite, path).status, 503);
}

// spec/multirail.md 10.3, spec/upstream-tests.md I 401, 404
TEST_F(UdspEndpoints, NetsAndPeersShowWhatTheRulesSayOfThem) {  // spec/cli-lnetctl.md 14.7
  core::PeerShow peer;
  peer.primary = nid_of("10.99.0.2@tcp");
  peer.nis.resize(1);
  peer.nis[0].nid = peer.primary;
  slot_.fake->peers = {peer};
  const auto net = [&] { return at("/v1/net")["net"][1]["local NI(s)"][0]["udsp info"].dump(); };
  const auto peer_ni = [&] { return at("/v1/peer")["peer"][0]["peer ni"][0]["udsp info"].dump(); };
  EXPECT_EQ(net(), R"({"net priority":-1,"nid priority":-1})");
  said("POST", R"({"src": "tcp", "priority": 1})");
  EXPECT_EQ(net(), R"({"net priority":1,"nid priority":-1})");
  said("POST", R"({"src": "10.99.0.3@tcp", "priority": 2147483647})");
  EXPECT_EQ(net(), R"({"net priority":1,"nid priority":2147483647})");
  EXPECT_EQ(peer_ni(), R"({"net priority":-1,"nid priority":-1})");
  said("POST", R"({"dst": "tcp", "priority": 4})");
  said("POST", R"({"dst": "10.99.0.[1-2]@tcp", "priority": 5})");
  EXPECT_EQ(peer_ni(), R"({"net priority":4,"nid priority":5})");
  said("POST", R"({"src": "*@*", "dst": "tcp"})");
  EXPECT_EQ(peer_ni(), R"({"net priority":4,"nid priority":5,)"
                       R"("Preferred source NIDs":{"NID-0":"10.99.0.3@tcp"}})")
      << "0@lo is no source for a peer";
  said("DELETE", R"({"all": true})");
  EXPECT_EQ(net(), R"({"net priority":-1,"nid priority":-1})");
  EXPECT_EQ(peer_ni(), R"({"net priority":-1,"nid priority":-1})");
}

}  // namespace
}  // namespace ulnet::node::control
