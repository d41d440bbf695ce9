// A link named lctl prints the texts and exit codes that were recorded in production (lctl_ping,
// lctl_nids, lctl_network; case 10 of the field). For features that ulnet does not have, it names
// the command to use.
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

struct Lctl : Workbench {
  /// stdout, stderr and exit code in one text.
  std::string said(const std::string& command) {
    const Outcome outcome = sh("lctl " + command);
    return outcome.out + (outcome.err.empty() ? "" : "[stderr]\n" + outcome.err) + "[exit " +
           std::to_string(outcome.code) + "]";
  }
};

TEST_F(Lctl, PingPrintsNidsAndExitsWithTheErrno) {
  sh("lnetctl net add --net tcp --if eth0; lnetctl net add --net tcp1 --if eth1");
  network.stall("10.99.0.77@tcp");
  network.refuse("10.99.0.254@tcp", -ECONNREFUSED);
  const std::string good = said("ping 10.99.0.3@tcp");
  EXPECT_EQ(good, "12345-0@lo\n10.99.0.3@tcp\n10.99.1.3@tcp1\n[exit 0]");
  for (const char* same :
       {"ping 10.99.0.3", "ping 12345-10.99.0.3@tcp", "ping 10.99.0.3@tcp 5",
        "ping 10.99.0.3@tcp 0", "ping 10.99.0.3@tcp -1", "ping 10.99.0.3@tcp 5 99",
        "ping 10.99.0.3@tcp 5 12345 6", "--net tcp ping 10.99.0.3"})
    EXPECT_EQ(said(same), good) << same;
  EXPECT_EQ(said("ping"), "[stderr]\nusage: ping id [timeout (secs)]\n[exit 22]");
  EXPECT_EQ(said("ping foo@tcp"), "[stderr]\nInvalid NID argument \"foo@tcp\"\n[exit 22]");
  EXPECT_EQ(said("ping abc-10.99.0.3@tcp"),
            "[stderr]\nInvalid NID argument \"abc-10.99.0.3@tcp\"\n[exit 22]");
  EXPECT_EQ(said("ping 10.99.0.3@tcp abc"),
            "failed to ping 10.99.0.3@tcp: Invalid input data or parameter\n[exit 22]");
  EXPECT_EQ(said("ping 10.99.0.3@tcp 100000"), "[stderr]\nTimeout 100000 is to large\n[exit 22]");
  // Health scripts search the first line of stdout for this text.
  EXPECT_EQ(said("ping 10.99.0.254@tcp"),
            "failed to ping 10.99.0.254@tcp: Connection refused\n[exit 111]");
  EXPECT_EQ(said("ping 10.99.9.9@tcp9"),
            "failed to ping 10.99.9.9@tcp9: No route to host\n[exit 113]");
  EXPECT_EQ(said("ping 10.99.0.77@tcp 1"),
            "failed to ping 10.99.0.77@tcp: Input/output error\n[exit 5]")
      << "lctl's words for a peer that is silent";
}

TEST_F(Lctl, ListNidsAndWhichNid) {
  ASSERT_EQ(sh("lnetctl net add --net tcp --if eth0,eth1").code, 0);
  EXPECT_EQ(said("list_nids"), "10.99.0.3@tcp\n10.99.1.3@tcp\n[exit 0]");
  EXPECT_EQ(said("list_nids foo"), "10.99.0.3@tcp\n10.99.1.3@tcp\n[exit 0]");
  EXPECT_EQ(said("list_nids all"), "0@lo\n10.99.0.3@tcp\n10.99.1.3@tcp\n[exit 0]");
  EXPECT_EQ(said("list_nids all all"), "[stderr]\nusage: list_nids [all]\n[exit 0]");
  EXPECT_EQ(said("which_nid"), "[stderr]\nusage: which_nid NID [NID...]\n[exit 0]");
  EXPECT_EQ(said("which_nid 10.99.0.77@tcp"), "10.99.0.3@tcp\n[exit 0]");
  EXPECT_EQ(said("which_nid 10.99.1.3@tcp"), "10.99.1.3@tcp\n[exit 0]");
  EXPECT_EQ(said("which_nid 10.99.9.9@tcp9 10.99.0.77"), "10.99.0.3@tcp\n[exit 0]");
  EXPECT_EQ(said("which_nid foo"), "[stderr]\nCan't parse NID foo\n[exit 1]");
  for (const char* nobody : {"10.99.9.9@tcp9", "0@lo", "1@gni", "fd99::3@tcp"})
    EXPECT_EQ(said("which_nid " + std::string(nobody)), "[stderr]\nNo reachable NID\n[exit 1]");
}

