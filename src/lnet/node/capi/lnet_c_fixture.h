// For tests: the C interface's default node on a loopback address, and short forms of its calls.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "ulnet/lnet.h"

namespace ulnet::capi::test {

inline constexpr const char* kAddress = "127.0.78.1";

inline std::string free_port() {
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

inline lnet_processid anybody() { return {LNET_ANY_NID, LNET_PID_ANY}; }

/// An MD over this memory, for any number of operations.
inline lnet_md md_over(void* memory, std::size_t length) {
  lnet_md md{};
  md.start = memory;
  md.length = static_cast<std::uint32_t>(length);
  md.threshold = LNET_MD_THRESH_INF;
  return md;
}

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
    lnet_md md = md_over(memory, length);
    md.options = LNET_MD_OP_PUT | LNET_MD_TRUNCATE | LNET_MD_MANAGE_REMOTE;
    md.eq = eq;
    lnet_handle_md_t handle{};
    EXPECT_EQ(LNetMDAttach(me, &md, LNET_RETAIN, &handle), 0) << ulnet_last_error();
    return handle;
  }
  lnet_handle_md_t source(void* memory, std::uint32_t length, lnet_handle_eq_t eq) {
    lnet_md md = md_over(memory, length);
    md.eq = eq;
    lnet_handle_md_t handle{};
    EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), 0) << ulnet_last_error();
    return handle;
  }
  int put(lnet_handle_md_t md) { return LNetPut(nullptr, md, LNET_ACK_REQ, &self_, 5, 1, 0, 42); }

  lnet_processid self_{};
};

}  // namespace ulnet::capi::test
