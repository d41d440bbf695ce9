// Discovery of one peer as a machine: what it does next, and when it is done. It is pure;
// lnet/core/flow/discovery.h sends what it asks for. Source: spec/multirail.md 4.1, 4.2, 4.4.
#pragma once

#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/path/directory.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

// What a peer is sent, one thing at a time (docs/ARCHITECTURE.md has the picture):
//
//            ping                    push
//   idle ----------> pinging  idle ----------> pushing
//     ^                 |       ^                 |
//     +--- answered ----+       +--- answered ----+
//     +--- failed ------+       +--- failed ------+
//
// In `idle` next_of() says what follows: another ping, a push, or that it is done.
/// The rows are in discovery.cc.
extern const LifeCycle<DiscoveryPhase, DiscoveryEvent> kDiscoveryLife;
const char* to_string(DiscoveryPhase phase);
const char* to_string(DiscoveryEvent event);

/// What this node tells of itself now.
struct OwnInfo {
  std::uint32_t sequence = 0;
  bool discovery = true;  ///< Globals::discovery is not 0
  bool verifies = false;  ///< ... but kDiscoveryVerifies
};

enum class DiscoveryStep : std::uint8_t { kPing, kPush, kDone };
/// The step that follows for a peer of which nothing is under way.
DiscoveryStep next_of(const Peer& peer, const OwnInfo& own);
/// Whether messages may go to the peer without discovery (4.1).
bool is_up_to_date(const Peer& peer, const OwnInfo& own);

/// Discovery of the peer begins.
void begin_discovery(Peer& peer);
/// It has ended well, or with an error, which its askers get. After an error it begins anew when
/// somebody asks again.
void end_discovery(Peer& peer, int status);

}  // namespace ulnet::core
