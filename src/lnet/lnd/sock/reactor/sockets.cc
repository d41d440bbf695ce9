#include "lnet/lnd/sock/reactor/sockets.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

#include "lnet/lnd/sock/reactor/device.h"

namespace ulnet::lnd::sock {
namespace {

// Privileged source ports; a dial tries them from the first down to the last (spec/wire-socklnd.md
// 2.1).
constexpr int kFirstSourcePort = 1023;
constexpr int kLastSourcePort = 512;

/// TCP retransmits unacknowledged bytes after at most this time, so that a connection goes on
/// within a second when its path works again. Linux has the option since 6.15; before that, TCP's
/// pause grows to 120 s.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kMaxResendMs = 1000;

/// A socket address of the system, IPv4 or IPv6.
struct SystemAddress {
  union {
    sockaddr generic;
    sockaddr_in v4;
    sockaddr_in6 v6;
  };
  socklen_t length = sizeof(sockaddr_in6);

  SystemAddress() : v6{} {}
  explicit SystemAddress(const Endpoint& endpoint) : v6{} {
    const auto& bytes = endpoint.address.bytes;
    if (endpoint.address.family == Family::kIpv4) {
      v4 = {};
      v4.sin_family = AF_INET;
      v4.sin_port = htons(endpoint.port);
      std::memcpy(&v4.sin_addr, bytes.data(), 4);
      length = sizeof v4;
    } else {
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(endpoint.port);
      std::memcpy(&v6.sin6_addr, bytes.data(), 16);
    }
  }
  Endpoint endpoint() const {
    Endpoint out;
    if (generic.sa_family == AF_INET) {
      out.port = ntohs(v4.sin_port);
      std::memcpy(out.address.bytes.data(), &v4.sin_addr, 4);
    } else {
      out.address.family = Family::kIpv6;
      out.port = ntohs(v6.sin6_port);
      std::memcpy(out.address.bytes.data(), &v6.sin6_addr, 16);
    }
    return out;
  }
};

bool set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

Descriptor make_socket(Family family) {
  const int domain = family == Family::kIpv4 ? AF_INET : AF_INET6;
  Descriptor fd(socket(domain, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (fd && family == Family::kIpv6) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  return fd;
}

/// Dials from one port; 0: from any. If it ends with EADDRINUSE or EADDRNOTAVAIL, another port
/// may work.
DialStart dial_from(const DialOrder& order, std::uint16_t port, const SockTunables& tunables) {
  DialStart dial;
  dial.socket = make_socket(order.remote.address.family);
  if (!dial.socket) {
    dial.error = errno;
    return dial;
  }
  const int fd = dial.socket.get();
  set_options(fd, tunables, order.tos);
  // Connections to different peers may share a source port.
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (port == 0) set_option(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  const SystemAddress local({order.local, port});
  if (bind(fd, &local.generic, local.length) != 0) {
    dial.error = errno;
    return dial;
  }
  const SystemAddress remote(order.remote);
  dial.connected = connect(fd, &remote.generic, remote.length) == 0;
  if (!dial.connected && errno != EINPROGRESS) dial.error = errno;
  return dial;
}

}  // namespace

void Descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

DialStart start_dial(const DialOrder& order, const SockTunables& tunables) {
  DialStart dial;
  for (int port = kFirstSourcePort; port >= kLastSourcePort; --port) {
    dial = dial_from(order, static_cast<std::uint16_t>(port), tunables);
    if (dial.error != EADDRINUSE && dial.error != EADDRNOTAVAIL) break;
  }
  // Linux answers ENETUNREACH also if the interface is down and has kept its address.
  if (dial.error == ENETUNREACH && is_down(order.local)) dial.error = ENETDOWN;
  if (dial.error != EACCES || tunables.unprivileged_connect == 0) return dial;
  dial = dial_from(order, 0, tunables);
  dial.unprivileged = true;
  return dial;
}

int dial_result(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

Result<Descriptor> listen_on(const Endpoint& endpoint, const SockTunables& tunables) {
  Descriptor fd = make_socket(endpoint.address.family);
  if (!fd) return fail(-errno, std::string("no socket to listen with: ") + std::strerror(errno));
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  // Accepted sockets inherit the buffer sizes, which TCP needs in its handshake for the window
  // scale.
  set_options(fd.get(), tunables, -1);
  const SystemAddress local(endpoint);
  if (bind(fd.get(), &local.generic, local.length) != 0 ||
      listen(fd.get(), tunables.accept_backlog) != 0) {
    const int error = errno;
    std::string reason = "cannot listen on " + endpoint.to_string() + ": " + std::strerror(error);
    if (error == EACCES)
      reason += " (ports below 1024 need CAP_NET_BIND_SERVICE, or choose another accept_port)";
    if (error == EADDRINUSE)
      reason += ": 'ss -ltnp sport = :" + std::to_string(endpoint.port) +
                "' as root shows who listens there, perhaps the kernel's LNet";
    return fail(-error, std::move(reason));
  }
  return fd;
}

int bind_error(const Endpoint& endpoint) {
  const Descriptor fd = make_socket(endpoint.address.family);
  if (!fd) return errno;
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  const SystemAddress local(endpoint);
  return bind(fd.get(), &local.generic, local.length) == 0 ? 0 : errno;
}

Descriptor accept_next(int listener, Endpoint& remote, int& error) {
  SystemAddress from;
  Descriptor fd(accept4(listener, &from.generic, &from.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  error = fd ? 0 : errno;
  if (fd) remote = from.endpoint();
  return fd;
}

void set_options(int fd, const SockTunables& t, std::int32_t tos) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, t.nagle == 0 ? 1 : 0);
  const bool keepalive = t.keepalive_idle > 0 && t.keepalive_intvl > 0 && t.keepalive_count > 0;
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, keepalive ? 1 : 0);
  if (keepalive) {
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, t.keepalive_idle);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, t.keepalive_intvl);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, t.keepalive_count);
  }
  set_option(fd, IPPROTO_TCP, kTcpRtoMaxMs, kMaxResendMs);
  const linger off{0, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof off);
  set_option(fd, IPPROTO_TCP, TCP_LINGER2, -1);  // do not keep half-closed connections
  if (t.tx_buffer_size > 0) set_option(fd, SOL_SOCKET, SO_SNDBUF, t.tx_buffer_size);
  if (t.rx_buffer_size > 0) set_option(fd, SOL_SOCKET, SO_RCVBUF, t.rx_buffer_size);
  if (tos >= 0) set_tos(fd, tos);
  if (!t.congestion.empty())
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, t.congestion.data(),
               static_cast<socklen_t>(t.congestion.size()));
}

