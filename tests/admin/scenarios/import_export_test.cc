// `import` of an output of `export` restores the same state; and every other feature of import.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "admin/client/control_client.h"
#include "admin/client/export.h"
#include "admin/client/yaml_apply.h"
#include "admin/conf/yaml_in.h"
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class ImportExport : public Workbench {
 protected:
  ImportExport() : Workbench(kFourPartitions) {}
  Tree exported() { return tree_of_yaml(sh("ulnetctl export").out); }
  /// The NIDs of the node without 0@lo.
  std::vector<std::string> nids() {
    std::vector<std::string> all;
    for (const Tree& net : node.nets())
      for (const Tree& ni : net["local NI(s)"]) all.push_back(ni["nid"]);
    return all;
  }
};

TEST_F(ImportExport, AnExportComesBackUnchanged) {  // spec/cli-lnetctl.md 3.13, 5.5, 6, 14.9
  sh("ulnetctl net add --net tcp --if eth0,eth1 --peer-credits 32 --conns-per-peer 4; ulnetctl net "
     "add --net tcp2 --if 127.0.0.11 "
     "--tos 106 --cpt '[0-2]'; ulnetctl set transaction_timeout 60; ulnetctl param set credits "
     "128");
  for (const char* flags : {"", "--backup"}) {
    const Outcome before = sh(std::string("ulnetctl export ") + flags + " e.yaml; ulnetctl export");
    const Outcome back =
        sh("ulnetctl lnet unconfigure; ulnetctl lnet configure; ulnetctl import e.yaml");
    EXPECT_EQ(back.code, 0) << back.err;
    EXPECT_EQ(back.err, "");
    EXPECT_EQ(sh("ulnetctl export").out, before.out) << flags;
  }
}

TEST_F(ImportExport, AnImportCanBeDeletedWithItsFile) {  // spec/cli-lnetctl.md 5.1
  const std::string base = sh("ulnetctl export --backup").out;
  write_file("two.yaml",
             "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n          0: eth0\n  "
             "        1: eth1\n");
  EXPECT_EQ(sh("ulnetctl import two.yaml").code, 0);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 2U) << "upstream case 450";
  EXPECT_EQ(sh("ulnetctl import --del two.yaml").code, 0);
  EXPECT_EQ(sh("ulnetctl export --backup").out, base);
  // An export also contains lo, which cannot be deleted.
  sh("ulnetctl import two.yaml; ulnetctl export all.yaml");
  const Outcome gone = sh("ulnetctl import --del all.yaml");
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(sh("ulnetctl export --backup").out, base);
}

TEST_F(ImportExport, ErrorsDoNotStopTheRest) {  // spec/cli-lnetctl.md 3.13, 5.1, 5.2
  const Outcome outcome =
      sh("ulnetctl import",
         "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n          0: eth9\n"
         "  - net type: tcp1\n    local NI(s):\n      - interfaces:\n          0: eth0\n"
         "foo: 1\nglobal:\n  discovery: bar\n  retry_count:\n  bogus: 3\n  numa_range: 7\n");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_EQ(node.nets().size(), 1U);
  EXPECT_EQ(node.global("numa_range"), 7);
  for (const char* reason : {"cannot add LNet NI", "Failed to configure NI on net 'tcp' rc = -22",
                             "invalid key 'foo'", "invalid value 'bar' for key 'discovery'",
                             "no value specified for key 'retry_count'", "invalid key 'bogus'"}) {
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << reason;
  }
}

TEST_F(ImportExport, ANetInTheFlatForm) {  // spec/cli-lnetctl.md 5.3
  sh("ulnetctl net add --net tcp --if eth0");
  write_file("flat.yaml", "net:\n  - net type: tcp\n    interfaces:\n      0: eth1\n");
  const Outcome added = sh("ulnetctl import flat.yaml");
  EXPECT_EQ(added.code, 0) << added.err;
  EXPECT_EQ(added.err, "");
  EXPECT_EQ(nids(), (std::vector<std::string>{"10.99.0.3@tcp", "10.99.1.3@tcp"}));
  EXPECT_EQ(sh("ulnetctl import --del flat.yaml").code, 0);
  EXPECT_EQ(nids(), std::vector<std::string>{"10.99.0.3@tcp"}) << "the interface named, no other";
  write_file("net.yaml", "net:\n  - net type: tcp\n");
  EXPECT_EQ(sh("ulnetctl import --del net.yaml").code, 0) << "the whole net is named";
  EXPECT_TRUE(nids().empty());
}

