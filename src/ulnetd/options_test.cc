#include "ulnetd/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ulnetd/exit_code.h"

namespace ulnet::tools {
namespace {

using testing::ElementsAre;

class ParseOptions : public testing::Test {
 protected:
  ParseOptions() { ::unsetenv("ULNET_CONTROL"); }
  ~ParseOptions() override { ::unsetenv("ULNET_CONTROL"); }

  static std::variant<DaemonOptions, int> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "ulnetd");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
  }
  static DaemonOptions parsed(std::vector<std::string> words) {
    const auto result = parse(std::move(words));
    EXPECT_TRUE(std::holds_alternative<DaemonOptions>(result));
    return std::get<DaemonOptions>(result);
  }
};

TEST_F(ParseOptions, ThePortIsThatOfAllConnections) {
  using Params = std::map<std::string, std::string>;
  EXPECT_EQ(parsed({"--accept-port", "24170"}).params,
            (Params{{"accept_port", "24170"}, {"accept_port_bulk", "24170"}}));
  EXPECT_EQ(parsed({"--accept-port", "24170", "--set", "accept_port_bulk=24171"}).params,
            (Params{{"accept_port", "24170"}, {"accept_port_bulk", "24171"}}));
}

TEST_F(ParseOptions, TheEnvironmentSaysWhichNodeWhenTheCommandLineDoesNot) {
  ::setenv("ULNET_CONTROL", "/somewhere/x.sock", 1);
  EXPECT_EQ(parsed({}).control, "/somewhere/x.sock");
  EXPECT_EQ(parsed({}).name, "ulnet") << "a path is no name";
  EXPECT_TRUE(parsed({}).control_of_environment);
  ::setenv("ULNET_CONTROL", "a", 1);
  EXPECT_EQ(parsed({}).control, "a");
  EXPECT_EQ(parsed({}).name, "a");
}

TEST_F(ParseOptions, TheCommandLineBeatsTheEnvironment) {
  ::setenv("ULNET_CONTROL", "a", 1);
  const DaemonOptions named = parsed({"--name", "c"});
  EXPECT_EQ(named.name, "c");
  EXPECT_EQ(named.control, "") << "chosen by name";
  EXPECT_FALSE(named.control_of_environment);
  const DaemonOptions placed = parsed({"--control", "b.sock"});
  EXPECT_EQ(placed.control, "b.sock");
  EXPECT_EQ(placed.name, "b");
  EXPECT_FALSE(placed.control_of_environment);
  EXPECT_EQ(parsed({"--control", "b", "--name", "c"}).name, "c");
}

TEST_F(ParseOptions, AnEmptyUserIsNotAMissingOne) {
  EXPECT_FALSE(parsed({}).user);
  EXPECT_EQ(parsed({"--user", "nobody:nogroup"}).user, "nobody:nogroup");
  EXPECT_EQ(parsed({"--user", ""}).user, "") << "else such a daemon would stay root";
}

TEST_F(ParseOptions, AWordThatCannotBeANameIsRefused) {
  ::setenv("ULNET_CONTROL", "a b", 1);
  EXPECT_EQ(std::get<int>(parse({})), kExitUsage);
  EXPECT_EQ(std::get<int>(parse({"--control", "..x"})), kExitUsage);
  EXPECT_EQ(parsed({"--name", "c"}).name, "c");
}

TEST_F(ParseOptions, TheLastOptionCountsAndListsAreJoined) {
  const DaemonOptions options =
      parsed({"--log-level", "error", "--drain", "5", "--if", "e0", "--set", "accept=all", "--if",
              "e1", "--set", "accept_timeout=7", "--drain", "6", "--log-level", "debug"});
  EXPECT_EQ(options.settings.log_level, "debug");
  EXPECT_EQ(options.settings.drain, 6U);
  EXPECT_THAT(options.interfaces, ElementsAre("e0", "e1"));
  EXPECT_EQ(options.params.size(), 2U);
  EXPECT_THAT(parsed({"--modparams", "a.conf", "--modparams", "b.conf"}).modparams,
              ElementsAre("a.conf", "b.conf"));
}

TEST_F(ParseOptions, AnInterfaceHasAName) {
  EXPECT_EQ(std::get<int>(parse({"--if", ""})), kExitUsage);
  EXPECT_EQ(std::get<int>(parse({"--if", "eth0,eth1"})), kExitUsage);
}

TEST_F(ParseOptions, UnsetOptionsComeFromTheFile) {
  EXPECT_EQ(parsed({}).settings, conf::DaemonSettings{});
  EXPECT_EQ(parsed({"--selftest"}).settings.selftest, true);
  EXPECT_EQ(parsed({"--selftest=false"}).settings.selftest, false);
}

}  // namespace
}  // namespace ulnet::tools
