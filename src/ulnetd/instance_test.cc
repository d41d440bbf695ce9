// The lock beside the control socket.
#include "ulnetd/instance.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools {
namespace {

TEST(Instance, FollowsNoLinkInThePlaceOfItsFiles) {
  const TempFolder folder;
  const std::string kept = folder / "kept", socket = folder / "a.sock";
  std::ofstream(kept) << "kept";
  for (const auto& [link, code] : {std::pair(socket + ".lock", -ELOOP), {socket, -ENOTSOCK}}) {
    std::filesystem::create_symlink(kept, link);
    const auto claimed = claim_socket(socket, SocketOrigin::kCommandLine);
    ASSERT_FALSE(claimed) << link;
    EXPECT_EQ(claimed.error().code, code) << link;
    EXPECT_EQ(std::filesystem::file_size(kept), 4U) << "nothing was written through it";
    std::filesystem::remove(link);
  }
  EXPECT_TRUE(claim_socket(socket, SocketOrigin::kCommandLine));
}

}  // namespace
}  // namespace ulnet::tools