TEST_F(ImportExport, OnlyNamedInterfacesAreTouched) {  // spec/cli-lnetctl.md 5.3
  sh("ulnetctl net add --net tcp --if eth0,eth1");
  const std::vector<std::string> before = nids();
  for (const char* item :
       {"  - net type: tcp\n    local NIs:\n      - interfaces:\n          0: eth1\n",
        "  - net type: tcp\n    local NI(s):\n      - interface:\n          0: eth1\n",
        "  - net type: tcp\n    local NI(s): []\n", "  - net type: tcp\n    nis: [eth1]\n"}) {
    write_file("bad.yaml", std::string("net:\n") + item);
    for (const char* mode : {"--add", "--del"}) {
      const Outcome outcome = sh(std::string("ulnetctl import ") + mode + " bad.yaml");
      EXPECT_EQ(outcome.code, 234) << item;
      EXPECT_NE(outcome.err.find("descr: ! \"line "), std::string::npos) << outcome.err;
      EXPECT_EQ(nids(), before) << mode << item;
    }
  }
  const Outcome misspelt =
      sh("ulnetctl import --del", "net:\n  - net type: tcp\n    local NIs:\n      - interfaces:\n");
  EXPECT_NE(
      misspelt.err.find("line 3, column 5: invalid key 'local NIs': did you mean 'local NI(s)'?"),
      std::string::npos)
      << misspelt.err;
  sh("ulnetctl net del --net tcp");
  const Outcome alone = sh("ulnetctl import", "net:\n  - net type: tcp\n");
  EXPECT_EQ(alone.code, 234);
  EXPECT_NE(alone.err.find("creating a local NI needs at least one interface"), std::string::npos);
  EXPECT_TRUE(nids().empty());
}

TEST_F(ImportExport, ABadRuleLeavesNoneOfIp2nets) {  // spec/cli-lnetctl.md 5.4
  const Outcome outcome = sh("ulnetctl import",
                             "ip2nets:\n  - net-spec: tcp\n    ip-rnge: {0: 10.0.0.1}\n"
                             "  - net-spec: tcp\n    interfaces: {0: lo}\n");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_EQ(outcome.err.find("cannot add"), std::string::npos) << outcome.err;
  EXPECT_TRUE(nids().empty());
}

TEST_F(ImportExport, StrictDoesNothingOfAFileThatIsNotUnderstood) {
  const std::string good =
      "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n"
      "          0: eth0\n";
  for (const char* odd : {"        cpt: '[0]'\n", "foo: 1\n"}) {
    const Outcome outcome = sh("ulnetctl import --strict", good + odd);
    EXPECT_EQ(outcome.code, 234);
    EXPECT_NE(outcome.err.find("descr: ! \"line 6, column "), std::string::npos) << outcome.err;
    EXPECT_TRUE(nids().empty());
  }
  EXPECT_EQ(sh("ulnetctl import --strict", good).code, 0);
  EXPECT_EQ(nids().size(), 1U);
}

TEST_F(ImportExport, DefaultsWithoutRoutingAreTaken) {  // spec/cli-lnetctl.md 5.2
  const std::string off =
      "route: []\nrouting:\n    enable: 0\nbuffers:\n    tiny: 0\n    small: 0\n    large: 0\n";
  for (const char* mode : {"--add", "--del"}) {
    write_file("off.yaml", off);
    const Outcome outcome = sh(std::string("ulnetctl import ") + mode + " off.yaml");
    EXPECT_EQ(outcome.code, 0) << mode << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
  }
  EXPECT_EQ(sh("ulnetctl import", "routing:\n    enable: 1\n").code, 0);
  EXPECT_EQ(node.routing("enable"), 1);
  EXPECT_EQ(sh("ulnetctl import --del", "routing:\n    enable: 1\n").code, 0)
      << "deleting turns it off";
  EXPECT_EQ(node.routing("enable"), 0);
}

