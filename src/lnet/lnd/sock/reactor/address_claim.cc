#include "lnet/lnd/sock/reactor/address_claim.h"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace ulnet::lnd::sock {
namespace {

Descriptor unix_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/// An abstract socket name (its first byte is 0). Like a port it belongs to a network namespace,
/// and it disappears with the last descriptor of its socket.
struct ClaimName {
  explicit ClaimName(const Endpoint& endpoint) {
    const std::string text = "ulnet-tcp-" + endpoint.to_string();
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    std::copy(text.begin(), text.end(), address.sun_path + 1);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t length = 0;
};

/// Describes the process that holds the claim.
std::string holder_of(const ClaimName& name) {
  const Descriptor fd = unix_socket();
  ucred holder{};
  socklen_t size = sizeof holder;
  const bool known = connect(fd.get(), name.get(), name.length) == 0 &&
                     getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size) == 0;
  if (!known) return "another process";
  if (holder.pid == 0) return "a process of another container";  // of another PID namespace
  if (holder.pid == getpid()) return "another node of this process";
  return "process " + std::to_string(holder.pid);
}

}  // namespace

Result<Descriptor> claim_endpoint(const Endpoint& endpoint) {
  const ClaimName name(endpoint);
  Descriptor fd = unix_socket();
  if (fd && bind(fd.get(), name.get(), name.length) == 0 &&
      listen(fd.get(), kClaimantsWaiting) == 0)
    return fd;
  const int error = errno;
  if (error != EADDRINUSE)
    return fail(-error, "cannot claim " + endpoint.to_string() + ": " + std::strerror(error));
  return fail(-EADDRINUSE,
              endpoint.to_string() + " is used by " + holder_of(name) +
                  ": give this node another address, because only one node can use it");
}

void dismiss_claimants(int claim) {
  for (int i = 0; i < kClaimantsWaiting; ++i)
    if (!Descriptor(accept4(claim, nullptr, nullptr, SOCK_CLOEXEC))) return;
}

}  // namespace ulnet::lnd::sock
