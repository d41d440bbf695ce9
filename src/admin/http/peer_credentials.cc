#include "admin/http/peer_credentials.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "lnet/os/process_name.h"

namespace ulnet::http {

namespace {

/// Returns the supplementary groups of the peer's process; empty if the kernel does not report
/// them.
std::vector<gid_t> supplementary_groups(int socket) {
  std::vector<gid_t> groups(32);
  for (;;) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) == 0) {
      groups.resize(bytes / sizeof(gid_t));
      return groups;
    }
    const bool more = errno == ERANGE && bytes / sizeof(gid_t) > groups.size();
    if (!more) return {};
    groups.resize(bytes / sizeof(gid_t));
  }
}

}  // namespace

Caller judge(const PeerCredentials& peer, const Ownership& ownership) {
  if (peer.uid == 0 || peer.uid == ownership.owner) return {.access = Access::kWrite};
  const std::string who = "user " + std::to_string(peer.uid);
  const bool member = std::ranges::find(peer.groups, ownership.group) != peer.groups.end();
  if (member)
    return {.access = Access::kRead,
            .refusal =
                who +
                " is in the node's group and may look, but only root and the node's owner (user " +
                std::to_string(ownership.owner) + ") may change it"};
  return {.access = Access::kNone,
          .refusal = who + " is neither root, nor the node's owner (user " +
                     std::to_string(ownership.owner) + "), nor in its group (" +
                     std::to_string(ownership.group) + ")"};
}

Caller identify(int connected_socket, const Ownership& ownership) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(connected_socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {.access = Access::kNone, .refusal = "the system does not report who sent the request"};
  PeerCredentials peer{.uid = credentials.uid, .groups = {credentials.gid}};
  const auto more = supplementary_groups(connected_socket);
  peer.groups.insert(peer.groups.end(), more.begin(), more.end());
  Caller caller = judge(peer, ownership);
  caller.who = node::named_process(credentials.pid, credentials.uid);
  return caller;
}

}  // namespace ulnet::http
