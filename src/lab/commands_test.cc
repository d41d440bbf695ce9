#include "lab/commands.h"

#include <gtest/gtest.h>

#include <set>

namespace ulnet::tools::lab {
namespace {

class Commands : public testing::Test {
 protected:
  Commands() {
    prepare_for_commands(app);
    add_commands(app, code);
  }

  std::vector<std::string> behind(const std::string& line) {
    std::istringstream words(line);
    return with_lab_behind(app, {std::istream_iterator<std::string>(words), {}});
  }
  static std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
  }

  int code = 0;
  CLI::App app{"", "ulnet-lab"};
};

TEST_F(Commands, EachAboutALaboratoryThatRunsTakesLab) {
  const std::set<std::string> others = {"help", "check", "scenario",    "topologies", "up",
                                        "list", "run",   "experiments", "link"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const bool takes = command->get_option_no_throw("--lab") != nullptr;
    EXPECT_EQ(takes, !others.contains(command->get_name())) << command->get_name();
  }
  for (const char* verb : {"down", "up", "rate"})
    EXPECT_NE(find_command(*find_command(app, "link"), verb)->get_option_no_throw("--lab"),
              nullptr);
}

TEST_F(Commands, LabMayPrecedeTheCommandOrItsWords) {
  for (const char* line : {"--lab X link down Y", "link --lab X down Y", "link down --lab X Y"})
    EXPECT_EQ(behind(line), words("link down --lab X Y")) << line;
  EXPECT_EQ(behind("--lab=X kill Y"), words("kill --lab=X Y"));
  EXPECT_EQ(behind("kill Y --lab X"), words("kill Y --lab X"))
      << "CLI11 takes the option there itself";
  EXPECT_EQ(behind("exec n -- --lab X"), words("exec n -- --lab X"))
      << "the option belongs to another program";
  EXPECT_EQ(behind("--lab"), words("--lab"));
  EXPECT_EQ(behind("--lab X"), words("--lab X"));
}

}  // namespace
}  // namespace ulnet::tools::lab