TEST_F(ImportExport, MalformedTextIsRefusedWithItsPlace) {
  const Outcome outcome = sh("ulnetctl import", "net:\n  - net type: tcp\n   bad indent: [\n");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_NE(outcome.err.find("descr: ! \"line "), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("---\nadd:\n-     import:\n      errno: -22\n"));
  EXPECT_EQ(sh("ulnetctl import", "net: \xff\xfe\n").code, 234);
  EXPECT_EQ(sh("ulnetctl import", "- net\n").code, 234);
}

TEST_F(ImportExport, ShowPrintsWhatTheFileNames) {  // spec/cli-lnetctl.md 5.1
  sh("ulnetctl net add --net tcp --if eth0; ulnetctl net add --net tcp6 --if eth1; ulnetctl export "
     "e.yaml");
  const Outcome outcome = sh("ulnetctl import --show e.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, sh("ulnetctl net show --net lo -v 4; ulnetctl net show --net tcp -v 4; "
                            "ulnetctl net show --net tcp6 -v 4; "
                            "ulnetctl global show")
                             .out);
  EXPECT_EQ(sh("ulnetctl import --show", "statistics:\n").code, 0);
}

TEST_F(ImportExport, ExecPings) {  // spec/cli-lnetctl.md 5.1
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.0.0.1@tcp"});
  const Outcome good =
      sh("ulnetctl import --exec", "ping:\n  nids:\n    0: 10.0.0.1@tcp\n  timeout: 3\n");
  EXPECT_EQ(good.out, sh("ulnetctl ping 10.0.0.1@tcp").out);
  EXPECT_EQ(good.code, 0);
  const Outcome bad = sh("ulnetctl import --exec", "ping:\n  - primary nid: 10.0.0.9@tcp\n");
  EXPECT_EQ(bad.code, 255);
  EXPECT_EQ(sh("ulnetctl import --exec", "net:\n  - net type: tcp\n").code, 0)
      << "nets are not its business";
}

// spec/cli-lnetctl.md 5.3, 11.2
TEST_F(ImportExport, TunablesAreRead) {  // upstream cases 230 to 232
  const auto item = [](const std::string& tunables) {
    return "net:\n  - net type: tcp\n    local NI(s):\n      - interfaces:\n          0: eth0\n" +
           tunables;
  };
  EXPECT_EQ(
      sh("ulnetctl import", item("        lnd tunables:\n          conns_per_peer: 200\n")).code,
      234);
  EXPECT_EQ(sh("ulnetctl import", item("        lnd tunables:\n          tos: 300\n")).code, 234);
  EXPECT_TRUE(node.nets().empty());
  for (const auto& [given, shown] :
       std::vector<std::pair<int, int>>{{-1, 180}, {0, 0}, {60, 60}, {180, 180}}) {
    EXPECT_EQ(sh("ulnetctl import",
                 item("        tunables:\n          peer_timeout: " + std::to_string(given) + "\n"))
                  .code,
              0);
    EXPECT_EQ(node.nets()[0]["local NI(s)"][0]["tunables"]["peer_timeout"], shown);
    sh("ulnetctl net del --net tcp");
  }
  const Outcome unknown = sh("ulnetctl import", item("        tunables:\n          colour: 3\n"));
  EXPECT_EQ(unknown.code, 0);
  EXPECT_EQ(unknown.err, "line 7, column 11: Ignoring unrecognized key 'colour' for 'tunables'\n");
  write_file("colour.yaml", item("        tunables:\n          colour: 3\n"));
  EXPECT_EQ(sh("ulnetctl net del --net tcp; lnetctl import colour.yaml").err,
            "Ignoring unrecognized key 'colour' for 'tunables'\n")
      << "as production nodes say it";
}

TEST_F(ImportExport, ParamsComeBackAndStartOnlyOnesMayRepeatTheirValue) {
  node.restart({{"accept", "trust"}});
  sh("ulnetctl param set keepalive 60; ulnetctl export --backup e.yaml");
  EXPECT_NE(read_file("e.yaml").find("param:\n    accept: trust\n    keepalive: 60\n"),
            std::string::npos);
  EXPECT_EQ(sh("ulnetctl import e.yaml").code, 0);
  node.restart({{"accept", "secure"}});
  EXPECT_EQ(sh("ulnetctl import e.yaml").code, 234) << "it cannot be set any more";
}

