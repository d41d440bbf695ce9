// The C interface on a live node over loopback: life cycle, event queues, what it refuses, fork().
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "ulnet/lnet.h"

namespace {

constexpr const char* kAddress = "127.0.78.1";

std::string free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, kAddress, &address.sin_addr);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), length), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  close(fd);
  return std::to_string(ntohs(address.sin_port));
}

lnet_processid anybody() { return {LNET_ANY_NID, LNET_PID_ANY}; }

class LnetC : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ulnet_set_networks((std::string("tcp(") + kAddress + ")").c_str()), 0);
    ASSERT_EQ(ulnet_set_param("accept", "trust"), 0);
    ASSERT_EQ(ulnet_set_param("accept_port", free_port().c_str()), 0);
    ASSERT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0) << ulnet_last_error();
    ASSERT_EQ(LNetGetId(1, &self_, true), 0);
  }
  void TearDown() override { LNetNIFini(); }

  lnet_handle_eq_t queue(unsigned count, lnet_handler_t handler = nullptr) {
    lnet_handle_eq_t eq{};
    EXPECT_EQ(LNetEQAlloc(count, handler, &eq), 0);
    return eq;
  }
  lnet_handle_md_t target(void* memory, std::uint32_t length, lnet_handle_eq_t eq) {
    const lnet_processid any = anybody();
    lnet_handle_me_t me{};
    EXPECT_EQ(LNetMEAttach(5, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me), 0);
    lnet_md md{};
    md.start = memory;
    md.length = length;
    md.threshold = LNET_MD_THRESH_INF;
    md.options = LNET_MD_OP_PUT | LNET_MD_TRUNCATE | LNET_MD_MANAGE_REMOTE;
    md.eq = eq;
    lnet_handle_md_t handle{};
    EXPECT_EQ(LNetMDAttach(me, &md, LNET_RETAIN, &handle), 0) << ulnet_last_error();
    return handle;
  }
  lnet_handle_md_t source(void* memory, std::uint32_t length, lnet_handle_eq_t eq) {
    lnet_md md{};
    md.start = memory;
    md.length = length;
    md.threshold = LNET_MD_THRESH_INF;
    md.eq = eq;
    lnet_handle_md_t handle{};
    EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), 0) << ulnet_last_error();
    return handle;
  }
  int put(lnet_handle_md_t md) { return LNetPut(nullptr, md, LNET_ACK_REQ, &self_, 5, 1, 0, 42); }

  lnet_processid self_{};
};

// spec/core-semantics.md 2.1, 2.2
TEST_F(LnetC, CountsItsUsers) {
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 1);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 2);
  EXPECT_EQ(ulnet_set_networks("tcp"), -EBUSY);
  EXPECT_EQ(LNetNIFini(), 0);
  EXPECT_EQ(LNetNIFini(), 0);
  lnet_processid id{};
  EXPECT_EQ(LNetGetId(0, &id, true), 0);  // the first user's reference keeps it up
  EXPECT_EQ(LNetNIFini(), 0);
  EXPECT_EQ(LNetGetId(0, &id, true), -ESHUTDOWN);
  EXPECT_NE(std::string(ulnet_last_error()).find("LNetNIInit"), std::string::npos);
}

TEST_F(LnetC, SaysWhoItIs) {
  std::array<char, LNET_NIDSTR_SIZE> text{};
  EXPECT_STREQ(ulnet_nid_format(&self_.nid, text.data(), text.size()), "127.0.78.1@tcp");
  EXPECT_EQ(self_.pid, LNET_PID_LUSTRE);
  lnet_processid nobody{};
  EXPECT_EQ(LNetGetId(2, &nobody, true), -ENOENT);
  std::uint32_t order = 0;
  EXPECT_EQ(LNetDist(&self_.nid, nullptr, &order), 0);
  EXPECT_TRUE(LNetIsPeerLocal(&self_.nid));
  lnet_nid far{};
  ASSERT_EQ(ulnet_nid_parse(&far, "10.0.0.1@o2ib"), 0);
  EXPECT_FALSE(LNetIsPeerLocal(&far));
  EXPECT_EQ(LNetDist(&far, nullptr, nullptr), -EHOSTUNREACH);
  EXPECT_EQ(ulnet_nid_parse(&far, "10.0.0.300@tcp"), -EINVAL);
}

