#include "lnet/os/link_watch.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ulnet::node {

bool LinkWatch::start(Changed changed, bool own_thread) {
  netlink_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  sockaddr generic{};
  static_assert(sizeof generic >= sizeof address);
  std::memcpy(&generic, &address, sizeof address);
  if (netlink_ < 0 || bind(netlink_, &generic, sizeof address) != 0) {
    stop();
    return false;
  }
  changed_ = std::move(changed);
  if (!own_thread) return true;
  stop_event_ = eventfd(0, EFD_CLOEXEC);
  if (stop_event_ < 0) {
    stop();
    return false;
  }
  thread_ = std::thread([this] { loop(); });
  return true;
}

void LinkWatch::stop() {
  if (thread_.joinable()) {
    eventfd_write(stop_event_, 1);
    thread_.join();
  }
  for (int* fd : {&netlink_, &stop_event_})
    if (*fd >= 0) close(std::exchange(*fd, -1));
}

void LinkWatch::poll() {
  if (netlink_ >= 0) read_all();
}

void LinkWatch::loop() {
  std::array<pollfd, 2> fds{{{netlink_, POLLIN, 0}, {stop_event_, POLLIN, 0}}};
  while (true) {
    const int wait = unread_ ? static_cast<int>(kAgain.count()) : -1;
    if (::poll(fds.data(), fds.size(), wait) < 0) continue;
    if (fds[1].revents != 0) return;
    read_all();
  }
}

void LinkWatch::read_all() {
  std::array<char, 16384> buffer;
  bool any = unread_;
  while (true) {
    sockaddr_nl from{};
    socklen_t from_length = sizeof from;
    sockaddr generic{};
    const ssize_t got = recvfrom(netlink_, buffer.data(), buffer.size(), 0, &generic, &from_length);
    if (got < 0 && errno == ENOBUFS) {  // the kernel dropped messages
      any = true;
      continue;
    }
    if (got <= 0) break;
    std::memcpy(&from, &generic, sizeof from);
    any = any || from.nl_pid == 0;  // any process may write here: only messages of the kernel count
  }
  if (any) unread_ = !changed_();
}

}  // namespace ulnet::node
