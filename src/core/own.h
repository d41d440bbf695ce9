// The shard's own users of portal 0: the ping target, the push target, pings and pushes. They post
// MDs like anybody else; their events come back here instead of going to a sink. Source:
// spec/core-semantics.md 14, spec/wire-lnet.md 4, 5, 6.
#pragma once

#include <cstdint>
#include <vector>

#include "base/timer_wheel.h"
#include "core/letter.h"
#include "core/ping_target.h"
#include "core/ports.h"

namespace ulnet::core {

struct Step;
struct Peer;

/// One MD of the shard's own, with its memory.
struct OwnMd : Timer {
  enum class Kind : std::uint8_t {
    kPingTarget,
    kPushTarget,
    kUserPing,  ///< asked for through the API
    kPeerPing,  ///< after a push that said too little
    kPush,
  } kind = Kind::kPingTarget;
  Handle self;
  MdHandle md;
  std::vector<std::byte> bytes;
  ProcessId target;          ///< of a ping or push
  Nid source;                ///< the same; any lets selection choose
  std::uint64_t ticket = 0;  ///< kUserPing
  Instant deadline = kNever;
  std::uint32_t sequence = 0;  ///< kPush: of our info in it
  // What its events told so far.
  int status = 0;
  bool answered = false;
  std::uint32_t received = 0;
};

struct OwnState {
  Slab<OwnMd> mds;
  wire::PingInfo info{.sequence = 0};  ///< as told now; 0 before the first Config
  bool stale = false;  ///< something that it tells may have changed: refresh at the end of the step
  Handle ping_target;
  TimerWheel pings;              ///< those of kUserPing whose end has not been told
  std::size_t push_bytes = 272;  ///< of the buffer that takes pushes
  /// Of a user's ping that has ended, for the next one: what a ping costs does not depend on the
  /// state of the heap.
  std::vector<std::byte> spare_bytes;
};

/// The configuration or an NI's status may have changed: the control shard tells it to peers, with
/// a new sequence number, if it did (wire-lnet.md 4.2); another tells the control shard.
void own_state_changed(Step& step);
void take(Step& step, std::uint32_t from, const letter::NiHealth& in);
void take(Step& step, std::uint32_t from, const letter::Reborn& in);
void take(Step& step, std::uint32_t from, const letter::Publish& in);
/// An event of an MD of the shard's own. `own` may be gone afterwards.
void own_event(Step& step, OwnMd& own, const Event& event);
/// Begins a ping that ends with Done{ticket}, at its deadline at the latest.
void start_user_ping(Step& step, const PingRequest& request, std::uint64_t ticket);
/// Ends the pings whose time is over although a message of theirs is still with a driver, half
/// written or half landed: their MDs go when that ends.
void expire_pings(Step& step);
/// Ends every ping and push and takes the targets away.
void stop_own(Step& step);

}  // namespace ulnet::core
