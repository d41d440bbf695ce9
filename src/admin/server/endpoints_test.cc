// What each route asks of the node and what it answers, with a node that only records (FakeNode).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Every call that needs the right to write.
constexpr std::pair<const char*, const char*> kWriting[] = {
    {"POST", "/v1/net"},      {"DELETE", "/v1/net"},           {"PATCH", "/v1/net"},
    {"DELETE", "/v1/stats"},  {"PATCH", "/v1/global"},         {"PATCH", "/v1/param"},
    {"POST", "/v1/peer"},     {"DELETE", "/v1/peer"},          {"PATCH", "/v1/peer"},
    {"POST", "/v1/discover"}, {"POST", "/v1/peer/debug"},      {"POST", "/v1/ping"},
    {"POST", "/v1/lnet"},     {"POST", "/v1/lst/new_session"}, {"POST", "/v1/lst/stat"},
    {"POST", "/v1/batch"},    {"POST", "/v1/log/mark"},
};

TEST_F(Endpoints, ABatchIsDoneTogetherAndEachChangeHasItsAnswer) {
  const Reply reply = ask("POST", "/v1/batch", R"({"requests": [
      {"method": "POST", "path": "/v1/net", "body": {"net": "tcp", "interface": "eth0"}},
      {"method": "POST", "path": "/v1/net", "body": {"net": "bogus", "interface": "eth0"}},
      {"method": "PATCH", "path": "/v1/global", "body": {"numa_range": 5}},
      {"method": "DELETE", "path": "/v1/stats"},
      {"method": "POST", "path": "/v1/recovery", "body": {}}]})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  const Json answers = tree(reply)["answers"];
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0], Json::object());
  EXPECT_EQ(answers[1]["errno"], -2);
  EXPECT_EQ(answers[1]["descr"], "cannot parse net");
  EXPECT_EQ(answers[2], Json::object());
  EXPECT_EQ(answers[3], Json::object());
  EXPECT_EQ(answers[4]["errno"], -95) << "a wrong request fails in a batch too";
  EXPECT_THAT(node().recorded(), ElementsAre("together {", "net_add tcp eth0",
                                             "set_global numa_range 5", "reset_stats", "}"));
  EXPECT_THAT(logged_, testing::Contains(HasSubstr("net add {\"net\":\"tcp\"")))
      << "the log has each change of the batch";
}

TEST_F(Endpoints, ABatchTakesNothingThatWaitsShowsOrEndsTheNode) {
  const auto refused = [&](const std::string& item) {
    const Reply reply = ask("POST", "/v1/batch", R"({"requests": [)" + item + "]}");
    EXPECT_EQ(reply.status, 200);
    return tree(reply)["answers"][0].value("descr", "");
  };
  for (const char* path :
       {"/v1/lnet", "/v1/reload", "/v1/ping", "/v1/discover", "/v1/batch", "/v1/lst/stat"})
    EXPECT_THAT(refused(R"({"method": "POST", "path": ")" + std::string(path) + "\"}"),
                HasSubstr("cannot be in a batch"));
  EXPECT_THAT(refused(R"({"method": "GET", "path": "/v1/net"})"), HasSubstr("in a batch"));
  EXPECT_THAT(refused(R"({"method": "PATCH", "path": "/v1/nosuch"})"), HasSubstr("no such path"));
  EXPECT_THAT(refused(R"({"path": "/v1/net"})"), HasSubstr("missing"));
  EXPECT_THAT(refused(R"({"method": "POST", "path": "/v1/net", "body": 1})"), HasSubstr("body"));
  EXPECT_THAT(refused(R"({"method": "POST", "path": "/v1/net", "bodi": {}})"), HasSubstr("bodi"));
  EXPECT_THAT(refused("7"), HasSubstr("must be an object"));
  for (const char* body : {"{}", "[]", R"({"requests": 1})", R"({"requests": [], "more": 1})", "x"})
    EXPECT_EQ(ask("POST", "/v1/batch", body).status, 400) << body;
  EXPECT_THAT(node().recorded(), testing::Not(testing::Contains(HasSubstr("net_add"))));
  EXPECT_EQ(tree(ask("POST", "/v1/batch", R"({"requests": []})"))["answers"], Json::array());
  (void)slot_.slot.unconfigure({});
  expect_error(ask("POST", "/v1/batch", R"({"requests": []})"), 503, -100, "Unspecific failure");
}