// The output of param show has notes, defaults and help texts beside the values.
TEST_F(ImportExport, OutputOfParamShowIsImported) {
  for (const char* level : {"", " -v"}) {
    const Outcome outcome = sh("ulnetctl param show" + std::string(level) +
                               " > p.yaml; ulnetctl import --strict p.yaml");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(ImportExport, PeersThatTrafficMadeAreNoObstacle) {  // spec/cli-lnetctl.md 5.2, 14.10, 14.11
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.99.0.2@tcp"});
  ASSERT_EQ(sh("ulnetctl ping 10.99.0.2@tcp").code, 0);
  sh("ulnetctl export e.yaml");
  EXPECT_NE(read_file("e.yaml").find("primary nid: 10.99.0.2@tcp"), std::string::npos);
  const Outcome outcome = sh("ulnetctl net del --net tcp; ulnetctl import e.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const Tree& peer : node.peers())
    EXPECT_EQ(peer["peer state"].get<int>() & 8, 0) << "it was configured by that: " << peer;
  EXPECT_EQ(sh("ulnetctl export --backup").out.find("\npeer:"), std::string::npos);
  ASSERT_EQ(sh("ulnetctl discover 10.99.0.2@tcp").code, 0);
  EXPECT_EQ(node.peers().at(0)["Multi-Rail"], true);
  EXPECT_EQ(sh("ulnetctl export --backup").out.find("\npeer:"), std::string::npos)
      << "what was discovered is discovered again";
  EXPECT_EQ(
      sh("ulnetctl import", "peer:\n  - primary nid: 10.0.0.1@tcp\n    Multi-Rail: true\n").code,
      0);
  EXPECT_NE(sh("ulnetctl export --backup")
                .out.find("peer:\n-     primary nid: 10.0.0.1@tcp\n      Multi-Rail: true\n"
                          "      peer ni:\n      -     nid: 10.0.0.1@tcp\n"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl import", "peer:\n  - primary nid: 10.0.0.1@tcp\n    Multi-Rail: Foobar\n")
                .err.find("invalid value 'Foobar'"),
            std::string::npos);
}

// spec/cli-lnetctl.md 5.2, spec/upstream-tests.md: A 14, 18a, 18b
TEST_F(ImportExport, DeletesThePeersOrTheirNidsThatAFileNames) {
  sh("ulnetctl peer add --nid 10.0.0.[1-3]@tcp; ulnetctl peer add --nid 10.1.0.[1-3]@tcp1");
  const Outcome some = sh("ulnetctl import --del",
                          "peer:\n"
                          "  - primary nid: 10.0.0.1@tcp\n    peer ni:\n"
                          "      - nid: 10.0.0.[2-3]@tcp\n"
                          "  - primary nid: 10.1.0.1@tcp1\n    peer ni:\n"
                          "      - nid: 10.1.0.3@tcp1\n");
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(node.peers()[0]["peer ni"].size(), 1U);
  EXPECT_EQ(node.peers()[1]["peer ni"].size(), 2U);

  sh("ulnetctl export all.yaml");
  EXPECT_EQ(sh("ulnetctl import --del all.yaml").code, 0);
  EXPECT_TRUE(node.peers().empty());
}

TEST_F(ImportExport, PeersThatCannotBeDeletedAreNamed) {  // spec/cli-lnetctl.md 5.2
  const Outcome unknown =
      sh("ulnetctl import --del", "peer:\n  - primary nid: 10.0.0.1@tcp\n    Multi-Rail: true\n");
  EXPECT_EQ(unknown.code, 234);
  EXPECT_NE(unknown.err.find("del:\n-     peer:\n      errno: -2\n"), std::string::npos)
      << unknown.err;
  EXPECT_NE(sh("ulnetctl import --del", "peer:\n  - primary nid: 10.0.0.*@tcp\n")
                .err.find("'10.0.0.*@tcp' is not one NID"),
            std::string::npos);
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.99.0.2@tcp"});
  sh("ulnetctl ping 10.99.0.2@tcp; ulnetctl export e.yaml");
  EXPECT_NE(read_file("e.yaml").find("primary nid: 10.99.0.2@tcp"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl peer del --prim_nid 10.99.0.2@tcp").code, 0);
  EXPECT_TRUE(node.peers().empty()) << node.peers();
  const Outcome gone = sh("ulnetctl import --del e.yaml");
  EXPECT_EQ(gone.code, 0) << "made by traffic, and gone already: " << gone.err;
}

TEST_F(ImportExport, FiveHundredNetsGoOverOneConnection) {
  std::string text = "net:\n";
  for (int i = 0; i < 500; ++i) {
    text += "  - net type: tcp" + std::to_string(i) +
            "\n    local NI(s):\n      - interfaces:\n          0: 127.1." +
            std::to_string(i / 250) + "." + std::to_string(i % 250 + 1) + "\n";
  }
  EXPECT_EQ(sh("ulnetctl import", text).code, 0);
  EXPECT_EQ(node.nets().size(), 500U);
}

// A random configuration is applied to a node and exported; importing that makes an equal node.

rc::Gen<conf::NiItem> any_ni() {
  return rc::gen::apply(
      [](int host, int cpts, rc::Maybe<int> conns, rc::Maybe<int> tos) {
        conf::NiItem ni;
        ni.interface = host == 0   ? "eth0"
                       : host == 1 ? "eth1"
                       : host == 2 ? "fd99::" + std::to_string(host)
                                   : "127.0.3." + std::to_string(host);
        for (std::uint32_t cpt = 0; cpt < 4; ++cpt) {
          if ((cpts >> cpt & 1) != 0) ni.cpts.push_back(cpt);
        }
        if (conns) ni.lnd_tunables["conns_per_peer"] = *conns;
        if (tos) ni.lnd_tunables["tos"] = *tos;
        return ni;
      },
      rc::gen::inRange(0, 30), rc::gen::inRange(0, 16), rc::gen::maybe(rc::gen::inRange(0, 128)),
      rc::gen::maybe(rc::gen::inRange(-1, 256)));
}

/// NIDs of few hosts on few nets, so that peers meet.
rc::Gen<Nid> any_peer_nid() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(1, 9), rc::gen::inRange<std::uint16_t>(0, 3)),
                      [](const std::pair<int, std::uint16_t>& which) {
                        return Nid::small({NetType::kTcp, which.second},
                                          0x0a000000U + static_cast<std::uint32_t>(which.first));
                      });
}

/// Adds random peers, some of which the node refuses, and random policies.
void add_peers_and_policies(LnetConfig& lnet) {
  const int peers = *rc::gen::inRange(0, 5);
  for (int n = 0; n < peers; ++n)
    static_cast<void>(lnet.change(conf::change::AddPeer{
        .primary = *any_peer_nid(),
        .nids = *rc::gen::resize(4, rc::gen::container<std::vector<Nid>>(any_peer_nid())),
        .multi_rail = *rc::gen::arbitrary<bool>(),
        .lock_primary = *rc::gen::arbitrary<bool>()}));
  const int rules = *rc::gen::inRange(0, 5);
  for (int n = 0; n < rules; ++n) {
    const std::string nid = (*any_peer_nid()).to_string(), other = (*any_peer_nid()).to_string();
    const bool pair = *rc::gen::arbitrary<bool>();
    const auto rule = core::udsp::parse_rule(
        {pair ? std::string_view(other) : std::string_view(), nid, {}, *rc::gen::inRange(0, 9)});
    RC_ASSERT(rule.has_value());
    static_cast<void>(lnet.change(conf::change::AddPolicy{*rule}));
  }
}

TEST_F(ImportExport, AnImportIsOneRequestHoweverLong) {
  std::string text = "net:\n";
  for (int net = 1; net <= 300; ++net)
    text += "    - net type: tcp" + std::to_string(net) +
            "\n      local NI(s):\n        - interfaces:\n              0: eth0\n";
  text += "global:\n    numa_range: 5\n    discovery: 0\nparam:\n    keepalive: 17\n";
  write_file("long.yaml", text);
  EXPECT_EQ(sh("ulnetctl import long.yaml").code, 0);
  EXPECT_EQ(node.nets().size(), 300U);
  EXPECT_EQ(node.batches(), 1);
  EXPECT_EQ(node.requests().size(), 305U) << "version, param, and what was in the batch";
  EXPECT_EQ(sh("ulnetctl import --del long.yaml").code, 0);
  EXPECT_TRUE(node.nets().empty());
  EXPECT_EQ(node.batches(), 2);
  write_file("nothing.yaml", "net:\n    - net type: lo\n");
  EXPECT_EQ(sh("ulnetctl import nothing.yaml").code, 0);
  EXPECT_EQ(node.batches(), 2) << "nothing to change, nothing to ask";
}

// spec/cli-lnetctl.md 5.1: errors neither stop nor undo the other items, and import reports them in
// the order of the document.
TEST_F(ImportExport, EachItemOfTheRequestHasItsOwnResult) {
  write_file("mixed.yaml",
             "net:\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n"
             "              0: eth9\n        - interfaces:\n              0: eth0\n"
             "global:\n    retry_count: 999\n    numa_range: 5\n"
             "udsp:\n    - src: tcp\n"
             "route:\n    - net: tcp1\n      gateway: 10.0.0.1@tcp9\n"
             "nonsense: 1\n");
  const Outcome outcome = sh("ulnetctl import mixed.yaml");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_EQ(node.nets()[0]["local NI(s)"].size(), 1U);
  EXPECT_EQ(node.global("numa_range"), 5);
  EXPECT_EQ(node.policies().size(), 1U);
  EXPECT_EQ(node.batches(), 1);
  std::size_t at = 0;
  for (const char* part : {"cannot add LNet NI", "# there is no interface 'eth9'",
                           "Failed to configure NI on net 'tcp'", "retry_count:",
                           "No interface configured on the same net as gateway", "nonsense"}) {
    const std::size_t found = outcome.err.find(part, at);
    EXPECT_NE(found, std::string::npos) << part << " in\n" << outcome.err;
    at = found == std::string::npos ? at : found;
  }
}

// spec/cli-lnetctl.md 5.2, 5.5, 6
RC_GTEST_FIXTURE_PROP(ImportExport, AnyConfigurationComesBack, ()) {
  auto client = ControlClient::open(node.socket());
  RC_ASSERT(client.has_value());
  LnetConfig lnet(**client);
  const int nets = *rc::gen::inRange(0, 5);
  for (int n = 0; n < nets; ++n) {
    const std::string net =
        NetId{NetType::kTcp, *rc::gen::inRange<std::uint16_t>(0, 6)}.to_string();
    for (conf::NiItem ni :
         *rc::gen::resize(4, rc::gen::container<std::vector<conf::NiItem>>(any_ni()))) {
      ni.tunables.peer_credits = *rc::gen::inRange(1, 1000);
      ni.tunables.credits = *rc::gen::inRange(1, 1000);
      static_cast<void>(lnet.add_ni(net, ni));  // the node refuses the same NI twice
    }
  }
  static_cast<void>(
      lnet.change(conf::change::SetGlobals{{{"transaction_timeout", *rc::gen::inRange(3, 1000)}}}));
  static_cast<void>(
      lnet.change(conf::change::SetGlobals{{{"retry_count", *rc::gen::inRange(0, 10)}}}));
  static_cast<void>(
      lnet.change(conf::change::SetGlobals{{{"discovery", *rc::gen::inRange(0, 3)}}}));
  static_cast<void>(lnet.change(
      conf::change::SetParams{{{"keepalive", std::to_string(*rc::gen::inRange(0, 1000))}}}));
  static_cast<void>(lnet.change(conf::change::SetParams{
      {{"wait", *rc::gen::element<std::string>("spin", "adaptive", "block")}}}));

  add_peers_and_policies(lnet);
  const bool backup = *rc::gen::arbitrary<bool>();
  const auto before = export_tree(lnet, false, {});
  const auto file = export_tree(lnet, backup, {});
  RC_ASSERT(before && file);
  RC_ASSERT(lnet.config_ni_system(false, false).has_value() &&
            lnet.config_ni_system(true, false).has_value());
  const auto document = conf::read_yaml(sections_to_yaml(*file));
  RC_ASSERT(document.has_value());
  std::string errors;
  const ImportSink sink{.error = [&](std::string_view, std::string_view,
                                     const conf::Problem& p) { errors += p.reason + "\n"; },
                        .note = [&](const conf::Problem& note) { errors += note.reason + "\n"; },
                        .shown = [](const std::string&, const Tree&) {},
                        .pinged = [](const LnetConfig::PingResult&) {}};
  const bool good = yaml_apply(lnet, *document, ImportMode::kAdd, {}, &resolve_host, sink);
  RC_ASSERT(errors == "");
  RC_ASSERT(good);
  const auto after = export_tree(lnet, false, {});
  RC_ASSERT(after.has_value());
  RC_ASSERT(*after == *before);
}

}  // namespace
}  // namespace ulnet::ctl::test
