// The study's one door: what goes into a shard (Input) and what comes out of it (Action). Values
// only; a shard has no I/O, no threads, no locks, no clock and no randomness of its own. Source:
// DESIGN.md 2.
//
// Drivers include this header and no other of core/. Views and pointers in inputs are valid during
// the step; those in actions until the input that ends them (each action says which).
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/slab.h"
#include "base/time.h"
#include "ulnet/lnet.hpp"
#include "wire/lnet_header.h"

namespace ulnet::core {

struct NodeConfig;  // core/config.h
struct ApiCall;     // core/api.h
struct Letter;      // core/letter.h

/// A local network interface, named by the node when it starts; never reused in a node's life.
struct NiId {
  std::uint32_t value = 0;
  auto operator<=>(const NiId&) const = default;
};
/// The neighbour a message comes from or goes to. Drivers tell peers apart by both where their
/// protocol does.
struct Hop {
  Nid nid;
  Pid pid;
  bool operator==(const Hop&) const = default;
};
/// A message being received: the driver's name for it, opaque to the core. Dead after DropPayload,
/// Reject or PayloadLanded.
struct RxTicket {
  std::uint64_t value = 0;
  bool operator==(const RxTicket&) const = default;
};
/// A message of the core's, opaque to drivers: they echo it. The shard that gave it is shard_of()
/// it.
using MsgTicket = Handle;
/// The highest bits of a ticket's slot are the shard's number: inputs about a message go there.
inline constexpr unsigned kTicketSlotBits = 24;
constexpr std::uint32_t shard_of(MsgTicket msg) { return msg.slot >> kTicketSlotBits; }

/// What a failure says about whose fault it was (DESIGN.md 2, spec/multirail.md 5.2).
enum class Health : std::uint8_t {
  kOk,
  kLocalInterrupt,
  kLocalDropped,
  kLocalAborted,
  kLocalNoRoute,
  kLocalTimeout,
  kLocalError,
  kRemoteDropped,
  kRemoteError,
  kRemoteTimeout,
  kNetworkTimeout,
};
const char* to_string(Health health);

/// A stretch of an MD's memory: `length` bytes starting `offset` bytes into the fragments.
struct Region {
  const iovec* fragments = nullptr;
  std::uint32_t count = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// ---- inputs

/// A header was read. The answer comes within the step and is exactly one of, for `rx`:
///  - Land: a PUT or REPLY that is taken, also with no payload (then a sink of length 0); ends in
///  PayloadLanded;
///  - HoldPayload: a PUT that waits on a lazy portal, or for another shard to decide (then `soon`);
///  a Land or a DropPayload follows some day;
///  - DropPayload with the payload's length: the message is dropped;
///  - DropPayload with rlen 0: an ACK or a GET, which have no payload: done with, whatever becomes
///  of it;
///  - Send{answers: rx}: only from an NI with `rdma_get`, for a GET that is answered (perhaps
///  later; then `rx` stays alive
///    until that Send's SendDone, or a DropPayload);
///  - Reject.
/// `header` and `hop` are as the driver vouches for them; the core checks the rest
/// (spec/core-semantics.md 8).
struct HeaderArrived {
  NiId ni;
  Hop hop;
  const wire::LnetHeader* header = nullptr;
  RxTicket rx;
  ByteView immediate;  ///< the payload, when it is in memory already
};
/// Ends every Land, and a held message whose connection died (then status != 0; it may cross the
/// message's DropPayload). `rx` is dead afterwards. Payload that is `immediate` is copied when the
/// Land comes, yet this still arrives as an input of its own, never inside the same step.
struct PayloadLanded {
  MsgTicket msg;
  int status = 0;
  Health health = Health::kOk;
};
/// Optimised GET: the data of a GET sent with a sink are in place (drivers with rdma_get only).
/// Comes before the SendDone of that GET, which says that the fabric will not touch the sink any
/// more.
struct ReplyLanded {
  MsgTicket tx;
  int status = 0;
  std::uint32_t mlength = 0;
};
/// Ends every Send: its payload is no longer read.
struct SendDone {
  MsgTicket tx;
  int status = 0;
  Health health = Health::kOk;
};
struct PeerUp {
  NiId ni;
  Hop hop;
};
/// `reset`: the peer restarted (another incarnation).
struct PeerDown {
  NiId ni;
  Hop hop;
  bool reset = false;
};
enum class NiLink : std::uint8_t { kUp, kDegraded, kFailed };
struct NiState {
  NiId ni;
  NiLink link = NiLink::kUp;
};
/// A call of the public API; its results are written into `call` within the step (waiting calls end
/// with Done).
struct Api {
  ApiCall* call = nullptr;
};
struct Config {
  std::shared_ptr<const NodeConfig> snapshot;
};
/// A letter of another shard of this node; letters of one shard come in the order of its Mails.
struct Mail {
  std::uint32_t from = 0;
  const Letter* letter = nullptr;
};
struct Tick {};

using Input = std::variant<HeaderArrived, PayloadLanded, ReplyLanded, SendDone, PeerUp, PeerDown,
                           NiState, Api, Config, Tick, Mail>;

// ---- actions

/// Enqueue a message; a driver never refuses. `payload` is valid until SendDone{tx}. After
/// `deadline` the driver gives up.
struct Send {
  NiId ni;
  Hop hop;
  wire::LnetHeader header;
  Region payload;
  MsgTicket tx;
  Instant deadline = kNever;
  RxTicket answers;  ///< the GET that this REPLY answers (drivers with rdma_get), else 0
  Region sink;       ///< for a GET on a driver with rdma_get
};
/// End this Send soon; its SendDone still comes (-ECANCELED, or success when it was too late).
struct Cancel {
  NiId ni;
  Hop hop;
  MsgTicket tx;
};
/// Read `sink.length` bytes of the payload into `sink` and discard the rest of its `rlen`. Ends in
/// PayloadLanded{msg}.
struct Land {
  NiId ni;
  RxTicket rx;
  MsgTicket msg;
  Region sink;
  std::uint32_t rlen = 0;
};
/// Keep the payload for a later Land or DropPayload: stage up to limits::kHoldBytesPerPeer, then
/// stop reading. The connection's time-out clock stands still meanwhile. A held message counts with
/// its payload and at least limits::kHoldCostMin bytes, so that a run of empty messages is bounded
/// as well. With `soon` another shard of this node has the word, which waits for nobody: nothing is
/// staged, reading stops meanwhile; the Land, the DropPayload or a HoldPayload without `soon`
/// follows.
struct HoldPayload {
  NiId ni;
  RxTicket rx;
  MsgTicket msg;
  bool soon = false;
};
struct DropPayload {
  NiId ni;
  RxTicket rx;
  std::uint32_t rlen = 0;
};
/// A protocol error of LNet's: the connection is to be closed with its siblings.
struct Reject {
  NiId ni;
  RxTicket rx;
  const char* reason = "";  ///< static text
};
struct Connect {
  NiId ni;
  Hop hop;
};
struct Close {
  NiId ni;
  Hop hop;
};
/// Deliver an event: in the order of the strand, one at a time, outside every lock. One strand =
/// one MD.
struct Post {
  MdHandle strand;
  EventSink* sink = nullptr;
  Event event;
};
/// A waiting call ended (core/api.h says what the result is).
struct Done {
  std::uint64_t ticket = 0;
  int status = 0;
  PingReply ping;
};
struct Applied {
  std::uint64_t generation = 0;
};
/// Nothing of the core's is in flight on this NI any more.
struct Drained {
  NiId ni;
};
/// A letter for another shard of this node, to be handed to it as Mail{from this one}.
struct SendMail {
  std::uint32_t to = 0;
  std::shared_ptr<const Letter> letter;
};
/// Something worth a log line; `text` is static.
struct Note {
  enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError } level = Level::kInfo;
  const char* text = "";
  Nid nid;
  std::uint64_t detail = 0;
};

using Action = std::variant<Send, Cancel, Land, HoldPayload, DropPayload, Reject, Connect, Close,
                            Post, Done, Applied, Drained, Note, SendMail>;
/// Filled by one step, emptied by the host; its memory is reused.
using Actions = std::vector<Action>;

}  // namespace ulnet::core
