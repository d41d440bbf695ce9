// udsp add, del, show and the policies in import and export. Source: spec/cli-lnetctl.md 3.14, 4.8,
// 5.2, spec/observed.md 5, spec/upstream-tests.md I.
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class Udsp : public Workbench {
 protected:
  std::string shown() { return sh("lnetctl udsp show").out; }
  /// "exit code, stdout, stderr without hints".
  std::string said(const std::string& command) {
    const Outcome outcome = sh("lnetctl udsp " + command);
    return std::to_string(outcome.code) + " " + outcome.out + without_hints(outcome.err);
  }
};

TEST_F(Udsp, RulesAreAddedShownAndDeleted) {  // spec/cli-lnetctl.md 3.14, 4.8
  EXPECT_EQ(said("show"), "0 ");
  EXPECT_EQ(said("add --src tcp --priority 0"), "0 ");
  EXPECT_EQ(last_request(), R"(POST /v1/udsp {"src":"tcp","priority":0})");
  EXPECT_EQ(said("add --src 10.1.1.1@tcp --dst '10.1.1.[2-4]@tcp'"), "0 ");
  EXPECT_EQ(said("add --dst tcp --rte 10.1.1.9@tcp --idx 1"), "0 ");
  EXPECT_EQ(said("add --dst '*@tcp1' --prio=7 --idx 99"), "0 ");
  EXPECT_EQ(shown(),
            "udsp:\n"
            "    - idx: 0\n"
            "      src: tcp\n"
            "      action:\n"
            "          priority: 0\n"
            "    - idx: 1\n"
            "      dst: tcp\n"
            "      rte: 10.1.1.9@tcp\n"
            "    - idx: 2\n"
            "      src: 10.1.1.1@tcp\n"
            "      dst: 10.1.1.[2-4]@tcp\n"
            "    - idx: 3\n"
            "      dst: \"*@tcp1\"\n"
            "      action:\n"
            "          priority: 7\n");
  EXPECT_EQ(sh("lnetctl udsp show --idx 1").out,
            "udsp:\n    - idx: 1\n      dst: tcp\n      rte: 10.1.1.9@tcp\n");
  EXPECT_EQ(sh("lnetctl udsp show --idx -1").out, shown());
  EXPECT_EQ(said("show --idx 4"), "0 ");
  EXPECT_EQ(said("del --idx 0"), "0 ");
  EXPECT_EQ(node.policies().size(), 3U);
  EXPECT_EQ(said("del --idx -1"), "0 ") << "all";
  EXPECT_EQ(said("show"), "0 ");
  EXPECT_EQ(said("add --src tcp"), "0 ");
  EXPECT_EQ(said("del --all"), "0 ");
  EXPECT_EQ(said("show"), "0 ");
}

TEST_F(Udsp, OneCriterionIsShownAlone) {  // spec/cli-lnetctl.md 3.14; spec/upstream-tests.md I
  for (const char* option : {"src", "dst"})
    for (const char* pattern : {"tcp", "10.1.1.1@tcp"}) {
      EXPECT_EQ(said("add --" + std::string(option) + " " + pattern + " --priority 1"), "0 ");
      EXPECT_EQ(shown(), "udsp:\n    - idx: 0\n      " + std::string(option) + ": " + pattern +
                             "\n      action:\n          priority: 1\n");
      EXPECT_EQ(said("del --idx 0"), "0 ");
      EXPECT_EQ(shown(), "");
    }
}

TEST_F(Udsp, WrongWordsAreRefusedBeforeTheNodeIsAsked) {  // spec/cli-lnetctl.md 3.14
  EXPECT_EQ(said("add --src tcp --priority -1"), "234 Invalid priority \"-1\"\n");
  EXPECT_EQ(said("add --src tcp --priority high"), "234 Invalid priority \"high\"\n");
  EXPECT_EQ(said("add --src tcp --priority 99999999999"), "234 Invalid priority \"99999999999\"\n");
  EXPECT_EQ(said("add --src tcp --idx -1"), "234 Invalid index \"-1\"\n");
  EXPECT_EQ(said("del --idx x"), "234 Invalid index \"x\"\n");
  EXPECT_EQ(said("show --idx x"), "234 Invalid index \"x\"\n");
  EXPECT_EQ(said("del"), "234 Must specify --idx or --all\n");
  const Outcome help = sh("lnetctl udsp add");
  EXPECT_TRUE(help.out.starts_with("udsp add: add a udsp\n")) << help.out;
  EXPECT_EQ(help.code, 234);
  const std::string begin = "234 add:\n    - udsp:\n          errno: -22\n          descr: ";
  EXPECT_EQ(said("add --src tcp --rte tcp"), begin + "\"src and rte cannot be combined\"\n");
  EXPECT_EQ(said("add --src tcp --dst tcp --rte tcp"),
            begin + "\"The combination of src, dst and rte is not supported\"\n");
  EXPECT_TRUE(said("add --src foo").starts_with(begin + "\"failed to parse src parameter"));
  EXPECT_TRUE(said("add --dst 1.1.1@tcp").starts_with(begin + "\"failed to parse dst parameter"));
  EXPECT_EQ(last_request(), "");
}

