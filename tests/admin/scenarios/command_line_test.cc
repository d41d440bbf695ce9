// ulnetctl's command line: abbreviations, levels, the prompt, help, how it finds its node, and its
// output when no node runs. commands_test.cc tests the commands themselves.
#include <sstream>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

using CommandLine = Workbench;

TEST_F(CommandLine, LongOptionsMayBeAbbreviated) {  // spec/cli-lnetctl.md 1, 3.2
  EXPECT_EQ(sh("ulnetctl net add --net=tcp --if eth0 --peer-c 16 --peer-t 60 --cred 32 --conns 4 "
               "--to 104")
                .code,
            0);
  EXPECT_EQ(last_request(),
            "POST /v1/net "
            "{\"net\":\"tcp\",\"interface\":\"eth0\",\"tunables\":{\"peer_timeout\":60,\"peer_"
            "credits\":16,"
            "\"credits\":32},\"lnd tunables\":{\"conns_per_peer\":4,\"tos\":104}}");
  const Outcome ambiguous = sh("ulnetctl net add --peer 3");
  EXPECT_NE(ambiguous.err.find("add: option '--peer' is ambiguous"), std::string::npos);
  EXPECT_EQ(ambiguous.code, 0);
}

TEST_F(CommandLine, TheLevelIsTheNextWord) {  // spec/cli-lnetctl.md 1, 3.4, 14.6
  sh("ulnetctl net add --net tcp --if eth0");
  const std::string one = sh("ulnetctl net show -v 1").out;
  EXPECT_EQ(sh("ulnetctl net show -v").out, one);
  EXPECT_EQ(sh("ulnetctl net show --verb 1").out, one);
  EXPECT_EQ(sh("ulnetctl net show --verbose=2").out, one);
  EXPECT_EQ(sh("ulnetctl net show -v --net tcp").out, sh("ulnetctl net show --net tcp -v 1").out);
  const Outcome joined = sh("ulnetctl net show -v2");
  EXPECT_EQ(joined.code, 0);
  EXPECT_EQ(joined.err, "show: invalid option -- '2'\n");
  EXPECT_TRUE(joined.out.starts_with("net show: show networks\n"));
}

TEST_F(CommandLine, AnUnknownOptionPrintsTheHelp) {  // spec/cli-lnetctl.md 1
  const Outcome outcome = sh("ulnetctl fault drop add --foo; ulnetctl net del --foo");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("del: unrecognized option '--foo'\n"), std::string::npos);
  EXPECT_TRUE(outcome.out.starts_with("drop add: add LNet drop rule\n"));
  EXPECT_NE(outcome.out.find("\nnet del: delete a network\n"), std::string::npos);
}

// There are no recordings for ulnet's own commands; for them a mistake is an error.
TEST_F(CommandLine, AWrongOptionOfACommandOfOurOwnIsAnError) {
  for (const char* command :
       {"param show --foo", "param set --foo", "counters show --foo", "file --foo", "events --foo",
        "list_nids --foo", "selection net add --foo"}) {
    const Outcome outcome = sh(std::string("ulnetctl ") + command);
    EXPECT_EQ(outcome.code, 234) << command;
    EXPECT_NE(outcome.out.find(": "), std::string::npos) << "the help";
  }
}

TEST_F(CommandLine, AMisspelledWordIsRecognised) {  // spec/cli-lnetctl.md 1
  EXPECT_EQ(sh("ulnetctl pign 10.0.0.1@tcp").err,
            "ulnetctl: 'pign' is not a valid command. See 'ulnetctl --list-commands'.\n"
            "Did you mean 'ping'?\n");
  EXPECT_NE(sh("ulnetctl net shwo").err.find("Did you mean 'show'?\n"), std::string::npos);
  EXPECT_NE(sh("ulnetctl help gobal").err.find("Did you mean 'global'?\n"), std::string::npos);
  EXPECT_NE(sh("ulnetctl --controll x net show").err.find("Did you mean '--control'?\n"),
            std::string::npos);
  EXPECT_NE(sh("ulnetctl net add --net tcp --peer-credit-s 3").err.find("'--peer-credits'?\n"),
            std::string::npos);
  EXPECT_EQ(sh("ulnetctl net add --zzzz 3").err.find("Did you mean"), std::string::npos);
}

