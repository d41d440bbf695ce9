// What shards tell each other: a closed list of letters, values all of them. A letter is one-way,
// waits for no other, and letters from one shard to another arrive in the order in which they were
// written; nothing is promised between different pairs. Source: DESIGN.md 3.
//
// A message lives in the shard of its peer NI, which has the credits and talks to the driver; an MD
// lives in the shard where it was attached or bound. When these are two, the first asks and tells
// the second by letter:
//
//   an own PUT or GET          Transmit ->           <- Ended
//   ... whose MD goes          Abort ->
//   a PUT or GET for a buffer  Match ->              <- Matched | Dropped, or Park to the home
//   shard an ACK or a REPLY          Answer ->             <- Matched | Dropped what became of it
//   Ended ->
//
// A portal's home shard (its number modulo the number of shards) alone decides who is asked for a
// buffer, who waits, and what is dropped: Park (nobody here), Match (look), Searched (what came of
// it), Held (it waits), Withdraw (it shall not), Buffers (there is a new one), Quiet (no need to
// tell me any more). So every chain ends: a Match is answered once, and a message is offered again
// only when a buffer was attached meanwhile, or was left when a message that home had counted for
// it ended without it. And no wake-up is lost: a shard that found nothing tells of every buffer
// from then on, and as it does so after its answer, home has the answer first.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/drop_reason.h"
#include "core/placement.h"
#include "core/ports.h"

namespace ulnet::core {

namespace letter {

// ---- messages of MDs that live elsewhere

/// To the target's shard: send this. Ends in Ended{md}.
struct Transmit {
  MdHandle md;
  wire::LnetHeader header;  ///< complete but for the source
  Nid source;               ///< the NI to use; any: LNet chooses
  bool internal = false;    ///< portal 0
  bool waits_answer = false;
  Region memory;  ///< of the MD: a PUT's payload or a GET's sink; valid until Ended
  std::uint32_t rlength = 0;
  Instant started{};
};
/// To the MD's shard: an operation on the MD ended with this event (its MD's part is not filled
/// in).
struct Ended {
  MdHandle md;
  Event event;
  int status = 0;
  bool no_answer = false;  ///< of the ACK or REPLY that it expected nothing will come
};
/// To a shard that may have messages of this MD: those that wait end, those with a driver are
/// cancelled.
struct Abort {
  MdHandle md;
};
/// To the MD's shard: the driver itself put an optimised GET's data in place.
struct ReplyInPlace {
  MdHandle md;
  Event event;
  int status = 0;
  Nid hop;
  NiId ni;
};

// ---- looking for the buffer of a message that came in

/// Look for a buffer. `origin` is the shard where it came in, `msg` its name there. `custody`:
/// home's name for it, when home asks; home is told by Searched then.
struct Match {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  MsgTicket custody{};
  ShardSet asked{};  ///< shards that found nothing
  Handle me{};  ///< of a Buffers: home counts the message for this entry, and offers it no more
};
/// To where it came in: this memory takes it. The MD counts it as an operation until Ended{md}.
struct Matched {
  MsgTicket msg;
  MdHandle md;
  Region memory;             ///< `mlength` bytes, none when they may be thrown away
  std::uint32_t offset = 0;  ///< in the MD, for the event
  std::uint32_t mlength = 0;
  bool ack_disabled = false;
};
/// To where it came in: it is dropped.
struct Dropped {
  MsgTicket msg;
  DropReason reason = DropReason::kNoMatch;
};
/// To home: nobody here takes it.
struct Park {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  ShardSet asked{};
};
/// To home, about a Match of its own: whether somebody took it (or dropped it).
struct Searched {
  MsgTicket custody;
  bool taken = false;
  bool empty = false;  ///< no entry is left there at all
};
/// To where it came in: it waits on the lazy portal, under this name at home.
struct Held {
  MsgTicket msg;
  MsgTicket custody;
};
/// To home: this message shall not wait any longer. Answered by Dropped, unless Matched crosses it.
struct Withdraw {
  MsgTicket custody;
  DropReason reason = DropReason::kNoMatch;
};
/// To home: this buffer was attached, or is left though home counted a message for it; as much of
/// it as home needs to see whom it fits.
struct Buffers {
  Portal portal;
  Handle me;  ///< its entry
  ProcessId match_id;
  MatchBits match, ignore;
  std::uint32_t options = 0;
  std::int32_t threshold = 0;
  std::uint32_t length = 0, offset = 0, max_size = 0;
  std::uint64_t refusals = 0;  ///< how often this shard had nothing, so far
};
/// From home: nothing waits on this portal. Void if the shard had nothing once more meanwhile: then
/// a message is on its way to home that has to hear of the next buffer.
struct Quiet {
  Portal portal;
  std::uint64_t refusals = 0;  ///< as in the Buffers that it answers
};

// ---- answers to own requests, and what is learnt of peers

/// To the MD's shard: an ACK (`msg` names nothing) or a REPLY came in.
struct Answer {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  NiId ni;
  Nid hop;
};
/// To a peer NI's shard.
struct Health {
  enum class What : std::uint8_t { kPutAck, kGetRtt, kResponseTimeout } what = What::kPutAck;
  Nid nid;
  NiId ni;
  Duration took{};
};
/// To the control shard: whether the NI's health lets it work, as seen here.
struct NiHealth {
  NiId ni;
  bool down = false;
};
/// To the control shard: the peer restarted.
struct Reborn {
  Nid nid;
};
/// From the control shard to all: who a peer is.
struct Publish {
  std::vector<Nid> nids;    ///< the primary first
  std::uint32_t state = 0;  ///< PeerBit
};
/// From the control shard to all: nothing is known of these NIDs any more.
struct Forget {
  std::vector<Nid> nids;
};

}  // namespace letter

/// docs/PARTITIONS.md has a line for each.
struct Letter {
  std::variant<letter::Transmit, letter::Ended, letter::Abort, letter::ReplyInPlace, letter::Match,
               letter::Matched, letter::Dropped, letter::Park, letter::Searched, letter::Held,
               letter::Withdraw, letter::Buffers, letter::Quiet, letter::Answer, letter::Health,
               letter::NiHealth, letter::Reborn, letter::Publish, letter::Forget>
      body;
};

}  // namespace ulnet::core
