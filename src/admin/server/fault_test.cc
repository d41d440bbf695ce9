// /v1/fault: rules are added and deleted, wrong ones are refused with the reason, counters are
// shown. The node only keeps the list (FakeNode). Source: spec/cli-lnetctl.md 3.15, 4.9.
#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

class FaultEndpoints : public Endpoints {
 protected:
  Reply ask(const char* method, std::string body = {}, Access access = Access::kWrite) {
    return Endpoints::ask(method, "/v1/fault", std::move(body), access);
  }
  Json shown() { return tree(ask("GET", {}, Access::kRead))["fault"]; }
  /// Returns how the change ended: "0" or "-22 words".
  std::string said(const char* method, const std::string& body) {
    return outcome_of(ask(method, body));
  }
};

TEST_F(FaultEndpoints, ADropRuleIsAddedAndShownWithItsCounters) {  // spec/cli-lnetctl.md 4.9
  const Reply added = ask("POST", R"({"rule_type": "drop", "fa_src": "10.1.1.1@tcp",
                                      "fa_dst": "*@tcp", "da_rate": 1})");
  EXPECT_EQ(added.status, 200);
  EXPECT_EQ(Json::parse(added.body)["seed"], 7) << "the node chose the seed";
  core::FaultRow& row = slot_.fake->fault_rows.at(0);
  row.hits = 3;
  row.matched.put = 1;
  row.matched.get = 2;
  EXPECT_EQ(ask("GET").body,
            R"({"fault":[{"rule_type":"drop","fa_src":"10.1.1.1@tcp","fa_dst":"*@tcp",)"
            R"("fa_ptl_mask":0,"fa_msg_mask":15,"da_rate":1,"da_interval":0,"seed":7,)"
            R"("ds_dropped":3,"fs_count":3,"fs_put":1,"fs_ack":0,"fs_get":2,"fs_reply":0}]})"
            "\n");
}

TEST_F(FaultEndpoints, ADelayRuleIsAddedAndShownWithItsCounters) {  // spec/cli-lnetctl.md 4.9
  EXPECT_EQ(said("POST", R"({"rule_type": "delay", "fa_src": "*", "fa_dst": "*", "la_rate": 2,
                             "la_latency": 5, "seed": 18446744073709551615,
                             "fa_ptl_mask": 9223372036854775808,
                             "fa_local_nid": "10.1.1.1@tcp"})"),
            "0");
  EXPECT_EQ(ask("GET").body,
            R"({"fault":[{"rule_type":"delay","fa_src":"*","fa_dst":"*",)"
            R"("fa_local_nid":"10.1.1.1@tcp","fa_ptl_mask":9223372036854775808,"fa_msg_mask":6,)"
            R"("la_rate":2,"la_interval":0,"la_latency":5,"seed":18446744073709551615,)"
            R"("ls_delayed":0,"fs_count":0,"fs_put":0,"fs_ack":0,"fs_get":0,"fs_reply":0}]})"
            "\n");
}

TEST_F(FaultEndpoints, ShownRulesCanBeAddedWithoutCounters) {
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "fa_dst": "*@tcp1",
                             "da_interval": 9, "da_health_error_mask": 65, "da_random": true,
                             "da_drop_all": true, "fa_msg_mask": 4})"),
            "0");
  const core::FaultRule first = slot_.fake->fault_rows.at(0).rule;
  Json again = shown()[0];
  for (const char* counter : {"ds_dropped", "fs_count", "fs_put", "fs_ack", "fs_get", "fs_reply"})
    again.erase(counter);
  EXPECT_EQ(said("POST", again.dump()), "0");
  EXPECT_EQ(slot_.fake->fault_rows.at(0).rule, first);
}

TEST_F(FaultEndpoints, WrongRulesAreRefused) {
  EXPECT_EQ(said("POST", "{}"), "-22 rule_type is drop or delay");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "da_rate": 1})"),
            "-22 Please provide both source and destination of drop rule");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "bogus", "fa_dst": "*"})"),
            "-22 Invalid NID: bogus");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "fa_dst": "*"})"),
            "-22 please provide either drop rate or interval but not both at the same time.");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "fa_dst": "*", "da_rate": 1,
                             "fa_ptl_mask": 1, "fa_msg_mask": 1})"),
            "-22 no message can match: portals are of PUT and GET");
  EXPECT_EQ(said("POST", R"({"rule_type": "delay", "fa_src": "*", "fa_dst": "*", "la_rate": 1})"),
            "-22 latency cannot be zero");
  EXPECT_EQ(said("POST", R"({"rule_type": "delay", "fa_src": "*", "fa_dst": "*", "da_rate": 1})")
                .substr(0, 3),
            "-22");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "fa_dst": "*", "da_rate": -1})")
                .substr(0, 3),
            "-22");
  EXPECT_EQ(said("POST", R"({"rule_type": "drop", "fa_src": "*", "fa_dst": "*", "da_rate": 1,
                             "fa_ptl_mask": -1})")
                .substr(0, 3),
            "-22");
  EXPECT_TRUE(slot_.fake->fault_rows.empty());
}

TEST_F(FaultEndpoints, RulesAreDeletedAndReset) {  // spec/multirail.md 11.4
  const char* const rule =
      R"({"rule_type": "drop", "fa_src": "*@tcp", "fa_dst": "*", "da_rate": 1})";
  EXPECT_EQ(said("POST", rule), "0");
  EXPECT_EQ(said("POST", rule), "0");
  EXPECT_EQ(said("DELETE", R"({"rule_type": "delay"})"), "-2 no such fault rule");
  EXPECT_EQ(ask("DELETE", R"({"rule_type": "drop", "fa_src": "*@tcp", "fa_dst": "*"})").body,
            "{\"deleted\":2}\n");
  EXPECT_EQ(said("DELETE", R"({"rule_type": "drop"})"), "-2 no such fault rule");
  EXPECT_EQ(said("PATCH", R"({"rule_type": "delay"})"), "0");
  EXPECT_EQ(slot_.fake->recorded().back(), "fault_reset delay");
}

TEST_F(FaultEndpoints, ChangingRulesNeedsWriteAccess) {
  for (const char* method : {"POST", "DELETE", "PATCH"})
    EXPECT_EQ(ask(method, "{}", Access::kRead).status, 403);
  ASSERT_TRUE(slot_.slot.unconfigure(std::chrono::seconds(0)));
  for (const char* method : {"GET", "POST", "DELETE", "PATCH"})
    EXPECT_EQ(ask(method, "{}").status, 503) << method;
}

}  // namespace
}  // namespace ulnet::node::control
