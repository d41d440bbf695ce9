// The counters of a shard, with the names and in the order in which LNet shows them. Each kind has
// one list. The sums over partitions, the YAML trees and the metrics are made from the lists.
// Source: spec/core-semantics.md 9, spec/cli-lnetctl.md 4.1, 4.2, 12.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lnet/core/contract/life_cycles.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

/// A counter of `Stats` and the name under which users see it.
template <class Stats>
struct CounterName {
  const char* name;
  std::uint64_t Stats::*value;
  bool gauge = false;  ///< may go down
};
/// Whether the list `names` has all counters of `Stats`, which has no other members.
template <class Stats, std::size_t N>
constexpr bool names_all(const std::array<CounterName<Stats>, N>&) {
  return N * sizeof(std::uint64_t) == sizeof(Stats);
}
template <class Stats, std::size_t N>
void add(const std::array<CounterName<Stats>, N>& names, Stats& into, const Stats& from) {
  for (const CounterName<Stats>& counter : names) into.*counter.value += from.*counter.value;
}

/// Messages by type; count_of() in counters.h finds the counter of a wire::MsgType.
struct TypeCounts {
  std::uint64_t put = 0, get = 0, reply = 0, ack = 0, hello = 0;
  std::uint64_t sum() const { return put + get + reply + ack + hello; }
};
inline constexpr auto kTypeCounts =
    std::to_array<CounterName<TypeCounts>>({{"put", &TypeCounts::put},
                                            {"get", &TypeCounts::get},
                                            {"reply", &TypeCounts::reply},
                                            {"ack", &TypeCounts::ack},
                                            {"hello", &TypeCounts::hello}});
static_assert(names_all(kTypeCounts));

struct LatencySamples {
  std::uint64_t samples = 0, min_nsec = 0, max_nsec = 0, avg_nsec = 0;
};

/// The counters that an NI and a peer NI have in common.
struct TrafficStats {
  TypeCounts sent, received, dropped;
  LatencySamples put_egress, get_rtt, put_ack;
};

/// Messages that failed at an NI, by what failed, as in its `health stats` (spec/cli-lnetctl.md
/// 4.1).
struct NiErrors {
  std::uint64_t interrupts = 0, dropped = 0, aborted = 0, no_route = 0, timeouts = 0, error = 0;
};
inline constexpr auto kNiErrors =
    std::to_array<CounterName<NiErrors>>({{"interrupts", &NiErrors::interrupts},
                                          {"dropped", &NiErrors::dropped},
                                          {"aborted", &NiErrors::aborted},
                                          {"no route", &NiErrors::no_route},
                                          {"timeouts", &NiErrors::timeouts},
                                          {"error", &NiErrors::error}});
static_assert(names_all(kNiErrors));

/// Messages that failed at a peer NI, by what failed (spec/cli-lnetctl.md 4.2).
struct PeerNiErrors {
  std::uint64_t dropped = 0, timeout = 0, error = 0, network_timeout = 0;
};
inline constexpr auto kPeerNiErrors =
    std::to_array<CounterName<PeerNiErrors>>({{"dropped", &PeerNiErrors::dropped},
                                              {"timeout", &PeerNiErrors::timeout},
                                              {"error", &PeerNiErrors::error},
                                              {"network timeout", &PeerNiErrors::network_timeout}});
static_assert(names_all(kPeerNiErrors));

/// Messages that failed after their deadline; they affect no health and no other counter
/// (spec/multirail.md 5.2).
struct LateMessages {
  std::uint64_t count = 0;
  std::uint64_t nsec = 0;  ///< the sum of the times from deadline to end
};
inline constexpr auto kLateMessages = std::to_array<CounterName<LateMessages>>(
    {{"count", &LateMessages::count}, {"nsec", &LateMessages::nsec}});
static_assert(names_all(kLateMessages));

/// Payload of the messages that an NI has sent, and of those that arrived completely and were
/// accepted or forwarded. GlobalStats::drop_length has the payload of dropped messages.
struct PayloadBytes {
  std::uint64_t sent = 0, received = 0;
};

struct NiStats {
  TrafficStats traffic;
  PayloadBytes bytes;
  std::int32_t health_value = 1000;
  bool fatal_error = false;
  NiErrors errors;
  std::int32_t ping_count = 0;  ///< recovery pings since a message was received
  std::int64_t next_ping = 0;   ///< when the next recovery ping is or was due, s of the clock
  NiLifeState life_cycle = NiLifeState::kInit;
  NetLifeState net_life_cycle = NetLifeState::kInit;  ///< of its net
  /// The NI is configured up, the driver reports no fatal error, and health has not fallen to 0.
  bool up = true;
  // as in the runtime file `nis`
  std::int32_t credits_max = 0, credits = 0, credits_min = 0;
  std::uint32_t refs = 1;    ///< 1, and 1 for each message in flight; 0@lo has 1 more
  std::int64_t alive_s = 0;  ///< routers: s since the net was last heard; ulnet shows 0
};

