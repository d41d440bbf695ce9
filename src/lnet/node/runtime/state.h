// What a node shows about itself, except its peers (Node::for_each_peer()). The control API makes
// lnetctl's trees, metrics and runtime files from it. Each shard adds its part in a step of its
// own, one shard after the other, and the NIs' configuration is read separately: so the values are
// not all from the same instant. Source: spec/cli-lnetctl.md 4 and 12, spec/core-semantics.md 9 and
// 16.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lnet/config/model.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/stats.h"
#include "lnet/lnd/duty_meter.h"
#include "lnet/lnd/lnd.h"
#include "ulnet/nid.hpp"

namespace ulnet::node {

struct NiShow {
  Nid nid;
  NetId net;
  bool up = true;
  std::string interface;  ///< empty for lo
  core::NiStats stats;    ///< counters, latency samples, health (lnet/core/contract/stats.h)
  core::NetTunables tunables;
  lnd::MessageLimits limits;       ///< what its peers can receive
  conf::LndTunables lnd_tunables;  ///< the values in force; empty: its driver has no tunables
  std::int32_t lnd_timeout = 50;
  std::int32_t dev_cpt = -1;
  std::vector<std::uint32_t> cpts;
  std::uint32_t refs = 1;  ///< runtime file `nis` (spec/core-semantics.md 16)
  /// Seconds since the NI was last heard from, for the same file; not measured yet.
  std::int64_t alive_s = 0;
  std::string accept_note;  ///< "trust" when accept=trust is in force, else empty
};

struct DriverCounters {
  std::string name;  ///< the type of its nets: "tcp"
  std::vector<std::pair<std::string, std::uint64_t>> counters;
};

/// A part of the memory budget (lnet/base/memory_budget.h); bytes.
struct MemoryShow {
  const char* part = "";
  std::uint64_t share = 0;    ///< the bytes that it may have
  std::uint64_t used = 0;     ///< the bytes that it has
  std::uint64_t peak = 0;     ///< the largest value of `used` so far
  std::uint64_t refused = 0;  ///< how often it was refused memory
};

struct NodeState {
  std::vector<NiShow> nis;  ///< in net, NI order; 0@lo first
  core::GlobalStats statistics;
  core::Globals globals;
  std::int32_t lnd_timeout = 49;
  std::uint64_t started_unix_ns = 0;
  std::uint64_t generation = 0;  ///< number of configuration snapshots that the shards have got
  std::vector<std::pair<std::string, std::uint64_t>> drops;  ///< dropped or refused, by reason
  core::LateMessages late;
  std::vector<DriverCounters> drivers;  ///< drivers with counters that are not 0
  std::vector<lnd::ThreadDuty> threads;
  std::uint64_t memory_budget = 0;  ///< bytes
  std::vector<MemoryShow> memory;   ///< all parts of it
  std::shared_ptr<const core::udsp::RuleList> udsp = core::udsp::RuleList::none();  ///< not null
};

}  // namespace ulnet::node
