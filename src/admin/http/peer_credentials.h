// Finds out which user is at the other end of a Unix socket, as the kernel reports it, and which
// access that user has. Source: DESIGN.md 5.
#pragma once

#include <sys/types.h>

#include <vector>

#include "admin/http/message.h"

namespace ulnet::http {

struct PeerCredentials {
  uid_t uid = 0;
  std::vector<gid_t> groups;  ///< the primary one first
};

/// The user and the group that own the Unix socket.
struct Ownership {
  uid_t owner = 0;
  gid_t group = 0;
};

/// Returns the caller with its access. Root and the owner may write, members of the group may read.
/// Others have no access; for them the caller has the reason.
Caller judge(const PeerCredentials& peer, const Ownership& ownership);

/// Asks the kernel about a connected socket, then calls judge(). The access is kNone when the
/// kernel does not know the user.
Caller identify(int connected_socket, const Ownership& ownership);

}  // namespace ulnet::http
