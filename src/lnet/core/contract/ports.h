// The contract between the core and everything around it: what goes into a shard (Input) and what
// comes out of it (Action). Both are values: a shard has no I/O, no threads, no locks, no clock
// and no randomness of its own. Source: DESIGN.md 2.
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
struct Letter;      // lnet/core/contract/letter.h

/// A local network interface (NI). The node gives out the number when it adds the NI, and gives
/// it to no other NI as long as the node runs.
struct NiId {
  std::uint32_t value = 0;
  auto operator<=>(const NiId&) const = default;
};
/// The neighbour that a message comes from or goes to. A driver tells peers apart by NID and PID
/// if its protocol does, else by NID.
struct Hop {
  Nid nid;
  Pid pid;
  bool operator==(const Hop&) const = default;
};
/// The driver's name for a message that it is receiving, opaque to the core; 0: none. The name is
/// dead after DropPayload, Reject or PayloadLanded, or after the SendDone of the Send that
/// answers it.
struct RxTicket {
  std::uint64_t value = 0;
  bool operator==(const RxTicket&) const = default;
};
/// The core's name for a message, opaque to drivers: a driver returns it in the input that ends
/// the action. shard_of() a ticket is the shard that gave it out, and the one that takes that
/// input.
using MsgTicket = Handle;
/// The bits of a ticket's slot above these are the number of the shard.
inline constexpr unsigned kTicketSlotBits = 24;
constexpr std::uint32_t shard_of(MsgTicket msg) { return msg.slot >> kTicketSlotBits; }

/// How a message ended for the health of the local NI and the peer NI that it used (DESIGN.md 2,
/// spec/multirail.md 5.2). A driver reports it; health_row() says whom each value blames.
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
///  - Land: a PUT or REPLY is taken. A message without payload gets a sink of length 0. The Land
///    ends with PayloadLanded.
///  - CopyPayload, and DropPayload with the length of the payload: a PUT or REPLY is taken whose
///    payload is `whole`, short, and for one stretch of memory. It has ended with this step.
///  - HoldPayload with kStage: a PUT waits on a lazy portal. A Land or a DropPayload follows.
///  - HoldPayload with kDefer: another shard decides about the message, or this node forwards it
///    and has no credit or buffer for it yet. Any other action of this list but Reject follows.
///  - Land into a buffer of a router, CopyPayload with DropPayload, or without payload DropPayload:
///    the message is forwarded.
///  - DropPayload with the length of the payload: the message is dropped.
///  - DropPayload with rlen 0: the driver is done with an ACK or a GET, which have no payload. The
///    core may still answer the GET.
///  - Send{answers: rx}: the REPLY to a GET that came in on an NI with `rdma_get`. When the REPLY
///    waits for a credit this Send comes in a later step. `rx` stays alive until its SendDone, or
///    until a DropPayload when no REPLY can be sent.
///  - Reject: a protocol error.
/// The driver vouches that `header` is well formed and that `hop` is the neighbour; the core
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
/// it may cross the DropPayload of that message. The RxTicket of the message is dead afterwards. A
/// driver that has the payload in memory copies it when the Land comes, but still reports
/// PayloadLanded as an input of its own, never within the step that gave the Land.
struct PayloadLanded {
  MsgTicket msg;
  int status = 0;
  Health health = Health::kOk;
};
/// Optimised GET (drivers with rdma_get only): the driver has put the data of a GET into its
/// sink. This input comes before the SendDone of that GET; from that SendDone on the fabric does
/// not touch the sink any more.
struct ReplyLanded {
  MsgTicket tx;
  int status = 0;
  std::uint32_t mlength = 0;  ///< bytes
};
/// Ends every Send: the driver no longer reads its payload. If it failed, the core may give the
/// same message again, as another Send with the same ticket, unless it was `begun`.
struct SendDone {
  MsgTicket tx;
  int status = 0;
  Health health = Health::kOk;
  bool begun = false;  ///< it failed, and the neighbour may have got some of it, or all
};
/// The driver has connected to the neighbour.
struct PeerUp {
  NiId ni;
  Hop hop;
};
/// The driver has lost the neighbour. `reset`: because the neighbour restarted (its incarnation is
/// another one). A neighbour that disconnects before a message went either way is not lost.
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
/// A letter from another shard of this node. The host delivers the letters of one shard to
/// another in the order in which the first wrote them. `letter` is valid during the step.
struct Mail {
  std::uint32_t from = 0;
  const Letter* letter = nullptr;
};
/// Time has passed: the host sends this when Shard::next_deadline() is over.
struct Tick {};

