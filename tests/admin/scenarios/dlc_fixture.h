// Fixture: the DLC library of this process, connected to the control API of a real node.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "lnet/base/temp_folder_fixture.h"
#include "test_node.h"
#include "ulnet/lnetconfig.h"

namespace ulnet::ctl::test {

class LnetConfigC : public testing::Test {
 protected:
  LnetConfigC() : node(folder / "node.sock", network, kFourPartitions) {}
  void SetUp() override {
    ASSERT_EQ(ulnet_lnetconfig_use_node(node.socket().c_str()), 0);
    ASSERT_EQ(lustre_lnet_config_lib_init(), 0) << ulnet_lnetconfig_last_error();
  }
  void TearDown() override {
    cYAML_free_tree(shown);
    cYAML_free_tree(err);
    lustre_lnet_config_lib_uninit();
  }

  /// Returns the text of a tree and frees the tree.
  static std::string taken(cYAML*& tree) {
    char* const text = cYAML_print_tree2text(tree);
    std::string copy = text;
    std::free(text);
    cYAML_free_tree(tree);
    tree = nullptr;
    return copy;
  }
  std::string last_request() { return node.last_request(); }
  int add(const char* net, const char* interfaces, const lustre_lnet_tunables* tunables = nullptr,
          const lustre_lnet_cpts* cpts = nullptr) {
    lustre_lnet_nw_descr nw;
    lustre_lnet_init_nw_descr(&nw);
    std::snprintf(nw.net, sizeof nw.net, "%s", net);
    EXPECT_EQ(lustre_lnet_parse_interfaces(interfaces, &nw), 0);
    const int code = lustre_lnet_config_ni(&nw, cpts, nullptr, tunables, -1, &err);
    lustre_lnet_free_intf_descr(&nw.interfaces);
    return code;
  }
  static std::string error_text(const char* op, const char* entity, int code,
                                const std::string& descr) {
    return std::string(op) + ":\n    - " + entity + ":\n          errno: " + std::to_string(code) +
           "\n          descr: \"" + descr + "\"\n";
  }

  const TempFolder folder;
  Network network;
  TestNode node;
  cYAML* shown = nullptr;
  cYAML* err = nullptr;
};

}  // namespace ulnet::ctl::test
