// peer, discover and debug peer: the requests that they send to the node, and their output.
// spec/cli-lnetctl.md 3.8, 3.9, 3.11, 3.16.
#include <algorithm>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class PeerCommands : public Workbench {
 protected:
  /// The NIDs of a peer, the primary one first.
  std::vector<std::string> nids_of(const std::string& primary) {
    std::vector<std::string> nids;
    for (const Tree& peer : node.peers())
      if (peer["primary nid"] == primary)
        for (const Tree& ni : peer["peer ni"]) nids.push_back(ni["nid"]);
    return nids;
  }
  using Nids = std::vector<std::string>;
};

TEST_F(PeerCommands, APeerIsAddedWithItsNidsInTheirOrder) {  // spec/cli-lnetctl.md 3.8, 14.2
  EXPECT_EQ(sh("ulnetctl peer add --prim_nid 10.0.0.1@tcp --nid "
               "10.0.1.[3-4]@tcp1,10.0.0.[1-4/2]@tcp,2001:db8::1@tcp2")
                .code,
            0);
  EXPECT_EQ(nids_of("10.0.0.1@tcp"), (Nids{"10.0.0.1@tcp", "10.0.1.3@tcp1", "10.0.1.4@tcp1",
                                           "10.0.0.3@tcp", "2001:db8::1@tcp2"}));
  EXPECT_EQ(sh("ulnetctl peer add -k 10.0.0.1@tcp --ip2nets 10.0.5.[1-2]@tcp5").code, 0);
  EXPECT_EQ(nids_of("10.0.0.1@tcp").size(), 7U);
  EXPECT_EQ(sh("ulnetctl peer add --prim 10.0.9.1 --non_mr --lock_prim").code, 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/peer {"primary nid":"10.0.9.1@tcp","Multi-Rail":false,"lock":true})");
  EXPECT_EQ(sh("ulnetctl peer add -k 10.0.9.2@tcp -n 10.0.9.3@tcp -n 10.0.9.4@tcp").code, 0);
  EXPECT_EQ(nids_of("10.0.9.2@tcp"), (Nids{"10.0.9.2@tcp", "10.0.9.4@tcp"})) << "the last one";
}

