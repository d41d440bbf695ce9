#include "ulnetd/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lnet/base/temp_folder_fixture.h"
#include "ulnetd/instance.h"

namespace ulnet::tools {
namespace {

using testing::HasSubstr;

class Places : public testing::Test {
 protected:
  const TempFolder temp_;
  const std::string folder_ = temp_.path();
};

TEST_F(Places, AGivenPathIsTaken) {
  EXPECT_EQ(*choose_socket_path("/somewhere/x.sock", "a", {}), "/somewhere/x.sock");
  EXPECT_EQ(*choose_socket_path("./x.sock", "a", {}), "./x.sock");
}

TEST_F(Places, AFolderThatOthersCanWriteToIsNotUsed) {
  // Given: a runtime folder that another user could have prepared.
  const std::string own = folder_ + "/ulnet";
  ASSERT_EQ(::mkdir(own.c_str(), 0777), 0);
  ASSERT_EQ(::chmod(own.c_str(), 0777), 0);
  const auto path = choose_socket_path("", "a", {.xdg_runtime_dir = folder_, .uid = ::geteuid()});
  if (path)  // the user of this test may write to /run/ulnet
    EXPECT_EQ(*path, "/run/ulnet/a.sock");
  else
    EXPECT_THAT(path.error().reason, HasSubstr("another user owns it or may write to it"));
}

TEST_F(Places, ASocketHasOneOwner) {
  const std::string socket = folder_ + "/a.sock";
  auto first = claim_socket(socket);
  ASSERT_TRUE(first) << first.error().reason;
  const auto second = claim_socket(socket);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, -EEXIST);
  EXPECT_THAT(second.error().reason, HasSubstr("process " + std::to_string(::getpid())));
  EXPECT_THAT(second.error().reason, HasSubstr("kill"));
  { const machine::LockFile ended = std::move(*first); }
  EXPECT_TRUE(claim_socket(socket));
}

TEST_F(Places, AFileThatIsNoSocketIsLeftAlone) {
  const std::string socket = folder_ + "/a.sock";
  std::ofstream(socket) << "precious";
  const auto refused = claim_socket(socket);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, -ENOTSOCK);
  EXPECT_TRUE(std::filesystem::exists(socket));
}

TEST_F(Places, AnOldLockFileIsNoOwner) {
  const std::string socket = folder_ + "/a.sock";
  std::ofstream(socket + ".lock") << "1\n";
  EXPECT_TRUE(claim_socket(socket));
}

}  // namespace
}  // namespace ulnet::tools
