// ulnetctl prints, byte for byte, what production nodes printed in the same state
// (tests/data/text).
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

class RecordedOutput : public Workbench {
 protected:
  /// Serves the tree of a recorded text at `path`.
  void serve(const std::string& path, const std::string& yaml) {
    node.answer_as_recorded("GET " + path, tree_of_yaml(yaml));
  }
  /// Runs the recorded commands of a file and compares all of their output.
  void expect_as_recorded(const std::string& file) {
    for (const Recorded& recorded : recorded_commands(file)) {
      SCOPED_TRACE(recorded.command);
      const Outcome outcome = sh_merged(recorded.command);
      EXPECT_EQ(outcome.out, recorded.output);
      EXPECT_EQ(outcome.code, recorded.code);
    }
  }
  /// The complete tree, as the control API sends it: recorded at verbosity 4.
  std::string complete_nets() { return recorded_commands("lnetctl_net_show_v4.yaml").at(0).output; }
};

TEST_F(RecordedOutput, NetShowAtEveryLevel) {  // spec/cli-lnetctl.md 3.4, 4.1
  serve("/v1/net", complete_nets());
  expect_as_recorded("lnetctl_net_show.yaml");
  expect_as_recorded("lnetctl_net_show_v1.yaml");
  expect_as_recorded("lnetctl_net_show_v2.yaml");
  expect_as_recorded("lnetctl_net_show_v4.yaml");
  EXPECT_EQ(sh("lnetctl net show -v 5").out, complete_nets());
  EXPECT_EQ(sh("lnetctl net show -v 3").out, sh("lnetctl net show -v 2").out);
}

TEST_F(RecordedOutput, GlobalShow) {  // spec/cli-lnetctl.md 3.12, 4.6
  serve("/v1/global", recorded_commands("lnetctl_global_show.yaml").at(0).output);
  expect_as_recorded("lnetctl_global_show.yaml");
}

TEST_F(RecordedOutput, RoutesAndRoutingOfANodeWithout) {  // spec/cli-lnetctl.md 3.6, 4.3, 4.4
  expect_as_recorded("lnetctl_route_show_empty.yaml");
  expect_as_recorded("lnetctl_routing_show.yaml");
}

TEST_F(RecordedOutput, StatsShow) {  // spec/cli-lnetctl.md 3.12, 4.5, 12.1
  serve("/v1/stats", recorded_commands("lnetctl_stats_show.yaml").at(0).output);
  expect_as_recorded("lnetctl_stats_show.yaml");
}

TEST_F(RecordedOutput, ExportAsItIs) {  // spec/cli-lnetctl.md 6
  serve("/v1/net", complete_nets());
  expect_as_recorded("lnetctl_export_min.yaml");
}

TEST_F(RecordedOutput, ExportBackup) {  // spec/cli-lnetctl.md 6
  // Export looks the interface up on the test machine, to see whether its name is enough. No test
  // machine has an interface of this name.
  serve("/v1/net", replaced(complete_nets(), "eth0", "recorded0"));
  const Recorded recorded = recorded_commands("lnetctl_export_backup.yaml").at(0);
  EXPECT_EQ(sh(recorded.command).out, replaced(recorded.output, "eth0", "recorded0"));
}

TEST_F(RecordedOutput, PeerShow) {  // spec/cli-lnetctl.md 3.9, 4.2
  const std::string recorded = recorded_text("lnetctl_peer_show_v4.after_discover.g1.yaml");
  Tree peers = tree_of_yaml(recorded);
  peers["peer"][0]["why"] = "ulnet's own key";
  node.answer_as_recorded("GET /v1/peer", peers);
  EXPECT_NE(sh("ulnetctl peer show -v").out.find("why: ulnet's own key\n"), std::string::npos);
  EXPECT_EQ(sh("lnetctl peer show -v 4").out, recorded);
  EXPECT_EQ(sh("lnetctl peer show").out,
            "peer:\n-     primary nid: 10.99.0.2@tcp\n      Multi-Rail: true\n      peer ni:\n"
            "      -     nid: 10.99.0.2@tcp\n            state: NA\n"
            "      -     nid: 10.99.1.2@tcp\n            state: NA\n");
  EXPECT_EQ(sh("lnetctl peer list").out, "peer list:\n-     nid: 10.99.0.2@tcp\n");
}

