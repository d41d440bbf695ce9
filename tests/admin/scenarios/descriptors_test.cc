// How the library parses lists of interfaces, NIDs and addresses, without a node.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ulnet/lnetconfig.h"

namespace {

using NidText = char[LUSTRE_LNET_NIDSTR_SIZE];

TEST(Descriptors, InterfaceListsAreParsed) {  // spec/cli-lnetctl.md 13
  lustre_lnet_nw_descr nw;
  lustre_lnet_init_nw_descr(&nw);
  ASSERT_EQ(lustre_lnet_parse_interfaces("eth0[0,2-3],eth1", &nw), 0);
  ASSERT_NE(nw.interfaces, nullptr);
  EXPECT_STREQ(nw.interfaces->name, "eth0");
  ASSERT_EQ(nw.interfaces->cpts.count, 3U);
  EXPECT_EQ(nw.interfaces->cpts.cpt[2], 3U);
  EXPECT_STREQ(nw.interfaces->next->name, "eth1");
  EXPECT_EQ(nw.interfaces->next->cpts.count, 0U);
  lustre_lnet_cpts cpts{};
  cpts.count = 1;
  cpts.cpt[0] = 7;
  ASSERT_EQ(lustre_lnet_add_intf_descr(&nw.interfaces, "eth2", &cpts), 0);
  EXPECT_EQ(nw.interfaces->next->next->cpts.cpt[0], 7U);
  EXPECT_EQ(lustre_lnet_parse_interfaces("eth0[", &nw), -EINVAL);
  EXPECT_STREQ(ulnet_lnetconfig_last_error(), "bad interface list");
  EXPECT_EQ(lustre_lnet_add_intf_descr(&nw.interfaces, "", nullptr), -EINVAL);
  EXPECT_EQ(lustre_lnet_add_intf_descr(&nw.interfaces, std::string(65, 'x').c_str(), nullptr),
            -EINVAL);
  EXPECT_EQ(lustre_lnet_add_intf_descr(nullptr, "eth0", nullptr), -EINVAL);
  EXPECT_EQ(nw.interfaces->next->next->next, nullptr) << "nothing was added by the refused calls";
  lustre_lnet_free_intf_descr(&nw.interfaces);
  EXPECT_EQ(nw.interfaces, nullptr);
  lustre_lnet_free_intf_descr(&nw.interfaces);
}

TEST(Descriptors, NidsAreParsed) {  // spec/cli-lnetctl.md 13
  NidText nids[4];
  ASSERT_EQ(lustre_lnet_parse_nidstr("10.0.0.[1-2]@tcp1,10.0.0.9@tcp", nids, 4), 3);
  EXPECT_STREQ(nids[0], "10.0.0.1@tcp1");
  EXPECT_STREQ(nids[1], "10.0.0.2@tcp1");
  EXPECT_STREQ(nids[2], "10.0.0.9@tcp");
  EXPECT_EQ(lustre_lnet_parse_nidstr("10.0.0.[1-5]@tcp", nids, 4), -1) << "no room";
  EXPECT_EQ(lustre_lnet_parse_nidstr("10.0.0@tcp", nids, 4), -1);
  EXPECT_EQ(lustre_lnet_parse_nidstr(nullptr, nids, 4), -1);
  EXPECT_EQ(lustre_lnet_parse_nidstr("10.0.0.1@tcp", nids, -1), -1);
}

TEST(Descriptors, NidRangesMatchAndAreShown) {  // spec/cli-lnetctl.md 13
  lustre_lnet_nid_range* const list = lustre_lnet_parse_nid_range("10.0.0.[1-2]@tcp");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(lustre_lnet_debug_nidlist(list, "10.0.0.2@tcp", -1, nullptr, nullptr),
            LUSTRE_LNET_MATCH);
  EXPECT_EQ(lustre_lnet_debug_nidlist(list, "10.0.0.2@tcp1", -1, nullptr, nullptr),
            LUSTRE_LNET_NO_MATCH);
  EXPECT_EQ(lustre_lnet_debug_nidlist(list, "10.0.0", -1, nullptr, nullptr), -EINVAL);
  cYAML* shown = nullptr;
  EXPECT_EQ(lustre_lnet_debug_nidlist(list, nullptr, -1, &shown, nullptr), 0);
  const cYAML* const nids = cYAML_get_object_item(shown, "nidlist");
  ASSERT_NE(nids, nullptr);
  EXPECT_STREQ(nids->child->next->string, "10.0.0.2@tcp");
  cYAML_free_tree(shown);
  lustre_lnet_free_list(list);
  EXPECT_EQ(lustre_lnet_parse_nid_range("10.0.0.[2-1]@tcp"), nullptr);
  EXPECT_EQ(lustre_lnet_debug_nidlist(nullptr, nullptr, -1, nullptr, nullptr), -EFAULT);
  lustre_lnet_nid_range* const all = lustre_lnet_parse_nid_range("10.0.[0-9].[0-99]@tcp");
  cYAML* err = nullptr;
  EXPECT_EQ(lustre_lnet_debug_nidlist(all, nullptr, -1, nullptr, &err), -E2BIG);
  EXPECT_NE(cYAML_get_object_item(err, "manage"), nullptr);
  cYAML_free_tree(err);
  lustre_lnet_free_list(all);
}

TEST(Descriptors, ARuleIsResolvedOnThisMachine) {  // spec/cli-lnetctl.md 13
  lustre_lnet_ip2nets rule{};
  std::strcpy(rule.nw.net, "tcp7");
  ASSERT_EQ(lustre_lnet_add_intf_descr(&rule.nw.interfaces, "lo", nullptr), 0);
  ASSERT_EQ(lustre_lnet_add_ip_range(&rule.ranges, "127.0.0.1"), 0);
  NidText nids[2];
  unsigned int count = 2;
  char why[64] = "";
  ASSERT_EQ(lustre_lnet_resolve_ip2nets_rule(&rule, nids, &count, why, sizeof why), 0) << why;
  ASSERT_EQ(count, 1U);
  EXPECT_STREQ(nids[0], "127.0.0.1@tcp7");
  count = 0;
  EXPECT_EQ(lustre_lnet_resolve_ip2nets_rule(&rule, nullptr, &count, nullptr, 0), -E2BIG);
  lustre_lnet_free_ip_ranges(&rule.ranges);
  ASSERT_EQ(lustre_lnet_add_ip_range(&rule.ranges, "203.0.113.[1-9]"), 0);
  EXPECT_EQ(lustre_lnet_add_ip_range(&rule.ranges, "203.0.113"), -EINVAL);
  count = 2;
  EXPECT_EQ(lustre_lnet_resolve_ip2nets_rule(&rule, nids, &count, why, 8), -EINVAL);
  EXPECT_EQ(std::string(why), "No ip2n") << "cut to the size of the buffer";
  lustre_lnet_free_ip_ranges(&rule.ranges);
  lustre_lnet_free_intf_descr(&rule.nw.interfaces);
}

}  // namespace
