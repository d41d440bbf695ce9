// fault drop|delay add, del, reset, show: requests, texts, exit codes. Source:
// spec/cli-lnetctl.md 3.15, 4.9, spec/observed.md 6, spec/upstream-tests.md I 410.
#include <algorithm>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class Fault : public Workbench {
 protected:
  /// "exit code stdout stderr" without hints.
  std::string said(const std::string& command) {
    const Outcome outcome = sh("lnetctl fault " + command);
    return std::to_string(outcome.code) + " " + outcome.out + without_hints(outcome.err);
  }
  Tree rules() { return node.get("/v1/fault")["fault"]; }
};

TEST_F(Fault, RulesAreAddedWithEveryOption) {  // spec/cli-lnetctl.md 3.15
  EXPECT_EQ(said("drop add -s '*@tcp' -d 10.0.0.1@tcp1 -r 2"), "0 ") << "prints nothing";
  EXPECT_EQ(last_request(),
            R"(POST /v1/fault {"rule_type":"drop","fa_src":"*@tcp","fa_dst":"10.0.0.1@tcp1",)"
            R"("fa_ptl_mask":0,"fa_msg_mask":0,"da_rate":2,"da_interval":0})");
  EXPECT_EQ(said("drop add --source '*' --dest '*@tcp' --interval 5 --random --portal 0 -p 63 "
                 "--message put -m GET --health_error local_error -e random "
                 "--local_nid 10.0.0.3@tcp --drop_all"),
            "0 ");
  EXPECT_EQ(last_request(),
            R"(POST /v1/fault {"rule_type":"drop","fa_src":"*","fa_dst":"*@tcp",)"
            R"("fa_local_nid":"10.0.0.3@tcp","fa_ptl_mask":9223372036854775809,"fa_msg_mask":6,)"
            R"("da_rate":0,"da_interval":5,"da_health_error_mask":65,"da_random":true,)"
            R"("da_drop_all":true})");
  EXPECT_EQ(said("delay add -s '*@tcp' -d '*@tcp' --interval 5 -l 1 -m reply -o 10.0.0.3@tcp"),
            "0 ");
  EXPECT_EQ(last_request(),
            R"(POST /v1/fault {"rule_type":"delay","fa_src":"*@tcp","fa_dst":"*@tcp",)"
            R"("fa_local_nid":"10.0.0.3@tcp","fa_ptl_mask":0,"fa_msg_mask":8,"la_rate":0,)"
            R"("la_interval":5,"la_latency":1})");
}

// spec/cli-lnetctl.md 3.15
TEST_F(Fault, MistakesAreRefusedInLnetctlsWords) {  // as recorded
  const std::string both = "-s '*@tcp' -d '*@tcp' ";
  const std::string rate =
      "255 please provide either drop rate or interval but not both at the same time.\n";
  EXPECT_EQ(said("drop add " + both), rate);
  EXPECT_EQ(said("drop add " + both + "-r 1 -i 2"), rate);
  EXPECT_EQ(said("drop add " + both + "-r 0"), rate);
  EXPECT_EQ(said("drop add " + both + "-x"), rate);
  EXPECT_EQ(said("drop add -s '*@tcp' -r 1"),
            "255 Please provide both source and destination of drop rule\n");
  EXPECT_EQ(said("drop add " + both + "-r 1 -n"), "255 please provide an interval to randomize\n");
  EXPECT_EQ(said("drop add " + both + "-r 1 -m FOO"), "255 unknown message type FOO\n");
  EXPECT_EQ(said("drop add " + both + "-r 1 -p 70"), "255 invalid portal: 70\n");
  EXPECT_EQ(said("drop add " + both + "-r 1 -p -1"), "255 invalid portal: -1\n");
  EXPECT_EQ(said("drop add " + both + "-r 1 -e foo"), "255 ");
  EXPECT_EQ(said("drop add -s bogus -d '*@tcp' -r 1"), "234 Invalid NID: bogus\n");
  EXPECT_EQ(said("delay add " + both + "-r 1"), "255 latency cannot be zero\n");
  EXPECT_EQ(said("delay add " + both + "-r 1 -l 0"), "255 latency cannot be zero\n");
  EXPECT_EQ(said("delay add " + both + "-l 1"),
            "255 please provide either delay rate or interval but not both at the same time.\n");
  EXPECT_TRUE(node.requests().empty()) << "the node is not asked";
  EXPECT_EQ(said("drop add " + both + "-r 1 -p 0 -m ACK"),
            "234 failed to add drop rule: Invalid input data or parameter\n");
}

