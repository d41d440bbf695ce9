#include "fgr/output/late_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;

class LateFiles : public ::testing::Test {
 protected:
  std::string path() const { return folder_ / "picture.svg"; }
  std::string text() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const TempFolder temp_;
  const fs::path folder_ = temp_.path();
};

TEST_F(LateFiles, AppearsWhole) {
  auto file = LateFile::make(path());
  ASSERT_TRUE(file);
  EXPECT_FALSE(fs::exists(path()));
  const LateFile moved = [&] {
    LateFile taken(std::move(*file));
    EXPECT_TRUE(taken.finish("text"));
    return taken;
  }();
  EXPECT_EQ(text(), "text");
  EXPECT_EQ(files(), 1U);
}

TEST_F(LateFiles, WithoutAnEndNothingChanges) {
  std::ofstream(path()) << "before";
  { ASSERT_TRUE(LateFile::make(path())); }
  EXPECT_EQ(text(), "before");
  EXPECT_EQ(files(), 1U);
}

TEST_F(LateFiles, RefusesBeforeTheWorkBegins) {
  const auto missing = LateFile::make(folder_ / "none" / "picture.svg");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().reason, testing::AllOf(testing::HasSubstr("cannot write "),
                                                     testing::HasSubstr("No such file")));
  ASSERT_FALSE(LateFile::make(folder_));
}

}  // namespace
}  // namespace ulnet::tools::fgr