TEST_F(Endpoints, VersionNamesTheNode) {
  const Json body = tree(ask("GET", "/v1/version"));
  EXPECT_EQ(body["ulnet"], "0.1.0");
  EXPECT_EQ(body["door"], 1);
  EXPECT_EQ(body["name"], "n1");
}

// The commands themselves are tested with a real console (tests/selftest/scenarios) and real nodes
// (tests/selftest/live).
TEST_F(Endpoints, TheSelftestIsStartedByItsFirstCommand) {
  const std::string path = "/v1/lst/stat";
  EXPECT_EQ(ask("POST", path, R"({"key": 1})").body, "{\"stat\":{\"key\":1}}\n");
  expect_error(ask("POST", "/v1/lst/fail", "{}"), 404, -ESRCH, "No session exists");
  expect_error(ask("POST", path, "[]"), 400, -EINVAL, "not a JSON object");
  expect_error(ask("POST", path, "{}", Access::kRead), 403, -EPERM, "not you");
  EXPECT_EQ(ask("GET", path).status, 405);
  ASSERT_TRUE(slot_.slot.unconfigure(std::chrono::seconds(0)));
  expect_error(ask("POST", path, "{}"), 503, -ENETDOWN, "Unspecific failure");
}

TEST_F(Endpoints, ShowsWhatThereIs) {  // spec/core-semantics.md 16
  EXPECT_EQ(tree(ask("GET", "/v1/net"))["net"].size(), 2U);
  EXPECT_THAT(ask("GET", "/v1/nids").body, HasSubstr(R"(["0@lo","10.99.0.3@tcp"])"));
  EXPECT_EQ(tree(ask("GET", "/v1/global"))["global"]["lnd_timeout"], 49);
  EXPECT_EQ(tree(ask("GET", "/v1/stats"))["statistics"]["send_count"], 0);
  EXPECT_EQ(tree(ask("GET", "/v1/peer"))["peer"].size(), 0U);
  EXPECT_EQ(ask("GET", "/v1/file/stats").body, "0 0 0 0 0 0 0 0 0 0 0\n");
  EXPECT_THAT(ask("GET", "/v1/file/portal_rotor").body, HasSubstr("\trotor: HASH_RT\n"));
  EXPECT_EQ(ask("GET", "/v1/file/cpu_partition_table").body, "0\t: 0 2\n1\t: 1\n");
  EXPECT_EQ(ask("GET", "/v1/file/cpu_partition_distance").body, "0\t: 0:10 1:20\n1\t: 0:20 1:10\n");
  EXPECT_EQ(ask("GET", "/healthz").body, "ok\n");
  node().shows.drops = {{"no match", 3}};
  node().shows.nis[1].stats.bytes = {5, 7};
  node().shows.nis[1].stats.credits = -1;
  node().shows.nis[1].stats.credits_min = -2;
  node().shows.threads = {{"tcp 0", {9, 1, std::chrono::microseconds(12345), 7}}};
  node().shows.memory_budget = 1600;
  node().shows.memory = {{"held", 400, 3, 5, 2}};
  EXPECT_EQ(ask("GET", "/v1/counters").body,
            "{\"drops\":{\"no match\":3},\"nis\":{\"0@lo\":{\"sent_bytes\":0,\"received_bytes\":0,"
            "\"credits\":0,\"credits_min\":0},\"10.99.0.3@tcp\":{\"sent_bytes\":5,"
            "\"received_bytes\":7,\"credits\":-1,\"credits_min\":-2}},"
            "\"driver\":{},\"threads\":{\"tcp 0\":"
            "{\"cycles\":9,\"long_cycles\":1,\"longest_cycle_us\":12345,\"sleeps\":7}},"
            "\"memory\":{\"budget\":1600,\"held\":{\"share\":400,\"used\":3,\"peak\":5,\"refused\":"
            "2}}}\n");
}

