#include "admin/client/verbosity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ulnet::ctl {
namespace {

Tree one_ni(const std::string& nid, const std::string& interface) {
  return {
      {"net",
       Tree::array({Tree{
           {"net type", "tcp"},
           {"local NI(s)",
            Tree::array({Tree{{"nid", nid},
                              {"status", "up"},
                              {"interfaces", {{"0", interface}}},
                              {"lnd tunables", {{"tos", -1}, {"timeout", 50}, {"accept", "trust"}}},
                              {"new key", 1}}})}}})}};
}

/// Returns the keys that a backup keeps of the only NI.
Tree kept(const std::string& nid, const std::string& interface) {
  const auto address = [](const char* text) {
    return Nid::parse(std::string(text) + "@tcp").value();
  };
  const conf::LocalInterface eth0{
      .name = "eth0", .addresses = {address("fd99::1"), address("10.0.0.1"), address("10.0.0.2")}};
  const Tree backup = backup_of_nets(one_ni(nid, interface), {&eth0, 1});
  return backup["net"][0]["local NI(s)"][0];
}

TEST(Backup, ANidStaysWhereTheInterfaceAloneWouldGiveAnother) {  // spec/cli-lnetctl.md 6
  EXPECT_FALSE(kept("10.0.0.1@tcp", "eth0").contains("nid"))
      << "the interface's first IPv4 address";
  EXPECT_EQ(kept("10.0.0.2@tcp", "eth0")["nid"], "10.0.0.2@tcp");
  EXPECT_EQ(kept("fd99::1@tcp", "eth0")["nid"], "fd99::1@tcp");
  EXPECT_FALSE(kept("10.7.7.7@tcp", "eth0").contains("nid"))
      << "not this machine's: nothing is known";
  EXPECT_FALSE(kept("127.0.0.11@tcp", "127.0.0.11").contains("nid"));
  EXPECT_EQ(kept("10.0.0.1@tcp", "")["nid"], "10.0.0.1@tcp");
  EXPECT_FALSE(kept("10.0.0.1@tcp", "").contains("interfaces"));
}

TEST(Backup, OnlyConfigurationIsKept) {  // spec/cli-lnetctl.md 6
  EXPECT_EQ(kept("10.0.0.1@tcp", "eth0"),
            Tree({{"interfaces", {{"0", "eth0"}}}, {"lnd tunables", {{"tos", -1}}}}));
}

TEST(Recorded, CreditsBelowZeroAreUnsigned) {  // spec/cli-lnetctl.md 4.2
  const Tree peer =
      as_recorded({{"peer", Tree::array({{{"peer ni", Tree::array({{{"min_tx_credits", -2}},
                                                                   {{"min_tx_credits", 7}}})}}})}});
  EXPECT_EQ(peer["peer"][0]["peer ni"][0]["min_tx_credits"], 4294967294U);
  EXPECT_EQ(peer["peer"][0]["peer ni"][1]["min_tx_credits"], 7);
  for (const char* text :
       {R"j({"peer": 5})j",
        R"j({"peer": [5, {"peer ni": 3}, {"peer ni": [7, {"min_tx_credits": "x"}]}]})j", "[]",
        "null"})
    EXPECT_EQ(as_recorded(Tree::parse(text)), Tree::parse(text));
}

TEST(Recorded, PreferredSourcesAreNotShown) {  // spec/cli-lnetctl.md 14.7
  const Tree info = {{"nid priority", -1}, {"Preferred source NIDs", {{"NID-0", "1.1.1.1@tcp"}}}};
  const Tree peer =
      as_recorded({{"peer", Tree::array({{{"peer ni", Tree::array({{{"udsp info", info}}})}}})}});
  EXPECT_EQ(peer["peer"][0]["peer ni"][0]["udsp info"], Tree({{"nid priority", -1}}));
}

TEST(Verbosity, KeysThatAreNotKnownShowFromLevelOne) {
  const Tree tree = one_ni("10.0.0.1@tcp", "eth0");
  EXPECT_FALSE(at_verbosity(tree, 0)["net"][0]["local NI(s)"][0].contains("new key"));
  EXPECT_TRUE(at_verbosity(tree, 1)["net"][0]["local NI(s)"][0].contains("new key"));
}

TEST(Verbosity, LevelFiveShowsStates) {
  const Tree ni = {{"nid", "10.0.0.1@tcp"}, {"life cycle", "created"}};
  const Tree net = {
      {"net type", "tcp"}, {"life cycle", "active"}, {"local NI(s)", Tree::array({ni})}};
  const Tree peer = {
      {"primary nid", "10.0.0.2@tcp"}, {"life cycle", "active"}, {"peer ni", Tree::array({ni})}};
  const Tree all = {{"net", Tree::array({net})}, {"peer", Tree::array({peer})}};
  EXPECT_EQ(at_verbosity(all, 5), all);
  EXPECT_EQ(at_verbosity(all, 4).dump().find("life cycle"), std::string::npos);
}

TEST(Verbosity, TreesOfAnotherShapeAreNotShown) {
  struct Case {
    const char *tree, *shown;
  };
  for (const auto& [text, shown] :
       {Case{R"j({"net": 5})j", R"j({"net": []})j"},
        Case{R"j({"net": [5, [], {"local NI(s)": 3}, {"local NI(s)": [7, null]}]})j",
             R"j({"net": [{"local NI(s)": []}, {"local NI(s)": [{}, {}]}]})j"},
        Case{R"j({"peer": null})j", R"j({"peer": []})j"}, Case{"[]", "{}"}}) {
    const Tree tree = Tree::parse(text);
    EXPECT_EQ(at_verbosity(tree, 5), Tree::parse(shown)) << text;
    for (const Tree& net : backup_of_nets(tree, {}).value("net", Tree::array()))
      for (const Tree& ni : net.at("local NI(s)")) EXPECT_TRUE(ni.empty()) << text;
    EXPECT_EQ(backup_of_peers(tree), Tree::object()) << text;
    EXPECT_EQ(params_to_export(tree), Tree::object()) << text;
  }
}

}  // namespace
}  // namespace ulnet::ctl