bool tcp_resends_soon() {
  static const bool can = [] {
    const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return set_option(probe.get(), IPPROTO_TCP, kTcpRtoMaxMs, kMaxResendMs);
  }();
  return can;
}

void set_tos(int fd, std::int32_t tos) {
  // The call for the other address family fails, which does no harm.
  set_option(fd, IPPROTO_IP, IP_TOS, tos);
  set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, tos);
}

void set_quick_ack(int fd, bool quick) { set_option(fd, IPPROTO_TCP, TCP_QUICKACK, quick ? 1 : 0); }

void set_reset_at_close(int fd) {
  const linger reset{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

std::uint32_t unacknowledged_bytes(int fd) {
  int bytes = 0;
  if (ioctl(fd, SIOCOUTQ, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::uint32_t>(bytes);
}

Result<void> check_congestion(const std::string& name) {
  if (name.empty()) return {};
  const Descriptor fd = make_socket(Family::kIpv4);
  if (!fd) return {};
  if (setsockopt(fd.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(),
                 static_cast<socklen_t>(name.size())) == 0)
    return {};
  return fail(-EINVAL,
              "congestion control '" + name + "' is not available: " + std::strerror(errno));
}

Result<void> check_local(const Address& address) {
  const Descriptor fd = make_socket(address.family);
  if (!fd) return fail(-errno, std::string("no socket: ") + std::strerror(errno));
  const SystemAddress local({address, 0});
  if (bind(fd.get(), &local.generic, local.length) == 0) return {};
  return fail(-EADDRNOTAVAIL, address.to_string() + " is not an address of this machine");
}

}  // namespace ulnet::lnd::sock