TEST_F(Endpoints, TheConfigurationIsReadAgain) {
  expect_error(ask("POST", "/v1/reload"), 501, -EOPNOTSUPP, "no configuration");
  context_.reload = [] {
    return Reloaded{.changes = 2, .failures = {{-EEXIST, "no"}}, .warnings = {"odd"}};
  };
  EXPECT_EQ(
      ask("POST", "/v1/reload").body,
      "{\"changes\":2,\"failures\":[{\"errno\":-17,\"descr\":\"no\"}],\"warnings\":[\"odd\"]}\n");
  expect_error(ask("POST", "/v1/reload", R"({"now": true})"), 400, -EINVAL, "now");
  expect_error(ask("POST", "/v1/reload", "{}", Access::kRead), 403, -EPERM, "not you");
  context_.reload = []() -> Result<Reloaded> { return fail(-ESHUTDOWN, "the daemon is ending"); };
  expect_error(ask("POST", "/v1/reload"), 503, -ESHUTDOWN, "ending");
}

TEST_F(Endpoints, CptOfANid) {  // spec/core-semantics.md 13.2
  query_ = {{"nid", "10.99.0.2@tcp"}};
  EXPECT_EQ(ask("GET", "/v1/cpt").body,
            "{\"cpt-of-nid\":[{\"nid\":\"10.99.0.2@tcp\",\"cpt\":1}]}\n");
  for (const char* bad : {"10.99.0@tcp", "", "*@tcp", "10.0.0.1@foo", "10.0.0.[1-2]@tcp", "\xff"}) {
    query_ = {{"nid", bad}};
    expect_error(ask("GET", "/v1/cpt"), 400, -EINVAL, "invalid NID '");
  }
  query_ = {};
  expect_error(ask("GET", "/v1/cpt"), 400, -EINVAL, "'nid' is missing");
}

TEST_F(Endpoints, NetFilterKnowsTheRecordedErrors) {  // spec/cli-lnetctl.md 3.4
  query_ = {{"net", "tcp"}};
  EXPECT_EQ(tree(ask("GET", "/v1/net"))["net"].size(), 1U);
  query_ = {{"net", "tcp7"}};
  expect_error(ask("GET", "/v1/net"), 404, -3, "Network is down");
  query_ = {{"net", "foo"}};
  expect_error(ask("GET", "/v1/net"), 404, -2, "Object not found");
}

TEST_F(Endpoints, AddsAnInterfaceWithEverythingSaidAboutIt) {  // spec/cli-lnetctl.md 3.2
  const Reply reply = ask("POST", "/v1/net", R"({"net": "tcp6", "interface": "eth1",
      "tunables": {"peer_timeout": 60, "peer_credits": 16, "peer_buffer_credits": 4, "credits": 512},
      "lnd tunables": {"conns_per_peer": 2, "tos": 32}, "CPT": [0, 1]})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body, "{}\n");
  EXPECT_THAT(node().recorded(), ElementsAre("net_add tcp6 eth1"));
  const conf::NiItem ni = node().added().at(0);
  EXPECT_EQ(ni.tunables, (conf::CommonTunables{60, 16, 4, 512}));
  EXPECT_EQ(ni.lnd_tunables, (conf::LndTunables{{"conns_per_peer", 2}, {"tos", 32}}));
  EXPECT_THAT(ni.cpts, ElementsAre(0, 1));
}

TEST_F(Endpoints, AddsAnInterfaceByItsNid) {  // spec/cli-lnetctl.md 3.2
  EXPECT_EQ(ask("POST", "/v1/net", R"({"nid": "10.1.1.1@tcp2"})").status, 200);
  EXPECT_THAT(node().recorded(), ElementsAre("net_add tcp2 10.1.1.1@tcp2"));
}

TEST_F(Endpoints, RefusesBadAdditionsAsProductionNodesDo) {  // spec/cli-lnetctl.md 3.2
  expect_error(ask("POST", "/v1/net", R"({"net": "foo", "interface": "eth0"})"), 404, -2,
               "cannot parse net");
  expect_error(ask("POST", "/v1/net", R"({"net": "tcp99999999", "interface": "eth0"})"), 400, -22,
               "LND type not supported");
  expect_error(ask("POST", "/v1/net", R"({"net": "lo", "interface": "eth0"})"), 404, -19,
               "setting @lo not allowed");
  expect_error(ask("POST", "/v1/net", R"({"net": "tcp"})"), 400, -22, "at least one interface");
  node().next = fail(-EADDRINUSE, "cannot add LNet NI: port 988 is taken");
  expect_error(ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth0"})"), 422, -98,
               "port 988 is taken");
}