TEST_F(RecordedOutput, PeerShowAtLevelOne) {  // spec/cli-lnetctl.md 3.9, 4.2
  // The file contains the outputs of ping, discover, peer show -v 1 and global show in sequence.
  const std::string recorded = recorded_text("discovery_disabled.yaml");
  const std::string peers = recorded.substr(recorded.find("peer:\n"),
                                            recorded.find("global:\n") - recorded.find("peer:\n"));
  serve("/v1/peer", peers);
  EXPECT_EQ(sh("lnetctl peer show -v 1").out, peers);
  serve("/v1/global", recorded.substr(recorded.find("global:\n")));
  EXPECT_EQ(sh("lnetctl global show").out, recorded.substr(recorded.find("global:\n")));
}

TEST_F(RecordedOutput, PingOfOneAndOfLargeNids) {  // spec/cli-lnetctl.md 4.7
  sh("lnetctl net add --nid 10.99.0.1@tcp");
  network.host({"10.99.0.2@tcp"});
  EXPECT_EQ(sh("lnetctl ping 10.99.0.2@tcp").out, recorded_text("lnetctl_ping.first.yaml"));
  EXPECT_EQ(
      sh("lnetctl ping 0@lo").out,
      "ping:\n- primary nid: 0@lo\n  Multi-Rail: false\n  peer_ni:\n  - nid: 10.99.0.1@tcp\n");
  sh("lnetctl net add --nid fd99::1@tcp");
  network.host({"fd99::2@tcp"});
  EXPECT_EQ(sh("lnetctl ping fd99::2@tcp; lnetctl ping fd99::2@tcp").out,
            recorded_text("large_ping.txt"));
}

TEST_F(RecordedOutput, CptOfNid) {  // spec/cli-lnetctl.md 3.17; spec/core-semantics.md 13.2, 16
  const Recorded recorded = recorded_commands("lnetctl_cpt-of-nid.yaml").at(0);
  // The recorded pseudo-file is a runtime file here, and ulnetctl shows it.
  const std::string command =
      replaced(recorded.command, "cat /sys/kernel/debug/lnet/cpu_partition_table",
               "ulnetctl file cpu_partition_table");
  const Outcome outcome = sh(command);
  EXPECT_EQ(outcome.out, recorded.output);
  EXPECT_EQ(outcome.code, recorded.code);
}

TEST_F(RecordedOutput, PingErrors) {  // spec/cli-lnetctl.md 3.10, 3.11, 4.7
  sh("lnetctl net add --nid 10.99.0.1@tcp");
  for (const char* refuses : {"10.99.0.254@tcp", "10.99.1.2@tcp"})
    network.refuse(refuses, -ECONNREFUSED);
  for (Recorded recorded : recorded_commands("errors_ping.txt")) {
    std::string command = recorded.command;
    if (command.starts_with("time ")) command = command.substr(5);
    // Removes the output of `time` and of the packet sniffer.
    for (const char* noise : {"Command exited", "real\t", "Number of packets"}) {
      recorded.output = recorded.output.substr(0, recorded.output.find(noise));
    }
    SCOPED_TRACE(command);
    const Outcome outcome = sh_merged(command);
    EXPECT_EQ(without_hints(outcome.out), recorded.output);
    EXPECT_EQ(outcome.code, recorded.code);
  }
}

TEST_F(RecordedOutput, NetShowOfLargeNidsAndSeveralNets) {  // spec/cli-lnetctl.md 4.1
  // Builds the state that was recorded after `net add` by NID and by interface, from the recorded
  // text.
  const std::string text = recorded_text("mixed_v4v6_net_add.txt");
  const std::string shown =
      text.substr(text.find("net:\n"), text.find("net add:") - text.find("net:\n"));
  serve("/v1/net", shown);
  EXPECT_EQ(sh("lnetctl net show").out, shown);
}

TEST_F(RecordedOutput, JsonShowsTheSameTrees) {
  serve("/v1/net", complete_nets());
  EXPECT_EQ(Tree::parse(sh("ulnetctl net show -v 4 --json").out), tree_of_yaml(complete_nets()));
  EXPECT_EQ(Tree::parse(sh("ulnetctl --json net show").out),
            tree_of_yaml(recorded_commands("lnetctl_net_show.yaml").at(0).output));
  for (const char* noun : {"global", "stats", "param", "peer"}) {
    EXPECT_TRUE(
        Tree::parse(sh(std::string("ulnetctl ") + noun + " show --json").out, nullptr, false)
            .is_object())
        << noun;
  }
  EXPECT_TRUE(Tree::parse(sh("ulnetctl peer list --json").out, nullptr, false).is_object());
  EXPECT_EQ(Tree::parse(sh("ulnetctl list_nids all --json").out)["nids"], Tree::array({"0@lo"}));
}

}  // namespace
}  // namespace ulnet::ctl::test
