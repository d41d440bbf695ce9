// Worlds in which one TCP stream falls silent for longer than the drivers' time-out while small
// messages go on: for what the short faults of the swarm do not reach.
#pragma once

#include "swarm.h"

namespace ulnet::sim {

SwarmRun run_silence(std::uint64_t seed, EdgeKind edge = EdgeKind::kSock);

}  // namespace ulnet::sim