// spec/core-semantics.md 5.1
TEST_F(LnetC, AQueueHoldsEventsUntilTheyAreFetched) {
  std::array<char, 16> in{}, out{"over"};
  const lnet_handle_eq_t eq = queue(16);
  const lnet_handle_md_t to = target(in.data(), in.size(), eq);
  const lnet_handle_md_t from = source(out.data(), out.size(), eq);
  EXPECT_EQ(LNetEQFree(eq), -EBUSY);
  ASSERT_EQ(put(from), 0);
  int seen[LNET_EVENT_UNLINK + 1] = {};
  for (int i = 0; i < 3; ++i) {
    lnet_event event{};
    ASSERT_EQ(LNetEQWait(eq, &event), 1);
    ++seen[event.type];
    if (event.type == LNET_EVENT_PUT) {
      EXPECT_EQ(event.hdr_data, 42U);
      EXPECT_EQ(event.mlength, out.size());
    }
  }
  EXPECT_EQ(seen[LNET_EVENT_PUT], 1);
  EXPECT_EQ(seen[LNET_EVENT_SEND], 1);
  EXPECT_EQ(seen[LNET_EVENT_ACK], 1);
  EXPECT_EQ(in, out);
  lnet_event none{};
  EXPECT_EQ(LNetEQGet(eq, &none), 0);
  EXPECT_EQ(LNetEQPoll(&eq, 1, 0, &none, nullptr), 0);

  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
  EXPECT_EQ(LNetMDUnlink(to), -ENOENT);
  EXPECT_EQ(LNetEQFree(eq), 0);
  EXPECT_EQ(LNetEQGet(eq, &none), -ENOENT);
}

// spec/core-semantics.md 5.1: the oldest are kept, the loss is told once
TEST_F(LnetC, AFullQueueLosesTheNewestAndSaysSo) {
  std::array<char, 16> in{}, out{};
  const lnet_handle_eq_t small = queue(2);
  const lnet_handle_eq_t acks = queue(64);
  const lnet_handle_md_t to = target(in.data(), in.size(), small);
  const lnet_handle_md_t from = source(out.data(), out.size(), acks);
  lnet_event event{};
  const auto put_and_wait = [&] {
    ASSERT_EQ(put(from), 0);
    do ASSERT_EQ(LNetEQWait(acks, &event), 1);
    while (event.type != LNET_EVENT_ACK);
  };
  for (int i = 0; i < 4; ++i) put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), -EOVERFLOW);
  put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
}

std::atomic<int> told{1};

TEST_F(LnetC, AHandlerMustNotWait) {
  told = 1;
  const lnet_handle_eq_t eq = queue(0, [](const lnet_event* event) {
    if (event->type != LNET_EVENT_PUT) return;
    lnet_processid me{};
    LNetGetId(1, &me, true);
    lnet_nid nid{};
    told = ulnet_ping(&me, 1000, &nid, 1);
    told.notify_all();
  });
  std::array<char, 16> in{}, out{};
  const lnet_handle_md_t to = target(in.data(), in.size(), eq);
  const lnet_handle_md_t from = source(out.data(), out.size(), lnet_handle_eq_t{});
  ASSERT_EQ(put(from), 0);
  told.wait(1);
  EXPECT_EQ(told, -EDEADLK);
  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
}

TEST_F(LnetC, RefusesWhatMakesNoSense) {
  const lnet_processid any = anybody();
  lnet_handle_me_t me{};
  EXPECT_EQ(LNetMEAttach(64, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me), -EINVAL);
  lnet_handle_eq_t eq{};
  EXPECT_EQ(LNetEQAlloc(0, nullptr, &eq), -EINVAL);
  EXPECT_EQ(LNetSetLazyPortal(-1), -EINVAL);
  EXPECT_EQ(LNetSetLazyPortal(7), 0);
  EXPECT_EQ(LNetClearLazyPortal(7), 0);
  std::array<char, 8> memory{};
  lnet_md md{};
  md.start = memory.data();
  md.length = memory.size();
  md.handler = [](const lnet_event*) {};
  md.eq = queue(4);
  lnet_handle_md_t handle{};
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), -EINVAL);  // a handler or a queue, not both
  md.handler = nullptr;
  md.eq.cookie = 77;
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), -ENOENT);
}

TEST_F(LnetC, PingsItself) {
  std::array<lnet_nid, 4> nids{};
  ASSERT_EQ(ulnet_ping(&self_, 5000, nids.data(), 4), 1) << ulnet_last_error();
  EXPECT_EQ(std::memcmp(&nids[0], &self_.nid, sizeof(lnet_nid)), 0);
}

TEST_F(LnetC, AChildOfForkHasNoNode) {
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
