// The functions that only the design document has: their requests to the node and their output.
// Source: spec/design-vs-today.md 2.2, 2.5.
#include "dlc_fixture.h"
#include "ulnet/lnetconfig_hld.h"

namespace ulnet::ctl::test {
namespace {

using LnetConfigHld = LnetConfigC;

TEST_F(LnetConfigHld, NetsAreAddedShownAndDeleted) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(
      lustre_lnet_config_net("tcp", "eth0[0],eth1", nullptr, 7, -1, -1, 50, "[1-2]", -1, &err), 0);
  const Tree nis = node.nets()[0]["local NI(s)"];
  EXPECT_EQ(nis[0]["tunables"]["peer_timeout"], 7);
  EXPECT_EQ(nis[0]["tunables"]["peer_credits"], 8) << "its default";
  EXPECT_EQ(nis[0]["CPT"], "[0]");
  EXPECT_EQ(nis[1]["CPT"], "[1,2]");
  ASSERT_EQ(lustre_lnet_show_ni("tcp", 0, -1, &shown, &err), 0);
  EXPECT_NE(taken(shown).find("10.99.1.3@tcp"), std::string::npos);
  EXPECT_EQ(lustre_lnet_del_net("tcp", "eth1", -1, &err), 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  EXPECT_EQ(lustre_lnet_del_net("tcp", nullptr, -1, &err), 0);
  EXPECT_TRUE(node.nets().empty());
  EXPECT_EQ(err, nullptr);
  EXPECT_EQ(lustre_lnet_del_net("tcp", "eth0[", -1, &err), -EINVAL);
  EXPECT_EQ(taken(err), error_text("del", "net", -22, "bad interface list"));
  EXPECT_EQ(lustre_lnet_config_net(std::string(65, 't').c_str(), "eth0", nullptr, -1, -1, -1, -1,
                                   nullptr, -1, &err),
            -EINVAL);
}

TEST_F(LnetConfigHld, AsManyPeersAreShownAsAsked) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(lustre_lnet_config_peer("10.0.0.1@tcp,10.0.1.1@tcp1", -1, &err), 0);
  ASSERT_EQ(lustre_lnet_config_peer("10.0.0.2@tcp,10.0.1.2@tcp1", -1, &err), 0);
  const auto count = [&](int max) {
    EXPECT_EQ(lustre_lnet_show_peers(max, 0, -1, &shown, &err), 0);
    int peers = 0;
    cYAML* item = nullptr;
    while (cYAML_get_next_seq_item(cYAML_get_object_item(shown, "peer"), &item)) ++peers;
    cYAML_free_tree(shown);
    shown = nullptr;
    return peers;
  };
  EXPECT_EQ(count(0), 0);
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(9), 2);
  EXPECT_EQ(count(-1), 2);
}

TEST_F(LnetConfigHld, NidsOfPeersAreDeletedWithoutNamingThePrimary) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(lustre_lnet_config_peer("10.0.0.1@tcp,10.0.1.1@tcp1", -1, &err), 0);
  EXPECT_EQ(lustre_lnet_del_peer("10.0.1.1@tcp1", -1, &err), 0) << taken(err);
  EXPECT_EQ(last_request(),
            R"(DELETE /v1/peer {"primary nid":"10.0.0.1@tcp","nids":["10.0.1.1@tcp1"]})");
  EXPECT_EQ(lustre_lnet_config_peer("10.0.0.1@tcp,10.0.1.1@tcp1", -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/peer {"primary nid":"10.0.0.1@tcp","Multi-Rail":true,)"
                            R"("nids":["10.0.1.1@tcp1"]})");
  EXPECT_EQ(lustre_lnet_del_peer("nobody", -1, &err), -EINVAL);
}

