// The requests that ulnetctl's commands send to the node, and what they print from the answers.
#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

/// A node with four CPU partitions.
struct Commands : Workbench {
  Commands() : Workbench(kFourPartitions) {}
};

TEST_F(Commands, NetAddByInterfaceListNidAndRule) {  // spec/cli-lnetctl.md 3.2
  EXPECT_EQ(sh("ulnetctl net add --net tcp --if 'eth0[0,1],eth1'").code, 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 2U);
  EXPECT_EQ(node.nets()[0]["local NI(s)"][0]["CPT"], "[0,1]");
  EXPECT_EQ(sh("ulnetctl net add --nid 10.99.1.3@tcp2").code, 0);
  EXPECT_EQ(node.nets()[1]["net type"], "tcp2");
  const Outcome both = sh("ulnetctl net add --net tcp --nid 10.99.1.3@tcp2");
  EXPECT_EQ(both.out, "--net is invalid with --nid option\n");
  EXPECT_EQ(both.code, 234);
  EXPECT_EQ(sh("ulnetctl net add --ip2net 'tcp5 127.0.0.*'").code, 234)
      << "no loopback by a pattern";
  EXPECT_EQ(sh("ulnetctl net add --ip2net 'tcp5(lo) 127.0.0.*'").code, 234)
      << "the node has no lo interface to add";
  EXPECT_NE(last_request().find("\"net\":\"tcp5\",\"interface\":\"lo\""), std::string::npos);
  EXPECT_EQ(sh("ulnetctl net add --ip2net 'tcp5 203.0.113.77'").code, 234);
  EXPECT_EQ(sh("ulnetctl net add --ip2nets 'tcp5 203.0.113.77'").code, 234);
  EXPECT_EQ(sh("ulnetctl net add --ip2nets='tcp5 203.0.113.77'").code, 234) << "the same option";
  // spec/cli-lnetctl.md 9.3: the nets of all rules that match
  node.add_interface("lo", "127.0.0.1");
  EXPECT_EQ(sh("ulnetctl net add --ip2net 'tcp6(lo) 127.0.0.1; tcp7(lo) 203.0.113.77; "
               "tcp6(lo),tcp8(lo),tcp9 127.*.*.*; tcp6(lo) 127.0.0.1' --credits 99")
                .code,
            0);
  const Tree nets = node.nets();
  ASSERT_EQ(nets.size(), 4U);
  EXPECT_EQ(nets[2]["net type"], "tcp6");
  EXPECT_EQ(nets[2]["local NI(s)"].size(), 1U) << "an interface once";
  EXPECT_EQ(nets[2]["local NI(s)"][0]["tunables"]["credits"], 99);
  EXPECT_EQ(nets[3]["net type"], "tcp8");
  const Outcome missing = sh("ulnetctl net add --ip2net 'tcp9(nosuch0),tcp9(lo) 127.0.0.1'");
  EXPECT_EQ(missing.code, 234);
  EXPECT_NE(missing.err.find("interface 'nosuch0' is missing or down"), std::string::npos);
  for (const char* conns : {"128", "1000000000000000000000000", "foo"}) {
    EXPECT_EQ(
        sh("ulnetctl net add --net tcp7 --if eth0 --conns-per-peer " + std::string(conns)).code,
        255)
        << conns;
  }
  EXPECT_EQ(sh("ulnetctl net add --net tcp7 --if eth0 --conns-per-peer -1").code, 0);
  EXPECT_EQ(sh("ulnetctl net add --net tcp8 --if eth0 --tos 300").code, 255);
  EXPECT_THAT(sh("ulnetctl net add --net tcp9 --if eth0 --peer-timeout -5").err,
              testing::HasSubstr("invalid peer_timeout (valid: -1, 0 or more)"));
}

