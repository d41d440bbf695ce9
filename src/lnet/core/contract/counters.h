// What a shard counts while it runs: LNet's counters, one counter per drop reason, and the traffic
// of each NI and peer NI. stats.h has the forms in which they are shown. Source:
// spec/core-semantics.md 9.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lnet/base/time.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/stats.h"
#include "lnet/wire/lnet_header.h"

namespace ulnet::core {

struct ShardCounters {
  GlobalStats global;
  std::array<std::uint64_t, kDropReasons> drops{};
  LateMessages late;

  void drop(DropReason reason) { ++drops[static_cast<std::size_t>(reason)]; }
};

inline std::uint64_t& count_of(TypeCounts& counts, wire::MsgType type) {
  switch (type) {
    case wire::MsgType::kPut:
      return counts.put;
    case wire::MsgType::kGet:
      return counts.get;
    case wire::MsgType::kReply:
      return counts.reply;
    case wire::MsgType::kAck:
      return counts.ack;
    case wire::MsgType::kHello:
      break;
  }
  return counts.hello;
}

/// A running latency; shown as LatencySamples.
struct Latency {
  std::uint64_t samples = 0, min_nsec = 0, max_nsec = 0, sum_nsec = 0;

  void add(Duration took) {
    const auto nsec = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 0));
    min_nsec = samples == 0 ? nsec : std::min(min_nsec, nsec);
    max_nsec = std::max(max_nsec, nsec);
    sum_nsec += nsec;
    ++samples;
  }
  void add(const Latency& more) {
    if (more.samples == 0) return;
    min_nsec = samples == 0 ? more.min_nsec : std::min(min_nsec, more.min_nsec);
    max_nsec = std::max(max_nsec, more.max_nsec);
    sum_nsec += more.sum_nsec;
    samples += more.samples;
  }
  LatencySamples shown() const {
    return {samples, min_nsec, max_nsec, samples == 0 ? 0 : sum_nsec / samples};
  }
};

/// The counters that an NI and a peer NI have in common; shown as TrafficStats.
struct Traffic {
  TypeCounts sent, received, dropped;
  Latency put_egress, get_rtt, put_ack;

  TrafficStats shown() const {
    return {sent, received, dropped, put_egress.shown(), get_rtt.shown(), put_ack.shown()};
  }
};

}  // namespace ulnet::core
