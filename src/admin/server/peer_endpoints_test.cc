// What the routes of peers and of discovery ask of the node, and what they answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;

TEST_F(Endpoints, AddsPeers) {  // spec/cli-lnetctl.md 3.8
  const auto add = [&](const char* body) { return ask("POST", "/v1/peer", body); };
  EXPECT_EQ(add(R"({"primary nid": "10.0.0.2@tcp"})").body, "{}\n");
  EXPECT_EQ(add(R"({"primary nid": "10.0.0.2@tcp", "Multi-Rail": false, "lock": true,
                    "nids": ["10.0.0.3@tcp", "10.0.0.4@tcp1"]})")
                .status,
            200);
  EXPECT_THAT(node().recorded(),
              ElementsAre("peer_add 10.0.0.2@tcp",
                          "peer_add 10.0.0.2@tcp 10.0.0.3@tcp 10.0.0.4@tcp1 non_mr lock_prim"));
  expect_error(add("{}"), 400, -22, "'primary nid' is missing");
  expect_error(add(R"({"primary nid": "*"})"), 400, -22, "invalid NID");
  expect_error(add(R"({"primary nid": "10.0.0.2@tcp", "nids": ["bogus"]})"), 400, -22,
               "invalid NID 'bogus'");
  expect_error(add(R"({"primary nid": "10.0.0.2@tcp", "Multi-Rail": "yes"})"), 400, -22,
               "must be true or false");
  node().next = fail(-EEXIST, "10.0.0.3@tcp is a NID of the configured peer 10.0.0.9@tcp");
  expect_error(add(R"({"primary nid": "10.0.0.2@tcp"})"), 409, -17, "of the configured peer");
}

TEST_F(Endpoints, SetsPeers) {  // spec/cli-lnetctl.md 3.9
  const auto set = [&](const char* body) { return ask("PATCH", "/v1/peer", body); };
  EXPECT_EQ(set(R"({"nid": "10.0.0.2@tcp", "health": 700})").body, "{}\n");
  EXPECT_EQ(set(R"({"all": true, "health": 5000})").status, 200);
  EXPECT_EQ(set(R"({"nid": "10.0.0.2@tcp", "state": 1048577})").status, 200);
  EXPECT_EQ(set(R"({"nid": "10.0.0.2@tcp", "state": 1, "health": 0})").status, 200);
  EXPECT_THAT(node().recorded(),
              ElementsAre("peer_set_health 10.0.0.2@tcp 700", "peer_set_health all 1000",
                          "peer_set_state 10.0.0.2@tcp 1048577", "peer_set_state 10.0.0.2@tcp 1",
                          "peer_set_health 10.0.0.2@tcp 0"));
  expect_error(set("{}"), 400, -22, "nothing to set");
  expect_error(set(R"({"health": 5})"), 400, -22, "either 'nid' or 'all'");
  expect_error(set(R"({"nid": "10.0.0.2@tcp", "all": true, "health": 5})"), 400, -22, "either");
  expect_error(set(R"({"all": true, "state": 1})"), 400, -22, "for one peer only");
  expect_error(set(R"({"all": true, "health": -5})"), 400, -22, "0 or more");
  expect_error(set(R"({"nid": "10.0.0.2@tcp", "state": 4294967296})"), 400, -22, "'state'");
  node().next = fail(-ENOENT, "no peer has 10.0.0.7@tcp");
  expect_error(set(R"({"nid": "10.0.0.7@tcp", "state": 1, "health": 1})"), 404, -2, "no peer");
  EXPECT_EQ(node().recorded().size(), 6U) << "after the first error nothing more is set";
}

TEST_F(Endpoints, LogsPeers) {  // spec/cli-lnetctl.md 3.16
  EXPECT_EQ(ask("POST", "/v1/peer/debug", R"({"nid": "10.0.0.2@tcp"})").body, "{}\n");
  EXPECT_THAT(node().recorded(), ElementsAre("debug_peer 10.0.0.2@tcp"));
  expect_error(ask("POST", "/v1/peer/debug", "{}"), 400, -22, "'nid' is missing");
  expect_error(ask("POST", "/v1/peer/debug", R"({"nid": "bogus"})"), 400, -22, "invalid NID");
}

