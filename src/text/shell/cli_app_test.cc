#include "text/shell/cli_app.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ulnet::tools {
namespace {

constexpr int kWrong = 2;

struct Said {
  std::optional<int> code;
  int work = -1;  ///< the value that the command's work set; -1: it was not called
  std::string out, err;
};

/// A program with a command that takes an option and words, a group, and a command that passes on
/// unknown words.
Said say(std::vector<std::string> words) {
  Said said;
  CLI::App app("ship - sails", "ship");
  prepare_for_commands(app);
  app.set_version_flag("--version,-V", "ship 1");
  std::string port, name;
  CLI::App& dock = *app.add_subcommand("dock", "go in");
  dock.add_option("--port", port, "which")->required();
  dock.add_option("NAME", name, "of the ship")->type_name("");
  on_command(dock, said.work, [] { return 7; });
  CLI::App& sail = *app.add_subcommand("sail", "raise and lower sails");
  sail.require_subcommand(1);
  on_command(*sail.add_subcommand("lower", "down"), said.work, [] { return 8; });
  CLI::App& pass = *app.add_subcommand("pass", "hand on");
  pass.allow_extras();
  pass.add_option("--from", name, "whose")->required();
  on_command(pass, said.work, [] { return 9; });

  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  said.code = parse_words(app, std::move(words), kWrong);
  std::fflush(stdout);
  said.out = testing::internal::GetCapturedStdout();
  said.err = testing::internal::GetCapturedStderr();
  return said;
}

TEST(CliApp, ACommandDoesItsWork) {
  const Said said = say({"dock", "--port", "3", "Beagle"});
  EXPECT_EQ(said.code, std::nullopt);
  EXPECT_EQ(said.work, 7);
  EXPECT_EQ(say({"sail", "lower"}).work, 8);
}

TEST(CliApp, HelpIsACommandToo) {
  for (const auto& [words, same] :
       {std::pair<std::vector<std::string>, std::vector<std::string>>({"help"}, {"--help"}),
        {{"help", "dock"}, {"dock", "--help"}},
        {{"help", "sail", "lower"}, {"sail", "lower", "--help"}}}) {
    const Said said = say(words);
    EXPECT_EQ(said.code, 0);
    EXPECT_EQ(said.work, -1);
    EXPECT_EQ(said.out, say(same).out);
  }
  EXPECT_NE(say({"help"}).out.find("Usage: ship [OPTIONS] COMMAND\n"), std::string::npos);
  EXPECT_NE(say({"help"}).out.find("\nCommands:\n"), std::string::npos);
  EXPECT_NE(say({"help", "dock"}).out.find("Usage: ship dock [OPTIONS] [NAME]\n"),
            std::string::npos);
  EXPECT_EQ(say({"--list-commands"}).out, "help\ndock\nsail\npass\n");
  EXPECT_EQ(say({"--list-commands"}).code, 0);
  EXPECT_EQ(say({"--version"}).out, "ship 1\n");
}

TEST(CliApp, AMisspelledWordIsRecognised) {
  for (const auto& [words, text] :
       {std::pair<std::vector<std::string>, const char*>(
            {"dok", "--port", "3"},
            "ship: 'dok' is not a valid command. See 'ship --list-commands'.\n"
            "Did you mean 'dock'?\n"),
        {{"help", "dok"},
         "ship: 'dok' is not a valid command. See 'ship --list-commands'.\n"
         "Did you mean 'dock'?\n"},
        {{"sail", "lwer"},
         "ship sail: 'lwer' is not a valid command. See 'ship sail --help'.\n"
         "Did you mean 'lower'?\n"},
        {{"--versoin"},
         "ship: there is no option '--versoin'. See 'ship --help'.\n"
         "Did you mean '--version'?\n"},
        {{"dock", "--prt=3"},
         "ship dock: there is no option '--prt=3'. See 'ship dock --help'.\n"
         "Did you mean '--port'?\n"},
        {{"pass", "--form", "x"},
         "ship pass: there is no option '--form'. See 'ship pass --help'.\n"
         "Did you mean '--from'?\n"},
        {{"zzz"}, "ship: 'zzz' is not a valid command. See 'ship --list-commands'.\n"}}) {
    const Said said = say(words);
    EXPECT_EQ(said.code, kWrong) << words.front();
    EXPECT_EQ(said.err, text);
    EXPECT_EQ(said.work, -1);
  }
}

TEST(CliApp, MissingAndSurplusArgumentsAreNamed) {
  for (const auto& [words, text] :
       {std::pair<std::vector<std::string>, const char*>(
            {}, "ship: a command is missing. See 'ship --help'.\n"),
        {{"sail"}, "ship sail: a command is missing. See 'ship sail --help'.\n"},
        {{"dock"}, "ship dock: --port is required. See 'ship dock --help'.\n"},
        {{"pass", "--zzzzzzzz", "x"}, "ship pass: --from is required. See 'ship pass --help'.\n"},
        {{"dock", "--port", "3", "a", "b"},
         "ship dock: 'b' is not expected here. See 'ship dock --help'.\n"}}) {
    const Said said = say(words);
    EXPECT_EQ(said.code, kWrong);
    EXPECT_EQ(said.err, text);
  }
}

}  // namespace
}  // namespace ulnet::tools