TEST_F(Commands, NetSet) {  // spec/cli-lnetctl.md 3.5
  EXPECT_EQ(sh("ulnetctl net set --nid 10.0.0.1@tcp --health 5000").code, 0);
  EXPECT_EQ(last_request(), "PATCH /v1/net {\"nid\":\"10.0.0.1@tcp\",\"health\":1000}");
  EXPECT_EQ(sh("ulnetctl net set --all --conns-per-peer 4").code, 0);
  EXPECT_EQ(last_request(), "PATCH /v1/net {\"all\":true,\"conns_per_peer\":4}");
  EXPECT_EQ(sh("ulnetctl net set --net tcp --lnd-timeout 20").code, 0);
  EXPECT_EQ(last_request(), "PATCH /v1/net {\"net\":\"tcp\",\"lnd_timeout\":20}");
  EXPECT_NE(sh("ulnetctl net set --all --conns-per-peer 128").code, 0);
  EXPECT_THAT(sh("ulnetctl net set --nid 0@lo --conns-per-peer 4").err,
              testing::HasSubstr("an NI of net lo has no tunable 'conns_per_peer'"));
  EXPECT_NE(sh("ulnetctl net set --lnd-timeout 20")
                .err.find("Specified --lnd-timeout without --net option"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl net set --net foo --lnd-timeout 20").err.find("Invalid network type: foo"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl net set --net tcp --lnd-timeout x")
                .err.find("Invalid LND timeout value 'x', must be >= 0"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl net set --health 4").err.find("Invalid option or missing argument"),
            std::string::npos);
  const Outcome cpt = sh("ulnetctl net set --nid 10.0.0.1@tcp --cpt '[1]'");
  EXPECT_EQ(cpt.code, 234);
  EXPECT_NE(cpt.err.find("the CPTs of an NI are fixed while it exists"), std::string::npos);
}

TEST_F(Commands, NetDel) {  // spec/cli-lnetctl.md 3.3
  sh("ulnetctl net add --net tcp --if eth0,eth1; ulnetctl net add --net tcp2 --if eth0");
  EXPECT_EQ(sh("ulnetctl net del --net tcp --if eth1").code, 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  EXPECT_EQ(sh("ulnetctl net del --nid 10.99.0.3@tcp2").code, 0);
  EXPECT_EQ(sh("ulnetctl net del --net tcp").code, 0);
  EXPECT_TRUE(node.nets().empty());
}

TEST_F(Commands, ListNids) {
  sh("ulnetctl net add --net tcp --if eth0,eth1");
  EXPECT_EQ(sh("ulnetctl list_nids").out, "10.99.0.3@tcp\n10.99.1.3@tcp\n");
  EXPECT_EQ(sh("ulnetctl list_nids all").out, "0@lo\n10.99.0.3@tcp\n10.99.1.3@tcp\n");
}

TEST_F(Commands, PeerDelAsksForThePeerAndItsNids) {  // spec/cli-lnetctl.md 3.8, 8
  const auto asked = [&](const std::string& options) {
    const Outcome outcome = sh("ulnetctl peer del " + options);
    return outcome.code == 0 || outcome.err.find("errno: -2\n") != std::string::npos
               ? last_request()
               : outcome.err;
  };
  EXPECT_EQ(asked("--prim_nid 10.0.0.1@tcp"), "DELETE /v1/peer {\"primary nid\":\"10.0.0.1@tcp\"}");
  EXPECT_EQ(asked("-k 10.0.0.[1]@tcp -n 10.0.0.9@tcp -n 10.0.0.[2-4/2]@tcp,10.0.1.1@tcp1 --force"),
            "DELETE /v1/peer {\"primary nid\":\"10.0.0.1@tcp\",\"nids\":[\"10.0.0.2@tcp\","
            "\"10.0.0.4@tcp\",\"10.0.1.1@tcp1\"],\"force\":true}");
  EXPECT_EQ(asked("--prim_nid 10.0.0.1"), "DELETE /v1/peer {\"primary nid\":\"10.0.0.1@tcp\"}");
  for (const char* several : {"'*@tcp'", "10.0.0.[1-2]@tcp", "10.0.0.1@tcp,10.0.0.2@tcp", "bogus"})
    EXPECT_NE(asked("--prim_nid " + std::string(several)).find("is not one NID"), std::string::npos)
        << several;
  EXPECT_NE(asked("--prim_nid 10.0.0.1@tcp --nid 10.0.0.[1-200]@tcp")
                .find("specifies more NIDs than allowed"),
            std::string::npos);
  EXPECT_NE(asked("--prim_nid 10.0.0.1@tcp --nid bogus").find("no valid NIDs in string"),
            std::string::npos);
  EXPECT_NE(asked("--nid 10.0.0.1@tcp").find("--prim_nid must be specified"), std::string::npos);
}

TEST_F(Commands, CreditsBelowZeroArePrintedAsLustrePrintsThem) {  // spec/cli-lnetctl.md 4.2
  Tree ni = {{"nid", "10.0.0.2@tcp"}, {"state", "NA"}, {"min_tx_credits", -3}};
  ni["available_tx_credits"] = -1;
  const Tree peer = {{"primary nid", "10.0.0.2@tcp"}, {"peer ni", Tree::array({ni})}};
  node.answer_as_recorded("GET /v1/peer", {{"peer", Tree::array({peer})}});
  EXPECT_NE(sh("lnetctl peer show -v").out.find("min_tx_credits: 4294967293\n"), std::string::npos);
  EXPECT_NE(sh("lnetctl peer show -v").out.find("available_tx_credits: -1\n"), std::string::npos);
  EXPECT_NE(sh("ulnetctl peer show -v").out.find("min_tx_credits: -3\n"), std::string::npos);
}

// spec/cli-lnetctl.md 3.16, 4.10; spec/multirail.md 7; spec/observed.md 1.9
TEST_F(Commands, DebugRecoveryShowsOneQueue) {
  node.answer_as_recorded(
      "GET /v1/recovery",
      {{"Local NI recovery", {{"nid-0", "10.99.1.1@tcp1"}}},
       {"Peer NI recovery", {{"nid-0", "10.99.1.2@tcp1"}, {"nid-1", "10.99.1.3@tcp1"}}}});
  EXPECT_EQ(sh("lnetctl debug recovery -l").out,
            "Local NI recovery:\n      nid-0: 10.99.1.1@tcp1\n");
  EXPECT_EQ(sh("ulnetctl debug recovery --peer").out,
            "Peer NI recovery:\n      nid-0: 10.99.1.2@tcp1\n      nid-1: 10.99.1.3@tcp1\n");
  EXPECT_EQ(sh("lnetctl debug recovery -l -p").out, "");
}

// spec/cli-lnetctl.md 3.6, 4.4, 4.8, spec/observed.md 1.9: prints nothing for an empty list
TEST_F(Commands, ShowsOfMissingFeaturesAreEmpty) {  // spec/cli-lnetctl.md 3.14, 3.15, 3.16, 4.9
  for (const char* command :
       {"route show", "route show -v", "route show --net tcp1 --gateway 10.0.0.1@tcp --hop 1",
        "routing show", "udsp show", "udsp show --idx 3", "fault drop show", "fault delay show",
        "debug recovery -l", "debug recovery --peer", "debug recovery -l -p", "peer show",
        "peer list"}) {
    const Outcome outcome = sh(std::string("lnetctl ") + command);
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_EQ(outcome.out + outcome.err, "") << command;
  }
  const Outcome which = sh("lnetctl debug recovery");
  EXPECT_EQ(which.code, 234);
  EXPECT_EQ(without_hints(which.out + which.err), "");
  EXPECT_EQ(Tree::parse(sh("ulnetctl route show --json").out), Tree({{"route", Tree::array()}}));
  node.unconfigure();
  EXPECT_EQ(sh("lnetctl route show").code, 234);
}

TEST_F(Commands, PingManyGoodAndBadWithTheirHints) {  // spec/cli-lnetctl.md 3.10, 4.7, 7
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.0.0.1@tcp", "10.1.0.1@tcp1"});
  network.host({"10.0.0.3@tcp"});
  network.refuse("10.0.0.2@tcp", -ECONNRESET,
                 "its acceptor may be 'secure' and our port is not privileged");
  const Outcome outcome = sh("ulnetctl ping '10.0.0.[1-3]@tcp'");
  EXPECT_EQ(outcome.code, 255);
  EXPECT_EQ(
      outcome.out,
      "ping:\n- primary nid: 10.0.0.1@tcp\n  Multi-Rail: false\n  peer_ni:\n  - nid: 10.0.0.1@tcp\n"
      "  - nid: 10.1.0.1@tcp1\n- primary nid: 10.0.0.3@tcp\n  Multi-Rail: false\n  peer_ni:\n  - "
      "nid: 10.0.0.3@tcp\n"
      "manage:\n- ping:\n  errno: -104\n  descr: ! 'failed to ping 10.0.0.2@tcp: Connection reset "
      "by peer'\n");
  EXPECT_EQ(outcome.err,
            "# 10.0.0.2@tcp: its acceptor may be 'secure' and our port is not privileged\n");
}

TEST_F(Commands, PingResolvesNamesAndBoundsTheTime) {  // spec/cli-lnetctl.md 3.10
  sh("ulnetctl net add --nid 10.0.0.9@tcp3");
  network.host({"127.0.0.1@tcp3"});
  EXPECT_EQ(sh("ulnetctl ping --timeout 500 localhost@tcp3").code, 0);
  EXPECT_EQ(last_request(), "POST /v1/ping {\"nids\":[\"127.0.0.1@tcp3\"],\"timeout_ms\":180000}");
  EXPECT_EQ(sh("ulnetctl ping -s 10.0.0.9@tcp3 -t 2 127.0.0.1@tcp3,127.0.0.1@tcp3").code, 0);
  EXPECT_EQ(last_request(),
            "POST /v1/ping "
            "{\"nids\":[\"127.0.0.1@tcp3\",\"127.0.0.1@tcp3\"],\"timeout_ms\":2000,\"source\":\"10."
            "0.0.9@tcp3\"}");
  EXPECT_EQ(sh("ulnetctl ping --timeout abc 127.0.0.1@tcp3").code, 234);
  EXPECT_EQ(sh("lnetctl ping --timeout abc 127.0.0.1@tcp3").code, 0);
  EXPECT_NE(last_request().find("\"timeout_ms\":180000"), std::string::npos);
  const Outcome nothing = sh("ulnetctl ping");
  EXPECT_EQ(nothing.code, 234);
  EXPECT_EQ(nothing.err, "Missing nid argument\n");
}

TEST_F(Commands, CptOfNid) {  // spec/cli-lnetctl.md 3.17; spec/core-semantics.md 13.2
  std::set<std::uint32_t> cpts;
  std::string expected = "cpt-of-nid:\n";
  for (const char* nid : {"10.0.0.2@tcp", "10.0.0.3@tcp", "2001:db8::1@tcp1", "0@lo"}) {
    const std::uint32_t cpt = node.running().cpt_of_nid(Nid::parse(nid).value());
    cpts.insert(cpt);
    expected += "- nid: " + std::string(nid) + "\n  cpt: " + std::to_string(cpt) + "\n";
  }
  EXPECT_GT(cpts.size(), 1U) << "they are of several partitions";
  const Outcome several =
      sh("ulnetctl cpt-of-nid 10.0.0.2@tcp0 10.0.0.3@tcp 2001:db8::1@tcp1 0@lo");
  EXPECT_EQ(several.out, expected);
  EXPECT_EQ(several.code, 0);
  EXPECT_EQ(Tree::parse(sh("ulnetctl cpt-of-nid --json 10.0.0.2@tcp").out)["cpt-of-nid"][0]["cpt"],
            node.running().cpt_of_nid(Nid::parse("10.0.0.2@tcp").value()));
  for (const char* bad : {"10.0.0@tcp", "10.0.0.300@tcp", "*@tcp", "10.0.0.1@foo", "''"}) {
    const Outcome outcome = sh(std::string("ulnetctl cpt-of-nid 10.0.0.2@tcp ") + bad);
    EXPECT_EQ(outcome.code, 234) << bad;
    EXPECT_EQ(outcome.out, "") << "all are looked at before the first is asked for";
    EXPECT_TRUE(
        outcome.err.starts_with("---\nmanage:\n-     cpt-of-nid:\n      errno: -22\n"
                                "      descr: ! \"invalid NID '"))
        << outcome.err;
  }
  const Outcome none = sh("ulnetctl cpt-of-nid");
  EXPECT_EQ(none.code, 234);
  EXPECT_TRUE(none.out.starts_with(" cpt-of-nid: Calculate the CPTs"));
  EXPECT_NE(none.out.find("\tulnetctl cpt-of-nid nid[ nid ...]\n"), std::string::npos);
  EXPECT_NE(sh("lnetctl cpt-of-nid").out.find("\tlnetctl cpt-of-nid nid"), std::string::npos);
  node.unconfigure();
  EXPECT_NE(sh("ulnetctl cpt-of-nid 10.0.0.2@tcp").err.find("errno: -100"), std::string::npos);
}

TEST_F(Commands, ThePortalRotor) {  // spec/core-semantics.md 7.3
  for (const auto& [given, meant] : std::vector<std::pair<std::string, std::string>>{
           {"on", "ON"}, {"OFF", "OFF"}, {"rr", "RR_RT"}, {"Hash_RT", "HASH_RT"}}) {
    const Outcome set = sh("ulnetctl set portal_rotor " + given);
    EXPECT_EQ(set.code, 0) << set.err;
    EXPECT_EQ(set.err + set.out, "");
    EXPECT_EQ(node.param("portal_rotor"), meant);
  }
  for (const char* bad : {"spin", "o", "1", "''"}) {
    const Outcome refused = sh(std::string("ulnetctl set portal_rotor ") + bad);
    EXPECT_EQ(refused.code, 234) << bad;
    EXPECT_EQ(refused.err,
              "add:\n    - portal_rotor:\n          errno: -22\n          descr: \"Valid values "
              "are: OFF, ON, RR_RT, or HASH_RT\"\n");
  }
  EXPECT_EQ(node.param("portal_rotor"), "HASH_RT");
  EXPECT_EQ(sh("ulnetctl set portal_rotor").code, 234);
  sh("ulnetctl param set portal_rotor off; ulnetctl export e.yaml; ulnetctl set portal_rotor on");
  EXPECT_EQ(sh("ulnetctl import e.yaml").code, 0);
  EXPECT_EQ(node.param("portal_rotor"), "OFF") << "an export brings it back";
}

TEST_F(Commands, SetRefusesBadNumbersWithTheReason) {  // spec/cli-lnetctl.md 3.7
  EXPECT_EQ(sh("ulnetctl set retry_count 3").code, 0);
  EXPECT_EQ(node.global("retry_count"), 3);
  const Outcome help = sh("ulnetctl set retry_count");
  EXPECT_TRUE(help.out.starts_with("set retry_count: "));
  EXPECT_EQ(help.code, 234);
  for (const auto& [given, meant] :
       std::vector<std::pair<const char*, int>>{{"7", 1}, {"verify", 2}, {"0", 0}, {"2", 2}}) {
    EXPECT_EQ(sh(std::string("ulnetctl set discovery ") + given).code, 0) << given;
    EXPECT_EQ(node.global("discovery"), meant) << given;
  }
  EXPECT_EQ(sh("ulnetctl set discovery verify").err, "");
  EXPECT_EQ(sh("ulnetctl set discovery verified").code, 255);
  EXPECT_EQ(sh("ulnetctl import", "global:\n    discovery: verify\n    numa_range: 3\n").code, 0);
  EXPECT_EQ(node.global("discovery"), 2);
  EXPECT_EQ(sh("ulnetctl import", "global:\n    numa_range: verify\n").code, 234);
}

// spec/cli-lnetctl.md 3.7
TEST_F(Commands, SetRefusesInTheWordsOfEachSetting) {  // recorded on a production node
  const auto refused = [&](const std::string& setting, const std::string& entity, int code,
                           const std::string& descr, int exit_code) {
    const Outcome outcome = sh("lnetctl set " + setting);
    EXPECT_EQ(outcome.code, exit_code) << setting;
    const auto hint = outcome.err.find("# ");  // ulnet's addition
    EXPECT_EQ(outcome.err.substr(0, hint), "add:\n    - " + entity +
                                               ":\n          errno: " + std::to_string(code) +
                                               "\n          descr: \"" + descr + "\"\n");
  };
  refused("max_recovery_ping_interval 0", "maximum recovery ping interval", -22,
          "must be strictly positive", 234);
  refused("recovery_limit -1", "recovery_limit", -22, "Must be greater than or equal to 0", 234);
  sh("lnetctl set retry_count 3");
  refused("transaction_timeout 3", "transaction_timeout", -61,
          "cannot configure transaction timeout: Invalid argument", 195);
  EXPECT_THAT(sh("lnetctl set transaction_timeout 3").err,
              testing::HasSubstr("# transaction_timeout is from 1 to 2147483647, and greater than "
                                 "retry_count ('global show')\n"));
}

TEST_F(Commands, SettingsWithoutEffectSaySo) {
  const Outcome set = sh("ulnetctl set router_sensitivity 50");
  EXPECT_EQ(set.code, 0);
  EXPECT_EQ(set.out, "");
  EXPECT_EQ(set.err, "# router_sensitivity is deprecated and has no effect\n");
  EXPECT_EQ(sh("ulnetctl set router_sensitivity 100").err, "") << "its default";
  EXPECT_EQ(sh("ulnetctl set transaction_timeout 60").err, "") << "it has its effect";
  EXPECT_EQ(sh("ulnetctl set discovery 0").err, "");
  EXPECT_NE(sh("ulnetctl help set")
                .out.find("set router_sensitivity: set the percentage of "
                          "health that a router needs\n\tVALUE must be 0 to "
                          "100\n\tis deprecated and has no effect\n"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl param show -v router_sensitivity_percentage")
                .out.find("note: is deprecated and has no effect\n"),
            std::string::npos);
  const Outcome few = sh("ulnetctl param show nagle rnet_htable_size zc_recv");
  EXPECT_EQ(few.out, "param:\n    nagle: 0\n    rnet_htable_size: 128\n    zc_recv: 0\n");
  EXPECT_NE(few.err.find(": rnet_htable_size, zc_recv\n"), std::string::npos) << few.err;
}

TEST_F(Commands, Params) {
  EXPECT_EQ(sh("ulnetctl param show accept_timeout").out, "param:\n    accept_timeout: 5\n");
  EXPECT_EQ(sh("ulnetctl param set accept_timeout 7").code, 0);
  EXPECT_EQ(sh("ulnetctl param set min_bulk=128 nagle=yes").code, 0);
  EXPECT_EQ(sh("ulnetctl param show accept_timeout min_bulk nagle").out,
            "param:\n    accept_timeout: 7\n    min_bulk: 128\n    nagle: 1\n");
  EXPECT_NE(sh("ulnetctl param show -v accept_timeout").out.find("start_only: false"),
            std::string::npos);
  const Outcome start_only = sh("ulnetctl param set accept all");
  EXPECT_EQ(start_only.code, 234);
  EXPECT_NE(start_only.err.find("errno: -16"), std::string::npos);
  EXPECT_NE(sh("ulnetctl param set nosuch 1").err.find("no parameter 'nosuch'"), std::string::npos);
  EXPECT_NE(sh("ulnetctl param set min_bulk many").err.find("'many' is not a number"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl param set protocol 2").err.find("protocol is accepted but has no effect"),
            std::string::npos);
}

TEST_F(Commands, RuntimeFilesAndCounters) {
  const std::string rotor = sh("ulnetctl file portal_rotor").out;
  EXPECT_TRUE(rotor.starts_with("{\n\tportals: all\n\trotor: HASH_RT\n\tdescription: ")) << rotor;
  EXPECT_TRUE(rotor.ends_with("\n}\n")) << rotor;
  const Outcome unknown = sh("ulnetctl file ../nids");
  EXPECT_EQ(unknown.code, 234);
  EXPECT_NE(unknown.err.find("show:\n-     file:\n      errno: -2\n"), std::string::npos)
      << unknown.err;
  EXPECT_EQ(sh("ulnetctl file").code, 234);
  EXPECT_EQ(sh("ulnetctl file --help").code, 0);
  Tree counters = Tree::parse(sh("ulnetctl counters show --json").out);
  EXPECT_TRUE(counters["drops"].is_object());
  EXPECT_EQ(counters["memory"]["budget"], node.get("/v1/counters")["memory"]["budget"]);
  counters = {{"drops", {{"no match", 3}}}, {"driver", {{"accepted", 1}}}};
  node.answer_as_recorded("GET /v1/counters", counters);
  EXPECT_EQ(sh("ulnetctl counters show").out,
            "drops:\n    no match: 3\ndriver:\n    accepted: 1\n");
  EXPECT_EQ(Tree::parse(sh("ulnetctl counters show --json").out), counters);
}

TEST_F(Commands, StatusIsOneLineAndTheReasonsWithTheirCommands) {
  sh("ulnetctl net add --net tcp --if eth0");
  const std::string summary =
      "node n1 (pid " + std::to_string(::getpid()) + "): 1 network interface, 0 peers, 0 routes\n";
  const Outcome well = sh("ulnetctl status");
  EXPECT_EQ(well.out, "OK: " + summary);
  EXPECT_EQ(well.code, 0);
  Tree net = node.get("/v1/net");
  net["net"][1]["local NI(s)"][0]["status"] = "down";
  node.answer_as_recorded("GET /v1/net", net);
  const Outcome bad = sh("ulnetctl --control " + node.socket() + " status");
  EXPECT_EQ(bad.out, "ERROR: " + summary +
                         "  every network interface is down: 10.99.0.3@tcp\n"
                         "      ulnetctl --control " +
                         node.socket() + " events --types ni\n");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(Tree::parse(sh("ulnetctl --json status").out)["status"]["health"], "ERROR");
  node.unconfigure();
  const Outcome off = sh("ulnetctl status");
  EXPECT_NE(off.out.find("\n  LNet is not configured\n      ulnetctl lnet configure --all\n"),
            std::string::npos)
      << off.out;
  EXPECT_EQ(off.code, 2);
}

TEST_F(Commands, ReloadReportsItsResult) {
  node::control::Reloaded done{.changes = 1, .failures = {}, .warnings = {"a.yaml:3:5: odd"}};
  node.reload_with([&] { return done; });
  const Outcome good = sh("ulnetctl reload");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(good.out, "reload:\n    changes: 1\n    failures: 0\n");
  EXPECT_EQ(good.err, "warning: a.yaml:3:5: odd\n");
  done.failures = {{-ENODEV, "adding tcp(eth9): no"}};
  const Outcome bad = sh("ulnetctl reload");
  EXPECT_EQ(bad.code, 234);
  EXPECT_NE(bad.err.find("errno: -19\n      descr: ! \"adding tcp(eth9): no\"\n"),
            std::string::npos)
      << bad.err;
}

TEST_F(Commands, HintsAreAddedToTheRecordedErrors) {  // spec/cli-lnetctl.md 7
  const Outcome refused = sh("lnetctl net add --net tcp --if eth9");
  EXPECT_EQ(refused.err,
            "---\nadd:\n-     net:\n      errno: -100\n      descr: ! \"cannot add LNet NI\"\n"
            "...\n# there is no interface 'eth9'\n");
  EXPECT_EQ(tree_of_yaml(refused.err)["add"][0]["errno"], -100) << "still YAML";
  const Outcome unknown = sh("ulnetctl ping no-such-host.invalid@tcp");
  EXPECT_EQ(unknown.code, 234);
  EXPECT_NE(unknown.err.find("# the name of the host 'no-such-host.invalid' is not known\n"),
            std::string::npos)
      << unknown.err;
  write_file("ping.yaml", "ping:\n    nids:\n        0: no-such-host.invalid@tcp\n");
  EXPECT_NE(sh("ulnetctl import --exec ping.yaml").err.find("host 'no-such-host.invalid' is not"),
            std::string::npos);
}

}  // namespace
}  // namespace ulnet::ctl::test
