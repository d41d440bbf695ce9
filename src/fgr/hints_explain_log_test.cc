#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fgr/commands.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kSmallSite = R"(clients:
    xe:
        net: gni1
        addresses: "10.128.*.*"
        kind: xe
        routers:
            - {host: nid00068, nid: 68, address: 10.10.100.101, switch: left0, for: metadata}
            - {host: "nid[00750-00753]", at: "c0-0c0s5n[0-3]", nid: "[750-753]", address: "10.10.100.[103-106]", switch: left0}
            - {host: "nid[00618-00619,00628-00629]", nid: "[618-619,628-629]", address: "10.10.100.[111-114]", switch: right0}
file systems:
    home: {cluster: snx11001, net: o2ib6000, kind: sonexion-1600, SSUs: 2, first address: 10.10.100.2, OSTs per OSS: 4, routers per group: 4, OSSs per group: 3}
)";

/// Runs commands as a user types them, in a folder of their own.
class ReadingCommands : public testing::Test {
 protected:
  void SetUp() override { site_ = file("site.yaml", kSmallSite); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  /// Returns the exit code; out_ and err_ have the output.
  int run(std::vector<std::string> words) {
    int code = kExitDone;
    CLI::App app("test", "ulnet-fgr");
    add_hints_command(app, code);
    add_explain_log_command(app, code);
    std::ranges::reverse(words);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    app.parse(words);
    std::fflush(stdout);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  const TempFolder temp_;
  const fs::path folder_ = temp_.path();
  std::string site_, out_, err_;
};

TEST_F(ReadingCommands, HintsPrintTables) {
  ASSERT_EQ(run({"hints", site_, "--ost", "0-1,6"}), kExitDone) << err_;
  EXPECT_EQ("\n" + out_, R"(
OSTs  OSS           rack  group     net       switch
0,1   snx11001n004  R0    home 002  o2ib6002  left0
6     snx11001n005  R0    home 003  o2ib6003  right0

group     clients  hop count  router    at          NID       switch  OSTs
home 002  xe       1          nid00750  c0-0c0s5n0  750@gni1  left0   0,1
home 002  xe       1          nid00751  c0-0c0s5n1  751@gni1  left0   0,1
home 002  xe       1          nid00752  c0-0c0s5n2  752@gni1  left0   0,1
home 002  xe       1          nid00753  c0-0c0s5n3  753@gni1  left0   0,1
home 003  xe       1          nid00618  -           618@gni1  right0  6
home 003  xe       1          nid00619  -           619@gni1  right0  6
home 003  xe       1          nid00628  -           628@gni1  right0  6
home 003  xe       1          nid00629  -           629@gni1  right0  6
)");
}

TEST_F(ReadingCommands, HintsRankNodes) {
  // The map contains nid00750 by its place, and the other routers of the group by their names.
  const std::string torus =
      file("torus.txt",
           "torus 8x8x8\nc0-0c0s5n0 0 0 0\nnid00751 0 0 0\nnid00752 0 0 2\n"
           "nid00753 0 0 2\nnid1 4 4 4\nnid2 0 0 1\nnid3 0 1 0\nnid4 7 7 1\n");
  ASSERT_EQ(run({"hints", site_, "--ost", "0", "--coordinates", torus, "--count", "2"}), kExitDone)
      << err_;
  EXPECT_THAT(out_, HasSubstr("to 4 primary routers of xe, of 4 candidates\n"
                              "mean, nearest and farthest are hops, the shorter way around in each "
                              "dimension; in the mean each router counts as its share of the load\n"
                              "rank  node  mean   nearest  farthest\n"
                              "1     nid2  1.000  1        1\n"
                              "2     nid3  2.000  1        3\n"));
  ASSERT_EQ(run({"hints", site_, "--oss", "snx11001n[004,006]", "--coordinates", torus, "--nodes",
                 "nid[1,4]", "--json"}),
            kExitDone)
      << err_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["groups"].size(), 1U);
  EXPECT_EQ(json["groups"][0]["osss"][1]["osts"], nlohmann::json({8, 9, 10, 11}));
  EXPECT_EQ(json["groups"][0]["clients"][0]["primary"][1]["nid"], "751@gni1");
  EXPECT_EQ(json["ranking"]["routers"][0]["share"], 0.25);
  EXPECT_EQ(json["ranking"]["nodes"][0]["node"], "nid4");
  EXPECT_EQ(json["ranking"]["nodes"][0]["mean"], 3.0);
  EXPECT_EQ(json["ranking"]["nodes"][1]["farthest"], 12);
}

TEST_F(ReadingCommands, HintsWriteFilesForPlacementTools) {
  const std::string ring = file("torus.txt",
                                "torus 8\nnid00750 0\nnid00751 0\nnid00752 0\nnid00753 0\n"
                                "n07 3\nn06 1\n");
  const std::string out = (folder_ / "placement").string();
  ASSERT_EQ(run({"hints", site_, "--ost", "0", "--coordinates", ring, "-o", out, "--ranks-per-node",
                 "2", "--json"}),
            kExitDone)
      << err_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["ranking"]["links"][0]["loads"]["x+"], 1.0);
  const auto text = [&](const std::string& name) {
    std::ifstream in(folder_ / "placement" / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(text("hosts"), "n06\nn07\n");
  EXPECT_EQ(text("nodes.slurm"), "n[06,07]\n");
  EXPECT_THAT(text("MPICH_RANK_ORDER"), HasSubstr("ranks.\n2,3\n0,1\n")) << "n07 is listed first";
  EXPECT_THAT(text("topology.conf"), HasSubstr("\nSwitchName=group-home-002 Nodes=n[06,07]\n"));
  EXPECT_EQ(text("links.txt"),
            "routers                                 at  share   x+      x-\n"
            "nid00750, nid00751, nid00752, nid00753  0   100.0%  100.0%  0.0%\n");
  EXPECT_EQ(run({"hints", site_, "--coordinates", ring, "-o", out}), kExitInput);
}

TEST_F(ReadingCommands, HintsAsJsonReplaceInvalidUtf8) {
  const std::string map = file("torus.txt",
                               "\xef\xbb\xbftorus 4\nnid00750 0\nnid00751 0\nnid00752 0\n"
                               "nid00753 0\nn\xff\xfe 1\n");
  ASSERT_EQ(run({"hints", site_, "--ost", "0", "--coordinates", map, "--json"}), kExitDone) << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["ranking"]["nodes"][0]["node"], "n\ufffd\ufffd");
}

TEST_F(ReadingCommands, HintsRefuseBadInput) {
  const std::string graph = file("graph.txt", "graph\nnid00750 a\n");
  const std::string wrong = file("wrong.txt", "torus 4x4\na 0\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--ost", "16"}, "no OST 16"},
      {{"--ost", "0-"}, "--ost: "},
      {{"--oss", "snx11001n099"}, "no OSS snx11001n099"},
      {{"--file-system", "hom"}, "did you mean 'home'?"},
      {{"--clients", "xea"}, "did you mean 'xe'?"},
      {{"--nodes", "a"}, "needs --coordinates"},
      {{"--output", "a"}, "needs --coordinates"},
      {{"--coordinates", "/none"}, "/none: No such file"},
      {{"--coordinates", graph}, "say which are nodes with --nodes"},
      {{"--coordinates", graph, "--nodes", "b"}, "have no 'b'"},
      {{"--coordinates", graph, "--nodes", "a"}, "routers are missing: nid00751 (c0-0c0s5n1)"},
      {{"--coordinates", wrong}, "wrong.txt:2:1: a line is HOST and 2 numbers"}};
  for (const auto& [options, reason] : cases) {
    std::vector<std::string> words = {"hints", site_};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(run(words), kExitInput) << reason;
    EXPECT_EQ(out_, "");
    EXPECT_THAT(err_, HasSubstr(reason));
  }
}

