// Who is at the other end of a Unix socket, as the kernel says, and what that user may do. Source:
// DESIGN.md 5.
#pragma once

#include <sys/types.h>

#include <vector>

#include "node/control/message.h"

namespace ulnet::node::control {

struct PeerCredentials {
  uid_t uid = 0;
  std::vector<gid_t> groups;  ///< the primary one first
};

/// Whom the door belongs to.
struct Ownership {
  uid_t owner = 0;
  gid_t group = 0;
};

/// Root and the owner write, the group reads, others get nothing but the reason.
Caller judge(const PeerCredentials& peer, const Ownership& door);

/// Asks the kernel about a connected socket, then judges; a socket it knows nothing about is
/// refused.
Caller identify(int connected_socket, const Ownership& door);

}  // namespace ulnet::node::control
