// One address is one node: two processes with the same NID would end each other's connections, and
// get each other's messages. Where both listen, TCP refuses the second one. With accept=none nobody
// listens; so each node first claims the endpoints of its NIs. Source: DESIGN.md 5.
#pragma once

#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/reactor/sockets.h"

namespace ulnet::lnd::sock {

/// How many refused claimants wait at most until dismiss_claimants(); further ones do not learn the
/// PID.
constexpr int kClaimantsWaiting = 128;

/// Claims `endpoint` in the network namespace of the calling thread, until the descriptor is
/// closed: also by the system, when the process ends. Whether somebody listens on it does not
/// matter. The descriptor becomes readable when somebody else tries the same. -EADDRINUSE: it is
/// claimed; the reason has the PID of the process that did. Else the system's errors.
Result<Descriptor> claim_endpoint(const Endpoint& endpoint);
/// Lets the claimants go that were refused. Does not wait.
void dismiss_claimants(int claim);

}  // namespace ulnet::lnd::sock
