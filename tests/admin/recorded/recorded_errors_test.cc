// Runs every recorded command line of a feature that ulnet has, and expects the recorded text and
// exit code. The commands run in the recorded order, and change the state of the node as they
// changed that of the production node.
#include <algorithm>
#include <array>
#include <string_view>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

/// Recorded commands that the test does not run: how they begin, and why.
struct Left {
  std::string_view begins;
  const char* why;
};
constexpr auto kLeft = std::to_array<Left>({
    {"lnetctl peer add --", "its errors printed nothing, a known fault (PeerCommands)"},
    {"lnetctl peer show",
     "lists the peers that the commands left out made; its errors printed nothing, a known fault"},
    {"lnetctl peer list", "the same"},
    {"lnetctl peer del", "its errors printed nothing, a known fault (RecordedPeerDel, below)"},
    {"lnetctl peer set", "of peers that the commands left out made (PeerCommands)"},
    {"lnetctl set routing 1", "there was no memory for its buffers, which are made on demand here"},
    {"lnetctl fault drop add -s", "not built, and it crashed"},
    {"lctl ", "another program"},
    {"lnetctl ping",
     "without a NID a writer's error was printed; ulnetctl says what is missing (Ping, below)"},
    {"lnetctl service ", "--help of a command that does not exist (CommandLine)"},
    {"printf \"net:\\n  - net type: tcp\\n   bad", "malformed YAML is refused as a whole (Import)"},
    {"lnetctl export e.yaml; ", "an export comes back without error (ImportExport)"},
    {"lnetctl import e.yaml; ", "the same"},
    {"lnetctl import --show e.yaml", "the same"},
    {"lnetctl import --exec e.yaml", "the same"},
    {"rmmod lnet_selftest; ", "kernel modules (LnetDown)"},
    {"lnetctl lnet unconfigure", "needs somebody else's reference (LnetDown)"},
});

bool left_out(const std::string& command) {
  // The test leaves out `ping` without arguments, and runs it with arguments.
  if (command.starts_with("lnetctl ping ")) return false;
  return std::any_of(kLeft.begin(), kLeft.end(),
                     [&](const Left& left) { return command.starts_with(left.begins); });
}

class RecordedErrors : public Workbench {};

// spec/cli-lnetctl.md 3.2, 3.6, 3.7, 3.13, 4.3, 7, 14.8; spec/multirail.md 2.1
TEST_F(RecordedErrors, EveryCommandThatIsBuilt) {
  // The node of the recording has tcp on eth0.
  ASSERT_EQ(sh("lnetctl net add --net tcp --if eth0").code, 0);
  network.host({"10.99.0.253@tcp"}, {{"forwarding", "enabled"}});
  int compared = 0;
  for (const Recorded& recorded : recorded_commands("errors_lnetctl.txt")) {
    if (left_out(recorded.command)) continue;
    // This command was recorded after rmmod.
    if (recorded.command.starts_with("lnetctl ping 10.99.0.1@tcp")) continue;
    // From here on the recording is of another node.
    if (recorded.command.starts_with("lnetctl lnet configure")) break;
    SCOPED_TRACE(recorded.command);
    if (recorded.command == "lnetctl route show -v") node.wait_for_silent("10.99.0.254@tcp");
    const Outcome outcome = sh_merged(recorded.command);
    EXPECT_EQ(without_hints(outcome.out), recorded.output);
    EXPECT_EQ(outcome.code, recorded.code);
    ++compared;
  }
  EXPECT_GE(compared, 60);
}

/// A node with the peers that earlier commands of the recording made.
class RecordedPeerDel : public Workbench {
 protected:
  /// Where production printed nothing, ulnet prints an error on stderr; nothing else may differ.
  void expect_as_recorded(const Recorded& recorded) {
    SCOPED_TRACE(recorded.command);
    const Outcome outcome = sh(recorded.command);
    EXPECT_EQ(outcome.out, recorded.output);
    EXPECT_EQ(outcome.code, recorded.code);
    const bool says = recorded.code != 0 && recorded.output.empty();
    EXPECT_EQ(outcome.err.starts_with("---\ndel:\n-     peer:\n      errno: -"), says)
        << outcome.err;
  }
};

