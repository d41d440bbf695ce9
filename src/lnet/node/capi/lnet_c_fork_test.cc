// The C interface and fork(): what parents, children and handlers that fork may do.
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "lnet/base/sanitizers_fixture.h"
#include "lnet/node/capi/lnet_c_fixture.h"

namespace ulnet::capi::test {
namespace {

/// The address sanitizer's malloc() does not handle fork(): in the child its lock stays taken if a
/// thread of the parent held it.
constexpr const char* kNoChildren = "the sanitizer's own locks do not support children of threads";

TEST_F(LnetC, AForkedChildMayStartItsOwnNode) {
  if (kThreadSanitizer)
    GTEST_SKIP() << "the sanitizer does not support threads that start after a fork";
  if (kAddressSanitizer) GTEST_SKIP() << kNoChildren;
  std::array<char, 8> memory{};
  const lnet_handle_md_t md = source(memory.data(), memory.size(), queue(4));
  const pid_t child = fork();
  if (child == 0) {
    const bool mine = ulnet_set_networks("tcp(127.0.78.2)") == 0 &&
                      LNetNIInit(LNET_PID_LUSTRE) == 0 && LNetNIFini() == 0;
    _exit(mine ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(LNetMDUnlink(md), 0);
}

template <std::size_t>
void nth_handler(const lnet_event*) {}
template <std::size_t... I>
std::array<lnet_handler_t, sizeof...(I)> handlers(std::index_sequence<I...>) {
  return {&nth_handler<I>...};
}

TEST_F(LnetC, AForkedChildMayUseAHandler) {
  if (kThreadSanitizer || kAddressSanitizer) GTEST_SKIP() << kNoChildren;
  const auto used = [](lnet_handler_t handler) {
    std::array<char, 8> memory{};
    lnet_md md = md_over(memory.data(), memory.size());
    md.handler = handler;
    lnet_handle_md_t handle{};
    return LNetMDBind(&md, LNET_RETAIN, &handle) == 0 && LNetMDUnlink(handle) == 0;
  };
  const auto many = handlers(std::make_index_sequence<200>());  // finding the last takes a while
  for (const lnet_handler_t handler : many) ASSERT_TRUE(used(handler));
  std::atomic<bool> over{false};
  std::thread user([&] {
    while (!over) EXPECT_TRUE(used(many.back()));
  });
  bool fine = true;
  for (int i = 0; fine && i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends the child if it hangs
      const bool mine = ulnet_set_networks("tcp(127.0.78.2)") == 0 &&
                        LNetNIInit(LNET_PID_LUSTRE) == 0 && used(many.back());
      _exit(mine ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(fine) << status;
  }
  over = true;
  user.join();
}

std::atomic<bool> handler_began{false};
std::atomic<pid_t> forked{0};

TEST_F(LnetC, AHandlerMayForkWhileTheNodeEndsAndWaitsForIt) {
  if (kAddressSanitizer) GTEST_SKIP() << kNoChildren;
  std::array<char, 8> out{};
  lnet_md md = md_over(out.data(), out.size());
  md.handler = [](const lnet_event* event) {
    if (event->type != LNET_EVENT_SEND) return;
    handler_began = true;
    handler_began.notify_all();
    lnet_processid id{};
    while (LNetGetId(0, &id, true) != -ESHUTDOWN) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0)
      _exit(LNetGetId(0, &id, true) == -ESHUTDOWN && LNetNIInit(LNET_PID_LUSTRE) == -EDEADLK ? 0
                                                                                             : 1);
    forked = child;
  };
  lnet_handle_md_t handle{};
  ASSERT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), 0) << ulnet_last_error();
  alarm(60);  // ends the test if it hangs
  // No node answers, so a node's thread runs the handler.
  lnet_processid nobody{{}, LNET_PID_LUSTRE};
  ASSERT_EQ(ulnet_nid_parse(&nobody.nid, "127.0.78.9@tcp"), 0);
  ASSERT_EQ(LNetPut(nullptr, handle, LNET_NOACK_REQ, &nobody, 5, 1, 0, 0), 0);
  handler_began.wait(false);
  EXPECT_EQ(LNetNIFini(), 0);
  alarm(0);
  int status = 0;
  ASSERT_EQ(waitpid(forked, &status, 0), forked);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0) << "the parent goes on";
}

TEST_F(LnetC, AForkedChildHasNoNode) {
  if (kAddressSanitizer) GTEST_SKIP() << kNoChildren;
  const pid_t child = fork();
  if (child == 0) {
    lnet_processid id{};
    _exit(LNetGetId(0, &id, true) == -ESHUTDOWN ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  lnet_processid id{};
  EXPECT_EQ(LNetGetId(0, &id, true), 0);  // the parent goes on
}

}  // namespace
}  // namespace ulnet::capi::test