TEST_F(CommandLine, WordsThatACommandDoesNotTakeAreRefused) {
  const Outcome refused = sh("ulnetctl net show -v x");
  EXPECT_EQ(refused.code, 234);
  EXPECT_EQ(refused.err, "ulnetctl: 'x' is not expected here\n");
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(sh("ulnetctl net del --net tcp eth1").code, 234) << "not the whole net";
  EXPECT_EQ(sh("ulnetctl stats reset tcp").code, 234) << "not everything";
  EXPECT_EQ(sh("lnetctl net show -v x").code, 0) << "lnetctl takes no notice";
  const Outcome late = sh("ulnetctl net show --control other");
  EXPECT_EQ(late.code, 255);
  EXPECT_NE(late.err.find("write --control before the command"), std::string::npos) << late.err;
  EXPECT_EQ(sh("ulnetctl --control").err, "ulnetctl: --control has no value\n");
}

TEST_F(CommandLine, TheHelpSaysWhatEachCommandIsFor) {  // spec/cli-lnetctl.md 1
  const std::string help = sh("ulnetctl --help").out;
  EXPECT_NE(help.find("\nping             ping nodes\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nnet              nets of this node"), std::string::npos) << help;
  std::istringstream commands(sh("ulnetctl --list-commands").out);
  const std::string overview = "\n" + sh("ulnetctl help").out;
  for (std::string name; std::getline(commands, name);)
    EXPECT_NE(overview.find("\n" + name + " "), std::string::npos) << name;
}

