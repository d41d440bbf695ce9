// The contract between the core and everything around it: what a shard takes (Input) and what it
// answers (Action). Both are values: a shard has no I/O, no threads, no locks, no clock and no
// randomness of its own. Source: DESIGN.md 2.
//
// Drivers include this header and no other of core/. Views and pointers in an input are valid
// during the step that takes it. Those in an action are valid until the input that ends it; each
// action names that input.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/slab.h"
#include "lnet/base/time.h"
#include "lnet/wire/lnet_header.h"
#include "ulnet/lnet.hpp"

namespace ulnet::core {

struct NodeConfig;  // lnet/core/contract/config.h
struct ApiCall;     // lnet/core/contract/api.h
struct ShardMsg;    // lnet/core/contract/shard_msg.h

/// A local network interface (NI). The node assigns the number when it adds the NI, and reuses it
/// for no other NI while the node runs.
struct NiId {
  std::uint32_t value = 0;
  auto operator<=>(const NiId&) const = default;
};
/// The neighbour that a message comes from or goes to. A driver distinguishes peers by NID and PID
/// if its protocol does, else by NID.
struct Hop {
  Nid nid;
  Pid pid;
  bool operator==(const Hop&) const = default;
};
/// The driver's name for a message that it is receiving, opaque to the core; 0: none. The name is
/// invalid after DropPayload, Reject or PayloadLanded, or after the SendDone of the Send that
/// answers the message.
struct RxTicket {
  std::uint64_t value = 0;
  bool operator==(const RxTicket&) const = default;
};
/// The core's name for a message, opaque to drivers: a driver returns it in the input that ends the
/// action. shard_of() returns the shard that issued the ticket, and that takes this input.
using MsgTicket = Handle;
/// The number of low bits of a ticket's slot that name a message; the bits above them are the
/// number of the shard.
inline constexpr unsigned kTicketSlotBits = 24;
constexpr std::uint32_t shard_of(MsgTicket msg) { return msg.slot >> kTicketSlotBits; }

/// How a message ended, as far as the health of its local NI and peer NI is concerned (DESIGN.md 2,
/// spec/multirail.md 5.2). A driver reports it; health_row() says whether a value lowers the health
/// of the NI or of the peer NI.
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
/// The health of an NI or a peer NI is 0 to this (spec/multirail.md 5.1).
inline constexpr std::int32_t kHealthMax = 1000;

/// A part of an MD's memory: `length` bytes that begin `offset` bytes into the fragments.
struct Region {
  const iovec* fragments = nullptr;
  std::uint32_t count = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// ---- inputs

/// A driver has read a header. The step answers with exactly one of these actions for `rx`:
///  - Land: the shard accepts a PUT or REPLY. A message without payload gets a sink of length 0.
///    The Land ends with PayloadLanded.
///  - CopyPayload, and DropPayload with the length of the payload: the shard accepts a PUT or REPLY
///    whose payload is `whole`, short, and for one contiguous piece of memory. The message ends
///    with this step.
///  - HoldPayload with kStage: a PUT waits on a lazy portal. A Land or a DropPayload follows.
///  - HoldPayload with kDefer: another shard decides about the message, or this node forwards the
///    message and has no credit or buffer for it yet. Any other action of this list but Reject
///    follows.
///  - Land into a buffer of a router, CopyPayload with DropPayload, or without payload DropPayload:
///    the message is forwarded.
///  - DropPayload with the length of the payload: the message is dropped.
///  - DropPayload with rlen 0: the driver forgets an ACK or a GET, which have no payload. The core
///    may still answer the GET.
///  - Send{answers: rx}: the REPLY to a GET that came in on an NI with `rdma_get`. It needs no
///    credit. When another shard decides about the GET this Send comes in a later step. `rx` stays
///    valid until its SendDone, or until a DropPayload when no REPLY can be sent.
///  - Reject: a protocol error.
/// The driver guarantees that `header` is well formed and that `hop` is the neighbour. The core
/// checks everything else (spec/core-semantics.md 8).
struct HeaderArrived {
  NiId ni;
  Hop hop;
  const wire::LnetHeader* header = nullptr;
  RxTicket rx;
  ByteView immediate;  ///< the payload, if the driver has all of it in memory already; else empty
  bool whole = false;  ///< `immediate` is the payload, which may be empty, and needs no check
};
/// Ends every Land. It also ends a held message whose connection died: then `status` is not 0, and
/// the DropPayload of that message may be on its way at the same time. The RxTicket of the message
/// is invalid afterwards. A driver that has the payload in memory copies it when the Land comes,
/// but still reports PayloadLanded as a separate input, never within the step that issued the Land.
struct PayloadLanded {
  MsgTicket msg;
  int status = 0;
  Health health = Health::kOk;
};
/// Optimised GET (drivers with rdma_get only): the driver has put the data of a GET into its sink.
/// This input comes before the SendDone of that GET; after that SendDone the fabric does not touch
/// the sink any more.
struct ReplyLanded {
  MsgTicket tx;
  int status = 0;
  std::uint32_t mlength = 0;  ///< bytes
};
/// Ends every Send: the driver no longer reads its payload. If the Send failed, the core may send
/// the same message again, as another Send with the same ticket, unless `begun` is set.
struct SendDone {
  MsgTicket tx;
  int status = 0;
  Health health = Health::kOk;
  bool begun = false;  ///< the Send failed, but the neighbour may have received part or all of it
};
/// The driver has connected to the neighbour.
struct PeerUp {
  NiId ni;
  Hop hop;
};
/// The driver has lost the neighbour. `reset`: because the neighbour restarted (it has a new
/// incarnation); the driver reports that also if it had no connection to the neighbour. If a
/// neighbour disconnects before any message was exchanged, the driver does not report it.
struct PeerDown {
  NiId ni;
  Hop hop;
  bool reset = false;
};
/// Whether a driver's device can carry messages. kSlow: it can, but its link is slower than it was
/// when the NI started.
enum class NiLink : std::uint8_t { kUp, kFailed, kSlow };
struct NiState {
  NiId ni;
  NiLink link = NiLink::kUp;
};
/// A call of the public API. The shard writes the results into `call` within the step. A call that
/// waits ends later with Done.
struct Api {
  ApiCall* call = nullptr;
};
/// A new configuration, for every shard; never null.
struct Config {
  std::shared_ptr<const NodeConfig> snapshot;
};
/// An inter-shard message from another shard of this node. The host delivers the inter-shard
/// messages from one shard to another in the order in which they were sent. `shard_msg` is valid
/// during the step.
struct FromShard {
  std::uint32_t from = 0;
  const ShardMsg* shard_msg = nullptr;
};
/// Time has passed: the host sends this when Shard::next_deadline() has passed.
struct Tick {};

using Input = std::variant<HeaderArrived, PayloadLanded, ReplyLanded, SendDone, PeerUp, PeerDown,
                           NiState, Api, Config, Tick, FromShard>;

// ---- actions

/// The driver enqueues a message; it never refuses. `payload` and `sink` are valid until
/// SendDone{tx}. When `deadline` (on the core's clock) has passed, the driver gives up and reports
/// a SendDone with an error.
struct Send {
  NiId ni;
  Hop hop;
  wire::LnetHeader header;
  Region payload;
  MsgTicket tx;
  Instant deadline = kNever;
  RxTicket answers;  ///< of a REPLY, drivers with rdma_get: the GET that it answers; else 0
  Region sink;       ///< of a GET, drivers with rdma_get: where its data goes; else empty
};
/// The driver ends this Send as soon as it can. The SendDone still comes: -ECANCELED, or success
/// when the Cancel came too late.
struct Cancel {
  NiId ni;
  Hop hop;
  MsgTicket tx;
};
/// The driver reads `sink.length` bytes of the payload into `sink` and discards the rest of its
/// `rlen` bytes. `sink` is valid until PayloadLanded{msg}, which ends the Land.
struct Land {
  NiId ni;
  RxTicket rx;
  MsgTicket msg;
  Region sink;
  std::uint32_t rlen = 0;
};
/// The host copies the bytes, which are in HeaderArrived::immediate, before it carries out the next
/// action of the step. `to` is as long as `from`, and is memory of the MD. The MD itself may have
/// ended in this step.
struct CopyPayload {
  ByteView from;
  ByteSpan to;
};
/// How a driver keeps the payload of a message that is held.
enum class Hold : std::uint8_t {
  /// The driver stages up to limits::kHoldBytesPerPeer bytes for each peer, then stops reading the
  /// message's connection; the connection's time-out is suspended meanwhile. A held message counts
  /// with the size of its payload, and with at least limits::kHoldCostMin bytes, so that the number
  /// of empty messages is limited too.
  kStage,
  /// The driver stages nothing and stops reading the message's connection, whose time-out is
  /// suspended, until the Land, the DropPayload, the Send{answers} or a HoldPayload with kStage
  /// comes. Another shard of this node decides about the message, or the message is to be forwarded
  /// and waits. There is no time limit.
  kDefer,
};
/// The driver keeps the payload for a later Land or DropPayload.
struct HoldPayload {
  NiId ni;
  RxTicket rx;
  MsgTicket msg;
  Hold how = Hold::kStage;
};
/// The driver discards `rlen` bytes of payload and forgets the message. The message was dropped, or
/// had no payload, or CopyPayload has copied its payload.
struct DropPayload {
  NiId ni;
  RxTicket rx;
  std::uint32_t rlen = 0;
};
/// An LNet protocol error: the driver closes the connection and the peer's other connections.
struct Reject {
  NiId ni;
  RxTicket rx;
  const char* reason = "";  ///< static text
};
/// The host calls `sink` with the event, outside every lock. `strand` names the MD: the host
/// delivers the events of one MD in the order of their Posts, one at a time.
struct Post {
  MdHandle strand;
  EventSink* sink = nullptr;
  Event event;
};
/// How a call that waited has ended; call::Ping in api.h lists the values of `status`. `ticket`
/// comes from the caller.
struct Done {
  std::uint64_t ticket = 0;
  int status = 0;
  PingReply ping;
};
/// A call that waited has ended. `done` is never null and valid until the host clears the Actions.
struct CallDone {
  Done* done = nullptr;
};
/// The shard now uses the configuration with this `generation`, or is shut down.
struct Applied {
  std::uint64_t generation = 0;
};
/// The NI was removed, and no message of this shard names it any more.
struct Drained {
  NiId ni;
};
/// An inter-shard message to shard `to` of this node. The host moves it to that shard's mailbox and
/// delivers it as `FromShard`. `shard_msg` is never null, and valid until the host clears the
/// Actions.
struct ToShard {
  std::uint32_t to = 0;
  ShardMsg* shard_msg = nullptr;
};
/// An event for the log and for clients that watch the node (GET /v1/events). `text` is static.
/// to_string() replaces {} by `detail`, {error} by `detail` as an errno, {nid} by `nid`, {net} by
/// the net of `nid`, and {by} by `by`. A text without {nid} and {net} is about `nid`, if that is
/// set.
struct Note {
  enum class Level : std::uint8_t {
    kDebug,
    kInfo,
    kWarning,
    kError,
    kUnlogged,  ///< for clients that watch, not for the log
  } level = Level::kInfo;
  enum class About : std::uint8_t {
    kOther,
    kDiscovery,  ///< a step of the discovery of the peer whose primary NID is `nid`
    kPeer,
    kNi,      ///< `nid` is of this node
    kPeerNi,  ///< `nid` is of a peer
    kRoute,   ///< `nid` is a gateway's
    kResend,  ///< `nid` is the neighbour that a message did not reach
    kRouter,  ///< this node as a router
    kDrop,    ///< a message from or to `nid` was dropped
    // The core has no notes about these; the node and its drivers report them.
    kConnection,
    kMemory,
    kConfig,
    kNode,
    kDiscovered,  ///< the last step of a discovery that succeeded; those who watch see kPeer
  } about = About::kOther;
  const char* text = "";
  Nid nid;
  std::uint64_t detail = 0;
  Nid by = {};  ///< a second NID
};
/// The text of the note with its placeholders replaced.
std::string to_string(const Note& note);
/// Whether the text itself names the NID or its net.
bool names_its_nid(const Note& note);
/// The fragments are the memory of an MD from now on, until DetachMemory{md}. Comes before any
/// action that names memory of the MD. `fragments` is valid until DetachMemory{md}. Only if
/// NodeConfig::announces_memory. The host notifies every driver that wants it, as
/// lnd::Lnd::attach_memory() says.
struct AttachMemory {
  MdHandle md;
  const iovec* fragments = nullptr;
  std::uint32_t count = 0;
};
/// The MD is done with its memory: no Send, Land or CopyPayload names it any more. Comes before the
/// event that ends the MD, so that the user gets the memory back after the drivers gave it up.
struct DetachMemory {
  MdHandle md;
};

/// Trivially destructible, so that clearing the actions of a step costs nothing.
using Action = std::variant<Send, Cancel, Land, CopyPayload, HoldPayload, DropPayload, Reject, Post,
                            CallDone, Applied, Drained, Note, ToShard, AttachMemory, DetachMemory>;
static_assert(std::is_trivially_destructible_v<Action>);
class Actions;  // lnet/core/contract/actions.h

}  // namespace ulnet::core
