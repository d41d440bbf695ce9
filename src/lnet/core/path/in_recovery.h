// The record of an NI, or a peer NI, that is or was in recovery. Source: spec/multirail.md 7.
#pragma once

#include <cstdint>

#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/recovery.h"

namespace ulnet::core {

/// It is made when the NI's health falls for the first time, and lives as long as the NI. Its timer
/// runs until the next ping is due, and not while a ping is under way.
struct InRecovery : ShardTimer {
  InRecovery() : ShardTimer(TimerKind::kRecovery) {}
  Handle self;
  Nid nid;                  ///< the NID that is pinged
  NiId ni;                  ///< an NI of this node; 0: the peer NI with `nid`
  std::uint64_t since = 0;  ///< its position in the order in which recovery began
  Recovery recovery;
};

}  // namespace ulnet::core