TEST_F(ReadingCommands, ExplainLogReadsFilesOneAfterTheOther) {
  std::string text = "\x01\xff junk @@@ \n";
  for (int i = 0; i < 40; ++i)
    text += "Nov 14 22:13:20 n1 kernel: peer 752@gni1 is down, rc = -113\n";
  const std::string one = file("one", text + "no line end: 10.10.100.4@o2ib6002");
  const std::string two = file("two", "7 10.10.100.6@o2ib6002 timed out\n9@gni1 was evicted\n");
  ASSERT_EQ(run({"explain-log", site_, one, two}), kExitDone) << err_;
  EXPECT_THAT(out_, HasSubstr("43 lines with NIDs; 42 of them say what went wrong:\n"
                              "no route 40, down 40, timed out 1, evicted 1\n"));
  EXPECT_THAT(out_, HasSubstr("1. nid00752 (c0-0c0s5n2, switch left0, group home 002): 40 of 42 "));
  ASSERT_EQ(run({"explain-log", site_, one, two, "--json", "--top", "1"}), kExitDone) << err_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["look_first"][0]["kind"], "router");
  EXPECT_EQ(json["look_first"][0]["name"], "nid00752");
  EXPECT_EQ(json["hosts"][0]["what"]["down"], 40);
  EXPECT_EQ(json["left_out"]["hosts"], 3);
  EXPECT_EQ(json["groups"][0]["group"], "home 002");
  EXPECT_EQ(json["clients"][0]["nids"], 1);
}

TEST_F(ReadingCommands, ExplainLogSaysHowACompressedLogIsRead) {
  const std::string_view packed[] = {
      {"\x1f\x8b\x08\0", 4}, {"\xfd\x37zXZ\0", 6}, {"\x28\xb5\x2f\xfd", 4}, {"BZh91AY&SY", 10}};
  const char* const programs[] = {"zcat", "xzcat", "zstdcat", "bzcat"};
  for (std::size_t i = 0; i < std::size(packed); ++i) {
    const std::string name = file("log", std::string(packed[i]) + "10.10.100.4@o2ib6002 timed out");
    EXPECT_EQ(run({"explain-log", site_, name}), kExitInput);
    EXPECT_EQ(out_, "");
    EXPECT_THAT(err_,
                HasSubstr(name + ": the file is compressed: " + programs[i] + " " + name + " |"));
  }
  EXPECT_EQ(run({"explain-log", site_, file("log", "BZhat 10.10.100.4@o2ib6002 is down")}),
            kExitDone);
}

TEST_F(ReadingCommands, ExplainLogRefusesWhatCannotBeRead) {
  EXPECT_EQ(run({"explain-log", site_, "/none"}), kExitInput);
  EXPECT_THAT(err_, HasSubstr("/none: No such file"));
  EXPECT_EQ(run({"explain-log", site_, folder_.string()}), kExitInput);
  EXPECT_THAT(err_, HasSubstr("Is a directory"));
  EXPECT_EQ(run({"explain-log", "/none", site_}), kExitInput);
}

}  // namespace
}  // namespace ulnet::tools::fgr
