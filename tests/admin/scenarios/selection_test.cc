// selection net, nid, peer: the design document's form of selection policies (docs/CONTROL-API.md,
// spec/design-vs-today.md 2.5).
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class SelectionCommand : public Workbench {
 protected:
  /// "exit code, stdout, stderr".
  std::string said(const std::string& command) {
    const Outcome outcome = sh("ulnetctl selection " + command);
    return std::to_string(outcome.code) + " " + outcome.out + outcome.err;
  }
  static std::string refused(const std::string& operation, int code, const std::string& descr) {
    return "234 ---\n" + operation + ":\n-     selection:\n      errno: " + std::to_string(code) +
           "\n      descr: ! \"" + descr + "\"\n...\n";
  }
};

TEST_F(SelectionCommand, RulesAreAddedAndShownInOneForm) {
  EXPECT_EQ(said("net show"), "0 ");
  EXPECT_EQ(said("net add --net 'o2ib*' --priority 2"), "0 ");
  EXPECT_EQ(last_request(), R"(POST /v1/selection {"type":"net","net":"o2ib*","priority":2})");
  EXPECT_EQ(said("net add --net 'o2ib[1,2]'"), "0 ");
  EXPECT_EQ(said("nid add --nid '10.1.1.[1-5]@tcp' --priority 3"), "0 ");
  EXPECT_EQ(said("peer add --local 10.1.1.1@tcp --remote '*@tcp1' --priority 4"), "0 ");
  EXPECT_EQ(said("net show"),
            "0 selection:\n"
            "    - id: 1\n"
            "      type: net\n"
            "      net: o2ib*\n"
            "      priority: 2\n"
            "    - id: 2\n"
            "      type: net\n"
            "      net: o2ib[1,2]\n"
            "      priority: 0\n");
  EXPECT_EQ(said("nid show"),
            "0 selection:\n    - id: 3\n      type: nid\n      nid: 10.1.1.[1-5]@tcp\n      "
            "priority: 3\n");
  EXPECT_EQ(said("peer show"),
            "0 selection:\n    - id: 5\n      type: peer\n      local: 10.1.1.1@tcp\n      remote: "
            "\"*@tcp1\"\n      priority: 4\n");
  const std::string listed = sh("ulnetctl udsp show").out;
  EXPECT_NE(listed.find("dst: 10.1.1.[1-5]@tcp\n      action:\n          priority: 3\n"),
            std::string::npos)
      << "the same rules, in the other form: " << listed;
}

TEST_F(SelectionCommand, ShowTakesFilters) {
  sh("ulnetctl selection net add --net tcp; ulnetctl selection net add --net 'tcp[0-3]'");
  const auto ids = [&](const std::string& filter) {
    std::string all;
    const Tree tree = Tree::parse(sh("ulnetctl selection net show --json " + filter).out);
    for (const Tree& item : tree["selection"]) all += item["id"].dump() + " ";
    return all;
  };
  EXPECT_EQ(ids(""), "1 2 ");
  EXPECT_EQ(ids("--net tcp"), "1 2 ");
  EXPECT_EQ(ids("--net tcp2"), "2 ");
  EXPECT_EQ(ids("--id 1"), "1 ");
  EXPECT_EQ(ids("--id 1 --net tcp2"), "");
}

TEST_F(SelectionCommand, RulesAreDeletedByIdOrByMatch) {
  const char* const three =
      "ulnetctl selection net add --net tcp1; ulnetctl selection nid add --nid '*@tcp'; ulnetctl "
      "selection peer add --local '*@tcp' --remote '*@tcp1'";
  sh(three);
  EXPECT_EQ(said("nid del --nid '*@tcp'"), "0 ");
  EXPECT_EQ(last_request(), R"(DELETE /v1/selection {"type":"nid","nid":"*@tcp"})");
  EXPECT_EQ(said("net del --id 1"), "0 ");
  EXPECT_EQ(said("peer del --local '*@tcp' --remote '*@tcp1' --id 4"), "0 ");
  EXPECT_TRUE(node.policies().empty());
  EXPECT_EQ(said("net del --net tcp1"), refused("del", -2, "there is no such net selection"));
  sh(three);
  EXPECT_EQ(said("net del --net tcp1 --id 6"),
            refused("del", -22, "the net selection 6 does not match that"));
  EXPECT_EQ(said("net del"), refused("del", -22, "'net' must be given"));
  EXPECT_EQ(said("peer del --local '*@tcp'"),
            refused("del", -22, "'local' and 'remote' must be given"));
  EXPECT_EQ(node.policies().size(), 4U);
}

TEST_F(SelectionCommand, WrongWordsAreRefused) {
  EXPECT_EQ(said("net add --net tcp --priority high"),
            refused("add", -22, "Invalid priority \\\"high\\\""));
  EXPECT_EQ(said("net add --net 10.1.1.1@tcp"),
            refused("add", -22, "net: '10.1.1.1@tcp' names NIDs, not nets"));
  EXPECT_EQ(said("nid show --id -1"), refused("show", -22, "Invalid id \\\"-1\\\""));
  EXPECT_EQ(last_request(), "") << "the node was not asked";
  EXPECT_EQ(said("net add --net tcp"), "0 ");
  EXPECT_EQ(said("net add --net tcp"), refused("add", -114, "the selection is there already"));
  EXPECT_EQ(said("net add --net tcp --priority 5"), "0 ") << "the new priority";
  EXPECT_EQ(sh("ulnetctl selection net add --nid 10.1.1.1@tcp").code, 234) << "another type's";
}

TEST_F(SelectionCommand, ShownRulesCanBeImportedAndDeleted) {
  sh("ulnetctl selection net add --net 'o2ib*' --priority 2; ulnetctl selection nid add --nid "
     "'*@tcp'; ulnetctl selection peer add --local '*@tcp' --remote '*@tcp1'");
  const std::string rules = sh("ulnetctl udsp show").out;
  write_file("s.yaml", sh("ulnetctl selection net show").out);
  sh("ulnetctl selection nid show | tail -n +2 >> s.yaml; ulnetctl selection peer show | tail -n "
     "+2 "
     ">> s.yaml");
  const Outcome again = sh("ulnetctl import s.yaml");
  EXPECT_EQ(std::to_string(again.code) + again.err, "0") << "nothing is said of what is there";
  EXPECT_EQ(sh("ulnetctl import --show s.yaml").out, sh("ulnetctl selection net show; ulnetctl "
                                                        "selection nid show; ulnetctl selection "
                                                        "peer show")
                                                         .out);
  const Outcome gone = sh("ulnetctl import --del s.yaml");
  EXPECT_EQ(std::to_string(gone.code) + gone.err, "0");
  EXPECT_EQ(sh("ulnetctl udsp show").out, "");
  EXPECT_EQ(sh("ulnetctl import --strict s.yaml").code, 0);
  EXPECT_EQ(sh("ulnetctl udsp show").out, rules);
  EXPECT_EQ(sh("ulnetctl import --del", "selection:\n  - type: net\n    net: kfi\n").code, 234);
}

}  // namespace
}  // namespace ulnet::ctl::test
