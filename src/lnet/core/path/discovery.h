// Discovery of one peer as a state machine: its next step, and its end. It is pure;
// lnet/core/flow/discovery.h sends the pings and pushes. Source: spec/multirail.md 4.1, 4.2, 4.4.
#pragma once

#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/path/directory.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

// One ping or push to a peer is under way at a time (docs/ARCHITECTURE.md has the picture):
//
//            ping                    push
//   idle ----------> pinging  idle ----------> pushing
//     ^                 |       ^                 |
//     +--- answered ----+       +--- answered ----+
//     +--- failed ------+       +--- failed ------+
//
// In `idle` next_of() returns the next step: another ping, a push, or none.
/// The rows are in discovery.cc.
extern const LifeCycle<DiscoveryPhase, DiscoveryEvent> kDiscoveryLifeCycle;
const char* to_string(DiscoveryPhase phase);
const char* to_string(DiscoveryEvent event);

/// The part of this node's ping info that decides about the next step.
struct OwnInfo {
  std::uint32_t sequence = 0;
  bool discovery = true;  ///< Globals::discovery is not 0
  bool verifies = false;  ///< Globals::discovery is kDiscoveryVerifies
};

enum class DiscoveryStep : std::uint8_t { kPing, kPush, kDone };
/// The next step for a peer in DiscoveryPhase::kIdle.
DiscoveryStep next_of(const Peer& peer, const OwnInfo& own);
/// Whether messages may go to the peer without discovery (4.1).
bool is_up_to_date(const Peer& peer, const OwnInfo& own);

/// Begins the discovery of the peer.
void begin_discovery(Peer& peer);
/// Ends the discovery of the peer with `status`, which the waiting shards and calls get; 0 is
/// success. After an error the next request begins discovery again.
void end_discovery(Peer& peer, int status);

}  // namespace ulnet::core
