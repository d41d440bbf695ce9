// One address is one node: two processes with the same NID would end each other's connections, and
// get each other's messages. If both listen, TCP refuses the second one. With accept=none neither
// listens, so each node first claims the endpoints of its NIs. Source: DESIGN.md 5.
#pragma once

#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/reactor/sockets.h"

namespace ulnet::lnd::sock {

/// How many refused claimants wait at most until dismiss_claimants(); further claimants do not
/// learn the PID.
constexpr int kClaimantsWaiting = 128;

/// Claims `endpoint` in the network namespace of the calling thread until the descriptor is closed;
/// the kernel closes it when the process ends. A claim does not depend on listening sockets. The
/// descriptor becomes readable when another process tries to claim the endpoint. -EADDRINUSE:
/// another process has claimed it; the reason has its PID. Otherwise the system's errors.
Result<Descriptor> claim_endpoint(const Endpoint& endpoint);
/// Closes the connections of refused claimants. Does not wait.
void dismiss_claimants(int claim);

}  // namespace ulnet::lnd::sock