TEST_F(Endpoints, DiscoversSeveralAtOnce) {  // spec/cli-lnetctl.md 3.11, 4.7
  // Given discoveries that end only when all of them have begun.
  std::atomic<int> begun = 0;
  std::atomic<bool> forced = false;
  node().on_discover = [&](const Nid& nid, bool force) -> Result<PingReply> {
    ++begun;
    forced = force;
    while (begun < 3) std::this_thread::yield();
    if (nid == nid_of("10.0.0.9@tcp")) return fail(-EIO, "nobody listens there");
    return PingReply{.primary = nid_of("10.0.0.1@tcp"),
                     .multi_rail = true,
                     .pid = Pid::lustre(),
                     .features = 0,
                     .nids = {nid_of("0@lo"), nid_of("10.0.0.1@tcp"), nid_of("10.0.1.1@tcp1")}};
  };
  const Json body =
      tree(ask("POST", "/v1/discover",
               R"({"nids": ["10.0.1.1@tcp1", "10.0.0.9@tcp", "10.0.0.1@tcp"], "force": true})"));
  EXPECT_TRUE(forced);
  ASSERT_EQ(body["discover"].size(), 2U);
  EXPECT_EQ(body["discover"][0].dump(),
            R"({"primary nid":"10.0.0.1@tcp","Multi-Rail":true,"peer_ni":)"
            R"([{"nid":"10.0.0.1@tcp"},{"nid":"10.0.1.1@tcp1"}]})");
  EXPECT_EQ(body["failed"].dump(),
            R"([{"nid":"10.0.0.9@tcp","errno":-5,"hint":"nobody listens there"}])");
}

TEST_F(Endpoints, OneBadNidStopsTheDiscovery) {  // spec/cli-lnetctl.md 3.11, 4.7
  node().on_discover = [](const Nid&, bool) -> Result<PingReply> { return PingReply{}; };
  for (const char* bad : {"bogus", "12345-10.0.0.1@tcp", ""})
    expect_error(
        ask("POST", "/v1/discover", R"({"nids": ["10.0.0.1@tcp", ")" + std::string(bad) + "\"]}"),
        400, -22, "invalid NID '" + std::string(bad));
  expect_error(ask("POST", "/v1/discover"), 400, -22, "'nids' is missing");
}

TEST_F(Endpoints, DeletesPeers) {  // spec/cli-lnetctl.md 3.8
  const auto del = [&](const char* body) { return ask("DELETE", "/v1/peer", body); };
  EXPECT_EQ(del(R"({"primary nid": "10.0.0.2@tcp"})").body, "{}\n");
  EXPECT_EQ(del(R"({"primary nid": "10.0.0.2@tcp", "force": true,
                    "nids": ["10.0.0.3@tcp", "10.0.0.4@tcp1"]})")
                .status,
            200);
  EXPECT_THAT(node().recorded(),
              ElementsAre("peer_del 10.0.0.2@tcp",
                          "peer_del 10.0.0.2@tcp 10.0.0.3@tcp 10.0.0.4@tcp1 force"));
  expect_error(del("{}"), 400, -22, "'primary nid' is missing");
  expect_error(del(R"({"primary nid": "10.0.0.2@tcp", "nids": ["bogus"]})"), 400, -22,
               "invalid NID 'bogus'");
  expect_error(del(R"({"primary nid": "10.0.0.2@tcp", "nids": "10.0.0.3@tcp"})"), 400, -22,
               "a list of at most 128");
  expect_error(del(R"({"primary nid": "10.0.0.2@tcp", "nid": "10.0.0.3@tcp"})"), 400, -22,
               "unknown key 'nid'");
  node().next = fail(-EBUSY, "messages to or from the peer are under way");
  expect_error(del(R"({"primary nid": "10.0.0.2@tcp"})"), 409, -16, "under way");
  expect_error(ask("DELETE", "/v1/peer", R"({"primary nid": "10.0.0.2@tcp"})", Access::kRead), 403,
               -EPERM, "not you");
}

}  // namespace
}  // namespace ulnet::node::control