TEST_F(Lctl, Network) {
  const std::string usage =
      " [Network] <up|down> [-l]\n  -l: Override existing, else it will create new\n\n";
  EXPECT_EQ(said("network"), "configure LNET\nusage: network" + usage + "[exit 4]");
  EXPECT_EQ(said("net"), "configure LNET\nusage: net" + usage + "[exit 4]");
  for (const char* up :
       {"network up", "network configure", "net up", "network up foo", "--net tcp network up"})
    EXPECT_EQ(said(up), "LNET configured: New Created\n[exit 0]") << up;
  EXPECT_EQ(said("network up -l"), "LNET configured: Overridden existing one\n[exit 0]");
  EXPECT_EQ(said("network tcp up"), "[exit 0]");
  for (const char* word : {"foo", "-l", "UP", "--help"})
    EXPECT_EQ(said("network " + std::string(word)),
              "[stderr]\nCan't parse net " + std::string(word) + "\n[exit 1]");
  EXPECT_EQ(said("network down"), "LNET ready to unload\n[exit 0]");
}

TEST_F(Lctl, OtherCommandsNameUlnets) {
  for (const auto& [name, instead] :
       {std::pair("show_route", "route show"), std::pair("--net tcp peer_list", "peer show"),
        std::pair("get_param nis", "file NAME"), std::pair("dk", "events"),
        std::pair("net_drop_add -s x", "fault drop add")}) {
    const Outcome outcome = sh("lctl " + std::string(name));
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_EQ(outcome.out, "") << name;
    EXPECT_NE(outcome.err.find("is not in ulnet: use 'ulnetctl " + std::string(instead)),
              std::string::npos)
        << outcome.err;
  }
  for (const char* other : {"dl", "device_list", "debug_file x", "modules", "pool_new x"})
    EXPECT_NE(said(other).find("is not in ulnet, which is LNet alone"), std::string::npos) << other;
  EXPECT_EQ(said("ping_nosuch"),
            "[stderr]\nlctl: 'ping_nosuch' is not a valid command. See 'lctl --list-commands'.\n"
            "[exit 1]");
  EXPECT_EQ(said("--net"),
            "run <command> after selecting network <net>\nusage: --net <tcp/o2ib/...> <command>\n"
            "[exit 4]");
  EXPECT_EQ(said("--net foo peer_list"), "[stderr]\nCan't parse net foo\n[exit 1]");
}

TEST_F(Lctl, MarkHelpAndLines) {
  ASSERT_EQ(sh("lnetctl net add --net tcp --if eth0,eth1").code, 0);
  EXPECT_EQ(said("mark hello there"), "[exit 0]");
  EXPECT_EQ(last_request(), R"(POST /v1/log/mark {"text":"hello there"})");
  EXPECT_EQ(said("help ping"),
            "[stderr]\nping: Check LNET connectivity\nusage: ping nid [timeout [pid]]\n[exit 0]");
  EXPECT_EQ(said("help network"),
            "[stderr]\nnetwork: configure LNET\nusage: network [Network] <up|down> [-l]\n"
            "  -l: Override existing, else it will create new\n\n[exit 0]");
  const Outcome lines = sh("lctl", "list_nids\nfoo\nquit\nlist_nids\n");
  EXPECT_EQ(lines.out,
            "10.99.0.3@tcp\n10.99.1.3@tcp\nusage: lctl [COMMAND] [OPTIONS]... [ARGS]\n"
            "Without any parameters, interactive mode is invoked\n"
            "Try 'lctl help <COMMAND>', or 'lctl --list-commands' for a list of commands.\n");
  EXPECT_EQ(lines.code, 0);
  for (const char* nothing : {"quit", "exit", "ignore_errors"})
    EXPECT_EQ(said(nothing), "[exit 0]");
}

}  // namespace
}  // namespace ulnet::ctl::test
