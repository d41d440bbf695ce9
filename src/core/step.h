// What the sequencing parts of a shard share: its leaves, and the step that is being taken. Only
// shard.cc, buffers.cc, inbound.cc, outbound.cc, own.cc, calls.cc, reconfigure.cc and show.cc
// include this; leaves never do.
#pragma once

#include <memory>
#include <utility>

#include "base/rng.h"
#include "core/config.h"
#include "core/fault.h"
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
  Rng rng;  ///< for random choices of later leaves
  std::shared_ptr<const NodeConfig> config = std::make_shared<NodeConfig>();
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
  MsgQueue ready;  ///< messages that were given a credit in this step
  OwnState own;
  std::uint64_t event_sequence = 0;
};

struct Step {
  ShardState& s;
  const Instant now;
  Actions& out;

  /// Appends an action with its first members, to be filled in. The reference holds until the next
  /// one. (Not A(): that would zero all of it before its member initialisers run.)
  template <class A, class First, class... Others>
  A& act(First&& first, Others&&... others) {
    return *std::get_if<A>(&out.emplace_back(std::in_place_type<A>, std::forward<First>(first),
                                             std::forward<Others>(others)...));
  }
  void note(Note::Level level, const char* text, const Nid& nid = {}, std::uint64_t detail = 0) {
    out.emplace_back(std::in_place_type<Note>, Note{level, text, nid, detail});
  }
  const NodeConfig& config() const { return *s.config; }
};

}  // namespace ulnet::core
