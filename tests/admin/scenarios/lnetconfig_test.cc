// The DLC library's functions: their requests to the node, their output, and their errors.
#include "ulnet/lnetconfig.h"

#include <string>
#include <thread>

#include "dlc_fixture.h"

namespace ulnet::ctl::test {
namespace {

TEST_F(LnetConfigC, NisAreAddedShownAndDeleted) {  // spec/cli-lnetctl.md 13
  lustre_lnet_tunables tunables = LUSTRE_LNET_TUNABLES_INIT;
  tunables.credits = 99;
  tunables.conns_per_peer = 2;
  lustre_lnet_cpts cpts{};
  cpts.count = 1;
  cpts.cpt[0] = 1;
  ASSERT_EQ(add("tcp", "eth0[0],eth1", &tunables, &cpts), 0) << taken(err);
  EXPECT_EQ(node.nets()[0]["local NI(s)"][0]["tunables"]["credits"], 99);
  EXPECT_EQ(node.nets()[0]["local NI(s)"][0]["CPT"], "[0]") << "the interface's own";
  EXPECT_EQ(node.nets()[0]["local NI(s)"][1]["CPT"], "[1]") << "the call's";
  EXPECT_EQ(node.nets()[0]["local NI(s)"][1]["lnd tunables"]["conns_per_peer"], 2);

  ASSERT_EQ(lustre_lnet_show_net("tcp", 0, -1, &shown, &err, false), 0);
  EXPECT_EQ(taken(shown),
            "net:\n-     net type: tcp\n      local NI(s):\n      -     nid: 10.99.0.3@tcp\n"
            "            status: up\n            interfaces:\n                  0: eth0\n"
            "      -     nid: 10.99.1.3@tcp\n            status: up\n"
            "            interfaces:\n                  0: eth1\n");
  ASSERT_EQ(lustre_lnet_show_net(nullptr, 1, -1, &shown, &err, true), 0);
  EXPECT_EQ(taken(shown).find("status"), std::string::npos) << "a backup has no state";

  lustre_lnet_nw_descr nw;
  lustre_lnet_init_nw_descr(&nw);
  std::snprintf(nw.nid, sizeof nw.nid, "10.99.0.3@tcp");
  EXPECT_EQ(lustre_lnet_del_ni(&nw, -1, &err), 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  lustre_lnet_init_nw_descr(&nw);
  std::snprintf(nw.net, sizeof nw.net, "tcp");
  ASSERT_EQ(lustre_lnet_add_intf_descr(&nw.interfaces, "eth1", nullptr), 0);
  EXPECT_EQ(lustre_lnet_del_ni(&nw, -1, &err), 0);
  lustre_lnet_free_intf_descr(&nw.interfaces);
  EXPECT_TRUE(node.nets().empty());
  EXPECT_EQ(err, nullptr);
}

TEST_F(LnetConfigC, NisAreAddedByNidAndByRule) {  // spec/cli-lnetctl.md 13
  lustre_lnet_nw_descr nw;
  lustre_lnet_init_nw_descr(&nw);
  std::snprintf(nw.nid, sizeof nw.nid, "10.99.1.3@tcp2");
  EXPECT_EQ(lustre_lnet_config_ni(&nw, nullptr, nullptr, nullptr, -1, &err), 0);
  EXPECT_EQ(node.nets()[0]["net type"], "tcp2");
  node.add_interface("lo", "127.0.0.1");
  EXPECT_EQ(lustre_lnet_config_ni(nullptr, nullptr, "tcp3(lo) 127.0.0.*", nullptr, -1, &err), 0);
  EXPECT_EQ(node.nets()[1]["net type"], "tcp3");
  lustre_lnet_ip2nets rule{};
  std::snprintf(rule.nw.net, sizeof rule.nw.net, "tcp4");
  ASSERT_EQ(lustre_lnet_add_intf_descr(&rule.nw.interfaces, "lo", nullptr), 0);
  EXPECT_EQ(lustre_lnet_config_ip2nets(&rule, nullptr, nullptr, -1, &err), 0);
  EXPECT_EQ(node.nets()[2]["net type"], "tcp4");
  lustre_lnet_free_intf_descr(&rule.nw.interfaces);
  EXPECT_EQ(err, nullptr);
}

TEST_F(LnetConfigC, ErrorsAreTreesWithTheNodesReasonAndHint) {  // spec/cli-lnetctl.md 7, 13
  EXPECT_EQ(add("tcp", "eth7"), -ENETDOWN);
  EXPECT_STREQ(ulnet_lnetconfig_last_error(), "cannot add LNet NI");
  EXPECT_STREQ(ulnet_lnetconfig_last_hint(), "there is no interface 'eth7'");
  EXPECT_EQ(taken(err), error_text("add", "net", -100, "cannot add LNet NI"));
  EXPECT_EQ(lustre_lnet_show_net("tcp9", 0, 3, &shown, &err, false), -ESRCH);
  EXPECT_EQ(shown, nullptr);
  EXPECT_EQ(taken(err),
            "show:\n    - net:\n          seq_no: 3\n          errno: -3\n"
            "          descr: \"Network is down\"\n");
  EXPECT_EQ(lustre_lnet_config_ni(nullptr, nullptr, nullptr, nullptr, -1, &err),
            LUSTRE_LNET_MISSING_PARAM);
  EXPECT_EQ(lustre_lnet_del_ni(nullptr, -1, &err), LUSTRE_LNET_MISSING_PARAM);
  const cYAML* const added = cYAML_get_object_item(err, "add");
  ASSERT_NE(added, nullptr);
  EXPECT_NE(cYAML_get_object_item(err, "del"), nullptr) << "errors of several calls in one tree";
  EXPECT_EQ(cYAML_get_object_item(cYAML_get_object_item(added->child, "net"), "errno")->number,
            -EFAULT);
  lustre_lnet_tunables tunables = LUSTRE_LNET_TUNABLES_INIT;
  tunables.tos = 256;
  EXPECT_EQ(add("tcp", "eth0", &tunables), -EINVAL);
  EXPECT_STREQ(ulnet_lnetconfig_last_error(), "Invalid ToS argument");
  EXPECT_EQ(add("lo", "eth0"), -ENODEV);
  EXPECT_EQ(lustre_lnet_show_stats(-1, nullptr, nullptr), 0) << "nobody wants the tree";
  EXPECT_STREQ(ulnet_lnetconfig_last_error(), "");
}

TEST_F(LnetConfigC, NisAreSet) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_config_ni_healthv(5000, false, "10.0.0.1@tcp", -1, &err), 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/net {"nid":"10.0.0.1@tcp","health":1000})");
  EXPECT_EQ(lustre_lnet_config_ni_conns_per_peer(4, true, nullptr, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/net {"all":true,"conns_per_peer":4})");
  EXPECT_EQ(lustre_lnet_config_lnd_timeout(20, "tcp", -1, &err), 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/net {"net":"tcp","lnd_timeout":20})");
  EXPECT_EQ(err, nullptr);
  EXPECT_EQ(lustre_lnet_config_ni_conns_per_peer(128, true, nullptr, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_ni_healthv(1, false, nullptr, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_lnd_timeout(20, "foo", -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_lnd_timeout(-1, "tcp", -1, &err), -EINVAL);
}

TEST_F(LnetConfigC, SettingsAreSetAndShown) {  // spec/cli-lnetctl.md 13
  struct Setting {
    int (*config)(int, int, cYAML**);
    int (*show)(int, cYAML**, cYAML**);
    const char* name;
    int value;
  };
  const Setting settings[] = {
      {lustre_lnet_config_numa_range, lustre_lnet_show_numa_range, "numa_range", 7},
      {lustre_lnet_config_max_intf, lustre_lnet_show_max_intf, "max_interfaces", 32},
      {lustre_lnet_config_discovery, lustre_lnet_show_discovery, "discovery", 0},
      {lustre_lnet_config_drop_asym_route, lustre_lnet_show_drop_asym_route, "drop_asym_route", 1},
      {lustre_lnet_config_retry_count, lustre_lnet_show_retry_count, "retry_count", 4},
      {lustre_lnet_config_transaction_to, lustre_lnet_show_transaction_to, "transaction_timeout",
       99},
      {lustre_lnet_config_hsensitivity, lustre_lnet_show_hsensitivity, "health_sensitivity", 3},
      {lustre_lnet_config_recov_intrv, lustre_lnet_show_recov_intrv, "recovery_interval", 2},
      {lustre_lnet_config_rtr_sensitivity, lustre_lnet_show_rtr_sensitivity, "router_sensitivity",
       50},
      {lustre_lnet_config_response_tracking, lustre_lnet_show_response_tracking,
       "response_tracking", 1},
      {lustre_lnet_config_recovery_limit, lustre_lnet_show_recovery_limit, "recovery_limit", 6},
      {lustre_lnet_config_max_recovery_ping_interval, lustre_lnet_show_max_recovery_ping_interval,
       "max_recovery_ping_interval", 8},
  };
  std::string all = "global:\n";
  for (const Setting& setting : settings) {
    EXPECT_EQ(setting.config(setting.value, -1, &err), 0) << setting.name;
    EXPECT_EQ(node.global(setting.name), setting.value);
    EXPECT_EQ(setting.show(-1, &shown, &err), 0) << setting.name;
    all += std::string("    ") + setting.name + ": " + std::to_string(setting.value) + "\n";
  }
  EXPECT_EQ(lustre_lnet_show_lnd_timeout(-1, &shown, &err), 0);
  all += "    lnd_timeout: " + node.global("lnd_timeout").dump() + "\n";
  EXPECT_EQ(taken(shown), all) << "the shows of one tree make one section";
  EXPECT_EQ(err, nullptr);
  EXPECT_EQ(lustre_lnet_config_response_tracking(4, -1, &err), LUSTRE_LNET_BAD_PARAM);
  EXPECT_EQ(taken(err),
            error_text("add", "response_tracking", -22, "Valid values are: 0, 1, 2, or 3"));
}

TEST_F(LnetConfigC, PeersAreShownListedAndDeleted) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(lustre_lnet_modify_peer("10.0.0.1@tcp", "", true, LUSTRE_LNET_PEER_ADD, true, -1, &err),
            0);
  ASSERT_EQ(lustre_lnet_show_peer(nullptr, 0, -1, &shown, &err, false), 0);
  EXPECT_EQ(taken(shown),
            "peer:\n-     primary nid: 10.0.0.1@tcp\n      Multi-Rail: true\n      peer ni:\n"
            "      -     nid: 10.0.0.1@tcp\n            state: NA\n");
  ASSERT_EQ(lustre_lnet_list_peer(-1, &shown, &err), 0);
  EXPECT_EQ(taken(shown), "peer list:\n-     nid: 10.0.0.1@tcp\n");
  EXPECT_EQ(lustre_lnet_show_peer("nobody", 0, -1, &shown, &err, false), -EINVAL);
  EXPECT_EQ(
      lustre_lnet_modify_peer("10.0.0.1@tcp", "", true, LUSTRE_LNET_PEER_DEL, true, -1, nullptr),
      0);
  EXPECT_EQ(last_request(), R"(DELETE /v1/peer {"primary nid":"10.0.0.1@tcp","force":true})");
  EXPECT_EQ(lustre_lnet_modify_peer(nullptr, "", true, LUSTRE_LNET_PEER_DEL, false, -1, nullptr),
            LUSTRE_LNET_MISSING_PARAM);
  EXPECT_EQ(lustre_lnet_modify_peer("10.0.0.1@tcp", "10.0.[0-1].[1-100]@tcp", true,
                                    LUSTRE_LNET_PEER_DEL, false, -1, nullptr),
            -E2BIG);
}

TEST_F(LnetConfigC, APingShowsWhoAnsweredAndReportsTheOthers) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(add("tcp", "eth0"), 0);
  network.host({"10.0.0.1@tcp"});
  network.refuse("10.0.0.2@tcp", -ETIMEDOUT, "nobody there");
  EXPECT_EQ(lustre_lnet_ping_nid("10.0.0.[1-2]@tcp", nullptr, 1, -1, &shown, &err),
            LUSTRE_LNET_TARGET_FAILED);
  EXPECT_NE(taken(shown).find("primary nid: 10.0.0.1@tcp"), std::string::npos);
  EXPECT_EQ(taken(err), error_text("manage", "ping", -110,
                                   "failed to ping 10.0.0.2@tcp: Connection timed out"));
  EXPECT_STREQ(ulnet_lnetconfig_last_hint(), "nobody there");
  EXPECT_EQ(lustre_lnet_ping_nid("10.0.0.1@tcp", "10.99.0.3@tcp", 0, -1, nullptr, &err), 0);
  EXPECT_NE(last_request().find(R"("timeout_ms":180000,"source":"10.99.0.3@tcp")"),
            std::string::npos);
  EXPECT_EQ(lustre_lnet_ping_nid("10.0.0.1.1@tcp", nullptr, 1, -1, nullptr, &err), -EINVAL);
}

TEST_F(LnetConfigC, RoutesAreFilteredAndCutToTheAskedDetail) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(add("tcp", "eth0"), 0);
  const auto add_route = [&](const char* net, const char* gateway, int hops, int priority) {
    EXPECT_EQ(lustre_lnet_config_route(net, gateway, hops, priority, -1, &err), 0) << taken(err);
  };
  add_route("tcp1", "10.0.0.1@tcp", -1, 0);
  add_route("tcp1", "10.0.0.9@tcp", 2, 0);
  add_route("tcp2", "10.0.0.1@tcp", 3, 1);
  node.wait_for_silent("10.0.0.1@tcp");
  ASSERT_EQ(lustre_lnet_show_route("tcp1", "10.0.0.[1-8]@tcp", 9, 9, 0, -1, &shown, &err, false),
            0);
  EXPECT_EQ(taken(shown), "route:\n-     net: tcp1\n      gateway: 10.0.0.1@tcp\n");
  ASSERT_EQ(lustre_lnet_show_route("tcp2", nullptr, -1, -1, 1, -1, &shown, &err, true), 0);
  EXPECT_EQ(taken(shown),
            "route:\n-     net: tcp2\n      gateway: 10.0.0.1@tcp\n      hop: 3\n"
            "      priority: 1\n");
  ASSERT_EQ(lustre_lnet_show_route(nullptr, nullptr, -1, -1, 1, -1, &shown, &err, false), 0);
  EXPECT_NE(taken(shown).find("state: down"), std::string::npos);
  EXPECT_EQ(lustre_lnet_show_route(nullptr, "10.0.0", -1, -1, 1, -1, &shown, &err, false), -EINVAL);
}

TEST_F(LnetConfigC, EmptyListsLeaveTheTreeUnchanged) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_show_route(nullptr, nullptr, -1, -1, 1, -1, &shown, &err, false), 0);
  EXPECT_EQ(lustre_lnet_show_routing(-1, &shown, &err, true), 0);
  EXPECT_EQ(lustre_lnet_show_udsp(-1, -1, &shown, &err), 0);
  EXPECT_EQ(lustre_lnet_show_local_ni_recovq(-1, &shown, &err), 0);
  EXPECT_EQ(lustre_lnet_show_peer_ni_recovq(-1, &shown, &err), 0);
  EXPECT_EQ(yaml_lnet_fault_rule(&shown, YAML_LNET_FAULT_SHOW, nullptr, nullptr, nullptr, nullptr),
            0);
  EXPECT_EQ(lustre_lnet_list_peer(-1, &shown, &err), 0);
  EXPECT_EQ(shown, nullptr);
  EXPECT_EQ(err, nullptr);
}