// spec/cli-lnetctl.md 3.8; spec/multirail.md 2.2; spec/observed.md 3
TEST_F(RecordedPeerDel, PeersMadeByCommands) {
  const auto all = recorded_commands("errors_lnetctl.txt");
  const auto shown = std::find_if(all.begin(), all.end(), [](const Recorded& each) {
    return each.command == "lnetctl peer show" &&
           each.output.find("10.99.0.60@tcp") != each.output.npos;
  });
  ASSERT_NE(shown, all.end());
  sh("lnetctl net add --nid 10.99.0.1@tcp");
  network.host({"10.99.0.3@tcp"});
  sh("lnetctl ping 10.99.0.3@tcp; lnetctl peer add --prim_nid 10.99.0.50@tcp --nid 10.99.1.50@tcp; "
     "lnetctl peer add --prim_nid 10.99.0.52@tcp; "
     "lnetctl peer add --prim_nid 10.99.0.60@tcp --nid 10.99.0.[61-64]@tcp");
  EXPECT_EQ(sh(shown->command).out, shown->output);
  int compared = 0;
  for (const Recorded& each : all) {
    if (!each.command.starts_with("lnetctl peer del")) continue;
    expect_as_recorded(each);
    ++compared;
  }
  EXPECT_EQ(compared, 5);
  EXPECT_EQ(sh("lnetctl peer list").out,
            "peer list:\n-     nid: 10.99.0.3@tcp\n-     nid: 10.99.0.52@tcp\n-     nid: "
            "10.99.0.60@tcp\n");
}

/// Without the cases of a gateway and of a locked primary NID, which are not supported.
// spec/cli-lnetctl.md 3.8; spec/multirail.md 2.2; spec/observed.md 3
TEST_F(RecordedPeerDel, NidsOfOneAndHelp) {
  // The peers that earlier commands of the recording made.
  sh("ulnetctl peer add --nid 10.99.1.50@tcp1,10.99.1.51@tcp1,10.99.0.50@tcp,10.99.1.53@tcp1; "
     "ulnetctl peer add --nid 10.99.1.[70-73]@tcp1");
  int compared = 0;
  for (const Recorded& each : recorded_commands("peer_errors.txt")) {
    const std::string& command = each.command;
    const bool other =
        command.find("10.99.1.4@") != command.npos || command.find("10.99.1.60@") != command.npos;
    if (!command.starts_with("lnetctl peer del") || other) continue;
    expect_as_recorded(each);
    if (command.ends_with("--nid 10.99.1.51@tcp1,10.99.0.50@tcp")) {
      const Tree peer = node.peers()[0];
      EXPECT_EQ(peer["primary nid"], "10.99.1.50@tcp1");
      EXPECT_EQ(peer["peer ni"].size(), 2U);
      EXPECT_EQ(peer["peer ni"][1]["nid"], "10.99.1.53@tcp1");
    }
    if (++compared == 10) break;  // from here on the recording is of another node
  }
  EXPECT_EQ(compared, 10);
  EXPECT_EQ(node.peers().size(), 1U);
}

class LnetDown : public Workbench {};

TEST_F(LnetDown, RequestsAreAnsweredAsRecorded) {  // spec/cli-lnetctl.md 1
  node.unconfigure();
  const Outcome shown = sh("lnetctl net show");
  EXPECT_EQ(
      shown.err,
      "---\nshow:\n-     net:\n      errno: -100\n      descr: ! \"Unspecific failure\"\n...\n"
      "# LNet is not configured in this node: 'lnet configure' starts it\n");
  EXPECT_EQ(shown.code, 234);
  const Outcome ping = sh("lnetctl ping 10.99.0.1@tcp");
  EXPECT_EQ(
      without_hints(ping.err),
      "---\nmanage:\n-     ping:\n      errno: -100\n      descr: ! \"Unspecific failure\"\n...\n");
  EXPECT_EQ(ping.code, 234);
}

TEST_F(LnetDown, ConfigureAndUnconfigureMayBeRepeated) {  // spec/cli-lnetctl.md 3.1
  node.unconfigure();
  const std::string lo =
      "net:\n-     net type: lo\n      local NI(s):\n      -     nid: 0@lo\n            status: "
      "up\n";
  const Outcome up = sh("lnetctl lnet configure; lnetctl lnet configure && lnetctl net show");
  EXPECT_EQ(up.out, lo);
  EXPECT_EQ(up.code, 0);
  EXPECT_EQ(sh("lnetctl lnet unconfigure && lnetctl lnet unconfigure && lnetctl lnet configure "
               "--all && lnetctl net show")
                .out,
            lo);
}

TEST_F(LnetDown, WhileOthersUseItLnetStaysUp) {  // spec/cli-lnetctl.md 3.1
  const auto recorded = recorded_commands("errors_lnetctl.txt");
  const auto busy = std::find_if(recorded.begin(), recorded.end(), [](const Recorded& r) {
    return r.command == "lnetctl lnet unconfigure";
  });
  ASSERT_NE(busy, recorded.end());
  node.answer_as_recorded("POST /v1/lnet", {{"errno", -EBUSY}, {"descr", "LNet busy"}}, 409);
  const Outcome outcome = sh_merged(busy->command);
  EXPECT_EQ(outcome.out, busy->output);
  EXPECT_EQ(outcome.code, busy->code);
}

}  // namespace
}  // namespace ulnet::ctl::test
