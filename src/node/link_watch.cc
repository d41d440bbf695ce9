#include "node/link_watch.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

namespace ulnet::node {
namespace {

/// The device of a link message, and whether it can carry traffic; empty for other messages. The
/// kernel wrote it, yet the lengths are checked: a netlink socket may be spoken to by others.
std::string link_of(const char* bytes, std::size_t length, bool& up) {
  nlmsghdr header{};
  ifinfomsg link{};
  if (length < NLMSG_LENGTH(sizeof link)) return {};
  std::memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_type != RTM_NEWLINK && header.nlmsg_type != RTM_DELLINK) return {};
  std::memcpy(&link, bytes + NLMSG_HDRLEN, sizeof link);
  up = header.nlmsg_type == RTM_NEWLINK && (link.ifi_flags & IFF_UP) != 0 &&
       (link.ifi_flags & IFF_RUNNING) != 0;
  for (std::size_t at = NLMSG_LENGTH(sizeof link); at + sizeof(rtattr) <= length;) {
    rtattr attribute{};
    std::memcpy(&attribute, bytes + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > length) return {};
    if (attribute.rta_type == IFLA_IFNAME) {
      const std::size_t room = attribute.rta_len - sizeof attribute;
      return std::string(bytes + at + sizeof attribute,
                         strnlen(bytes + at + sizeof attribute, room));
    }
    at += RTA_ALIGN(attribute.rta_len);
  }
  return {};
}

}  // namespace

bool LinkWatch::start(Changed changed, bool own_thread) {
  netlink_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
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
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[1].revents != 0) return;
    read_all();
  }
}

void LinkWatch::read_all() {
  std::array<char, 16384> buffer;
  while (true) {
    sockaddr_nl from{};
    socklen_t from_length = sizeof from;
    sockaddr generic{};
    const ssize_t got = recvfrom(netlink_, buffer.data(), buffer.size(), 0, &generic, &from_length);
    if (got <= 0) return;
    std::memcpy(&from, &generic, sizeof from);
    if (from.nl_pid != 0) continue;  // not the kernel
    for (std::size_t at = 0; at + sizeof(nlmsghdr) <= static_cast<std::size_t>(got);) {
      nlmsghdr header{};
      std::memcpy(&header, buffer.data() + at, sizeof header);
      if (header.nlmsg_len < sizeof header || at + header.nlmsg_len > static_cast<std::size_t>(got))
        break;
      bool up = false;
      if (const std::string device = link_of(buffer.data() + at, header.nlmsg_len, up);
          !device.empty())
        changed_(device, up);
      at += NLMSG_ALIGN(header.nlmsg_len);
    }
  }
}

}  // namespace ulnet::node