TEST_F(CommandLine, HelpAndItsExitCodes) {  // spec/cli-lnetctl.md 1, 7
  EXPECT_EQ(sh("ulnetctl net add --help").code, 1);
  EXPECT_EQ(sh("ulnetctl net --help").code, 1);
  EXPECT_EQ(sh("ulnetctl net add -h").out,
            sh("ulnetctl net").out.substr(0, sh("ulnetctl net").out.find("net del:")));
  for (const char* command : {"import", "export", "ping", "discover"}) {
    const Outcome help = sh(std::string("ulnetctl ") + command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_TRUE(help.out.starts_with(std::string(command) + ": ")) << command;
  }
  EXPECT_EQ(sh("ulnetctl peer add").code, 234);
  EXPECT_EQ(sh("ulnetctl fault drop add --help").code, 1);
  EXPECT_EQ(sh("ulnetctl help net").out, sh("ulnetctl net").out);
  EXPECT_EQ(sh("ulnetctl help net add").out, sh("ulnetctl net add --help").out);
  EXPECT_EQ(sh("ulnetctl help net add").code, 0);
  EXPECT_NE(sh("ulnetctl help net ad").err.find("Did you mean 'add'?"), std::string::npos);
  EXPECT_EQ(sh("ulnetctl help").out, sh("ulnetctl --help").out);
  EXPECT_EQ(sh("ulnetctl service --help; ulnetctl nid --help").code, 255);
}

TEST_F(CommandLine, UlstHasTheSameHelp) {
  const std::string none = "unset LST_SESSION; ";
  EXPECT_TRUE(sh(none + "ulst help").out.starts_with("Usage: ulst "));
  EXPECT_EQ(sh(none + "ulst help").out, sh(none + "ulst --help").out);
  EXPECT_EQ(sh(none + "ulst stat --help").out, sh(none + "ulst help stat").out);
  EXPECT_EQ(sh(none + "ulst stat --help").code, 0);
  EXPECT_EQ(sh(none + "ulst sta").err,
            "ulst: 'sta' is not a valid command. See 'ulst --list-commands'.\n"
            "Did you mean 'stat'?\n");
}

TEST_F(CommandLine, ListCommandsAndVersion) {  // spec/cli-lnetctl.md 2
  const std::string listed = sh("ulnetctl --list-commands").out;
  for (const char* noun :
       {"lnet",         "net",       "route", "routing",    "set",        "peer",
        "ping",         "discover",  "stats", "global",     "import",     "export",
        "udsp",         "fault",     "debug", "service-id", "cpt-of-nid", "setup-mrrouting",
        "setup-sysctl", "list_nids", "param", "counters",   "file",       "reload",
        "selection",    "trace",     "events"}) {
    EXPECT_NE(("\n" + listed).find("\n" + std::string(noun) + "\n"), std::string::npos) << noun;
  }
  EXPECT_TRUE(sh("lnetctl --version").out.starts_with("lnetctl "));
}

TEST_F(CommandLine, MissingBuildPartsAreNamed) {  // spec/cli-lnetctl.md 2
  for (const char* command : {"service-id", "setup-mrrouting", "setup-sysctl"}) {
    const Outcome outcome = sh(std::string("ulnetctl ") + command);
    EXPECT_EQ(outcome.code, 234) << command;
    EXPECT_NE(outcome.err.find("is not built yet in ulnet"), std::string::npos) << command;
    EXPECT_NE(outcome.err.find("errno: -38"), std::string::npos) << command;
  }
}

TEST_F(CommandLine, AListOfNidsIsExpandedAndMatched) {  // spec/cli-lnetctl.md 3.16
  EXPECT_EQ(sh("lnetctl debug nidlist '10.0.0.[1-2]@tcp 10.0.0.9@tcp1'").out,
            "nidlist:\n    - 10.0.0.1@tcp\n    - 10.0.0.2@tcp\n    - 10.0.0.9@tcp1\n");
  const Outcome in = sh("lnetctl debug nidlist '10.0.0.[1-9]@tcp' 10.0.0.7@tcp");
  EXPECT_EQ(in.code, 0);
  EXPECT_EQ(in.out, "nidlist:\n    nid: 10.0.0.7@tcp\n    match: true\n");
  EXPECT_EQ(sh("lnetctl debug nidlist '10.0.0.[1-9]@tcp' 10.0.0.7@tcp1").code, 1);
  EXPECT_EQ(sh("lnetctl debug nidlist '10.0.0.['").code, 234);
  EXPECT_EQ(sh("lnetctl debug nidlist '*@tcp'").code, 234) << "it has no end";
  EXPECT_EQ(sh("lnetctl debug nidlist").code, 234);
}

TEST_F(CommandLine, ThePromptTakesCommandsLineByLine) {  // spec/cli-lnetctl.md 1
  const Outcome outcome = sh("ulnetctl",
                             "net show\n# a comment\n\nglobal show\nnet nosuch\n\"\"\nset "
                             "'transaction_timeout' \"60\"\nquit\nnet show\n");
  EXPECT_TRUE(outcome.out.starts_with("net:\n-     net type: lo\n"));
  EXPECT_NE(outcome.out.find("\nglobal:\n"), std::string::npos);
  EXPECT_EQ(outcome.out.find("net:", 1), std::string::npos) << "nothing is done after quit";
  EXPECT_EQ(outcome.err,
            "ulnetctl: 'nosuch' is not a valid command. See 'ulnetctl --list-commands'.\n"
            "ulnetctl: '' is not a valid command. See 'ulnetctl --list-commands'.\n");
  EXPECT_EQ(node.global("transaction_timeout"), 60);
  EXPECT_EQ(outcome.code, 0);
}

TEST_F(CommandLine, ThePromptIsShownOnATerminal) {  // spec/cli-lnetctl.md 1
  if (std::system("command -v script > /dev/null") != 0)
    GTEST_SKIP() << "script(1) is not installed";
  const std::string session = "script -qec lnetctl /dev/null < ../input";
  const Outcome outcome = sh(session, "stats nosuch\nquit\n");
  EXPECT_NE(outcome.out.find("lnetctl > "), std::string::npos) << outcome.out;
}

TEST_F(CommandLine, TheSocketIsFound) {
  EXPECT_EQ(sh("unset ULNET_CONTROL; ulnetctl --control " + node.socket() + " net show").code, 0);
  EXPECT_EQ(sh("unset ULNET_CONTROL; ulnetctl --control=" + node.socket() + " net show").code, 0);
  // The only control socket in the user's runtime folder, unless this machine runs nodes of its
  // own.
  const std::string place =
      "unset ULNET_CONTROL; export XDG_RUNTIME_DIR=" + folder() + "; mkdir -p ../ulnet; ";
  const bool system_nodes = std::system("ls /run/ulnet/*.sock > /dev/null 2>&1") == 0;
  if (!system_nodes) {
    const Outcome none = sh(place + "ulnetctl net show");
    EXPECT_EQ(none.code, 234);
    EXPECT_NE(none.err.find("no ulnet node runs here"), std::string::npos);
    EXPECT_NE(none.err.find("ulnetd"), std::string::npos);
    const TestNode a(folder() + "/ulnet/a.sock", network);
    EXPECT_EQ(sh(place + "ulnetctl net show").code, 0);
    const TestNode b(folder() + "/ulnet/b.sock", network);
    const Outcome several = sh(place + "ulnetctl net show");
    EXPECT_EQ(several.code, 234);
    EXPECT_NE(several.err.find("a.sock"), std::string::npos);
    EXPECT_NE(several.err.find("b.sock"), std::string::npos);
    EXPECT_EQ(sh(place + "ulnetctl --control b net show").code, 0) << "a node's name will do";
    EXPECT_EQ(sh(place + "export ULNET_CONTROL=a; ulnetctl net show").code, 0);
  }
}

// When the user's only running node is not the default one, commands can show it but not change it.
TEST_F(CommandLine, ANodeThatWasNotNamedIsNotChanged) {
  const std::string place =
      "unset ULNET_CONTROL; export XDG_RUNTIME_DIR=" + folder() + "; mkdir -p ../ulnet; ";
  if (std::system("ls /run/ulnet/*.sock > /dev/null 2>&1") == 0)
    GTEST_SKIP() << "this machine runs nodes of its own";
  sh(place);
  {  // a single node with another name
    TestNode other(folder() + "/ulnet/other.sock", network);
    EXPECT_EQ(sh(place + "ulnetctl net show && ulnetctl ping 10.0.0.1@tcp --help").code, 0);
    for (const char* command :
         {"lnet unconfigure", "lnet configure", "net add --net tcp --if eth0", "net del --net tcp",
          "net set --all --health 1", "net set --net tcp --lnd-timeout 3", "set retry_count 1",
          "set portal_rotor ON", "param set nagle=1", "stats reset"}) {
      const Outcome refused = sh(place + "ulnetctl " + command);
      EXPECT_EQ(refused.code, 234) << command;
      EXPECT_NE(refused.err.find("--control other"), std::string::npos) << refused.err;
      EXPECT_EQ(sh(place + "lnetctl " + command).code, 234) << command;
    }
    write_file("globals.yaml", "global:\n    retry_count: 1\n");
    EXPECT_EQ(sh(place + "ulnetctl import globals.yaml").code, 234);
    EXPECT_EQ(sh(place + "ulnetctl import --show globals.yaml").code, 0);
    EXPECT_EQ(sh(place + "ulnetctl", "net show\nset retry_count 1\n").code, 234)
        << "nor after it was shown, from the prompt";
    EXPECT_EQ(other.global("retry_count"), 2);
    // The commands of a selftest console cannot use it either.
    const std::string session = place + "export LST_SESSION=1; ";
    for (const char* command : {"new_session", "run --from 10.0.0.1@tcp --to 10.0.0.2@tcp"}) {
      const Outcome refused = sh(session + "ulst " + command);
      EXPECT_NE(refused.code, 0) << command;
      EXPECT_NE(refused.err.find("--control other"), std::string::npos) << refused.err;
    }
    EXPECT_EQ(sh(session + "ulst show_session").err.find("--control other"), std::string::npos);
    // A node that is named can be changed.
    EXPECT_EQ(sh(place + "ulnetctl --control other set retry_count 1").code, 0);
    EXPECT_EQ(sh(place + "ULNET_CONTROL=other lnetctl set numa_range 5").code, 0);
    EXPECT_EQ(other.global("retry_count"), 1);
  }
  // A single node with the default name can be changed without naming it.
  TestNode usual(folder() + "/ulnet/ulnet.sock", network);
  EXPECT_EQ(sh(place + "ulnetctl set retry_count 1").code, 0);
  EXPECT_EQ(usual.global("retry_count"), 1);
}

TEST_F(CommandLine, AMissingSocketIsExplained) {  // spec/cli-lnetctl.md 1
  const Outcome outcome = sh("ULNET_CONTROL=" + folder() + "/gone.sock ulnetctl net show");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("gone.sock does not exist"), std::string::npos);
  EXPECT_NE(outcome.err.find("ulnetd"), std::string::npos);
}

