// CPTs and tunables of NIs, set by command and by YAML, and exported again: upstream cases 170,
// 265, 266 (spec/upstream-tests.md C), spec/cli-lnetctl.md 5.3, spec/core-semantics.md 13.3. The
// node has four CPU partitions.
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

constexpr const char* kNote =
    "line 2, column 5: tunables of all NIs of net 'tcp' should be the same; those of the first one "
    "count\n";

class CptImport : public Workbench {
 protected:
  CptImport() : Workbench(kFourPartitions) {}
  /// A net with two NIs, eth0 and eth1. `first` and `second` are further lines of each NI, `net`
  /// are those of the net.
  static std::string two_nis(const std::string& first, const std::string& second,
                             const std::string& net = {}) {
    return "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n          0: eth0\n" +
           first + "      - interfaces:\n          0: eth1\n" + second + net;
  }
  static std::string one_ni(const std::string& cpts) {
    return "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n          0: eth0\n"
           "        CPT: " +
           cpts + "\n";
  }
  /// Imports into a node without nets; returns what is printed on stderr.
  std::string imported(const std::string& yaml) {
    sh("ulnetctl net del --net tcp");
    const Outcome outcome = sh("ulnetctl import", yaml);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  }
  Tree ni(std::size_t index) { return node.nets().at(0).at("local NI(s)").at(index); }
};

// spec/cli-lnetctl.md 5.3
TEST_F(CptImport, TwoNisHaveTheirOwn) {  // 170
  EXPECT_EQ(imported(two_nis("        CPT: \"[0]\"\n", "        CPT: \"[1]\"\n")), "");
  EXPECT_EQ(ni(0)["CPT"], "[0]");
  EXPECT_EQ(ni(1)["CPT"], "[1]");
}

// spec/cli-lnetctl.md 5.3
TEST_F(CptImport, LndTunablesNeedNoTunables) {  // 170
  EXPECT_EQ(imported(two_nis("        lnd tunables:\n          conns_per_peer: 3\n",
                             "        lnd tunables:\n          conns_per_peer: 5\n")),
            "");
  EXPECT_EQ(ni(0)["lnd tunables"]["conns_per_peer"], 3);
  EXPECT_EQ(ni(1)["lnd tunables"]["conns_per_peer"], 5) << "different ones are kept apart";
}

// spec/cli-lnetctl.md 5.3
TEST_F(CptImport, LndTunablesOfOneDoNotLeakIntoTheOther) {  // 170
  const std::string some =
      "        lnd tunables:\n          conns_per_peer: 7\n          tos: 32\n";
  for (const bool second : {false, true}) {
    EXPECT_EQ(imported(two_nis(second ? "" : some, second ? some : "")), "");
    EXPECT_EQ(ni(second ? 1 : 0)["lnd tunables"]["conns_per_peer"], 7);
    EXPECT_EQ(ni(second ? 0 : 1)["lnd tunables"]["conns_per_peer"], 1) << "the default";
    EXPECT_EQ(ni(second ? 0 : 1)["lnd tunables"]["tos"], -1) << "the default";
  }
}

// spec/cli-lnetctl.md 3.2
TEST_F(CptImport, TunablesAreTheNetsAndThoseOfItsFirstNiCount) {  // 170
  const auto tunables = [](int credits, int timeout) {
    return "        tunables:\n          credits: " + std::to_string(credits) +
           "\n          peer_timeout: " + std::to_string(timeout) + "\n";
  };
  EXPECT_EQ(imported(two_nis(tunables(512, 60), tunables(512, 60))), "");
  EXPECT_EQ(imported(two_nis(tunables(512, 60), tunables(1024, 90))), kNote);
  for (const std::size_t index : {0U, 1U}) {
    EXPECT_EQ(ni(index)["tunables"]["credits"], 512);
    EXPECT_EQ(ni(index)["tunables"]["peer_timeout"], 60);
  }
  EXPECT_EQ(imported(two_nis("", tunables(1024, 90))), kNote) << "the second one's";
  for (const std::size_t index : {0U, 1U}) EXPECT_EQ(ni(index)["tunables"]["credits"], 256);
}

