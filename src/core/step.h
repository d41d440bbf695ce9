// What the parts of a shard that call others (inbound, outbound, custody, own, ...) share: the
// state of the shard and the current step. The plain classes that the state consists of (match
// table, credits, MD table, ...) never include this header: they call nobody.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "base/rng.h"
#include "core/away.h"
#include "core/config.h"
#include "core/fault.h"
#include "core/letter.h"
#include "core/memory.h"
#include "core/ni.h"
#include "core/own.h"
#include "core/peer.h"
#include "core/portal.h"
#include "core/response.h"
#include "core/tally.h"

namespace ulnet::core {

struct ShardState {
  ShardState(std::uint32_t index_, Rng rng_) : index(index_), rng(rng_), memory(index_) {}

  const std::uint32_t index;
  Rng rng;  ///< nothing draws from it yet
  std::shared_ptr<const NodeConfig> config = std::make_shared<NodeConfig>();
  Placement placement;
  bool shut_down = false;

  Tally tally;
  SimulatedFailures failures;
  NiTable nis;
  PeerTable peers;
  ResponseTable responses;
  Slab<Me> mes;
  MemoryTable memory;
  Portals portals;
  Slab<Msg> messages;
  AwayMds away;                ///< MDs of other shards that have messages here
  std::deque<Letter> to_self;  ///< letters to this very shard, read before the step ends
  MsgQueue ready;              ///< messages that were given a credit in this step
  OwnState own;
  std::uint64_t event_sequence = 0;

  ShardSet others() const { return ShardSet::below(placement.shards()) - ShardSet{index}; }
  /// The ticket of a message of this shard, and back.
  MsgTicket name(Handle message) const {
    return {message.slot | index << kTicketSlotBits, message.generation};
  }
  static Handle handle(MsgTicket msg) {
    return {msg.slot & ((1U << kTicketSlotBits) - 1), msg.generation};
  }
  /// Null: the message has ended, or is of another shard.
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
    out.emplace_back(std::in_place_type<Note>, Note{level, text, nid, detail});
  }
  const NodeConfig& config() const { return *s.config; }
  /// Writes a letter to shard `to`. This shard reads a letter to itself before the step ends.
  template <class Body>
  void tell(std::uint32_t to, Body&& body) {
    Letter letter{std::forward<Body>(body)};
    if (to == s.index)
      s.to_self.push_back(std::move(letter));
    else
      out.emplace_back(std::in_place_type<SendMail>,
                       SendMail{to, std::make_shared<const Letter>(std::move(letter))});
  }
};

}  // namespace ulnet::core