struct PeerNiShow {
  Nid nid;
  const char* state = "NA";  ///< up, down or NA
  std::int32_t max_ni_tx_credits = 0, available_tx_credits = 0, min_tx_credits = 0;
  std::uint64_t tx_q_num_of_buf = 0;  ///< bytes
  std::int32_t available_rtr_credits = 0, min_rtr_credits = 0;
  std::uint32_t refcount = 1;
  std::int64_t last_heard_s = -1;
  TrafficStats traffic;
  std::int32_t health_value = 1000;
  PeerNiErrors errors;
  std::int32_t ping_count = 0;  ///< as in NiStats
  std::int64_t next_ping = 0;
  PeerNiLifeState life_cycle = PeerNiLifeState::kCreated;
};
/// How the ping info of a peer differs from this node's entry for the peer, if this node keeps that
/// entry unchanged (spec/multirail.md 4.9).
struct PeerDifferences {
  std::vector<Nid> missing;  ///< advertised by the peer, and not in this node's entry
  std::vector<Nid> extra;    ///< in this node's entry, and not advertised by the peer
  Nid primary;               ///< the primary NID that the peer advertised, if it differs; else any
  bool multi_rail = false;   ///< one of the two says Multi-Rail, the other does not
  bool any() const { return multi_rail || !missing.empty() || !extra.empty() || !primary.is_any(); }
  bool operator==(const PeerDifferences&) const = default;
};
struct PeerShow {
  Nid primary;
  PeerLifeState life_cycle =
      PeerLifeState::kActive;  ///< as in the directory; shown_life_cycle() is shown
  bool multi_rail = false;
  std::uint32_t state_bits = 0;
  std::int32_t discovery_error = 0;  ///< of its last discovery; 0: none
  PeerDifferences differences;
  std::vector<PeerNiShow> nis;
};

/// The state of the peer's life cycle, combined with those of its peer NIs. No shard knows the
/// states of all peer NIs.
inline PeerLifeState shown_life_cycle(const PeerShow& peer) {
  bool failed = !peer.nis.empty();
  for (const PeerNiShow& ni : peer.nis)
    failed = failed && ni.life_cycle == PeerNiLifeState::kFailed;
  if (!failed || !kPeerShownLifeCycle.allows(peer.life_cycle, PeerLifeEvent::kAllPathsFailed))
    return peer.life_cycle;
  return kPeerShownLifeCycle.after(peer.life_cycle, PeerLifeEvent::kAllPathsFailed);
}

/// The counters of `stats show` (spec/cli-lnetctl.md 12.1).
struct GlobalStats {
  std::uint64_t msgs_alloc = 0, msgs_max = 0, rst_alloc = 0, errors = 0, send_count = 0,
                resend_count = 0, response_timeout_count = 0, local_interrupt_count = 0,
                local_dropped_count = 0, local_aborted_count = 0, local_no_route_count = 0,
                local_timeout_count = 0, local_error_count = 0, remote_dropped_count = 0,
                remote_error_count = 0, remote_timeout_count = 0, network_timeout_count = 0,
                failed_resends = 0, successful_resends = 0, recv_count = 0, route_count = 0,
                drop_count = 0, send_length = 0, recv_length = 0, route_length = 0, drop_length = 0;
};
/// In the order of `stats show`.
inline constexpr auto kGlobalStats = std::to_array<CounterName<GlobalStats>>({
    {"msgs_alloc", &GlobalStats::msgs_alloc, true},
    {"msgs_max", &GlobalStats::msgs_max, true},
    {"rst_alloc", &GlobalStats::rst_alloc, true},
    {"errors", &GlobalStats::errors},
    {"send_count", &GlobalStats::send_count},
    {"resend_count", &GlobalStats::resend_count},
    {"response_timeout_count", &GlobalStats::response_timeout_count},
    {"local_interrupt_count", &GlobalStats::local_interrupt_count},
    {"local_dropped_count", &GlobalStats::local_dropped_count},
    {"local_aborted_count", &GlobalStats::local_aborted_count},
    {"local_no_route_count", &GlobalStats::local_no_route_count},
    {"local_timeout_count", &GlobalStats::local_timeout_count},
    {"local_error_count", &GlobalStats::local_error_count},
    {"remote_dropped_count", &GlobalStats::remote_dropped_count},
    {"remote_error_count", &GlobalStats::remote_error_count},
    {"remote_timeout_count", &GlobalStats::remote_timeout_count},
    {"network_timeout_count", &GlobalStats::network_timeout_count},
    {"failed_resends", &GlobalStats::failed_resends},
    {"successful_resends", &GlobalStats::successful_resends},
    {"recv_count", &GlobalStats::recv_count},
    {"route_count", &GlobalStats::route_count},
    {"drop_count", &GlobalStats::drop_count},
    {"send_length", &GlobalStats::send_length},
    {"recv_length", &GlobalStats::recv_length},
    {"route_length", &GlobalStats::route_length},
    {"drop_length", &GlobalStats::drop_length},
});
static_assert(names_all(kGlobalStats));

}  // namespace ulnet::core