// spec/cli-lnetctl.md 3.14; spec/observed.md 5.1
TEST_F(Udsp, TheSameRuleAgainIsErrno114AsRecorded) {
  EXPECT_EQ(said("add --src tcp --priority 3"), "0 ");
  EXPECT_EQ(said("add --src tcp0 --priority 3"),
            "114 add:\n    - udsp:\n          errno: 114\n          descr: \"cannot add udsp: "
            "Operation already in progress\"\n");
  EXPECT_EQ(said("add --src tcp --priority 4"), "0 ") << "another priority is put in its place";
  EXPECT_EQ(said("add --src tcp"), "0 ") << "none is priority 0";
  EXPECT_EQ(shown(), "udsp:\n    - idx: 0\n      src: tcp\n      action:\n          priority: 0\n");
}

TEST_F(Udsp, AnIndexThatIsNotThereIsErrno2AsRecorded) {  // spec/cli-lnetctl.md 3.14
  EXPECT_EQ(
      said("del --idx 5"),
      "254 add:\n    - udsp:\n          errno: -2\n          descr: \"cannot del udsp: No such "
      "file or directory\"\n");
}

TEST_F(Udsp, TheNodesOwnReasonIsAHint) {
  sh("ulnetctl udsp add --src tcp");
  EXPECT_NE(sh("ulnetctl udsp add --src tcp").err.find("# the rule is there already\n"),
            std::string::npos);
}

TEST_F(Udsp, RulesArePartOfExportAndComeBack) {  // spec/multirail.md 10.2
  sh("ulnetctl udsp add --src tcp --priority 5; ulnetctl udsp add --src tcp --dst 'o2ib[1,2]'; "
     "ulnetctl udsp add --rte '*@*'; ulnetctl udsp add --dst '10.1.1.[1-5]@tcp' --idx 0");
  const std::string before = shown();
  for (const char* flags : {"", "--backup"}) {
    sh("ulnetctl export " + std::string(flags) + " e.yaml");
    const Outcome again = sh("ulnetctl import e.yaml");
    EXPECT_EQ(std::to_string(again.code) + again.err, "0") << "nothing is said of what is there";
    EXPECT_EQ(shown(), before);
    const Outcome back =
        sh("ulnetctl lnet unconfigure; ulnetctl lnet configure; ulnetctl import e.yaml");
    EXPECT_EQ(std::to_string(back.code) + back.err, "0");
    EXPECT_EQ(shown(), before) << flags;
  }
  sh("ulnetctl udsp del --all");
  EXPECT_EQ(sh("ulnetctl export").out.find("udsp:\n    -"), std::string::npos);
}

TEST_F(Udsp, ImportShowsAndDeletesByTheIndicesOfTheFile) {  // spec/cli-lnetctl.md 5.2
  for (const char* net : {"tcp0", "tcp1", "tcp2", "tcp3"})
    sh("ulnetctl udsp add --src " + std::string(net));
  EXPECT_EQ(sh("ulnetctl import --show", "udsp:\n  - idx: 2\n").out,
            sh("ulnetctl udsp show --idx 2").out);
  const Outcome some = sh("ulnetctl import --del", "udsp:\n  - idx: 2\n  - idx: 0\n  - idx: 3\n");
  EXPECT_EQ(std::to_string(some.code) + some.err, "0");
  EXPECT_EQ(shown(),
            "udsp:\n    - idx: 0\n      src: tcp1\n      action:\n          priority: 0\n");
  for (const char* wrong : {"  - idx: 1\n", "  - idx: -1\n", "  - src: tcp1\n"})
    EXPECT_EQ(sh("ulnetctl import --del", "udsp:\n" + std::string(wrong)).code, 234) << wrong;
  EXPECT_EQ(sh("ulnetctl import --del", "udsp:\n  - idx: 0\n  - idx: 0\n").code, 234) << "once";
  EXPECT_EQ(shown(), "");
  sh("ulnetctl udsp add --src tcp; ulnetctl udsp add --src tcp1; ulnetctl export e.yaml");
  EXPECT_EQ(sh("ulnetctl import --del e.yaml").code, 0) << "the whole list";
  EXPECT_EQ(shown(), "");
}

