#include "lab/live/home.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::lab {
namespace {

class LabHome : public testing::Test {
 protected:
  const TempFolder temp_;
  const std::string folder_ = temp_.path();
};

TEST_F(LabHome, IsWhereTheUserMayWrite) {
  EXPECT_EQ(folder_of_labs({.xdg_runtime_dir = "/x", .uid = 0}), "/run/ulnet-lab");
  EXPECT_EQ(folder_of_labs({.xdg_runtime_dir = "/x", .uid = 7}), "/x/ulnet-lab");
  EXPECT_EQ(folder_of_labs({.uid = 7}), "/tmp/ulnet-lab-7");
}

TEST_F(LabHome, NamesAreNamesOfFiles) {
  for (const char* good : {"a", "two-ssu", "x_1.y", "9"}) EXPECT_EQ(check_lab_name(good), "");
  for (const char* bad : {"", ".", "..", ".x", "-x", "a/b", "a b", "a\n", "\xc3\xa4"})
    EXPECT_NE(check_lab_name(bad), "") << bad;
  EXPECT_EQ(check_lab_name(std::string(64, 'x')), "");
  EXPECT_NE(check_lab_name(std::string(65, 'x')), "");
}

TEST_F(LabHome, FoldersOfOthersAndLinksAreRefused) {
  const conf::PlaceEnvironment me{.uid = ::geteuid()}, other{.uid = ::geteuid() + 1};
  const std::string labs = folder_ + "/labs";
  EXPECT_TRUE(prepare_folder(labs, me));
  EXPECT_TRUE(prepare_folder(labs, me)) << "a folder that exists";
  EXPECT_EQ(prepare_folder(labs, other).error().code, -EPERM);
  ASSERT_EQ(::chmod(labs.c_str(), 0777), 0);
  EXPECT_EQ(prepare_folder(labs, me).error().code, -EPERM);
  ASSERT_EQ(::symlink(folder_.c_str(), (folder_ + "/link").c_str()), 0);
  EXPECT_EQ(prepare_folder(folder_ + "/link", me).error().code, -ENOTDIR);
  EXPECT_EQ(prepare_folder(folder_ + "/no/where", me).error().code, -ENOENT);
}

TEST_F(LabHome, AFolderIsMadeOnceAndRemovedWithWhatIsInIt) {
  const Home home(folder_, "pair");
  EXPECT_FALSE(home.exists());
  ASSERT_TRUE(home.make());
  EXPECT_EQ(home.make().error().code, -EEXIST);
  ASSERT_TRUE(write_whole(home.config("client"), "x"));
  EXPECT_EQ(*read_whole(home.config("client")), "x");
  EXPECT_EQ(lab_names(folder_), std::vector<std::string>{"pair"});
  // A link in the folder is removed, and its target stays.
  ASSERT_EQ(::symlink(folder_.c_str(), (home.folder() + "/link").c_str()), 0);
  ASSERT_TRUE(home.remove());
  EXPECT_FALSE(home.exists());
  EXPECT_TRUE(std::filesystem::exists(folder_));
  EXPECT_TRUE(lab_names(folder_).empty());
}

TEST_F(LabHome, ALinkIsNoLaboratory) {
  ASSERT_EQ(::symlink("/", (folder_ + "/root").c_str()), 0);
  EXPECT_FALSE(Home(folder_, "root").exists());
  EXPECT_TRUE(lab_names(folder_).empty());
}

TEST_F(LabHome, OneAtATimeHasTheLock) {
  const Home home(folder_ + "/labs", "pair");
  const auto never = [] { return false; };
  std::string who;
  {
    const auto held = Lock::take(
        home, 0, [](const std::string&) {}, never);
    ASSERT_TRUE(held);
    const auto refused = Lock::take(
        home, 0, [&](const std::string& text) { who = text; }, never);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, -EBUSY);
    EXPECT_NE(refused.error().reason.find(std::to_string(::getpid())), std::string::npos);
    const auto stopped = Lock::take(
        home, 60, [](const std::string&) {}, [] { return true; });
    EXPECT_EQ(stopped.error().code, -EINTR);
    const auto other = Lock::take(
        Home(folder_ + "/labs", "other"), 0, [](const std::string&) {}, never);
    EXPECT_TRUE(other) << "another laboratory has a lock of its own";
  }
  EXPECT_TRUE(Lock::take(
      home, 0, [](const std::string&) {}, never));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/labs")) << "nothing is left of locks";
}

}  // namespace
}  // namespace ulnet::tools::lab