// spec/cli-lnetctl.md 3.8; spec/design-vs-today.md 2.3
TEST_F(PeerCommands, WithoutAPrimaryNidItIsTheFirst) {
  EXPECT_EQ(sh("ulnetctl peer add --nid 10.0.0.1@tcp,10.0.1.1@tcp1").code, 0);
  EXPECT_EQ(nids_of("10.0.0.1@tcp"), (Nids{"10.0.0.1@tcp", "10.0.1.1@tcp1"}));
  const Outcome as_lnetctl = sh("lnetctl peer add --nid 10.0.2.1@tcp");
  EXPECT_EQ(as_lnetctl.code, 234);
  EXPECT_NE(as_lnetctl.err.find("--prim_nid must be specified"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl peer del --nid 10.0.0.1@tcp").code, 234) << "never to delete";
}

// The recorded commands, in their order, on a node without a gateway. Where production printed
// nothing, ulnet prints the reason on stderr (spec/observed.md 3).
TEST_F(PeerCommands, AddAndDelEndAsRecorded) {  // spec/cli-lnetctl.md 3.8
  const auto known_fault = [](const std::string& command) {
    for (const char* part : {"10.99.1.4@", "10.99.1.[80-81]", "--force", "10.99.1.5@", "--non_mr"})
      if (command.find(part) != std::string::npos) return true;
    return false;
  };
  int compared = 0;
  for (const Recorded& each : recorded_commands("peer_errors.txt")) {
    const bool add = each.command.starts_with("lnetctl peer add ");
    if ((!add && !each.command.starts_with("lnetctl peer del --")) || known_fault(each.command))
      continue;
    if (each.command.find("10.99.1.60@") != std::string::npos && !add) continue;
    SCOPED_TRACE(each.command);
    const Outcome outcome = sh(each.command);
    EXPECT_EQ(outcome.code, each.code) << outcome.err;
    EXPECT_EQ(outcome.out, each.output.substr(0, each.output.find("---\n")));
    const std::size_t said = each.output.find("---\n");
    if (said != std::string::npos) {
      EXPECT_EQ(outcome.err, each.output.substr(said));
    }
    ++compared;
    if (each.command.ends_with("10.99.1.101@tcp1")) break;
  }
  EXPECT_GE(compared, 25);
}

// spec/cli-lnetctl.md 3.8
TEST_F(PeerCommands, BadNidsAreNotAdded) {  // upstream case 99a
  for (const char* bad :
       {"--prim_nid foobar", "--prim_nid '*@tcp'", "--prim_nid 1.1.1.1@foo", "--prim_nid @tcp",
        "--prim_nid 1.1.1.[1-2]@tcp", "--prim_nid 1.1.1.1@tcp1x", "--prim_nid ''",
        "--prim_nid 1.1.1.1@tcp --nid foobar", "--prim_nid 1.1.1.1@tcp --nid 1.1.1.[1-254]@tcp",
        "--prim_nid 1.1.1.1@tcp --nid 1.1.1@tcp", "--prim_nid 1.1.1.1@tcp --nid 1.1.1.1.1@tcp",
        "--prim_nid 1.1.1.1@tcp --nid 1.[1.1].1.1@tcp", "--prim_nid 1.1.1.1@tcp --nid 1.1.1.[1@tcp",
        "--prim_nid 1.1.1.1@tcp --nid 1.1.1.[[1]]@tcp",
        "--prim_nid 1.1.1.1@tcp --nid '1.1.1.[1-5/a]@tcp'",
        "--prim_nid 1.1.1.1@tcp --nid '*@tcp'"}) {
    for (const char* command : {"lnetctl peer add ", "ulnetctl peer add ", "lnetctl peer del "}) {
      const Outcome outcome = sh(std::string(command) + bad);
      EXPECT_EQ(outcome.code, 234) << command << bad;
      EXPECT_NE(outcome.err.find("peer:\n      errno: -"), std::string::npos) << bad;
    }
  }
  EXPECT_TRUE(node.peers().empty());
  EXPECT_EQ(sh("lnetctl peer add").code, 234);
  EXPECT_EQ(sh("lnetctl peer del --prim_nid 9.9.9.9@tcp").code, 234);
}

// spec/cli-lnetctl.md 3.8
TEST_F(PeerCommands, ALockedPrimaryNidStaysWithoutForce) {  // upstream case 26
  sh("ulnetctl peer add --prim_nid 10.0.0.1@tcp --nid 10.0.1.1@tcp1 --lock_prim");
  EXPECT_NE(sh("ulnetctl peer show -v 3").out.find("peer state: 1048585\n"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl peer del --prim_nid 10.0.0.1@tcp").code, 0);
  EXPECT_EQ(nids_of("10.0.0.1@tcp"), Nids{"10.0.0.1@tcp"});
  EXPECT_EQ(sh("ulnetctl peer del --prim_nid 10.0.0.1@tcp --force").code, 0);
  EXPECT_EQ(sh("lnetctl peer show --nid 10.0.0.1@tcp").code, 234);
}

TEST_F(PeerCommands, SetChangesHealthAndState) {  // spec/cli-lnetctl.md 3.9
  sh("ulnetctl peer add --prim_nid 10.0.0.1@tcp --nid 10.0.1.1@tcp1");
  EXPECT_EQ(sh("ulnetctl peer set --nid 10.0.1.1@tcp1 --health 700").code, 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/peer {"nid":"10.0.1.1@tcp1","health":700})");
  EXPECT_EQ(sh("ulnetctl peer set --all --health 5000").code, 0);
  EXPECT_EQ(last_request(), R"(PATCH /v1/peer {"all":true,"health":1000})");
  EXPECT_EQ(sh("ulnetctl peer set --nid 10.0.0.1@tcp --state 1048577").code, 0);
  EXPECT_EQ(node.peers()[0]["peer state"], 1048577);
  const Outcome unknown = sh("ulnetctl peer set --nid 10.0.0.9@tcp --health 7");
  EXPECT_EQ(unknown.code, 0) << "as lnetctl";
  EXPECT_EQ(unknown.err, "# nothing was set: no such peer\n");
}

// spec/cli-lnetctl.md 3.9; spec/observed.md 3
TEST_F(PeerCommands, SetRefusesMistakesAndLeavesThePeerAlone) {
  sh("ulnetctl peer add --prim_nid 10.0.0.1@tcp");
  const std::size_t before = node.requests().size();
  const std::string recorded = "net:\n    - set:\n          errno: -22\n          descr: ";
  for (const char* bad :
       {"--nid 10.0.0.1@tcp --health -5", "--nid 10.0.0.1@tcp --health abc", "--nid 10.0.0.1@tcp",
        "--health 5", "--nid 10.0.0.1@tcp --all --health 5", "--all --state 1",
        "--nid 10.0.0.1@tcp --state abc", "--nid foo --health 5"}) {
    const Outcome as_lnetctl = sh(std::string("lnetctl peer set ") + bad);
    EXPECT_EQ(as_lnetctl.code, 234) << bad;
    EXPECT_EQ(as_lnetctl.err, recorded + "\n") << bad;
    const Outcome said = sh(std::string("ulnetctl peer set ") + bad);
    EXPECT_EQ(said.code, 234) << bad;
    EXPECT_TRUE(said.err.starts_with(recorded + "\"")) << "with the reason: " << said.err;
  }
  EXPECT_EQ(node.requests().size(), before) << "the node was not asked";
}

TEST_F(PeerCommands, ShowMayBeBounded) {
  sh("ulnetctl peer add --nid 10.0.0.1@tcp; ulnetctl peer add --nid 10.0.0.2@tcp");
  EXPECT_EQ(sh("ulnetctl peer show --max 1").out.find("10.0.0.2"), std::string::npos);
  EXPECT_NE(sh("ulnetctl peer show --max 5").out.find("10.0.0.2"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl peer show --max many").code, 234);
  EXPECT_EQ(sh("ulnetctl peer list").out,
            "peer list:\n-     nid: 10.0.0.1@tcp\n-     nid: 10.0.0.2@tcp\n");
}

TEST_F(PeerCommands, ThePictureIsAnSvgOfThePeersRails) {
  sh("ulnetctl net add --net tcp --if eth0; ulnetctl peer add --nid 10.99.0.8@tcp,10.99.1.8@tcp1");
  EXPECT_EQ(sh("ulnetctl peer show --nid 10.99.1.8@tcp1 --picture rails.svg").code, 0);
  const std::string svg = read_file("rails.svg");
  for (const char* part :
       {"<svg", "peer 10.99.0.8@tcp, Multi-Rail", "10.99.0.3@tcp<", "tcp1: not here"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(sh("ulnetctl peer show --picture rails.svg").code, 234) << "of which peer?";
  EXPECT_EQ(sh("ulnetctl peer show --nid 9.9.9.9@tcp --picture rails.svg").code, 234);
  EXPECT_NE(sh("ulnetctl peer show --nid 10.99.0.8@tcp --picture no/such/folder.svg")
                .err.find("cannot write"),
            std::string::npos);
}

TEST_F(PeerCommands, DiscoverIsAsRecorded) {  // spec/cli-lnetctl.md 3.11, 4.7; spec/observed.md 2.6
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.99.0.2@tcp", "10.99.1.2@tcp"});
  EXPECT_EQ(sh("lnetctl discover 10.99.1.2@tcp").out, recorded_text("lnetctl_discover.yaml"));
  EXPECT_EQ(last_request(), R"(POST /v1/discover {"nids":["10.99.1.2@tcp"],"force":false})");
  sh("lnetctl discover --force '10.99.[0-1].2@tcp'");
  EXPECT_EQ(last_request(),
            R"(POST /v1/discover {"nids":["10.99.0.2@tcp","10.99.1.2@tcp"],"force":true})");
  const Outcome failed = sh("lnetctl discover 10.99.0.99@tcp");
  EXPECT_EQ(failed.code, 255);
  EXPECT_EQ(failed.out,
            "manage:\n- discover:\n  errno: -113\n"
            "  descr: ! 'failed to discover 10.99.0.99@tcp: No route to host'\n");
  for (const char* none : {"discover", "discover --force"}) {
    const Outcome missing = sh(std::string("lnetctl ") + none);
    EXPECT_EQ(missing.code, 255);
    EXPECT_EQ(missing.err, "Missing nid argument\n");
  }
  const std::size_t asked = node.requests().size();
  for (const auto& [words, why] : std::vector<std::pair<std::string, std::string>>{
           {"10.99.0.1", "no valid NIDs in string"},
           {"bogus 10.99.0.1@tcp", "no valid NIDs in string"},
           {"12345-10.99.0.1@tcp", "invalid NID in nidstr"},
           {"99-10.99.0.1@tcp", "invalid NID in nidstr"}}) {
    const Outcome bad = sh("lnetctl discover " + words);
    EXPECT_EQ(bad.code, 234) << words;
    EXPECT_EQ(without_hints(bad.err),
              "---\nmanage:\n-     discover:\n      errno: -22\n      descr: ! \"\\\"Unable to "
              "parse nidlist: " +
                  why + "\\\"\"\n...\n");
  }
  EXPECT_EQ(node.requests().size(), asked);
  const Outcome option = sh("lnetctl discover --foo 10.99.0.1@tcp");
  EXPECT_EQ(option.code, 0);
  EXPECT_EQ(option.out + option.err, "discover: unrecognized option '--foo'\n");
}

TEST_F(PeerCommands, DiscoverIsWatchedByAConnectionOfItsOwn) {
  sh("ulnetctl net add --net tcp --if eth0");
  network.host({"10.99.0.2@tcp", "10.99.1.2@tcp"});
  const Outcome plain = sh("ulnetctl discover 10.99.0.2@tcp");
  const Outcome watched = sh("ulnetctl discover --trace --force 10.99.0.2@tcp");
  EXPECT_EQ(watched.code, 0);
  EXPECT_EQ(watched.out, plain.out);
  EXPECT_TRUE(watched.err.starts_with("#     0.000 ms  10.99.0.2@tcp: ")) << watched.err;
  const auto requests = node.requests();
  EXPECT_TRUE(std::ranges::any_of(requests, [](const std::string& request) {
    return request.starts_with("GET /v1/discovery?after=");
  }));
  node.answer_as_recorded("GET /v1/discovery", {{"discovery", Tree::array()}});
  EXPECT_EQ(sh("ulnetctl discover --trace 10.99.0.2@tcp").err, "") << "this node has taken no step";
}

TEST_F(PeerCommands, DebugPeerSpeaksToTheLog) {  // spec/cli-lnetctl.md 3.16
  const Outcome printed = sh("ulnetctl debug peer --nid 10.0.0.1@tcp");
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.out + printed.err, "");
  EXPECT_EQ(last_request(), R"(POST /v1/peer/debug {"nid":"10.0.0.1@tcp"})");
  EXPECT_EQ(sh("ulnetctl debug peer").code, 234);
  EXPECT_EQ(sh("ulnetctl debug peer --nid bogus").code, 234);
}

}  // namespace
}  // namespace ulnet::ctl::test