TEST_F(Udsp, AnImportIsOneRequestHoweverManyRulesItHas) {
  std::string text = "selection:\n";
  for (int net = 0; net < 50; ++net)
    text += "  - {type: net, net: o2ib" + std::to_string(net) + ", priority: 7}\n";
  text += "udsp:\n";
  for (int net = 0; net < 50; ++net) text += "  - src: tcp" + std::to_string(net) + "\n";
  write_file("many.yaml", text);
  for (int batches : {1, 2}) {
    const Outcome outcome = sh("ulnetctl import many.yaml");
    EXPECT_EQ(std::to_string(outcome.code) + outcome.err, "0");
    EXPECT_EQ(node.batches(), batches);
    EXPECT_EQ(node.requests().size(), 101U * static_cast<unsigned>(batches)) << "version and rules";
    EXPECT_EQ(node.policies().size(), 100U);
  }
  EXPECT_EQ(node.policies()[49]["src"], "o2ib49");
  EXPECT_EQ(node.policies()[50]["src"], "tcp") << "in the order of the file";
}

// Import deletes rules by their place or by what they match. A deletion by match does not shift the
// places of the others, whichever the file names first.
TEST_F(Udsp, ImportDeletesByPlaceAndByMatchInAnyOrder) {  // spec/cli-lnetctl.md 5.2
  const std::string by_match = "selection:\n  - type: net\n    net: tcp1\n";
  const std::string by_place = "udsp:\n  - idx: 3\n  - idx: 0\n";
  for (const std::string& file : {by_match + by_place, by_place + by_match}) {
    for (const char* net : {"tcp0", "tcp1", "tcp2", "tcp3"})
      sh("ulnetctl udsp add --src " + std::string(net));
    const Outcome some = sh("ulnetctl import --del", file);
    EXPECT_EQ(std::to_string(some.code) + some.err, "0");
    EXPECT_EQ(shown(),
              "udsp:\n    - idx: 0\n      src: tcp2\n      action:\n          priority: 0\n");
    sh("ulnetctl udsp del --all");
  }
}

TEST_F(Udsp, PlacesThatTheListDoesNotHaveDoNotMoveOthers) {  // spec/cli-lnetctl.md 5.2
  sh("ulnetctl udsp add --src tcp0; ulnetctl udsp add --src tcp1");
  const Outcome some =
      sh("ulnetctl import --del",
         "udsp:\n  - idx: 2\n  - idx: 3\n  - idx: 2\n  - idx: 4\n  - idx: 9\n  - idx: 1\n");
  EXPECT_EQ(some.code, 234);
  std::size_t at = 0;
  for (const char* part : {"2, column 5: there is no rule 2", "3, column 5: there is no rule 3",
                           "4, column 5: there is no rule 2", "5, column 5: there is no rule 4",
                           "6, column 5: there is no rule 9"}) {
    at = some.err.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " in\n" << some.err;
  }
  EXPECT_EQ(some.err.find("there is no rule 1"), std::string::npos) << some.err;
  EXPECT_EQ(shown(), "udsp:\n    - idx: 0\n      src: tcp\n      action:\n          priority: 0\n");
}

TEST_F(Udsp, ABadRuleDoesNotStopTheOthers) {  // spec/cli-lnetctl.md 5.2
  const Outcome outcome =
      sh("ulnetctl import", "udsp:\n  - src: tcp\n    rte: tcp\n  - src: tcp1\n  - dst: foo\n");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_NE(outcome.err.find("line 2, column 5: src and rte cannot be combined"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("failed to parse dst parameter"), std::string::npos) << outcome.err;
  EXPECT_EQ(node.policies().size(), 1U);
}

}  // namespace
}  // namespace ulnet::ctl::test
