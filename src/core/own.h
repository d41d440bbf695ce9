// LNet's own use of portal 0, in the control shard: the buffer that pings read (ping target), the
// buffer that takes pushes (push target), and the pings and pushes that this node sends. They
// attach and bind MDs as users do, but the shard itself handles the events. Source:
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

/// One MD of the shard's own with its memory. The timer runs for a kUserPing only, until its Done.
struct OwnMd : Timer {
  enum class Kind : std::uint8_t {
    kPingTarget,
    kPushTarget,
    kUserPing,  ///< a ping through the API
    kPeerPing,  ///< a ping of a peer whose push could not be used
    kPush,      ///< a push of this node's info
  } kind = Kind::kPingTarget;
  Handle self;
  MdHandle md;
  std::vector<std::byte> bytes;
  ProcessId target;            ///< of a ping or push
  Nid source;                  ///< of a ping or push; any: LNet chooses
  std::uint64_t ticket = 0;    ///< kUserPing: for Done
  Instant deadline = kNever;   ///< of the response, pings only
  std::uint32_t sequence = 0;  ///< kPush: the sequence number of the info that is pushed
  // What the MD's events have said so far.
  int status = 0;
  bool answered = false;       ///< the REPLY or the ACK came
  std::uint32_t received = 0;  ///< bytes of the REPLY
};

struct OwnState {
  Slab<OwnMd> mds;
  wire::PingInfo info{.sequence = 0};  ///< what pings read now; sequence 0 before the first Config
  bool stale = false;                  ///< own_state_changed() has to run at the end of this step
  Handle ping_target;
  TimerWheel pings;              ///< every kUserPing that has not got its Done
  std::size_t push_bytes = 272;  ///< size of the push target
  /// The buffer of a user's ping that has ended, for the next one. So what a ping costs does not
  /// depend on the state of the heap.
  std::vector<std::byte> spare_bytes;
};

/// The configuration or the status of an NI may have changed. If it has, the control shard gives
/// the info a new sequence number and attaches a new ping target (wire-lnet.md 4.2). Any other
/// shard reports to the control shard which NIs its messages have found down.
void own_state_changed(Step& step);
void take(Step& step, std::uint32_t from, const letter::NiHealth& in);
void take(Step& step, std::uint32_t from, const letter::Reborn& in);
void take(Step& step, std::uint32_t from, const letter::Publish& in);
/// Handles an event of an MD of the shard's own. `own` may be gone afterwards.
void own_event(Step& step, OwnMd& own, const Event& event);
/// Begins a ping of the API. It ends with Done{ticket}, when request.timeout is over at the
/// latest.
void start_user_ping(Step& step, const PingRequest& request, std::uint64_t ticket);
/// Ends the API's pings whose time is over with -ETIMEDOUT, although a driver may still have the
/// GET or be reading its REPLY. Their MDs are unlinked then, and go when the driver is done.
void expire_pings(Step& step);
/// For Shutdown: unlinks the MDs of all pings, pushes and targets.
void stop_own(Step& step);

}  // namespace ulnet::core