TEST_F(Endpoints, TheCptsOfAnNiAreNotChangedAndTheReasonIsReported) {
  expect_error(ask("PATCH", "/v1/net", R"({"nid": "10.99.0.3@tcp", "CPT": [1]})"), 501, -95,
               "fixed while it exists");
  EXPECT_THAT(node().recorded(), IsEmpty());
}

TEST_F(Endpoints, LnetctlsWordsComeWithTheNodesOwnAsAHint) {
  node().next = fail(-EEXIST, "10.0.0.1@tcp is there already");
  const Reply known = ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth0"})");
  EXPECT_EQ(known.status, 409);
  EXPECT_EQ(known.body,
            "{\"errno\":-17,\"descr\":\"cannot add LNet NI\",\"hint\":\"10.0.0.1@tcp is there "
            "already\"}\n");
  node().next = fail(-ENETDOWN, "there is no interface 'eth9'");
  const Reply missing = ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth9"})");
  EXPECT_EQ(missing.status, 503);
  EXPECT_EQ(tree(missing)["hint"], "there is no interface 'eth9'");
}

TEST_F(Endpoints, AnInterfaceForWhichThereIsNoMemoryIsAskedForAgain) {
  node().next = fail(-ENOMEM, "no memory");
  const Reply reply = ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth0"})");
  expect_error(reply, 503, -ENOMEM, "ask again");
  EXPECT_EQ(reply.headers, (http::Headers{{"Retry-After", "1"}}));
}

// spec/cli-lnetctl.md 3.2: a net keeps its first values
TEST_F(Endpoints, TunablesThatANetDoesNotTakeAreReported) {
  const auto added = [&](const std::string& net, const std::string& credits) {
    return ask("POST", "/v1/net",
               R"({"net": ")" + net + R"(", "interface": "eth1", "tunables": {"peer_credits": )" +
                   credits + R"(, "credits": 512}})");
  };
  EXPECT_EQ(tree(added("tcp", "32"))["hint"],
            "net tcp existed already, and all its interfaces have the values of the first one: "
            "peer_credits 8, not 32, credits 256, not 512");
  EXPECT_EQ(added("tcp1", "32").body, "{}\n") << "it is a new net";
  node().next = fail(-EUSERS, "routes lead to tcp1");
  const Reply routed = added("tcp1", "32");
  EXPECT_EQ(tree(routed)["descr"], "cannot add LNet NI");
  EXPECT_EQ(tree(routed)["hint"], "routes lead to tcp1");
}

TEST_F(Endpoints, AMissingNetIsNamed) {
  node().next = fail(-EINVAL, "cannot del network");
  const Reply reply = ask("DELETE", "/v1/net", R"({"net": "tcp9"})");
  EXPECT_EQ(tree(reply)["descr"], "cannot del network");
  EXPECT_EQ(tree(reply)["hint"], "this node has no net tcp9: 'net show' lists its nets");
}

TEST_F(Endpoints, RecoveryIsShownWithBothQueues) {  // spec/cli-lnetctl.md 4.10; spec/multirail.md 7
  EXPECT_EQ(ask("GET", "/v1/recovery").body,
            "{\"Local NI recovery\":{},\"Peer NI recovery\":{}}\n");
  const Nid near = Nid::parse("10.0.0.1@tcp").value(), far = Nid::parse("10.0.0.2@tcp").value();
  node().local_recovery = {near};
  node().peer_recovery = {far, near};
  EXPECT_EQ(ask("GET", "/v1/recovery").body,
            "{\"Local NI recovery\":{\"nid-0\":\"10.0.0.1@tcp\"},\"Peer NI recovery\":"
            "{\"nid-0\":\"10.0.0.2@tcp\",\"nid-1\":\"10.0.0.1@tcp\"}}\n");
}

TEST_F(Endpoints, WithoutANodeThereAreNoRoutes) {
  ASSERT_TRUE(slot_.slot.unconfigure(std::chrono::seconds(0)));
  const Reply down = ask("GET", "/v1/route");
  expect_error(down, 503, -100, "Unspecific failure");
  EXPECT_THAT(tree(down)["hint"].get<std::string>(), HasSubstr("not configured"));
}

