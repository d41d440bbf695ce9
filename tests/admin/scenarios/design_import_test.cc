// The YAML of LNet's Multi-Rail design document as `import` takes it. spec/design-vs-today.md 2.3.
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class DesignImport : public Workbench {
 protected:
  DesignImport() : Workbench(kFourPartitions) {}
  Outcome import(const std::string& text, const std::string& mode = "") {
    return sh("ulnetctl import " + mode, text);
  }
  std::vector<std::string> peer(std::size_t index) {
    std::vector<std::string> nids;
    const Tree peers = node.peers();
    for (const Tree& ni : peers.at(index)["peer ni"]) nids.push_back(ni["nid"]);
    return nids;
  }
  using Nids = std::vector<std::string>;
};

TEST_F(DesignImport, InterfacesWithTheirCpts) {  // spec/cli-lnetctl.md 5.2
  const std::string text =
      "net:\n   - net: tcp1\n     interfaces:\n           - intf: eth0\n             CPT: 1,3\n"
      "           - intf: eth1\n             CPT: [0]\n     detail: 1\n"
      "     tunables:\n        credits: 64\n     seq_no: 7\n";
  const Outcome added = import(text);
  EXPECT_EQ(added.code, 0) << added.err;
  ASSERT_EQ(node.nets().size(), 1U);
  const Tree nis = node.nets()[0]["local NI(s)"];
  ASSERT_EQ(nis.size(), 2U);
  EXPECT_EQ(nis[0]["CPT"], "[1,3]");
  EXPECT_EQ(nis[1]["CPT"], "[0]");
  EXPECT_EQ(nis[1]["tunables"]["credits"], 64);
  const Outcome again = import(text);
  EXPECT_EQ(again.code, 234);
  EXPECT_NE(again.err.find("-     net:\n      seq_no: 7\n      errno: -17\n"), std::string::npos)
      << again.err;
  const Outcome shown = import("net:\n  - net: tcp1\n    detail: 0\n", "--show");
  EXPECT_EQ(shown.out.find("tunables"), std::string::npos) << "as the item asks";
  EXPECT_NE(import("net:\n  - net: tcp1\n    detail: 1\n", "--show").out.find("tunables"),
            std::string::npos);
  EXPECT_EQ(import("net:\n  - net: tcp1\n    interfaces:\n      - intf: eth0\n", "--del").code, 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  EXPECT_EQ(import("net:\n  - net: tcp1\n", "--del").code, 0);
  EXPECT_TRUE(node.nets().empty());
}

TEST_F(DesignImport, APatternChoosesInterfacesByTheirAddresses) {  // spec/cli-lnetctl.md 5.2
  node.add_interface("lo", "127.0.0.1");
  EXPECT_EQ(import("net:\n  - net: tcp3\n    pattern: 127.0.0.*\n").code, 234)
      << "no loopback by a pattern alone";
  EXPECT_EQ(import("net:\n  - net: tcp3\n    intf: lo\n    pattern: 127.0.0.*\n").code, 0);
  ASSERT_EQ(node.nets().size(), 1U);
  EXPECT_EQ(node.nets()[0]["net type"], "tcp3");
  EXPECT_EQ(import("net:\n  - net: tcp4\n    intf: lo\n    pattern: 127.0.*.*\n").code, 0);
  const Outcome contradicts =
      import("net:\n  - net: tcp5\n    intf: lo\n    pattern: 203.0.113.*\n    seq_no: 2\n");
  EXPECT_EQ(contradicts.code, 234);
  EXPECT_NE(contradicts.err.find("seq_no: 2\n"), std::string::npos) << contradicts.err;
  EXPECT_NE(contradicts.err.find("No ip2nets rules applied: interface 'lo' has 127.0.0.1"),
            std::string::npos)
      << contradicts.err;
  EXPECT_EQ(node.nets().size(), 2U);
  const Outcome kept =
      import("net:\n  - net: tcp3\n    intf: lo\n    pattern: 127.0.0.*\n", "--del");
  EXPECT_EQ(kept.code, 0);
  EXPECT_NE(kept.err.find("Ignoring 'ip2nets': 'net' items delete NIs"), std::string::npos);
  EXPECT_EQ(node.nets().size(), 2U);
}

TEST_F(DesignImport, MistakesAreNamed) {  // spec/cli-lnetctl.md 5.2
  for (const auto& [item, why] : std::vector<std::pair<std::string, std::string>>{
           {"net: tcp\n    interfaces:\n      - CPT: 1", "no value specified for key 'intf'"},
           {"net: tcp\n    interfaces:\n      - intf: eth0\n        cpt: 1", "invalid key 'cpt'"},
           {"net: foo\n    interfaces:\n      - intf: eth0", "invalid value 'foo'"},
           {"net: tcp\n    detail: much", "invalid value 'much'"},
           {"net: tcp\n    seq_no: first", "invalid value 'first'"},
           {"net: tcp\n    pattern: 10.0.0", "invalid value '10.0.0'"}}) {
    const Outcome outcome = import("net:\n  - " + item + "\n");
    EXPECT_EQ(outcome.code, 234) << item;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  }
  EXPECT_TRUE(node.nets().empty());
}

TEST_F(DesignImport, ListsOfPeersReplaceWhatAPeerHas) {  // spec/cli-lnetctl.md 5.2
  EXPECT_EQ(import("peers:\n  - nids:\n      0: 10.2.2.3@tcp\n      1: 10.4.4.4@tcp1\n"
                   "  - nids: [10.2.2.9@tcp]\n")
                .code,
            0);
  EXPECT_EQ(peer(0), (Nids{"10.2.2.3@tcp", "10.4.4.4@tcp1"}));
  EXPECT_EQ(node.batches(), 1);
  EXPECT_EQ(import("peers:\n  - nids:\n      0: 10.2.2.3@tcp\n      1: 10.5.5.5@tcp2\n").code, 0);
  EXPECT_EQ(peer(0), (Nids{"10.2.2.3@tcp", "10.5.5.5@tcp2"})) << "the document's own example";
  EXPECT_EQ(peer(1), Nids{"10.2.2.9@tcp"}) << "a peer that is not named stays";
}

TEST_F(DesignImport, ANidThatIsRefusedIsLeftOutAndNamedByItsNumber) {  // spec/cli-lnetctl.md 5.2
  import("peers:\n  - nids: [10.2.2.3@tcp]\n");
  const Outcome outcome = import(
      "peers:\n  - nids: {0: 10.2.2.8@tcp, 1: 10.2.2.3@tcp, 2: 10.5.5.5@tcp2}\n    seq_no: 4\n");
  EXPECT_EQ(outcome.code, 0) << "the peer that has one of them is that peer: " << outcome.err;
  EXPECT_EQ(peer(0), (Nids{"10.2.2.3@tcp", "10.2.2.8@tcp", "10.5.5.5@tcp2"}));
  import("peers:\n  - nids: [10.9.9.9@tcp]\n");
  const Outcome doubled =
      import("peers:\n  - nids: [10.2.2.3@tcp, 10.9.9.9@tcp, 10.6.6.6@tcp]\n    seq_no: 4\n");
  EXPECT_EQ(doubled.code, 234);
  EXPECT_NE(doubled.err.find("seq_no: 4\n      errno: -17\n"), std::string::npos) << doubled.err;
  EXPECT_NE(doubled.err.find("nid 1: "), std::string::npos) << doubled.err;
  EXPECT_EQ(peer(0), (Nids{"10.2.2.3@tcp", "10.6.6.6@tcp"})) << "the others came";
  EXPECT_NE(import("peers:\n  - nids: [10.2.2.3@tcp, bogus]\n").err.find("nid 1: 'bogus'"),
            std::string::npos);
}

TEST_F(DesignImport, ListsOfPeersDelete) {  // spec/cli-lnetctl.md 5.2
  import("peers:\n  - nids: [10.2.2.3@tcp, 10.4.4.4@tcp1, 10.4.4.5@tcp1]\n");
  EXPECT_EQ(import("peers:\n  - nids: [10.4.4.4@tcp1]\n", "--del").code, 0);
  EXPECT_EQ(peer(0), (Nids{"10.2.2.3@tcp", "10.4.4.5@tcp1"}));
  const Outcome unknown =
      import("peers:\n  - nids: {0: 10.4.4.5@tcp1, 1: 10.7.7.7@tcp}\n", "--del");
  EXPECT_EQ(unknown.code, 234);
  EXPECT_NE(unknown.err.find("nid 1: "), std::string::npos) << unknown.err;
  EXPECT_EQ(peer(0), Nids{"10.2.2.3@tcp"});
  EXPECT_EQ(import("peers:\n  - nids: [10.2.2.3@tcp]\n", "--del").code, 0);
  EXPECT_TRUE(node.peers().empty());
}

TEST_F(DesignImport, DiscoveriesAreCarriedOut) {  // spec/cli-lnetctl.md 5.2
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.0.0.1@tcp", "10.0.0.2@tcp"});
  write_file("d.yaml", "discover:\n  nids:\n    0: 10.0.0.2@tcp\n  force: true\n");
  const Outcome done = sh("ulnetctl import --exec d.yaml");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.starts_with("discover:\n- primary nid: 10.0.0.1@tcp\n"));
  EXPECT_EQ(last_request(), R"(POST /v1/discover {"nids":["10.0.0.2@tcp"],"force":true})");
  const Outcome failed = sh("ulnetctl import --exec", "discover:\n  nids: [10.0.0.9@tcp]\n");
  EXPECT_EQ(failed.code, 255);
  EXPECT_NE(failed.out.find("failed to discover 10.0.0.9@tcp"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl import --exec", "discover:\n  nids: [10.0.0.9]\n").code, 255);
}

}  // namespace
}  // namespace ulnet::ctl::test