TEST_F(CommandLine, BashCompletesCommandsSubcommandsAndOptions) {
  if (std::system("command -v bash > /dev/null") != 0) GTEST_SKIP() << "bash is not installed";
  const auto completed = [&](const std::string& words) {
    return sh("export XDG_RUNTIME_DIR=" + folder() +
              "; bash -c '. " ULNET_SOURCE_DIR "/packaging/completion/ulnetctl.bash; COMP_WORDS=(" +
              words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ulnetctl; echo ${COMPREPLY[@]}'")
        .out;
  };
  EXPECT_EQ(completed("ulnetctl glo"), "global\n");
  EXPECT_EQ(completed("lnetctl glo"), "global\n");
  EXPECT_EQ(completed("ulnetctl status --j"), "--json\n");
  EXPECT_EQ(completed("ulnetctl help net s"), "set show\n");
  for (const char* link : {"ulnetctl.bash lnetctl", "ulst.bash lst"})
    EXPECT_NE(sh("set -- " + std::string(link) +
                 "; bash -c \". " ULNET_SOURCE_DIR "/packaging/completion/$1; complete -p $2\"")
                  .out.find("complete -F _ul"),
              std::string::npos)
        << link;
  EXPECT_EQ(completed("ulnetctl net \"\""), "add del set show\n");
  EXPECT_EQ(completed("ulnetctl --control x set retr"), "retry_count\n");
  EXPECT_EQ(completed("ulnetctl net add --peer-"),
            "--peer-timeout --peer-credits --peer-buffer-credits\n");
  EXPECT_EQ(completed("ulnetctl ping --s"), "--source\n");
  EXPECT_EQ(completed("ulnetctl fault drop a"), "add\n");
  EXPECT_EQ(completed("ulnetctl net add --ip"), "--ip2net\n");
  // Completion also offers names that the node knows.
  sh("ulnetctl net add --net tcp --if eth0; ulnetctl net add --net tcp2 --if eth1");
  sh("ulnetctl peer add --prim_nid 10.0.0.7@tcp");
  EXPECT_EQ(completed("ulnetctl net show --net \"\""), "tcp tcp2\n");
  EXPECT_EQ(completed("ulnetctl net del --nid 10.99.1"), "10.99.1.3@tcp2\n");
  EXPECT_EQ(completed("ulnetctl peer show --nid 10"), "10.0.0.7@tcp\n");
  EXPECT_EQ(completed("ulnetctl peer del --prim_nid 10"), "10.0.0.7@tcp\n");
  EXPECT_EQ(completed("ulnetctl peer del --f"), "--force\n");
  EXPECT_EQ(completed("ulnetctl peer add --non"), "--non_mr\n");
  EXPECT_EQ(completed("ulnetctl debug peer --nid 10"), "10.0.0.7@tcp\n");
  EXPECT_EQ(completed("ulnetctl discover --f"), "--force\n");
  EXPECT_EQ(completed("ulnetctl set discovery v"), "verify\n");
  EXPECT_EQ(completed("ulnetctl ping 10"), "10.0.0.7@tcp\n");
  EXPECT_EQ(completed("ulnetctl param set accept_p"),
            "accept_port accept_port_bulk accept_pending\n");
  EXPECT_EQ(completed("ulnetctl set portal_rotor O"), "OFF ON\n");
  sh("mkdir -p ../ulnet; touch ../ulnet/somewhere.sock '../ulnet/some$(touch planted).sock'");
  EXPECT_EQ(completed("ulnetctl --control some"), "somewhere\n");
  EXPECT_EQ(sh("test -e planted").code, 1) << "the name of a file was run as a command";
}

TEST_F(CommandLine, WordsThatAreNotUtf8) {
  const Outcome outcome = sh("ulnetctl net add --net tcp --if \"$(printf 'a\\377b')\"");
  EXPECT_EQ(outcome.code, 234);
  EXPECT_EQ(sh("ulnetctl ping \"$(printf '\\377')@tcp\"").code, 234);
}

}  // namespace
}  // namespace ulnet::ctl::test
