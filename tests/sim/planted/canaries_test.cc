// The swarm that `ulnet-sim swarm` runs finds every planted bug within its bound of seeds, by the
// checker that is meant to find it; clean_test.cc shows that it finds nothing without a bug. The
// table of docs/TESTING.md must agree with planted.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "planted.h"

namespace ulnet::sim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::filesystem::path kRoot = ULNET_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Canary : public ::testing::TestWithParam<Planted> {};

TEST_P(Canary, IsFoundByItsChecker) {
  EXPECT_NE(hunt(GetParam(), 1, GetParam().bound).worlds, 0U)
      << "not found within " << GetParam().bound << " seeds";
}

TEST_P(Canary, IsWhereTheTableSaysItIs) {
  EXPECT_THAT(text_of(kRoot / "src" / GetParam().where),
              HasSubstr(std::string("ULNET_CANARY(k") + GetParam().name + ")"));
}

INSTANTIATE_TEST_SUITE_P(Planted, Canary, ::testing::ValuesIn(planted_bugs()),
                         [](const auto& each) { return std::string(each.param.name); });

/// The rows as dev/canaries prints them, without the measured median.
TEST(Canaries, AreListedInTheDocumentation) {
  const std::string page = text_of(kRoot / "docs" / "TESTING.md");
  for (const Planted& planted : planted_bugs()) {
    const std::string begin = std::string("\n| ") + planted.name + " | `" + planted.where + "` | " +
                              planted.what + " | " + planted.checker + " | ";
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, std::string::npos) << "docs/TESTING.md has no row" << begin;
    std::istringstream rest(page.substr(at + begin.size()));
    std::uint64_t median = 0, bound = 0;
    char bar = 0;
    ASSERT_TRUE(rest >> median >> bar >> bound) << planted.name;
    EXPECT_EQ(bound, planted.bound) << planted.name;
    // Peers are discovered before messages to them, so little information arrives late.
    EXPECT_LE(median, 400U) << planted.name;
  }
}

TEST(Canaries, AreThereForEveryChecker) {
  std::set<std::string> noticed;
  for (const Planted& planted : planted_bugs()) noticed.insert(planted.checker);
  const std::string before = "Checker(\"";
  std::size_t checkers = 0;
  for (const auto& file : std::filesystem::directory_iterator(kRoot / "src/sim/checkers")) {
    if (file.path().extension() != ".h") continue;
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