TEST_F(Fault, RulesAreShownAsLnetctlWouldShowThem) {  // spec/cli-lnetctl.md 4.9
  EXPECT_EQ(said("drop show"), "0 ") << "no rule exists";
  EXPECT_EQ(said("drop add -s 10.1.1.1@tcp -d '*@tcp' -r 1"), "0 ");
  EXPECT_EQ(said("delay add -s '*' -d '*' -r 3 -l 2"), "0 ");
  EXPECT_EQ(sh("lnetctl fault drop show").out,
            "fault:\n"
            "    - rule_type: drop\n"
            "      fa_src: 10.1.1.1@tcp\n"
            "      fa_dst: \"*@tcp\"\n"
            "      fa_ptl_mask: 0\n"
            "      fa_msg_mask: 15\n"
            "      da_rate: 1\n"
            "      da_interval: 0\n"
            "      ds_dropped: 0\n"
            "      fs_count: 0\n"
            "      fs_put: 0\n"
            "      fs_ack: 0\n"
            "      fs_get: 0\n"
            "      fs_reply: 0\n");
  const Tree all = rules();
  const auto drop = std::find_if(all.begin(), all.end(),
                                 [](const Tree& rule) { return rule["rule_type"] == "drop"; });
  ASSERT_NE(drop, all.end());
  EXPECT_NE(sh("ulnetctl fault drop show").out.find("seed: " + (*drop)["seed"].dump() + "\n"),
            std::string::npos);
  const Tree delays = Tree::parse(sh("ulnetctl fault delay show --json").out);
  ASSERT_EQ(delays["fault"].size(), 1U);
  EXPECT_EQ(delays["fault"][0]["la_latency"], 2);
}

TEST_F(Fault, RulesAreDeletedByTheirNidsOrAll) {  // spec/cli-lnetctl.md 3.15
  for (const char* source : {"'*@tcp'", "'*@tcp1'", "'*@tcp'"})
    EXPECT_EQ(said(std::string("drop add -d '*@tcp' -r 1 -s ") + source), "0 ");
  EXPECT_EQ(said("drop del -s '*@tcp' -d '*@tcp'"), "0 ");
  EXPECT_EQ(rules().size(), 1U);
  EXPECT_EQ(said("drop del -s '*@tcp' -d '*@tcp'"),
            "254 failed to delete drop rule: Object not found\n");
  EXPECT_EQ(said("delay del --all"), "254 failed to delete delay rule: Object not found\n");
  EXPECT_EQ(said("drop del -a"), "0 ");
  EXPECT_EQ(last_request(), R"(DELETE /v1/fault {"rule_type":"drop"})");
  EXPECT_TRUE(rules().empty());
  EXPECT_EQ(said("drop del --all -s '*@tcp'"), "255 '-s' or '-d' cannot be combined with '-a'\n");
  EXPECT_EQ(said("drop del -s '*@tcp'"),
            "255 Please provide both source and destination of drop rule\n");
  EXPECT_EQ(said("drop del"),
            "234 drop del: delete LNet drop rules\n"
            "\t--all:         Delete all drop rules\n"
            "\t--source nid:  Delete drop rule with specified source NID\n"
            "\t--dest nid:    Delete drop rule with specified destination NID\n\n");
}

TEST_F(Fault, CountersAreReset) {  // spec/cli-lnetctl.md 3.15
  EXPECT_EQ(said("drop reset"), "0 ");
  EXPECT_EQ(last_request(), R"(PATCH /v1/fault {"rule_type":"drop"})");
  EXPECT_EQ(said("delay reset"), "0 ");
  EXPECT_EQ(last_request(), R"(PATCH /v1/fault {"rule_type":"delay"})");
}

// spec/cli-lnetctl.md 3.15; spec/upstream-tests.md 410
TEST_F(Fault, WordsThatAreNoCommandFailWithoutACrash) {
  EXPECT_EQ(sh("lnetctl fault reset ''").code, 255);
  EXPECT_EQ(sh("lnetctl fault drop foo").code, 255);
  EXPECT_EQ(said("drop foo"),
            "255 lnetctl: 'foo' is not a valid command. See 'lnetctl --list-commands'.\n");
}

}  // namespace
}  // namespace ulnet::ctl::test
