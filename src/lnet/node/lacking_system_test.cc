// What a node does when the system gives no thread or no descriptor: it does not start, or it ends
// later.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "lnet/node/node_fixture.h"
#include "ulnet/event_queue.hpp"

namespace ulnet::node {
namespace {

/// From here on the system gives this process no further thread. False: the test cannot arrange
/// that here.
bool allow_no_thread(const rlimit& none) {
  constexpr uid_t kNobody = 65534;  // root is exempt from the limit on threads
  // The test cannot change to another user here.
  if (geteuid() == 0 && setuid(kNobody) != 0) return false;
  return setrlimit(RLIMIT_NPROC, &none) == 0;
}

/// In a process of its own: starts a node when the system gives no more of `resource`. The exit
/// code is 0 when that is the expected error, with a reason.
[[noreturn]] void start_without(decltype(RLIMIT_NOFILE) resource, int expected) {
  const rlimit none{0, 0};
  if (resource == RLIMIT_NPROC && !allow_no_thread(none)) _exit(0);
  if (resource != RLIMIT_NPROC && setrlimit(resource, &none) != 0) _exit(2);
  const auto node = Node::start(NodeOptions{}, machine_of(1));
  _exit(!node && node.error().code == expected && !node.error().reason.empty() ? 0 : 1);
}

TEST(NodeStart, WithoutAThreadOrADescriptorIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_without(RLIMIT_NPROC, -EAGAIN), testing::ExitedWithCode(0), "");
  if (kChecksNeedDescriptors) return;
  EXPECT_EXIT(start_without(RLIMIT_NOFILE, -EMFILE), testing::ExitedWithCode(0), "");
}

/// In a process of its own: destroys a node inside a handler that one of its threads runs, when the
/// system gives no thread. The exit code is 0 when the log reports it and the node ends once
/// threads are available.
[[noreturn]] void destroy_without_a_thread() {
  static std::atomic<bool> reported{false};
  NodeOptions options;
  options.log = [](void*, int level, const char* line) {
    if (level != 2 || std::string_view(line).find("a thread to end it") == std::string_view::npos)
      return;
    reported = true;
    reported.notify_all();
  };
  auto node = *Node::start(options, machine_of(1));
  auto queue = *EventQueue::create(*node, 1);
  rlimit some{};
  if (getrlimit(RLIMIT_NPROC, &some) != 0 || !allow_no_thread({0, some.rlim_max})) _exit(0);
  alarm(60);  // ends this process if it waits for ever
  node->after({}, [&] { node.reset(); });
  reported.wait(false);
  if (setrlimit(RLIMIT_NPROC, &some) != 0) _exit(2);
  Event event;
  _exit(queue->wait(event) == EventQueue::Got::kNodeGone ? 0 : 1);
}

TEST(NodeEnd, InAHandlerWaitsForAnAvailableThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(destroy_without_a_thread(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ulnet::node
