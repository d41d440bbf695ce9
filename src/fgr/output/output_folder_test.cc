#include "fgr/output/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFolder : public testing::Test {
 protected:
  static std::string text(const fs::path& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  }
  /// Counts the names beside and in the folder: no temporary or incomplete file may be left.
  std::size_t names() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(top_), fs::directory_iterator()));
  }

  const TempFolder temp_;
  const fs::path top_ = temp_.path();
};

TEST_F(OutputFolder, IsMadeWithFoldersInIt) {
  ASSERT_TRUE(write_folder(top_ / "out/", {{"a/b.txt", "one"}, {"c", "two"}}, false));
  EXPECT_EQ(text(top_ / "out/a/b.txt"), "one");
  EXPECT_EQ(text(top_ / "out/c"), "two");
  EXPECT_EQ(names(), 1U);
}

TEST_F(OutputFolder, IsReplacedOnlyWhenAsked) {
  ASSERT_TRUE(write_folder(top_ / "out", {{"old/a", "1"}, {"old/b", "1"}}, false));
  const auto refused = write_folder(top_ / "out", {{"old/a", "2"}}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -EEXIST);
  EXPECT_THAT(refused.error().reason, HasSubstr("--force"));
  EXPECT_EQ(text(top_ / "out/old/a"), "1");
  ASSERT_TRUE(write_folder(top_ / "out", {{"old/a", "2"}, {"new", "3"}}, true));
  EXPECT_FALSE(fs::exists(top_ / "out/old/b"));
  EXPECT_EQ(text(top_ / "out/old/a"), "2");
  EXPECT_EQ(text(top_ / "out/new"), "3");
  EXPECT_EQ(names(), 1U);
}

TEST_F(OutputFolder, WithOtherFilesInItIsNotReplaced) {
  ASSERT_TRUE(write_folder(top_ / "out", {{"letter", "dear"}, {"new", "1"}}, false));
  const auto refused = write_folder(top_ / "out", {{"new", "2"}}, true);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().reason, HasSubstr("'letter'"));
  EXPECT_EQ(text(top_ / "out/letter"), "dear");
  EXPECT_EQ(text(top_ / "out/new"), "1");
  EXPECT_EQ(names(), 1U);
}

TEST_F(OutputFolder, DoesNotAppearWhenAFileFails) {
  // The same name as a folder and as a file makes writing fail.
  const auto failed = write_folder(top_ / "out", {{"a", "1"}, {"a/b", "2"}}, false);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().reason, HasSubstr("/a"));
  EXPECT_EQ(names(), 0U);
  EXPECT_FALSE(write_folder(top_ / "no/such/place", {{"a", "1"}}, false));
  std::ofstream(top_ / "file") << "x";
  EXPECT_FALSE(write_folder(top_ / "file", {{"a", "1"}}, true)) << "is no folder";
}

}  // namespace
}  // namespace ulnet::tools::fgr