using Input = std::variant<HeaderArrived, PayloadLanded, ReplyLanded, SendDone, PeerUp, PeerDown,
                           NiState, Api, Config, Tick, Mail>;

// ---- actions

/// The driver enqueues a message; it never refuses. `payload` and `sink` are valid until
/// SendDone{tx}. When `deadline` (on the core's clock) is over the driver gives up and reports a
/// SendDone with an error.
struct Send {
  NiId ni;
  Hop hop;
  wire::LnetHeader header;
  Region payload;
  MsgTicket tx;
  Instant deadline = kNever;
  RxTicket answers;  ///< of a REPLY, drivers with rdma_get: the GET that it answers; else 0
  Region sink;       ///< of a GET, drivers with rdma_get: where its data go; else empty
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
/// The host copies the bytes, which are in HeaderArrived::immediate, before it carries out the
/// next action of the step. `to` is as long as `from`, and memory of the MD; the MD itself may have
/// ended in this step.
struct CopyPayload {
  ByteView from;
  ByteSpan to;
};
/// How a driver keeps the payload of a message that is held.
enum class Hold : std::uint8_t {
  /// The driver stages up to limits::kHoldBytesPerPeer bytes for each peer, then stops reading
  /// that connection; the connection's time-out clock stands still meanwhile. A held message
  /// counts with its payload, and with limits::kHoldCostMin bytes at least, so that a run of empty
  /// messages is bounded as well.
  kStage,
  /// The driver stages nothing and stops reading that connection, whose time-out clock stands
  /// still, until the Land, the DropPayload, the Send{answers} or a HoldPayload with kStage comes.
  /// Another shard of this node decides about the message, or it is to be forwarded and waits. How
  /// long that takes is not promised.
  kDefer,
};
/// The driver keeps the payload for a later Land or DropPayload.
struct HoldPayload {
  NiId ni;
  RxTicket rx;
  MsgTicket msg;
  Hold how = Hold::kStage;
};
/// The driver discards `rlen` bytes of payload and is done with the message. The message was
/// dropped, or had no payload, or CopyPayload has taken it.
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
/// is the one that the caller gave.
struct Done {
  std::uint64_t ticket = 0;
  int status = 0;
  PingReply ping;
};
/// A call that waited has ended. `done` is never null and valid until the host clears the Actions.
struct CallDone {
  Done* done = nullptr;
};
/// The shard works with the configuration of that generation now (or is shut down).
struct Applied {
  std::uint64_t generation = 0;
};
/// The NI was removed, and no message of this shard names it any more.
struct Drained {
  NiId ni;
};
/// A letter for shard `to` of this node. The host moves it to where that shard reads it, and hands
/// it over as Mail. `letter` is never null and valid until the host clears the Actions.
struct SendMail {
  std::uint32_t to = 0;
  Letter* letter = nullptr;
};
/// Something that has happened, for the log and for those who watch the node (GET /v1/events).
/// `text` is static. It may name what to_string() puts there: {} `detail`, {error} `detail` as an
/// errno, {nid} `nid`, {net} the net of `nid`, {by} `by`. A text without {nid} and {net} says of
/// `nid` what it says, if that is given.
struct Note {
  enum class Level : std::uint8_t {
    kDebug,
    kInfo,
    kWarning,
    kError,
    kUnlogged,  ///< for those who watch, not for the log
  } level = Level::kInfo;
  enum class About : std::uint8_t {
    kOther,
    kDiscovery,   ///< a step of the discovery of the peer whose primary NID is `nid`
    kDiscovered,  ///< the last step of one that has succeeded
    kPeer,
    kNi,      ///< `nid` is of this node
    kPeerNi,  ///< `nid` is of a peer
    kRoute,   ///< `nid` is a gateway's
    kResend,  ///< `nid` is that of the neighbour to which a message did not get
    kRouter,  ///< this node as a router
    kDrop,    ///< a message from or to `nid` was dropped
  } about = About::kOther;
  const char* text = "";
  Nid nid;
  std::uint64_t detail = 0;
  Nid by = {};  ///< a second NID
};
/// The text of the note with what it names.
std::string to_string(const Note& note);
/// Whether the text itself names the NID or its net.
bool names_its_nid(const Note& note);

/// Values without anything to destroy, so that clearing the actions of a step costs nothing.
using Action = std::variant<Send, Cancel, Land, CopyPayload, HoldPayload, DropPayload, Reject, Post,
                            CallDone, Applied, Drained, Note, SendMail>;
static_assert(std::is_trivially_destructible_v<Action>);
class Actions;  // lnet/core/contract/actions.h

}  // namespace ulnet::core
