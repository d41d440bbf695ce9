#include "admin/client/control_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::ctl {
namespace {

using testing::HasSubstr;

/// A listening socket of a process that neither accepts nor answers: the state of a stopped daemon.
class SilentSocket {
 public:
  explicit SilentSocket(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
  }
  ~SilentSocket() { ::close(fd_); }
  SilentSocket(const SilentSocket&) = delete;
  SilentSocket& operator=(const SilentSocket&) = delete;

 private:
  int fd_;
};

TEST(ControlClient, ANodeThatDoesNotAnswerIsReportedWithItsPid) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  const SilentSocket silent(socket);
  const auto client = ControlClient::open(socket, std::chrono::seconds(1));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().reason, "the node at " + socket + " (pid " + std::to_string(::getpid()) +
                                       ") has not answered for 1 s: it hangs, or is stopped");
}

TEST(ControlClient, DistinguishesAnEndedNodeFromOneThatNeverExisted) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  EXPECT_THAT(ControlClient::open(socket).error().reason, HasSubstr("does not exist"));
  { const SilentSocket ended(socket); }
  EXPECT_THAT(ControlClient::open(socket).error().reason, HasSubstr("it has ended"));
}

}  // namespace
}  // namespace ulnet::ctl
