#include "lnet/os/socket_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::machine {
namespace {

TEST(SocketLock, TheHolderIsKnownWithoutLocking) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  EXPECT_FALSE(holder_of(socket)) << "there is no file";
  const int lock = ::open(lock_of(socket).c_str(), O_RDWR | O_CREAT, 0644);
  EXPECT_EQ(::write(lock, "4711\n", 5), 5);
  EXPECT_FALSE(holder_of(socket)) << "left behind by a daemon that was killed";
  EXPECT_TRUE(lock_file(lock));
  EXPECT_EQ(holder_of(socket), 4711);
  const int other = ::open(lock_of(socket).c_str(), O_RDWR);
  EXPECT_FALSE(lock_file(other));
  EXPECT_EQ(::ftruncate(lock, 0), 0);
  EXPECT_EQ(holder_of(socket), 0) << "the daemon has the lock, and has not written its pid yet";
  ::close(lock);
  EXPECT_FALSE(holder_of(socket));
  EXPECT_TRUE(lock_file(other)) << "the query has not taken the lock";
  ::close(other);
}

}  // namespace
}  // namespace ulnet::machine