TEST_F(LnetConfigHld, TheNumberOfAnItemIsInItsErrors) {  // spec/design-vs-today.md 2.3
  const std::string text =
      "net:\n  - net: tcp\n    interfaces:\n      - intf: eth7\n    seq_no: 5\n"
      "peers:\n  - nids: [10.0.0.1@tcp, bogus]\n    seq_no: 6\n  - nids: [bogus]\n";
  EXPECT_EQ(lustre_yaml_config(text.data(), text.size(), 9, &err), -ENETDOWN);
  const std::string errors = taken(err);
  EXPECT_NE(errors.find("- net:\n          seq_no: 5\n          errno: -100"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find("- peer:\n          seq_no: 6\n          errno: -22"), std::string::npos)
      << errors;
  EXPECT_NE(errors.find("- peer:\n          seq_no: 9\n          errno: -22"), std::string::npos)
      << "an item without one has the call's: " << errors;
}

TEST_F(LnetConfigHld, RulesAreAddedAndShownByType) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 2, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/selection {"type":"net","net":"tcp","priority":2})");
  EXPECT_EQ(lustre_lnet_add_selection("nid", "10.0.0.[1-5]@tcp", nullptr, 0, -1, &err), 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/selection {"type":"nid","nid":"10.0.0.[1-5]@tcp","priority":0})");
  EXPECT_EQ(lustre_lnet_add_selection("peer", "10.0.0.1@tcp", "10.0.0.2@tcp", 4, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(POST /v1/selection {"type":"peer","local":"10.0.0.1@tcp",)"
                            R"("remote":"10.0.0.2@tcp","priority":4})");
  EXPECT_EQ(node.policies().size(), 4U) << "a nid rule is two policies";
  ASSERT_EQ(lustre_lnet_net_selection_rule(nullptr, -1, &shown, &err), 0);
  EXPECT_EQ(taken(shown),
            "selection:\n    - id: 1\n      type: net\n      net: tcp\n      priority: 2\n");
  ASSERT_EQ(lustre_lnet_nid_selection_rule("10.0.0.3@tcp", -1, &shown, &err), 0);
  EXPECT_EQ(taken(shown),
            "selection:\n    - id: 2\n      type: nid\n      nid: 10.0.0.[1-5]@tcp\n"
            "      priority: 0\n");
  ASSERT_EQ(lustre_lnet_peer_selection_rule(nullptr, "10.0.0.2@tcp", -1, &shown, &err), 0);
  EXPECT_EQ(taken(shown),
            "selection:\n    - id: 4\n      type: peer\n      local: 10.0.0.1@tcp\n"
            "      remote: 10.0.0.2@tcp\n      priority: 4\n");
  EXPECT_EQ(lustre_lnet_nid_selection_rule("10.0.0.7@tcp", -1, &shown, &err), 0);
  EXPECT_EQ(shown, nullptr);
  EXPECT_EQ(err, nullptr);
}

TEST_F(LnetConfigHld, RulesThatCannotBeAreRefused) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 2, -1, &err), 0);
  EXPECT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 2, -1, &err), -EALREADY);
  EXPECT_EQ(taken(err), error_text("add", "selection", -114, "the selection is there already"));
  EXPECT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 3, -1, &err), 0) << "a new priority";
  const std::string before = last_request();
  EXPECT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 0x80000000U, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_selection("net", "10.0.0.1@tcp", nullptr, 1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_selection("nid", "tcp", nullptr, 1, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_selection("nid", nullptr, nullptr, 1, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_add_selection("peer", "10.0.0.1@tcp", nullptr, 4, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_add_selection(nullptr, "10.0.0.1@tcp", nullptr, 4, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_nid_selection_rule("tcp", -1, &shown, &err), -EINVAL);
  EXPECT_EQ(last_request(), before) << "the node was not asked";
}

TEST_F(LnetConfigHld, RulesAreDeletedByIdOrByMatch) {  // spec/cli-lnetctl.md 13
  ASSERT_EQ(lustre_lnet_add_selection("net", "tcp", nullptr, 2, -1, &err), 0);
  ASSERT_EQ(lustre_lnet_add_selection("nid", "*@tcp", nullptr, 2, -1, &err), 0);
  ASSERT_EQ(lustre_lnet_add_selection("peer", "*@tcp", "*@tcp1", 0, -1, &err), 0);
  EXPECT_EQ(lustre_lnet_del_nid_selection_rule("*@tcp", -1, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(DELETE /v1/selection {"type":"nid","nid":"*@tcp"})");
  EXPECT_EQ(node.policies().size(), 2U);
  EXPECT_EQ(lustre_lnet_del_net_selection_rule("tcp", 9, -1, &err), -EINVAL) << "they disagree";
  EXPECT_EQ(lustre_lnet_del_net_selection_rule("tcp1", -1, -1, &err), -ENOENT);
  EXPECT_EQ(lustre_lnet_del_net_selection_rule(nullptr, 4, -1, &err), -ENOENT) << "a peer rule's";
  EXPECT_EQ(lustre_lnet_del_net_selection_rule(nullptr, 1, -1, &err), 0);
  EXPECT_EQ(last_request(), R"(DELETE /v1/selection {"type":"net","id":1})");
  EXPECT_EQ(lustre_lnet_del_peer_selection_rule("*@tcp", "*@tcp1", 4, -1, &err), 0);
  EXPECT_TRUE(node.policies().empty());
  const std::string before = last_request();
  EXPECT_EQ(lustre_lnet_del_net_selection_rule(nullptr, -1, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_del_net_selection_rule("tcp", -2, -1, &err), -EINVAL);
  EXPECT_EQ(lustre_lnet_del_peer_selection_rule(nullptr, "*@tcp1", -1, -1, &err), -EFAULT);
  EXPECT_EQ(lustre_lnet_del_peer_selection_rule(nullptr, "*@tcp1", 4, -1, &err), -EFAULT);
  EXPECT_EQ(last_request(), before) << "the node was not asked";
}

TEST_F(LnetConfigHld, OldSettings) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(lustre_lnet_set_dynamic_discover(0, -1, &err), 0);
  EXPECT_EQ(node.global("discovery"), 0);
  EXPECT_EQ(lustre_lnet_set_use_tcp_bonding(1, -1, &err), -EBUSY);
  EXPECT_EQ(taken(err), error_text("set", "use_tcp_bonding", -16,
                                   "parameter use_tcp_bonding counts only when the node starts"));
}

}  // namespace
}  // namespace ulnet::ctl::test
