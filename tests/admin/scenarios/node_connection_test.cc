// A client that finds a daemon while it starts.
#include "admin/client/node_connection.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "lnet/base/temp_folder_fixture.h"
#include "lnet/os/socket_lock.h"
#include "test_node.h"

namespace ulnet::ctl::test {
namespace {

/// Holds the lock that a daemon holds from its start on.
class Lock {
 public:
  explicit Lock(const std::string& socket)
      : file_(::open(machine::lock_of(socket).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    EXPECT_TRUE(machine::lock_file(file_));
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

TEST(NodeConnection, WaitsForADaemonThatIsStarting) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  const Lock lock(socket);
  Network network;
  std::unique_ptr<TestNode> daemon;
  std::thread starting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    daemon = std::make_unique<TestNode>(socket, network);
  });
  NodeConnection connection(socket);
  const auto opened = connection.open(Intent::kShow);
  starting.join();
  ASSERT_TRUE(opened) << opened.error().reason;
  EXPECT_EQ(connection.path(), socket);
}

TEST(NodeConnection, ReportsADaemonThatDoesNotOpenItsSocket) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  const Lock lock(socket);
  EXPECT_EQ(::truncate(machine::lock_of(socket).c_str(), 0), 0);
  const auto opened = NodeConnection(socket).open(Intent::kShow);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().reason.find("starting or ending"), std::string::npos)
      << opened.error().reason;
}

/// Whether a client finds a daemon that takes its lock a moment after the client looked for it.
bool finds_late_lock() {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  std::unique_ptr<Lock> lock;
  Network network;
  std::unique_ptr<TestNode> daemon;
  std::thread starting([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lock = std::make_unique<Lock>(socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    daemon = std::make_unique<TestNode>(socket, network);
  });
  const bool found = NodeConnection(socket).open(Intent::kShow).has_value();
  starting.join();
  return found;
}

TEST(NodeConnection, FindsADaemonThatTakesItsLockAMomentLater) {
  bool found = false;  // On a busy machine the moment may be too long, so it is tried again.
  for (int i = 0; i < 20 && !found; ++i) found = finds_late_lock();
  EXPECT_TRUE(found);
}

TEST(NodeConnection, SaysThatThereIsNoDaemon) {
  const TempFolder folder;
  const std::string socket = folder / "a.sock";
  EXPECT_EQ(NodeConnection(socket).open(Intent::kShow).error().code, -ENOENT);
  { const Lock left(socket); }
  EXPECT_EQ(NodeConnection(socket).open(Intent::kShow).error().code, -ENOENT);
}

}  // namespace
}  // namespace ulnet::ctl::test
