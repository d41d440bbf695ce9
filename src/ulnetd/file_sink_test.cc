// The log's file.
#include "ulnetd/file_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class LogFile : public testing::Test {
 protected:
  static void write(FileSink& sink, const char* text) {
    sink.log(spdlog::details::log_msg("", spdlog::level::info, text));
  }
  static std::string content(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path(), path_ = folder_ + "/a.log";
};

TEST_F(LogFile, IsAppendedTo) {
  std::ofstream(path_) << "before\n";
  for (const char* text : {"one", "two"}) write(**FileSink::open(path_), text);
  EXPECT_THAT(content(path_), testing::MatchesRegex("before\n.*one\n.*two\n"));
}

TEST_F(LogFile, IsWritableByItsOwnerOnly) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(FileSink::open(path_));
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms(0644));
}

TEST_F(LogFile, ALinkInItsPlaceIsNotFollowed) {
  const std::string kept = folder_ + "/kept";
  std::ofstream(kept) << "kept";
  for (const std::string& target : {kept, folder_ + "/missing"}) {
    std::filesystem::create_symlink(target, path_);
    const auto opened = FileSink::open(path_);
    ASSERT_FALSE(opened) << target;
    EXPECT_EQ(opened.error().code, -ELOOP);
    EXPECT_THAT(opened.error().reason, HasSubstr("a.log is a symbolic link"));
    std::filesystem::remove(path_);
  }
  EXPECT_EQ(content(kept), "kept");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/missing"));
}

TEST_F(LogFile, ItsFolderMayBeALink) {
  std::filesystem::create_directory(folder_ + "/real");
  std::filesystem::create_directory_symlink(folder_ + "/real", folder_ + "/link");
  EXPECT_TRUE(FileSink::open(folder_ + "/link/a.log"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/real/a.log"));
}

TEST_F(LogFile, TheProcesssOwnDescriptorsAreNoLinks) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[1]);
  write(**FileSink::open(name), "through the pipe");
  ::close(ends[1]);
  char text[256] = {};
  EXPECT_GT(::read(ends[0], text, sizeof text - 1), 0);
  EXPECT_THAT(text, EndsWith("through the pipe\n"));
  ::close(ends[0]);
  EXPECT_TRUE(FileSink::open("/dev/stdout"));
  EXPECT_TRUE(FileSink::open("/dev/stderr"));
  EXPECT_EQ(FileSink::open(name).error().code, -EBADF) << "it is closed";
  EXPECT_FALSE(FileSink::open("/dev/fd/x"));
}

}  // namespace
}  // namespace ulnet::tools