TEST_F(Endpoints, NamesWhatIsWrongInABody) {
  const auto post = [&](const char* body) { return ask("POST", "/v1/net", body); };
  expect_error(post("nonsense"), 400, -22, "not JSON (at byte");
  expect_error(post("[1]"), 400, -22, "not a JSON object");
  expect_error(post("{\"net\": \"tc\xff\"}"), 400, -22, "not UTF-8");
  expect_error(post(R"({"net": "tcp8", "interfaces": "x"})"), 400, -22, "unknown key 'interfaces'");
  expect_error(post(R"({"net": 3, "interface": "e"})"), 400, -22, "'net' must be a text");
  expect_error(post(R"({"net": "tcp", "interface": "e", "colour": 1})"), 400, -22,
               "unknown key 'colour'");
  expect_error(post(R"({"net": "tcp", "interface": "e", "tunables": {"credit": 1}})"), 400, -22,
               "unknown key 'tunables.credit'");
  expect_error(post(R"({"net": "tcp", "interface": "e", "lnd tunables": {"tos": 256}})"), 400, -22,
               "'lnd tunables.tos' must be from -1 to 255");
  expect_error(post(R"({"net": "tcp", "interface": "e", "tunables": {"credits": 1.5}})"), 400, -22,
               "must be an integer");
  expect_error(
      post(R"({"net": "tcp", "interface": "e", "tunables": {"credits": 18446744073709551615}})"),
      400, -22, "must be from");
  expect_error(post(R"({"net": "tcp", "interface": "e", "CPT": "0"})"), 400, -22, "list");
  expect_error(post(R"({"nid": "1.2.3@tcp"})"), 400, -22, "invalid NID '1.2.3@tcp'");
  expect_error(post(R"({"net": "tcp1", "nid": "1.2.3.4@tcp"})"), 400, -22, "another net");
  expect_error(post(std::string(200, '[').c_str()), 400, -22, "nested");
  EXPECT_THAT(node().recorded(), IsEmpty());
}

TEST_F(Endpoints, DeletesByNetInterfaceOrNid) {  // spec/cli-lnetctl.md 3.3
  EXPECT_EQ(ask("DELETE", "/v1/net", R"({"net": "tcp"})").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/net", R"({"net": "tcp", "interface": "eth0"})").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/net", R"({"nid": "10.99.0.3@tcp"})").status, 200);
  EXPECT_THAT(node().recorded(),
              ElementsAre("net_del tcp", "net_del tcp eth0", "nid_del 10.99.0.3@tcp"));
  expect_error(ask("DELETE", "/v1/net", R"({"net": "lo"})"), 404, -19, "setting @lo not allowed");
  expect_error(ask("DELETE", "/v1/net"), 400, -22, "missing");
  expect_error(ask("DELETE", "/v1/net", R"({"net": "tcp", "nid": "10.99.0.3@tcp"})"), 400, -22,
               "excludes 'net' and");
}

TEST_F(Endpoints, SetsWhatCanBeSetOfAnInterface) {  // spec/cli-lnetctl.md 3.5
  ask("PATCH", "/v1/net", R"({"nid": "10.99.0.3@tcp", "health": 500})");
  ask("PATCH", "/v1/net", R"({"all": true, "health": 5000, "conns_per_peer": 4})");
  ask("PATCH", "/v1/net", R"({"net": "tcp", "lnd_timeout": 7})");
  EXPECT_THAT(node().recorded(),
              ElementsAre("ni_set 10.99.0.3@tcp health 500",
                          "ni_set all health 1000 conns_per_peer 4", "lnd_timeout tcp 7"));
  expect_error(ask("PATCH", "/v1/net", R"({"health": 5})"), 400, -22, "either 'nid' or 'all'");
  expect_error(ask("PATCH", "/v1/net", R"({"lnd_timeout": 5})"), 400, -22, "go together");
  expect_error(ask("PATCH", "/v1/net", R"({"all": true})"), 400, -22, "nothing to set");
  expect_error(ask("PATCH", "/v1/net", R"({"all": true, "conns_per_peer": 128})"), 400, -22,
               "from 0 to 127");
}