TEST_F(LnetConfigC, PeersAreMadeAndSet) {
  EXPECT_EQ(lustre_lnet_modify_peer("10.0.0.1@tcp", "10.0.0.[2-3]@tcp", true, LUSTRE_LNET_PEER_ADD,
                                    true, -1, &err),
            0);
  EXPECT_EQ(last_request(), R"(POST /v1/peer {"primary nid":"10.0.0.1@tcp","Multi-Rail":true,)"
                            R"("nids":["10.0.0.2@tcp","10.0.0.3@tcp"],"lock":true})");
  EXPECT_EQ(lustre_lnet_config_peer_ni_healthv(9, true, nullptr, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/peer {"all":true,"health":9})");
  EXPECT_EQ(lustre_lnet_set_peer_state(1, "10.0.0.1@tcp", -1, &err), 0);
  EXPECT_EQ(node.peers()[0]["peer state"], 1);
  EXPECT_EQ(lustre_lnet_show_peer_debug_info("10.0.0.1@tcp", -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/peer/debug {"nid":"10.0.0.1@tcp"})");
  EXPECT_EQ(err, nullptr);
  EXPECT_EQ(lustre_lnet_modify_peer("10.0.0.9@tcp", "10.0.0.[1-200]@tcp", true,
                                    LUSTRE_LNET_PEER_ADD, false, -1, &err),
            -E2BIG);
  EXPECT_EQ(lustre_lnet_set_peer_state(1, "10.0.0.8@tcp", -1, &err), -ENOENT);
}

TEST_F(LnetConfigC, NodesAreDiscovered) {  // spec/cli-lnetctl.md 3.11, 5.2, 13
  ASSERT_EQ(add("tcp", "eth0"), 0);
  network.host({"10.0.0.1@tcp", "10.0.0.2@tcp"});
  network.refuse("10.0.0.9@tcp", -EHOSTUNREACH, "nobody listens there");
  EXPECT_EQ(lustre_lnet_discover_nid("10.0.0.2@tcp", true, -1, &shown, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/discover {"nids":["10.0.0.2@tcp"],"force":true})");
  EXPECT_EQ(taken(shown),
            "discover:\n- primary nid: 10.0.0.1@tcp\n  Multi-Rail: true\n  peer_ni:\n"
            "  - nid: 10.0.0.1@tcp\n  - nid: 10.0.0.2@tcp\n");
  EXPECT_EQ(lustre_lnet_discover_nid("10.0.0.9@tcp", false, -1, &shown, &err),
            LUSTRE_LNET_TARGET_FAILED);
  EXPECT_STREQ(ulnet_lnetconfig_last_hint(), "nobody listens there");
  EXPECT_EQ(taken(err), error_text("manage", "discover", -113,
                                   "failed to discover 10.0.0.9@tcp: No route to host"));
  EXPECT_EQ(lustre_lnet_discover_nid("10.0.0.2", false, -1, &shown, &err), -EINVAL);
  const std::string text = "discover:\n    nids: {0: 10.0.0.2@tcp}\n    force: true\n";
  cYAML_free_tree(shown);
  shown = nullptr;
  EXPECT_EQ(lustre_yaml_exec(text.data(), text.size(), -1, &shown, &err), 0);
  EXPECT_NE(taken(shown).find("discover:\n"), std::string::npos);
}

TEST_F(LnetConfigC, RoutesAndRoutingAreConfigured) {  // spec/cli-lnetctl.md 13
  node.restart({{"router_ping_timeout", "0"}, {"alive_router_check_interval", "0"}});
  const auto sent = [&](int code, int expected, const char* request) {
    EXPECT_EQ(code, expected) << request << ": " << ulnet_lnetconfig_last_error();
    EXPECT_EQ(last_request().substr(0, std::string(request).size()), request);
  };
  const char* const add = R"(POST /v1/route {"net":"tcp1","gateway":"10.0.0.1@tcp","hop":2})";
  sent(lustre_lnet_config_route("tcp1", "10.0.0.1@tcp", 2, -1, -1, &err), -EHOSTUNREACH, add);
  ASSERT_EQ(LnetConfigC::add("tcp", "eth0"), 0);
  sent(lustre_lnet_config_route("tcp1", "10.0.0.1@tcp", 2, -1, -1, &err), 0, add);
  sent(lustre_lnet_config_route("tcp1", "10.0.0.1@tcp", 2, -1, -1, &err), -EEXIST, add);
  const char* const del = R"(DELETE /v1/route {"net":"tcp1","gateway":"10.0.0.1@tcp"})";
  sent(lustre_lnet_del_route("tcp1", "10.0.0.1@tcp", -1, &err), 0, del);
  sent(lustre_lnet_del_route("tcp1", "10.0.0.1@tcp", -1, &err), -ENOENT, del);
  sent(lustre_lnet_config_buffers(0, -1, 5, -1, &err), 0,
       R"(PATCH /v1/buffers {"tiny":0,"large":5})");
  sent(lustre_lnet_config_routing(1, -1, &err), 0, R"(PATCH /v1/routing {"enable":1})");
  node.wait_for_routing();
  EXPECT_EQ(shown, nullptr);
  ASSERT_EQ(lustre_lnet_show_routing(-1, &shown, &err, false), 0);
  EXPECT_NE(taken(shown).find("- enable: 1\nbuffers:\n"), std::string::npos);
  ASSERT_EQ(lustre_lnet_show_routing(-1, &shown, &err, true), 0);
  EXPECT_TRUE(taken(shown).starts_with("routing:\n    enable: 1\nbuffers:\n    tiny: "));
  EXPECT_NE(cYAML_get_object_item(err, "add"), nullptr);
}

TEST_F(LnetConfigC, FaultRulesAreAddedShownResetAndDeleted) {  // spec/cli-lnetctl.md 13
  yaml_lnet_fault_attr attr{};
  attr.rate = 2;
  attr.health_mask = 1U << 6;
  const auto rule = [&](yaml_lnet_fault_op op, const char* src, const char* dst,
                        const yaml_lnet_fault_attr* with) {
    return yaml_lnet_fault_rule(nullptr, op, src, dst, nullptr, with);
  };
  EXPECT_EQ(rule(YAML_LNET_FAULT_ADD, "*@tcp", "*@tcp", &attr), 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/fault {"rule_type":"drop","fa_src":"*@tcp","fa_dst":"*@tcp",)"
            R"("fa_ptl_mask":0,"fa_msg_mask":0,"da_rate":2,"da_interval":0,)"
            R"("da_health_error_mask":64})");
  attr = {};
  attr.delay = true, attr.interval = 3, attr.latency = 1;
  EXPECT_EQ(rule(YAML_LNET_FAULT_ADD, "*", "10.0.0.1@tcp", &attr), 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/fault {"rule_type":"delay","fa_src":"*","fa_dst":"10.0.0.1@tcp",)"
            R"("fa_ptl_mask":0,"fa_msg_mask":0,"la_rate":0,"la_interval":3,"la_latency":1})");
  EXPECT_EQ(yaml_lnet_fault_rule(&shown, YAML_LNET_FAULT_SHOW, nullptr, nullptr, nullptr, nullptr),
            0);
  EXPECT_NE(taken(shown).find("rule_type: delay"), std::string::npos);
  EXPECT_EQ(rule(YAML_LNET_FAULT_RESET, nullptr, nullptr, &attr), 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/fault {"rule_type":"delay"})");
  EXPECT_EQ(rule(YAML_LNET_FAULT_DEL, "*@tcp", "*@tcp", nullptr), 0);
  EXPECT_EQ(rule(YAML_LNET_FAULT_DEL, "*@tcp", "*@tcp", nullptr), -ENOENT);
  EXPECT_EQ(rule(YAML_LNET_FAULT_DEL, nullptr, nullptr, &attr), 0);
  EXPECT_TRUE(node.get("/v1/fault")["fault"].empty());
}

TEST_F(LnetConfigC, PoliciesAreAddedShownAndDeleted) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_add_udsp("tcp0", nullptr, nullptr, "priority", 3, -1, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/udsp {"src":"tcp","priority":3})");
  EXPECT_EQ(lustre_lnet_add_udsp("10.0.0.1@tcp", "10.0.0.[2-3]@tcp", "", "pref", 9, -1, -1, &err),
            0);
  EXPECT_EQ(last_request(), R"(POST /v1/udsp {"src":"10.0.0.1@tcp","dst":"10.0.0.[2-3]@tcp"})");
  EXPECT_EQ(lustre_lnet_add_udsp(nullptr, "tcp1", nullptr, "pref", 9, 1, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/udsp {"dst":"tcp1","priority":0,"idx":1})");
  ASSERT_EQ(lustre_lnet_show_udsp(-1, -1, &shown, &err), 0);
  EXPECT_EQ(taken(shown),
            "udsp:\n    - idx: 0\n      src: tcp\n      action:\n          priority: 3\n"
            "    - idx: 1\n      dst: tcp1\n      action:\n          priority: 0\n"
            "    - idx: 2\n      src: 10.0.0.1@tcp\n      dst: 10.0.0.[2-3]@tcp\n");
  ASSERT_EQ(lustre_lnet_show_udsp(2, -1, &shown, &err), 0);
  EXPECT_EQ(taken(shown),
            "udsp:\n    - idx: 2\n      src: 10.0.0.1@tcp\n      dst: 10.0.0.[2-3]@tcp\n");
  EXPECT_EQ(lustre_lnet_del_udsp(0, -1, &err), 0);
  EXPECT_EQ(node.policies().size(), 2U);
  EXPECT_EQ(err, nullptr);

  EXPECT_EQ(lustre_lnet_add_udsp(nullptr, "tcp1", nullptr, "priority", 0, -1, -1, &err), -EALREADY);
  EXPECT_STREQ(ulnet_lnetconfig_last_hint(), "the rule is there already");
  EXPECT_EQ(taken(err),
            error_text("add", "udsp", -114, "cannot add udsp: Operation already in progress"));
  EXPECT_EQ(lustre_lnet_del_udsp(7, -1, &err), -ENOENT);
  EXPECT_EQ(taken(err),
            error_text("del", "udsp", -2, "cannot del udsp: No such file or directory"));
  EXPECT_EQ(lustre_lnet_del_udsp(-1, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(DELETE /v1/udsp {"all":true})");
  EXPECT_TRUE(node.policies().empty());
  node.unconfigure();
  EXPECT_EQ(lustre_lnet_del_udsp(-1, -1, &err), -ENETDOWN);
  EXPECT_STREQ(ulnet_lnetconfig_last_hint(),
               "LNet is not configured in this node: 'lnet configure' starts it");
}

TEST_F(LnetConfigC, MissingInterfacesAreRefusedWithoutTheNode) {
  const std::string before = last_request();
  std::uint64_t id = 0;
  EXPECT_EQ(lustre_lnet_calc_service_id(&id, -1, &err), -ENOSYS);
  EXPECT_EQ(lustre_lnet_setup_mrrouting(-1, &err), -ENOSYS);
  EXPECT_EQ(lustre_lnet_setup_sysctl(-1, &err), -ENOSYS);
  EXPECT_EQ(last_request(), before);
}

TEST_F(LnetConfigC, ArgumentsThatMakeNoSenseAreRefusedWithoutTheNode) {  // spec/cli-lnetctl.md 13
  const std::string before = last_request();
  EXPECT_EQ(lustre_lnet_config_route(nullptr, "10.0.0.1@tcp", -1, -1, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_config_route("tcp1", "10.0.0.1@tcp", 0, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_route("tcp1", "10.0.0.1@tcp", 256, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_routing(2, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_config_buffers(-2, -1, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_udsp(nullptr, nullptr, nullptr, "pref", 0, -1, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_add_udsp("tcp", nullptr, "1.1.1.1@tcp", "pref", 0, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_udsp("tcp", nullptr, nullptr, "best", 0, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_udsp("nobody", nullptr, nullptr, "pref", 0, -1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_udsp("tcp", nullptr, nullptr, "priority", 0x80000000U, -1, -1, &err),
            -EINVAL);
  EXPECT_EQ(lustre_lnet_add_udsp("tcp", nullptr, nullptr, "pref", 0, -2, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_del_udsp(-2, -1, &err), -EINVAL) << "not all of them";
  EXPECT_EQ(lustre_lnet_show_udsp(-2, -1, &shown, &err), -EINVAL);
  yaml_lnet_fault_attr attr{};
  const auto add_fault = [&](const char* dst) {
    return yaml_lnet_fault_rule(nullptr, YAML_LNET_FAULT_ADD, "*@tcp", dst, nullptr, &attr);
  };
  EXPECT_EQ(add_fault("*@tcp"), -EINVAL) << "neither rate nor interval";
  attr.rate = attr.interval = 1;
  EXPECT_EQ(add_fault("*@tcp"), -EINVAL) << "both";
  attr.rate = 1, attr.interval = 0, attr.random = true;
  EXPECT_EQ(add_fault("*@tcp"), -EINVAL) << "random without interval";
  attr.random = false, attr.delay = true;
  EXPECT_EQ(add_fault("*@tcp"), -EINVAL) << "no latency";
  attr.latency = 1;
  EXPECT_EQ(add_fault(nullptr), -EINVAL) << "no destination";
  EXPECT_EQ(last_request(), before);
}

TEST_F(LnetConfigC, StatisticsAreShownAndReset) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(lustre_lnet_ping_nid("0@lo", nullptr, 1, -1, nullptr, &err), 0) << taken(err);
  const auto sent = [&] {
    EXPECT_EQ(lustre_lnet_show_stats(-1, &shown, &err), 0);
    const std::string text = taken(shown);
    EXPECT_TRUE(text.starts_with("statistics:\n    msgs_alloc: ")) << text;
    EXPECT_NE(text.find("\n    errors: 0\n"), std::string::npos) << text;
    const std::size_t from = text.find("    send_count: ");
    return text.substr(from, text.find('\n', from) + 1 - from);
  };
  EXPECT_NE(sent(), "    send_count: 0\n") << "the ping and its answer";
  EXPECT_EQ(lustre_lnet_reset_stats(-1, &err), 0);
  EXPECT_EQ(last_request().substr(0, 16), "DELETE /v1/stats");
  EXPECT_EQ(sent(), "    send_count: 0\n");
}

TEST_F(LnetConfigC, DocumentsAreImportedItemByItem) {  // spec/cli-lnetctl.md 13
  const std::string text =
      "net:\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n"
      "              0: eth0\n        - interfaces:\n              0: eth7\n"
      "global:\n    numa_range: 5\n"
      "udsp:\n    - src: tcp\n"
      "route:\n    - net: tcp1\n      gateway: 10.0.0.1@tcp9\n";
  EXPECT_EQ(lustre_yaml_config(text.data(), text.size(), -1, &err), -ENETDOWN);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  EXPECT_EQ(node.global("numa_range"), 5) << "an error stops nothing";
  const std::string errors = taken(err);
  EXPECT_NE(errors.find("- net:\n          errno: -100"), std::string::npos) << errors;
  EXPECT_NE(errors.find("- import:\n          errno: -113"), std::string::npos) << errors;
  EXPECT_EQ(node.policies().size(), 1U);
  EXPECT_EQ(node.batches(), 1);
  EXPECT_EQ(lustre_yaml_show(text.data(), text.size(), -1, &shown, &err), -ENOENT);
  const std::string named = taken(shown);
  EXPECT_NE(named.find("numa_range: 5"), std::string::npos);
  EXPECT_NE(named.find("udsp:\n    - idx: 0\n"), std::string::npos) << named;
  const std::string del = "net:\n    - net type: tcp\n";
  EXPECT_EQ(lustre_yaml_del(del.data(), del.size(), -1, nullptr), 0);
  EXPECT_TRUE(node.nets().empty());
  cYAML_free_tree(err);
  err = nullptr;
  EXPECT_EQ(lustre_yaml_config("a: [", 4, 5, &err), -EINVAL);
  EXPECT_NE(taken(err).find("- import:\n          seq_no: 5"), std::string::npos);
}

TEST_F(LnetConfigC, DocumentsAreExecuted) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(add("tcp", "eth0"), 0);
  network.host({"10.0.0.1@tcp"});
  const std::string text = "ping:\n    nids:\n        0: 10.0.0.1@tcp\n        1: 10.0.0.2@tcp\n";
  EXPECT_EQ(lustre_yaml_exec(text.data(), text.size(), -1, &shown, &err),
            LUSTRE_LNET_TARGET_FAILED);
  EXPECT_NE(taken(shown).find("primary nid: 10.0.0.1@tcp"), std::string::npos);
  EXPECT_NE(taken(err).find("errno: -113"), std::string::npos);
}

TEST_F(LnetConfigC, LnetIsConfiguredAndUnconfigured) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_config_ni_system(false, false, -1, &err), 0);
  EXPECT_EQ(lustre_lnet_show_stats(-1, &shown, &err), -ENETDOWN);
  const char* message = "x";
  EXPECT_EQ(yaml_lnet_configure(YAML_LNET_UP | YAML_LNET_LARGE, &message), 0);
  EXPECT_EQ(message, nullptr);
  EXPECT_EQ(last_request(), R"(POST /v1/lnet {"op":"configure","all":false,"large":true})");
  node.answer_as_recorded("POST /v1/lnet", {{"errno", -EBUSY}, {"descr", "LNet busy"}}, 409);
  EXPECT_EQ(yaml_lnet_configure(0, &message), -EBUSY);
  EXPECT_NE(message, nullptr);
  EXPECT_EQ(lustre_lnet_config_ni_system(false, false, -1, &err), -EBUSY);
}

TEST_F(LnetConfigC, TheLibraryIsUsedAfterInitOnly) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(ulnet_lnetconfig_use_node("other"), -EBUSY);
  ASSERT_EQ(lustre_lnet_config_lib_init(), 0);
  lustre_lnet_config_lib_uninit();
  EXPECT_EQ(lustre_lnet_show_stats(-1, &shown, &err), 0) << "one user is left";
  lustre_lnet_config_lib_uninit();
  EXPECT_EQ(lustre_lnet_show_stats(-1, &shown, &err), -ENOTCONN);
  lustre_lnet_config_lib_uninit();
  ASSERT_EQ(ulnet_lnetconfig_use_node((folder / "nobody.sock").c_str()), 0);
  EXPECT_EQ(lustre_lnet_config_lib_init(), -ENOENT);
  EXPECT_NE(std::string(ulnet_lnetconfig_last_error()).find("nobody.sock"), std::string::npos);
  ASSERT_EQ(ulnet_lnetconfig_use_node(node.socket().c_str()), 0);
  ASSERT_EQ(lustre_lnet_config_lib_init(), 0);
}

TEST_F(LnetConfigC, EveryThreadHasItsOwnLastError) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_config_response_tracking(9, -1, nullptr), -EINVAL);
  std::thread([] {
    EXPECT_STREQ(ulnet_lnetconfig_last_error(), "");
    for (int i = 0; i < 20; ++i) EXPECT_EQ(lustre_lnet_show_stats(-1, nullptr, nullptr), 0);
  }).join();
  EXPECT_STREQ(ulnet_lnetconfig_last_error(), "Valid values are: 0, 1, 2, or 3");
}

}  // namespace
}  // namespace ulnet::ctl::test
