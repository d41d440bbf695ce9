// Which user is at the other end of a Unix socket, as the kernel says, and what that user may do.
// Source: DESIGN.md 5.
#pragma once

#include <sys/types.h>

#include <vector>

#include "admin/server/message.h"

namespace ulnet::node::control {

struct PeerCredentials {
  uid_t uid = 0;
  std::vector<gid_t> groups;  ///< the primary one first
};

/// The user and the group that the door belongs to.
struct Ownership {
  uid_t owner = 0;
  gid_t group = 0;
};

/// Root and the owner may write, members of the group may read; others get only the reason.
Caller judge(const PeerCredentials& peer, const Ownership& door);

/// Asks the kernel about a connected socket, then calls judge(). Access is none when the kernel
/// does not know.
Caller identify(int connected_socket, const Ownership& door);

}  // namespace ulnet::node::control