TEST_F(Endpoints, SetsGlobalsOnlyWhenAllAreNumbers) {
  expect_error(ask("PATCH", "/v1/global", R"({"numa_range": 1, "discovery": "x"})"), 400, -22,
               "'discovery' must be an integer");
  EXPECT_THAT(node().recorded(), IsEmpty());
  EXPECT_EQ(ask("PATCH", "/v1/global", R"({"numa_range": 1, "discovery": 0})").status, 200);
  EXPECT_THAT(node().recorded(), ElementsAre("set_global numa_range 1", "set_global discovery 0"));
  expect_error(ask("PATCH", "/v1/global", R"({"numa_range": 2, "colour": 0})"), 400, -22,
               "unknown key 'colour'");
  EXPECT_EQ(node().recorded().size(), 2U);
  expect_error(ask("PATCH", "/v1/global"), 400, -22, "nothing to set");
}

TEST_F(Endpoints, ShowsAndSetsParameters) {
  node().param_values = {{"accept_timeout", "9"}};
  const Json shown = tree(ask("GET", "/v1/param"))["param"]["accept_timeout"];
  EXPECT_EQ(shown["value"], "9");
  EXPECT_EQ(shown["default"], "5");
  EXPECT_FALSE(shown["start_only"].get<bool>());
  EXPECT_FALSE(shown["help"].get<std::string>().empty());
  EXPECT_FALSE(shown.contains("note"));
  EXPECT_EQ(tree(ask("GET", "/v1/param"))["param"]["zc_recv"]["note"],
            "is accepted but has no effect");
  EXPECT_EQ(ask("PATCH", "/v1/param", R"({"accept_timeout": "7"})").status, 200);
  EXPECT_EQ(ask("PATCH", "/v1/param", R"({"accept_timeout": 8})").status, 200);
  EXPECT_THAT(node().recorded(),
              ElementsAre("set_param accept_timeout 7", "set_param accept_timeout 8"));
  expect_error(ask("PATCH", "/v1/param", R"({"nosuch": "1"})"), 404, -2, "nosuch");
  expect_error(ask("PATCH", "/v1/param", R"({"accept_timeout": [1]})"), 400, -22, "must be");
  node().next = fail(-EBUSY, "counts at start only");
  expect_error(ask("PATCH", "/v1/param", R"({"accept_timeout": 8})"), 409, -16, "at start");
}

TEST_F(Endpoints, PingReportsGoodAndBadTargets) {  // spec/cli-lnetctl.md 4.7
  node().on_ping = [](const PingRequest& request) -> Result<PingReply> {
    if (request.target.nid == nid_of("10.0.0.9@tcp"))
      return fail(-ETIMEDOUT, "its acceptor is secure");
    if (request.target.nid == nid_of("10.0.0.8@tcp")) return fail(-ECONNREFUSED);
    PingReply reply;
    reply.primary = request.target.nid;
    reply.pid = request.target.pid.is_any() ? Pid::lustre() : request.target.pid;
    reply.nids = {Nid::loopback(), request.target.nid};
    return reply;
  };
  const Json body = tree(ask("POST", "/v1/ping",
                             R"({"nids": ["10.0.0.1@tcp", "10.0.0.9@tcp", "7-10.0.0.2@tcp",
                                          "10.0.0.8@tcp"], "timeout_ms": 250})"));
  EXPECT_EQ(
      body["ping"].dump(),
      R"([{"primary nid":"10.0.0.1@tcp","Multi-Rail":false,"peer_ni":[{"nid":"10.0.0.1@tcp"}]},)"
      R"({"primary nid":"7-10.0.0.2@tcp","Multi-Rail":false,"peer_ni":[{"nid":"7-10.0.0.2@tcp"}]}])");
  EXPECT_EQ(body["failed"].dump(),
            R"([{"nid":"10.0.0.9@tcp","errno":-110,"hint":"its acceptor is secure"},)"
            R"({"nid":"10.0.0.8@tcp","errno":-111}])");
}

