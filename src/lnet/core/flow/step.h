// What the files of this folder share: the state of the shard and the current step. The plain
// classes that the state consists of (match table, credits, MD table, ...) never include this
// header: they call no code of this folder.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lnet/base/cache_line.h"
#include "lnet/core/contract/actions.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/lnet_fail.h"
#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/flow/portal0_state.h"
#include "lnet/core/memory/drop_notes.h"
#include "lnet/core/memory/fault_holds.h"
#include "lnet/core/memory/memory_table.h"
#include "lnet/core/memory/path_waiters.h"
#include "lnet/core/memory/portal.h"
#include "lnet/core/memory/remote_md.h"
#include "lnet/core/memory/responses.h"
#include "lnet/core/path/directory.h"
#include "lnet/core/path/fault_rules.h"
#include "lnet/core/path/in_recovery.h"
#include "lnet/core/path/known_gateway.h"
#include "lnet/core/path/net_visits.h"
#include "lnet/core/path/ni.h"
#include "lnet/core/path/peer.h"
#include "lnet/core/path/peer_sweep.h"
#include "lnet/core/path/round_trips.h"
#include "lnet/core/path/route_table.h"
#include "lnet/core/path/router_pool.h"
#include "lnet/core/path/routing_state.h"

namespace ulnet::core {

struct Step;

/// Aligned so that no other shard, which another thread uses, shares its cache lines.
struct alignas(kCacheLinePair) ShardState {
  explicit ShardState(std::uint32_t index_) : index(index_), memory(index_) {}

  const std::uint32_t index;
  std::shared_ptr<const NodeConfig> config = std::make_shared<NodeConfig>();
  Placement placement;
  bool shut_down = false;

  ShardCounters counters;
  SimulatedFailures failures;
  FaultRules fault_rules;  ///< empty, unless fault rules are being tested
  FaultHolds fault_holds;
  DropNotes drop_notes;
  NiTable nis;
  PeerTable peers;
  Directory directory;  ///< in the control shard only
  RoundTrips round_trips;
  TimerWheel timers;  ///< of ShardTimers
  PeerSweep sweep;    ///< in the control shard only
  ResponseTable responses{timers};
  Slab<Me> mes;
  MemoryTable memory;
  Portals portals;
  Slab<Msg> messages;
  std::uint32_t of_others = 0;     ///< messages that this shard transmits for another one
  std::uint32_t answers = 0;       ///< ACKs and REPLYs that wait for a credit or are in flight
  std::uint32_t most_answers = 0;  ///< the highest value of `answers`
  RemoteMds remote_mds;            ///< MDs of other shards that have messages here
  std::vector<ShardMsg> to_self;   ///< inter-shard messages to itself, read before the step ends
  MsgQueue ready;                  ///< messages that were given a credit in this step
  RouteTable routes;
  KnownGateways gateways;  ///< in the control shard only
  RouterState router;
  NetVisits visits;          ///< in the control shard of a router only
  RouterPools pools;         ///< without buffers, unless this node routes
  MsgQueue buffered;         ///< messages to forward that were given a buffer in this step
  PathWaiters path_waiters;  ///< messages for which no path can be chosen yet
  /// Transmits by a newer configuration than this shard has, and behind them a copy of each Abort
  /// and Recall that came meanwhile.
  std::vector<ShardMsg> early;
  Slab<InRecovery> recovering;  ///< NIs that are in recovery, or were
  std::uint64_t recoveries = 0;
  bool ni_health_news = false;        ///< report_ni_health() has to run at the end of this step
  std::vector<Nid> peer_health_news;  ///< the NIDs whose health report_peer_health() has to report
  Portal0State portal0;
  std::uint64_t event_sequence = 0;

  /// The number of messages that begin, came in or are parked here.
  std::uint32_t own_messages() const { return messages.size() - of_others; }
  ShardSet others() const { return ShardSet::below(placement.shards()) - ShardSet{index}; }
  /// name() returns the ticket of a message of this shard, and handle() its handle from the ticket.
  MsgTicket name(Handle message) const {
    return {message.slot | index << kTicketSlotBits, message.generation};
  }
  static Handle handle(MsgTicket msg) {
    return {msg.slot & ((1U << kTicketSlotBits) - 1), msg.generation};
  }
  /// Null: the message has ended, or belongs to another shard.
  Msg* find(MsgTicket msg) { return shard_of(msg) == index ? messages.find(handle(msg)) : nullptr; }
  const Msg* find(MsgTicket msg) const { return const_cast<ShardState*>(this)->find(msg); }
};

/// One call of Shard::step(): the state, the time, and the actions so far.
struct Step {
  ShardState& s;
  const Instant now;
  Actions& out;

  /// Appends an action whose first members are given; the caller fills in the rest. The reference
  /// is valid until the next action is appended. (A() would zero the whole action before its
  /// member initialisers run, which costs time.)
  template <class A, class First, class... Others>
  A& act(First&& first, Others&&... others) {
    return *std::get_if<A>(&out.emplace_back(std::in_place_type<A>, std::forward<First>(first),
                                             std::forward<Others>(others)...));
  }
  void note(Note::Level level, const char* text, const Nid& nid = {}, std::uint64_t detail = 0) {
    note(level, Note::About::kOther, text, nid, detail);
  }
  void note(Note::Level level, Note::About about, const char* text, const Nid& nid = {},
            std::uint64_t detail = 0) {
    out.emplace_back(std::in_place_type<Note>, Note{level, about, text, nid, detail});
  }
  const NodeConfig& config() const { return *s.config; }
  /// Sends an inter-shard message to shard `to`. This shard reads a message to itself before the
  /// step ends.
  template <class Body>
  void send_to_shard(std::uint32_t to, Body&& body) {
    if (to == s.index) return s.to_self.push_back(ShardMsg{std::forward<Body>(body)});
    ShardMsg& shard_msg = out.next_shard_msg();
    shard_msg.body.template emplace<std::decay_t<Body>>(std::forward<Body>(body));
    out.emplace_back(std::in_place_type<ToShard>, ToShard{to, &shard_msg});
  }
};

}  // namespace ulnet::core
