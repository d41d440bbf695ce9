// /v1/path: the explanation of a path, from a node that only records (FakeNode).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "admin/server/counters.h"
#include "admin/server/endpoints.h"
#include "admin/server/fake_node_fixture.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PathEndpoints : public testing::Test {
 protected:
  Reply ask() {
    Request request{.method = "GET", .path = "/v1/path", .query = query_};
    request.caller = {.access = Access::kRead, .refusal = "not you", .who = "ulnetctl"};
    return answer(context_, request);
  }
  static Json tree(const Reply& reply) { return Json::parse(reply.body); }
  static void expect_error(const Reply& reply, int status, int code, const std::string& words) {
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(tree(reply)["errno"], code) << reply.body;
    EXPECT_THAT(tree(reply)["descr"].get<std::string>(), HasSubstr(words));
  }
  FakeNode& node() { return *slot_.fake; }

  FakeSlot slot_;
  ControlCounters counters_;
  Context context_{.slot = slot_.slot, .counters = counters_, .name = "n1", .version = "0.1.0"};
  std::vector<std::pair<std::string, std::string>> query_;
};

TEST_F(PathEndpoints, APathIsShownWithAllItsCandidates) {  // spec/multirail.md 3
  using core::Candidate;
  PathShow& path = node().path;
  path.shard = 1;
  path.known = path.multi_rail = true;
  path.why.way = "a rule";
  path.why.candidates.resize(3);
  path.why.candidates[0].kind = Candidate::Kind::kNet;
  path.why.candidates[0].net = *NetId::parse("tcp1");
  path.why.candidates[0].chosen = true;
  path.why.candidates[1].kind = Candidate::Kind::kNi;
  path.why.candidates[1].nid = *Nid::parse("10.1.0.1@tcp1");
  path.why.candidates[1].lost_by = core::Term::kDistance;
  path.why.candidates[1].distance = 21;
  path.why.candidates[2].kind = Candidate::Kind::kPeerNi;
  path.why.candidates[2].nid = *Nid::parse("10.1.0.9@tcp1");
  path.why.candidates[2].priority = 3;
  path.why.candidates[2].preferred = true;
  path.source = *Nid::parse("10.1.0.2@tcp1");
  path.hop = *Nid::parse("10.1.0.9@tcp1");
  query_ = {{"to", "10.0.0.9@tcp"}, {"from", "10.1.0.2@tcp1"}, {"cpt", "1"}};
  const Json shown = tree(ask())["path"];
  EXPECT_THAT(node().recorded(), ElementsAre("explain_path 10.0.0.9@tcp 10.1.0.2@tcp1 1"));
  EXPECT_EQ(shown["to"], "10.0.0.9@tcp");
  EXPECT_EQ(shown["from"], "10.1.0.2@tcp1");
  EXPECT_EQ(shown["cpt"], 1);
  EXPECT_EQ(shown["rule"], "a rule");
  EXPECT_EQ(shown["nets"][0]["net"], "tcp1");
  EXPECT_EQ(shown["nets"][0]["priority"], -1);
  EXPECT_FALSE(shown["nets"][0].contains("lost by"));
  EXPECT_EQ(shown["local NI(s)"][0]["lost by"], "farther from the memory");
  EXPECT_EQ(shown["local NI(s)"][0]["distance"], 21);
  EXPECT_EQ(shown["peer ni"][0]["priority"], 3);
  EXPECT_EQ(shown["peer ni"][0]["preferred"], true);
  EXPECT_EQ(shown["source"], "10.1.0.2@tcp1");
  EXPECT_EQ(shown["hop"], "10.1.0.9@tcp1");
}

TEST_F(PathEndpoints, AMissingPathIsAnAnswer) {
  node().path.path_status = -EHOSTUNREACH;
  node().path.path_reason = "no route";
  query_ = {{"to", "10.0.0.9@o2ib"}};
  const Reply reply = ask();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(tree(reply)["path"]["errno"], -EHOSTUNREACH);
  EXPECT_EQ(tree(reply)["path"]["descr"], "no route");
  EXPECT_FALSE(tree(reply)["path"].contains("hop"));
}

TEST_F(PathEndpoints, APathIsAskedForStrictly) {
  query_ = {};
  expect_error(ask(), 400, -EINVAL, "'to' is missing");
  query_ = {{"to", "10.0.0.9@tcp"}, {"form", "10.0.0.1@tcp"}};
  expect_error(ask(), 400, -EINVAL, "unknown query key 'form'");
  for (const char* bad : {"to", "from to", "t", ""}) {
    query_ = {{"to", "10.0.0.9@tcp"}, {bad, "1"}};
    if (std::string_view(bad) != "to") expect_error(ask(), 400, -EINVAL, "unknown query key '");
  }
  query_ = {{"to", "10.0.0.[1-2]@tcp"}};
  expect_error(ask(), 400, -EINVAL, "invalid NID '");
  query_ = {{"to", "10.0.0.9@tcp"}, {"from", "*"}};
  expect_error(ask(), 400, -EINVAL, "invalid NID '");
  for (const char* bad : {"x", "-1", "", "1x", "99999999999"}) {
    query_ = {{"to", "10.0.0.9@tcp"}, {"cpt", bad}};
    expect_error(ask(), 400, -EINVAL, "'cpt' is the number");
  }
  query_ = {{"to", "10.0.0.9@tcp"}};
  node().next = fail(-ERANGE, "invalid CPT value");
  expect_error(ask(), 400, -ERANGE, "invalid CPT value");
}

}  // namespace
}  // namespace ulnet::node::control