TEST_F(Endpoints, PingKeepsToItsTimes) {  // spec/cli-lnetctl.md 3.10
  std::atomic<std::int64_t> asked_ms = 0;
  node().on_ping = [&](const PingRequest& request) -> Result<PingReply> {
    asked_ms = std::chrono::duration_cast<std::chrono::milliseconds>(request.timeout).count();
    return fail(-ETIMEDOUT);
  };
  ask("POST", "/v1/ping", R"({"nids": ["10.0.0.1@tcp"]})");
  EXPECT_EQ(asked_ms, 1000);
  ask("POST", "/v1/ping", R"({"nids": ["10.0.0.1@tcp"], "timeout_ms": 180000})");
  EXPECT_EQ(asked_ms, 180'000);
  for (const char* bad : {"-1", "0", "180001", "99999999999999999999", "\"1\"", "1.5"})
    expect_error(ask("POST", "/v1/ping",
                     R"({"nids": ["10.0.0.1@tcp"], "timeout_ms": )" + std::string(bad) + "}"),
                 400, -22, "'timeout_ms' must be");
  EXPECT_EQ(asked_ms, 180'000);
  expect_error(ask("POST", "/v1/ping", R"({"nids": ["bogus"]})"), 400, -22, "invalid NID 'bogus'");
  expect_error(ask("POST", "/v1/ping"), 400, -22, "'nids' is missing");
}

TEST_F(Endpoints, LnetComesAndGoes) {  // spec/cli-lnetctl.md 3.1; spec/multirail.md 4.8
  EXPECT_EQ(ask("POST", "/v1/lnet", R"({"op": "configure"})").status, 200);  // there already
  node().sequence = 7;
  EXPECT_EQ(ask("POST", "/v1/lnet", R"({"op": "unconfigure"})").status, 200);
  EXPECT_EQ(ask("POST", "/v1/lnet", R"({"op": "unconfigure"})").status, 200);
  for (const char* path : {"/v1/net", "/v1/peer", "/v1/stats", "/v1/global", "/v1/nids"})
    expect_error(ask("GET", path), 503, -100, "Unspecific failure");
  expect_error(ask("POST", "/v1/ping", R"({"nids": ["10.0.0.1@tcp"]})"), 503, -100, "");
  EXPECT_EQ(ask("GET", "/healthz").status, 503);
  EXPECT_THAT(ask("GET", "/metrics").body, HasSubstr("ulnet_up 0"));
  EXPECT_EQ(ask("POST", "/v1/lnet", R"({"op": "configure", "all": true, "large": true})").status,
            200);
  EXPECT_TRUE(slot_.configured_with.all && slot_.configured_with.large);
  EXPECT_EQ(slot_.configured_with.ping_sequence, 7U);  // spec/multirail.md 4.8
  EXPECT_EQ(ask("GET", "/v1/net").status, 200);
  expect_error(ask("POST", "/v1/lnet", R"({"op": "dance"})"), 400, -22, "'op' must be");
}

TEST_F(Endpoints, HealthSaysWhy) {
  node().shows.nis[1].up = false;
  EXPECT_EQ(ask("GET", "/healthz").body, "every network interface is down\n");
  slot_.slot.drain();
  EXPECT_EQ(ask("GET", "/healthz").status, 503);
  EXPECT_EQ(ask("GET", "/healthz").body, "the daemon is ending\n");
}

TEST_F(Endpoints, ReadersMayLookAndNotTouch) {
  EXPECT_EQ(ask("GET", "/v1/net", {}, Access::kRead).status, 200);
  for (const auto& [method, path] : kWriting)
    expect_error(ask(method, path, "{}", Access::kRead), 403, -1, "not you");
  expect_error(ask("GET", "/v1/net", {}, Access::kNone), 403, -13, "not you");
  EXPECT_THAT(node().recorded(), IsEmpty());
}

// docs/CONTROL-API.md: even if another key is missing because the unknown one is its misspelling.
TEST_F(Endpoints, EveryCallNamesAKeyThatItDoesNotKnow) {
  for (const auto& [method, path] : kWriting) {
    if (std::string_view(path).starts_with("/v1/lst/"))
      continue;  // selftest/api/lst_service_test.cc
    const Reply reply = ask(method, path, R"({"colour": 1})");
    EXPECT_GE(reply.status, 400) << method << path;
    EXPECT_THAT(tree(reply)["descr"].get<std::string>(), HasSubstr("'colour'")) << method << path;
  }
  EXPECT_THAT(node().recorded(), IsEmpty());
}

TEST_F(Endpoints, EveryChangeIsLoggedWithWhoAsked) {
  ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth1"})");
  node().next = fail(-EEXIST, "cannot add LNet NI");
  ask("POST", "/v1/net", R"({"net": "tcp", "interface": "eth1"})");
  ask("DELETE", "/v1/stats");
  ask("POST", "/v1/lnet", R"({"op": "unconfigure"})");
  EXPECT_THAT(
      logged_,
      ElementsAre(
          R"(1 net add {"net": "tcp", "interface": "eth1"}: done, asked by ulnetctl (pid 7, uid 0))",
          R"(1 net add {"net": "tcp", "interface": "eth1"}: failed: cannot add LNet NI (-17), )"
          "asked by ulnetctl (pid 7, uid 0)",
          "1 stats reset: done, asked by ulnetctl (pid 7, uid 0)",
          R"(1 lnet {"op": "unconfigure"}: done, asked by ulnetctl (pid 7, uid 0))"));
}

TEST_F(Endpoints, AReloadThatFailedOrInPartIsLoggedSoWithTheFirstReason) {
  Reloaded came;
  context_.reload = [&] { return came; };
  came.changes = 2;
  ask("POST", "/v1/reload");
  came.failures = {{-EEXIST, "eth1 is there"}};
  ask("POST", "/v1/reload");
  came.failures.push_back({-ENETDOWN, "eth2 is down"});
  ask("POST", "/v1/reload");
  came.failures.push_back({-ENETDOWN, "eth3 is down"});
  came.changes = 0;
  ask("POST", "/v1/reload");
  const std::string by = ", asked by ulnetctl (pid 7, uid 0)";
  EXPECT_THAT(logged_,
              ElementsAre("1 reload: done" + by, "1 reload: done in part: eth1 is there (-17)" + by,
                          "1 reload: done in part: eth1 is there (-17), and 1 failure more" + by,
                          "1 reload: failed: eth1 is there (-17), and 2 failures more" + by));
}

TEST_F(Endpoints, RequestsThatOnlyLookAreForTheCurious) {
  ask("GET", "/v1/nids");
  ask("GET", "/v1/nonsense");
  EXPECT_THAT(logged_, ElementsAre("0 GET /v1/nids: 200, asked by ulnetctl (pid 7, uid 0)",
                                   "0 GET /v1/nonsense: 404, asked by ulnetctl (pid 7, uid 0)"));
}

TEST_F(Endpoints, RefusalsAreWarnedOfInWordsThatFold) {
  ask("POST", "/v1/net", R"({"net": "tcp1"})", Access::kRead);
  ask("POST", "/v1/net", R"({"net": "tcp2"})", Access::kRead);
  ask("POST", "/v1/lst/anything", "{}", Access::kRead);
  ask("GET", "/v1/net", {}, Access::kNone);
  EXPECT_THAT(logged_, ElementsAre("2 refused net add: not you", "2 refused net add: not you",
                                   "2 refused /v1/lst/: not you", "2 refused a request: not you"));
}

TEST_F(Endpoints, LongBodiesAreLoggedShort) {
  const std::string name(3000, 'x');
  ask("PATCH", "/v1/param", R"({"networks": ")" + name + "\"}");
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_LT(logged_[0].size(), 700U);
  EXPECT_THAT(logged_[0], HasSubstr("xxx...: "));
}

TEST_F(Endpoints, UnknownPathsMethodsAndKeysAreNamed) {
  expect_error(ask("GET", "/v1/nonsense"), 404, -2, "/v1/nonsense");
  expect_error(ask("GET", "/"), 404, -2, "no such path");
  expect_error(ask("GET", "/v1/file/nonsense"), 404, -2, "unknown file 'nonsense'");
  const Reply reply = ask("PUT", "/v1/net");
  expect_error(reply, 405, -95, "PUT");
  EXPECT_EQ(reply.headers, (http::Headers{{"Allow", "GET, POST, DELETE, PATCH"}}));
  expect_error(ask("POST", "/v1/recovery"), 405, -95, "/v1/recovery has no POST, but GET");
  query_ = {{"nett", "tcp"}};
  expect_error(ask("GET", "/v1/net"), 400, -22, "unknown query key 'nett'");
}

}  // namespace
}  // namespace ulnet::node::control
