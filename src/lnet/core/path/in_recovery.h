// The record of an NI, or a peer NI, that is or was in recovery. Source: spec/multirail.md 7.
#pragma once

#include <cstdint>

#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/recovery.h"

namespace ulnet::core {

/// It is made when the NI is unwell for the first time, and goes with the NI. Its timer runs while
/// the next ping is waited for, not while one is out.
struct InRecovery : ShardTimer {
  InRecovery() : ShardTimer(TimerKind::kRecovery) {}
  Handle self;
  Nid nid;                  ///< that is pinged
  NiId ni;                  ///< an NI of this node; 0: the peer NI with `nid`
  std::uint64_t since = 0;  ///< its place in the order in which they became unwell
  Recovery recovery;
};

}  // namespace ulnet::core