// spec/cli-lnetctl.md 5.3
TEST_F(CptImport, TunablesOfTheNetApplyToBoth) {  // 170
  EXPECT_EQ(imported(two_nis("", "",
                             "    tunables:\n      credits: 640\n"
                             "    lnd tunables:\n      conns_per_peer: 2\n")),
            "");
  for (const std::size_t index : {0U, 1U}) {
    EXPECT_EQ(ni(index)["tunables"]["credits"], 640);
    EXPECT_EQ(ni(index)["lnd tunables"]["conns_per_peer"], 2);
  }
}

// spec/cli-lnetctl.md 5.3
TEST_F(CptImport, ABadListAddsNothing) {  // 265
  const std::string before = sh("ulnetctl export").out;
  for (const char* bad : {"\"[1-0]\"", "[1-0]", "\"[]\"", "[]", "\"[0\"", "x", "\"[0,]\"", "{0: 1}",
                          "", "\"[0] 1\"", "-1"}) {
    const Outcome outcome = sh("ulnetctl import", one_ni(bad));
    EXPECT_EQ(outcome.code, 234) << bad;
    EXPECT_NE(outcome.err.find("CPT"), std::string::npos) << "names the key: " << outcome.err;
    EXPECT_EQ(sh("ulnetctl export").out, before) << bad;
  }
}

// spec/cli-lnetctl.md 3.2; spec/core-semantics.md 13.3
TEST_F(CptImport, ANumberOutOfRangeIsRefusedInLnetctlsWords) {
  const std::string refused =
      "---\nadd:\n-     net:\n      errno: -34\n      descr: ! \"invalid CPT value\"\n...\n";
  for (const char* command : {"--net tcp --if eth0 --cpt '[4]'", "--net tcp --if eth0 --cpt 4",
                              "--net tcp --if 'eth0[0,4]'", "--net tcp --if eth0 --cpt '[64]'",
                              "--net tcp --if 'eth0[999]'", "--nid 10.99.0.3@tcp --cpt '[2-5]'"}) {
    const Outcome outcome = sh(std::string("ulnetctl net add ") + command);
    EXPECT_EQ(without_hints(outcome.err), refused) << command;
    EXPECT_EQ(outcome.code, 234) << command;
    EXPECT_TRUE(node.nets().empty()) << command;
  }
  EXPECT_NE(sh("ulnetctl net add --net tcp --if eth0 --cpt 4")
                .err.find("# invalid CPT value 4: the last CPU partition is 3\n"),
            std::string::npos);
  const Outcome imported = sh("ulnetctl import", one_ni("\"[0,4]\""));
  EXPECT_TRUE(imported.err.starts_with(refused)) << imported.err;
  EXPECT_EQ(imported.code, 234);
  EXPECT_TRUE(node.nets().empty());
  EXPECT_EQ(sh("ulnetctl net add --net tcp --if 'eth0[0-1],eth1' --cpt 3").code, 0);
  EXPECT_EQ(ni(0)["CPT"], "[0,1]") << "an interface's own list wins";
  EXPECT_EQ(ni(1)["CPT"], "[3]");
}

// spec/cli-lnetctl.md 5.3; spec/core-semantics.md 13.3
TEST_F(CptImport, TextAndListSurviveARoundTrip) {  // 266
  for (const auto& [list, shown] : std::vector<std::pair<std::string, std::string>>{
           {"[0-3]", "[0,1,2,3]"}, {"[1-2]", "[1,2]"}, {"[0-2/2,3]", "[0,2,3]"}, {"[2]", "[2]"}}) {
    ASSERT_EQ(sh("ulnetctl net add --net tcp --if eth0 --cpt '" + list + "'").code, 0);
    EXPECT_EQ(ni(0)["CPT"], shown);
    const std::string before = sh("ulnetctl export").out;
    for (const std::string& yaml : {"\"" + list + "\"", list}) {
      imported(one_ni(yaml));
      EXPECT_EQ(sh("ulnetctl export").out, before) << yaml;
    }
    sh("ulnetctl net del --net tcp; ulnetctl net add --net tcp --if 'eth0" + list + "'");
    EXPECT_EQ(sh("ulnetctl export").out, before) << "beside the interface";
    write_file("before.yaml", before);
    sh("ulnetctl net del --net tcp; ulnetctl import before.yaml");
    EXPECT_EQ(sh("ulnetctl export").out, before) << "the export itself";
    EXPECT_NE(sh("ulnetctl net show -v").out.find("CPT: \"" + shown + "\""), std::string::npos);
    sh("ulnetctl net del --net tcp");
  }
}

}  // namespace
}  // namespace ulnet::ctl::test
