// Commands, options and refusals of spec/cli-lst.md that are not in the recordings.
#include <gmock/gmock.h>

#include "bench.h"

namespace ulnet::tools::lst::test {
namespace {

using svc::selftest::console::test::kSomebody;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class LstGeneral : public Bench {};
class LstSession : public Bench {};
class LstGroup : public Bench {};
class LstBatch : public Bench {};
class LstTest : public Bench {};
class LstStat : public Bench {};

TEST_F(LstGeneral, WithoutAKeyOnlyHelpWorks) {  // spec/cli-lst.md 1
  key = 0;
  EXPECT_EQ(bad("new_session x"), "Can't find env LST_SESSION or value is not valid\n");
  EXPECT_EQ(lst("new_session x").code, 255);
  EXPECT_THAT(good("help"), StartsWith("usage: lst [COMMAND] [OPTIONS]... [ARGS]\n"));
  EXPECT_THAT(good("help stat"), StartsWith("Usage: lst stat"));
  EXPECT_THAT(bad("frob"), HasSubstr("'frob' is not a valid command"));
  for (const char* line : {"help run", "run --help"})
    EXPECT_THAT(good(line), AllOf(HasSubstr("Starts the tests of a batch."),
                                  HasSubstr("\n  --max-rate R "), HasSubstr("130 when")));
  EXPECT_EQ(console.calls, 0U);
}

TEST_F(LstGeneral, AKeyIsANumberOtherThan0) {  // spec/cli-lst.md 1
  EXPECT_EQ(session_key("4711"), 4711U);
  for (const char* wrong : {"0", "", "abc", "12x", "-1", "4294967296", " 1"})
    EXPECT_FALSE(session_key(wrong)) << wrong;
  EXPECT_FALSE(session_key(nullptr));
}

TEST_F(LstGeneral, UnknownCommandsAndOptionsAreNamed) {  // spec/cli-lst.md 1
  EXPECT_THAT(bad("frob"), HasSubstr("'frob' is not a valid command"));
  EXPECT_EQ(bad("ad_group x"),
            "lst: 'ad_group' is not a valid command. See 'lst --list-commands'.\nDid you mean "
            "'add_group'?\n");
  EXPECT_EQ(bad("help ad_group"), bad("ad_group"));
  EXPECT_EQ(bad("show_session --frob"),
            "show_session: unrecognized option '--frob'\nUsage: lst show_session\n");
  for (const char* line :
       {"ping", "ping --session --group g", "ping --session --server", "add_group g", "del_group",
        "update_group g", "update_group g --refresh --clean busy", "update_group g --clean frob",
        "add_batch", "add_test --from a ping", "add_test --from a --to b", "stat", "show_error",
        "query --loop 0", "list_batch a b", "new_session a b"})
    EXPECT_EQ(lst(line).code, 4) << line;
}

TEST_F(LstGeneral, ASlipInTheOptionsThatMakeARunABenchmarkIsSaid) {
  for (const std::uint32_t with : {0U, 4711U}) {
    key = with;
    EXPECT_THAT(bad("run --frm 10.0.0.1@tcp"),
                StartsWith("run: unrecognized option '--frm'\nDid you mean '--from'?\nUsage: lst "
                           "run --from IDS --to IDS "));
    EXPECT_THAT(bad("run --too=10.0.0.1@tcp"), HasSubstr("\nDid you mean '--to'?\n"));
    EXPECT_THAT(bad("run --from 10.0.0.1@tcp --to 10.0.0.2@tcp --matrxi"),
                HasSubstr("\nDid you mean '--matrix'?\n"));
    EXPECT_EQ(lst("run --frm 10.0.0.1@tcp").code, 4);
  }
  EXPECT_EQ(bad("run --time 10 b"), "No session exists\n") << "lst's own --timeout, abbreviated";
  EXPECT_THAT(bad("run --quick b"), HasSubstr("\nUsage: lst run [--timeout SEC] [NAME]\n"));
}

TEST_F(LstGeneral, EveryCommandNeedsASession) {  // spec/cli-lst.md 7
  for (const char* line :
       {"show_session", "ping --session", "list_group", "list_batch", "add_batch b", "run", "stop",
        "query", "stat 10.99.0.2@tcp", "add_group g 10.99.0.2@tcp", "del_group g"})
    EXPECT_EQ(bad(line), "No session exists\n") << line;
}

TEST_F(LstSession, SaysHowItBegan) {  // spec/cli-lst.md 3.1, 3.2
  EXPECT_EQ(good("new_session --timeout 60 -f rw"),
            "SESSION: rw FEATURES: 1 TIMEOUT: 60 FORCE: Yes\n");
  EXPECT_EQ(bad("new_session again"), "session already exists\n");
  EXPECT_THAT(good("show_session"), HasSubstr("@10.99.0.1@tcp, KEY: 4711 FEATURES: 1 NODES: 0\n"));
  EXPECT_EQ(good("end_session"), "session is ended\n");
  EXPECT_EQ(good("end_session"), "") << "there is no session, as requested";
  EXPECT_THAT(good("new_session"), HasSubstr("TIMEOUT: 300 FORCE: No\n")) << "user@host";
}

TEST_F(LstSession, WrongTimesAndNamesAreRefused) {  // spec/cli-lst.md 3.1
  EXPECT_EQ(bad("new_session --timeout 0 x"), "Invalid timeout value\n");
  EXPECT_EQ(bad("new_session --timeout x x"), "Invalid timeout value\n");
  EXPECT_EQ(bad("new_session " + std::string(32, 'x')), "Name size is limited to 31\n");
  good("new_session " + std::string(31, 'x'));
  EXPECT_EQ(bad("add_group " + std::string(32, 'x') + " 10.99.0.2@tcp"),
            "Name size is limited to 31\n");
  EXPECT_EQ(bad("add_batch " + std::string(32, 'x')), "Name size is limited to 31\n");
}

TEST_F(LstSession, AnotherKeyIsRefused) {  // spec/cli-lst.md 4, 7
  good("new_session x");
  key = 1;
  EXPECT_EQ(bad("list_group"), "Unmatched session key or not root\n");
}

TEST_F(LstSession, PingShowsWhoseNodesAre) {  // spec/cli-lst.md 3.4
  good("new_session rw");
  nodes.node(3).join(kSomebody, "theirs");
  nodes.node(4).silent = true;
  good("add_group g 10.99.0.[2-5]@tcp");
  nodes.node(5).session = {};
  EXPECT_EQ(good("ping --group g"),
            "\t12345-10.99.0.2@tcp: Active [session: rw id: 10.99.0.1@tcp]\n"
            "\t12345-10.99.0.3@tcp: Busy [session: theirs id: 10.99.0.99@tcp]\n"
            "\t12345-10.99.0.4@tcp: Down [session: Unknown id: ]\n"
            "\t12345-10.99.0.5@tcp: Unknown [session: <NULL> id: <?>]\n");
  EXPECT_THAT(good("ping --session"), HasSubstr("10.99.0.5@tcp: Unknown"));
  EXPECT_THAT(good("ping --nodes 10.99.0.2@tcp,10.99.0.9@tcp --timeout 1"),
              HasSubstr("10.99.0.9@tcp: Unknown"));
  EXPECT_EQ(good("ping --batch batch"), "Target batch is empty\n");
  EXPECT_EQ(bad("ping --group none"), "Can't find none in current session\n");
  EXPECT_EQ(bad("ping --session --timeout 0"), "Invalid timeout value\n");
}

TEST_F(LstSession, ForeignNamesDoNotReachTheTerminalRaw) {
  good("new_session rw");
  nodes.node(3).join(kSomebody, "\x1b[2Jevil\n\xff");
  const std::string said = good("ping --nodes 10.99.0.3@tcp");
  EXPECT_THAT(said, HasSubstr("[session: ?[2Jevil?"));
  EXPECT_THAT(said, Not(HasSubstr("\x1b")));
}

TEST_F(LstGroup, NodesThatFailAreReported) {  // spec/cli-lst.md 2, 3.5, 7
  good("new_session rw");
  nodes.node(3).join(kSomebody, "theirs");
  nodes.node(4).silent = true;
  EXPECT_EQ(good("add_group g 10.99.0.[2-4]@tcp 10.99.0.[7@tcp 10.99.0.300@tcp"),
            "operation make session failed on 12345-10.99.0.3@tcp: Device or resource busy\n"
            "make session RPC failed on 12345-10.99.0.4@tcp: Connection timed out\n"
            "10.99.0.[2-4]@tcp are added to session\n"
            "Syntax error in \"10.99.0.[7@tcp\"\n"
            "Ignore invalid id list 10.99.0.[7@tcp\n"
            "Invalid nid: 10.99.0.300@tcp\n"
            "Ignore invalid id list 10.99.0.300@tcp\n");
  EXPECT_EQ(good("list_group g"), "\tACTIVE\tBUSY\tDOWN\tUNKNOWN\tTOTAL\n\t1\t1\t1\t0\t3\tg\n");
  EXPECT_EQ(good("list_group --busy --down g"),
            "Group [ g ]\n\t12345-10.99.0.3@tcp: Busy\nTotal 1 nodes [ g ]\n"
            "Group [ g ]\n\t12345-10.99.0.4@tcp: Down\nTotal 1 nodes [ g ]\n");
  EXPECT_EQ(good("list_group -u g"), "Group [ g ]\nNo nodes found [ g ]\n");
  EXPECT_EQ(bad("list_group none"),
            "\tACTIVE\tBUSY\tDOWN\tUNKNOWN\tTOTAL\nCan't find none in current session\n");
  EXPECT_EQ(bad("add_group g frob"), "Invalid nid: frob\nIgnore invalid id list frob\n");
}

TEST_F(LstGroup, OtherFeaturesAreReported) {  // spec/cli-lst.md 3.5, 4
  good("new_session rw");
  nodes.node(2).features = 0;
  EXPECT_THAT(good("add_group g 10.99.0.2@tcp"), HasSubstr("compatible mode"));
}

TEST_F(LstGroup, IsUpdatedAndDeleted) {  // spec/cli-lst.md 2, 3.5
  good("new_session rw");
  nodes.node(3).silent = true;
  good("add_group g 12345-10.99.0.[2-5]@tcp");
  nodes.node(3).silent = false;
  EXPECT_EQ(good("update_group g --refresh"), "");
  EXPECT_THAT(good("list_group g"), HasSubstr("\t4\t0\t0\t0\t4\tg"));
  nodes.node(4).silent = true;
  good("ping --group g");
  good("update_group g -c invalid");
  good("update_group g -r 10.99.0.2@tcp");
  EXPECT_EQ(good("list_group --all g"),
            "Group [ g ]\n\t12345-10.99.0.3@tcp: Active\n\t12345-10.99.0.5@tcp: Active\n"
            "Total 2 nodes [ g ]\n");
  EXPECT_THAT(bad("update_group g -r 10.99.0.[2@tcp"), StartsWith("Syntax error in"));
  EXPECT_EQ(good("del_group g"), "Group is deleted\n");
  good("add_group g 10.99.0.5@tcp");
  nodes.node(5).silent = true;
  EXPECT_THAT(bad("del_group g"), HasSubstr("Group is deleted with some errors\n"));
  EXPECT_EQ(bad("del_group g"), "Can't find g in current session\n");
}

/// Makes a session with 10.99.0.[1-2] as clients and 10.99.0.11 as server.
void parties(const std::function<std::string(const std::string&)>& good) {
  good("new_session rw");
  good("add_group c 10.99.0.[1-2]@tcp");
  good("add_group s 10.99.0.11@tcp");
}
#define PARTIES() parties([this](const std::string& line) { return good(line); })

TEST_F(LstTest, ParametersTravel) {  // spec/cli-lst.md 3.7, 4
  PARTIES();
  EXPECT_EQ(good("add_test --concurrency 8 -d 2:1 -f c -t s brw WRITE s=64k c=simple"),
            "Test was added successfully\n");
  const auto& test = nodes.node(1).batches.at(1).tests.at(0);
  EXPECT_EQ(test.loop, wire::kLstLoopForever);
  EXPECT_EQ(test.parameters,
            wire::LstParameters(wire::LstBrwBytes{
                .op = wire::LstBrwOp::kWrite, .check = wire::LstCheck::kSimple, .length = 65536}));
  EXPECT_EQ(nodes.node(11).batches.at(1).tests.at(0).loop, 16U);
  EXPECT_TRUE(test.stop_on_error);
  good("add_test --keep-going -f c -t s ping");
  EXPECT_FALSE(nodes.node(1).batches.at(1).tests.at(1).stop_on_error);
}

TEST_F(LstTest, ErrorsAreNamed) {  // spec/cli-lst.md 3.7, 5
  PARTIES();
  const auto why = [&](const std::string& rest) { return bad("add_test --from c --to s " + rest); };
  EXPECT_EQ(bad("add_test --from c --to s frob"),
            "Unknow test name frob\nFailed to add test (frob)\n");
  EXPECT_EQ(why("brw frob"), "Unknow parameter: frob\nFailed to add test (brw)\n");
  EXPECT_EQ(why("brw check=frob"), "Unknow flag frob\nFailed to add test (brw)\n");
  EXPECT_EQ(why("brw size=2M"),
            "Size exceed limitation: 2097152 bytes\nFailed to add test (brw)\n");
  EXPECT_EQ(why("brw size=0"), "Invalid size 0\nFailed to add test (brw)\n");
  EXPECT_EQ(why("brw size=4q"), "Invalid size 4q\nFailed to add test (brw)\n");
  EXPECT_THAT(why("brw off=4"), StartsWith("Invalid offset 4"));
  EXPECT_EQ(why("brw check=full skip_rx_copy"),
            "skip_rx_copy conflicts with check=full\nFailed to add test (brw)\n");
  EXPECT_EQ(why("ping size=4"), "Unknow parameter: size=4\nFailed to add test (ping)\n");
  EXPECT_EQ(why("--concurrency 1025 ping"), "Invalid concurrency of test: 1025\n");
  EXPECT_EQ(why("--concurrency 0 ping"), "Invalid concurrency of test: 0\n");
  EXPECT_EQ(why("--distribute 1 ping"), "Invalid distribution: 1\n");
  EXPECT_EQ(why("--distribute 0:1 ping"), "Invalid distribution: 0:1\n");
  EXPECT_EQ(why("--loop 0 ping"), "Invalid loop count of test: 0\n");
  EXPECT_THAT(why("--distribute 1:2 ping"), HasSubstr("but only 1 are active"));
  EXPECT_EQ(bad("add_test --from c --to none ping"), "Can't find test in current session\n");
  EXPECT_THAT(nodes.node(11).heard, testing::SizeIs(1)) << "no TEST reached a node";
}

// spec/wire-selftest.md 4.2: the console refuses, with the reason.
TEST_F(LstTest, RiskyTestsAreNotSent) {
  PARTIES();
  for (const char* hazard : {"size=4001", "check=discard", "skip_rx_copy", "off=8"}) {
    const std::string said = bad("add_test --from c --to s brw " + std::string(hazard));
    EXPECT_THAT(said, HasSubstr("production nodes")) << hazard;
    EXPECT_THAT(said, HasSubstr("Failed to add test (brw)")) << hazard;
  }
  EXPECT_THAT(nodes.node(11).heard, testing::SizeIs(1));
  EXPECT_THAT(bad("add_test --nodes-are-safe --from c --to s brw size=4001"),
              HasSubstr("production nodes"));
  good("add_test --nodes-are-safe --from c --to s brw check=discard off=8");
  EXPECT_EQ(nodes.node(11).batches.at(1).tests.at(0).parameters,
            wire::LstParameters(
                wire::LstBrwBytes{.check = wire::LstCheck::kDiscard, .length = 4096, .offset = 8}));
}

TEST_F(LstTest, NodesThatRefuseAreReported) {  // spec/cli-lst.md 3.7
  PARTIES();
  nodes.node(2).refuse_tests = ENOMEM;
  EXPECT_EQ(bad("add_test --from c --to s ping"),
            "operation test failed on 12345-10.99.0.2@tcp: Cannot allocate memory\n"
            "Failed to add test (ping)\n");
}

TEST_F(LstTest, AGroupWithoutAnActiveNodeIsReported) {
  PARTIES();
  nodes.node(5).silent = true;
  good("add_group down 10.99.0.5@tcp");
  EXPECT_EQ(bad("add_test --from down --to s ping"),
            "Can't get count of nodes from down: no active node\n");
}

TEST_F(LstBatch, QueryReportsWhichNodesRun) {  // spec/cli-lst.md 3.6
  PARTIES();
  good("add_test --from c --to s ping");
  EXPECT_EQ(good("query"), "batch [0] is stopped\n");
  EXPECT_EQ(good("run"), "batch is running now\n");
  EXPECT_EQ(good("query batch --test 1"), "batch [1] is running\n");
  nodes.node(2).batches.at(1).running = false;
  EXPECT_EQ(good("query"), "batch [0] stopped: 1 , running: 1, failed: 0\n");
  EXPECT_EQ(good("query --active"), "12345-10.99.0.1@tcp [Active]: Running\n");
  EXPECT_EQ(good("query --idle"), "12345-10.99.0.2@tcp [Active]: Idle\n");
  nodes.node(2).silent = true;
  EXPECT_EQ(good("query"), "batch [0] 1 of 2 nodes are unknown, is running\n");
  EXPECT_EQ(good("query -e"), "12345-10.99.0.2@tcp [Down]: Connection timed out\n");
  nodes.node(1).batches.clear();
  EXPECT_EQ(good("query"),
            "batch [0] 1 of 2 nodes are unknown, stopped: 0 , running: 0, failed: 1\n");
  EXPECT_EQ(bad("query --test 0"), "Invalid test id, test id starts from 1\n");
  EXPECT_EQ(bad("query --test 9"), "Can't find test in current session\n");
  EXPECT_EQ(bad("query --delay 0"), "Invalid timeout or delay value\n");
}

TEST_F(LstBatch, QueryAsksAgainAndAgain) {  // spec/cli-lst.md 3.6
  PARTIES();
  const Instant begun = nodes.now();
  EXPECT_EQ(good("query --loop 3 --delay 7"),
            "batch [0] is stopped\nbatch [0] is stopped\nbatch [0] is stopped\n");
  EXPECT_EQ(nodes.now() - begun, 14s);
}

TEST_F(LstBatch, StopWaitsForTheLast) {  // spec/cli-lst.md 3.6
  PARTIES();
  good("add_test --from c --to s ping");
  good("run");
  nodes.node(1).lingers = 2;
  EXPECT_EQ(good("stop"), "1 batch in stopping\n1 batch in stopping\nBatch is stopped\n");
  EXPECT_EQ(bad("stop none"), "Can't find none in current session\n");
  EXPECT_EQ(bad("run none"), "Failed to get count of nodes from none: No such file or directory\n");
}

TEST_F(LstBatch, ListsItsNodes) {  // spec/cli-lst.md 3.6
  PARTIES();
  nodes.node(2).silent = false;
  good("add_test --from c --to s brw");
  EXPECT_EQ(good("list_batch --all batch"),
            "\t12345-10.99.0.1@tcp: Active\n\t12345-10.99.0.2@tcp: Active\nTotal 2 nodes\n");
  EXPECT_EQ(good("list_batch -a -s -t 1 batch"), "\t12345-10.99.0.11@tcp: Active\nTotal 1 nodes\n");
  EXPECT_EQ(good("list_batch --invalid batch"), "Total 0 nodes\n");
  EXPECT_THAT(good("list_batch batch"), HasSubstr("\tTest 1(brw) (loop: -1, concurrency: 1)\n"));
  EXPECT_EQ(bad("list_batch --test 0 batch"), "Invalid test id, test id starts from 1\n");
  EXPECT_EQ(bad("add_batch batch"), "batch already exists\n");
}

TEST_F(LstStat, FirstSampleSaysNothingAndTimeIsTheNodes) {  // spec/cli-lst.md 3.8, 6
  PARTIES();
  auto& grows = nodes.node(1).grows;
  grows.framework.running_ms = 2000;
  grows.lnet.recv_count = 4000;
  grows.lnet.send_count = 2000;
  grows.lnet.recv_length = 20 << 20;
  grows.lnet.send_length = 1 << 20;
  nodes.node(2).grows = grows;
  nodes.node(2).grows.framework.running_ms = 1000;
  nodes.node(2).stat.lnet.recv_count = 0xfffffff0;  // wraps around
  EXPECT_EQ(good("stat --count 1 --delay 1 c"),
            "[LNet Rates of c]\n"
            "[R] Avg: 3000     RPC/s Min: 2000     RPC/s Max: 4000     RPC/s\n"
            "[W] Avg: 1500     RPC/s Min: 1000     RPC/s Max: 2000     RPC/s\n"
            "[LNet Bandwidth of c]\n"
            "[R] Avg: 15.00    MiB/s Min: 10.00    MiB/s Max: 20.00    MiB/s \n"
            "[W] Avg: 0.75     MiB/s Min: 0.50     MiB/s Max: 1.00     MiB/s \n");
  EXPECT_EQ(good("stat --count 1 --bw --write --max --mbs c"),
            "[LNet Bandwidth of c]\n[W] Max: 1.05     MB/s  \n");
  EXPECT_EQ(good("stat --count 1 --rpc c"), "") << "nothing, as upstream";
}

TEST_F(LstStat, NodesThatFailAreCounted) {  // spec/cli-lst.md 3.8, 6
  PARTIES();
  nodes.node(1).grows.framework.running_ms = 1000;
  nodes.node(2).silent = true;
  EXPECT_THAT(good("stat --count 1 --rate c"), HasSubstr("Failed to stat on 1 nodes\n"));
  EXPECT_EQ(bad("stat none"), "Can't find stat in current session\n");
  EXPECT_EQ(bad("stat --delay 0 c"), "Invalid timeout or delay value\n");
  EXPECT_EQ(bad("stat --count 0 c"), "Invalid count value\n");
}

TEST_F(LstStat, ErrorsAreShownByNode) {  // spec/cli-lst.md 3.9
  PARTIES();
  nodes.node(1).stat.framework.brw_errors = 3;
  nodes.node(1).stat.rpc.expired = 2;
  EXPECT_EQ(good("show_error c"),
            "c:\n12345-10.99.0.1@tcp: [Session 3 brw errors, 0 ping errors] [RPC: 0 errors, 0 "
            "dropped, 2 expired]\nTotal 1 error nodes in c\n");
  nodes.node(1).stat.framework.brw_errors = 0;
  EXPECT_EQ(good("show_error --session c"), "c:\nTotal 0 error nodes in c\n");
  nodes.node(1).session = {};
  nodes.node(2).silent = true;
  EXPECT_EQ(good("show_error c"),
            "c:\nFramework failure, can't show error on 12345-10.99.0.1@tcp\n"
            "RPC failure, can't show error on 12345-10.99.0.2@tcp\nTotal 2 error nodes in c\n");
}

}  // namespace
}  // namespace ulnet::tools::lst::test
