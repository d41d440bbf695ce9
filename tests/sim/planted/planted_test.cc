// The swarm that `ulnet-sim swarm` runs finds every planted bug within its bound of seeds, by the
// checker that is meant to find it; swarm/clean_test.cc shows that it finds nothing without a bug.
// The table of docs/TESTING.md must agree with the patches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "hunt.h"

namespace ulnet::sim {
namespace {

using ::testing::Contains;

const std::filesystem::path kRoot = ULNET_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The bugs that random worlds show; tests of their own find the others.
std::vector<planted::Row> bugs_of_the_swarm() {
  std::vector<planted::Row> found;
  for (const planted::Row& bug : planted::kRows)
    if (bug.bound != 0) found.push_back(bug);
  return found;
}

class PlantedBug : public ::testing::TestWithParam<planted::Row> {};

TEST_P(PlantedBug, IsFoundByItsChecker) {
  EXPECT_NE(hunt(GetParam(), 1, GetParam().bound).worlds, 0U)
      << "not found within " << GetParam().bound << " seeds";
}

INSTANTIATE_TEST_SUITE_P(Swarm, PlantedBug, ::testing::ValuesIn(bugs_of_the_swarm()),
                         [](const auto& each) { return std::string(each.param.name); });

/// The rows as dev/planted-bugs --medians prints them, without the measured median.
TEST(PlantedBugs, AreListedInTheDocumentation) {
  const std::string page = text_of(kRoot / "docs" / "TESTING.md");
  for (const planted::Row& bug : bugs_of_the_swarm()) {
    const std::string begin = std::string("\n| ") + bug.name + " | `" + bug.where + "` | " +
                              bug.what + " | " + bug.checker + " | ";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos) << "docs/TESTING.md has no row" << begin;
    std::istringstream rest(page.substr(at + begin.size()));
    std::uint64_t median = 0, bound = 0;
    char bar = 0;
    ASSERT_TRUE(rest >> median >> bar >> bound) << bug.name;
    EXPECT_EQ(bound, bug.bound) << bug.name;
    // Peers are discovered before messages to them, so little information arrives late.
    EXPECT_LE(median, 400U) << bug.name;
  }
}

TEST(PlantedBugs, AreThereForEveryChecker) {
  std::set<std::string> noticed;
  for (const planted::Row& bug : planted::kRows) noticed.insert(bug.checker);
  const std::string before = "Checker(\"";
  std::size_t checkers = 0;
  for (const auto& file : std::filesystem::directory_iterator(kRoot / "src/sim/checkers")) {
    if (file.path().extension() != ".cc" || file.path().stem().string().ends_with("_test"))
      continue;
    const std::string text = text_of(file.path());
    const std::size_t at = text.find(before);
    if (at == std::string::npos) continue;
    const std::size_t name = at + before.size();
    ++checkers;
    EXPECT_THAT(noticed, Contains(text.substr(name, text.find('"', name) - name)));
  }
  EXPECT_GE(checkers, 24U);
}

}  // namespace
}  // namespace ulnet::sim
