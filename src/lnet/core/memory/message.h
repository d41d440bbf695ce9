// The record of a message that a shard handles: from start_send() to SendDone, or from
// HeaderArrived until its payload has landed or it is dropped. Source: spec/core-semantics.md 6,
// 7.1, 10.2.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/router_buffer.h"

namespace ulnet::core {

struct LocalNi;
struct PeerNi;
struct Md;
struct RemoteMd;

enum class MsgState : std::uint8_t {
  kFresh,        ///< new
  kPeerQueue,    ///< waits for a credit of the peer NI
  kNiQueue,      ///< waits for a credit of the NI
  kReady,        ///< has just got the credit that it waited for
  kSending,      ///< the driver has it, until SendDone; it may be sent again then
  kElsewhere,    ///< another shard transmits it, until Returned; it may be sent again then
  kConfigQueue,  ///< its path was out of date; waits for the newer configuration
  kDiscovery,    ///< waits until the peer of its target is discovered
  kDelayed,      ///< a fault rule holds it, on its way in or out; its credits are taken
  kFaulted,      ///< a fault rule ends it at the end of this step, as a driver would
  kAsking,       ///< came in here; another shard looks for its buffer, or for an answer's MD
  kOffered,      ///< parked here, in its portal's owner shard; another shard looks for a buffer
  kHeld,         ///< waits for a buffer on a lazy portal
  kLanding,      ///< the driver reads its payload, until PayloadLanded
  kRouterQueue,  ///< to be forwarded: waits for a router credit of the peer NI that it came from
  kBufferQueue,  ///< to be forwarded: waits for a buffer
  kBuffered,     ///< to be forwarded: has just got the buffer that it waited for
  kEnded,
  kCount
};
enum class MsgEvent : std::uint8_t {
  kNoPeerCredit,
  kNoNiCredit,
  kCredit,
  kSubmit,
  kRetry,
  kTransmit,
  kStale,
  kUnknownPeer,
  kDelay,
  kFault,
  kAsk,
  kOffer,
  kHold,
  kLand,
  kNoRouterCredit,
  kNoBuffer,
  kBuffer,
  kEnd,
  kCount
};
/// The ticket that another shard has for the same message.
struct RemoteMsg {
  std::uint32_t shard = 0;
  MsgTicket msg{};
};
/// The transitions between the states. message.cc has the rows.
extern const LifeCycle<MsgState, MsgEvent> kMsgLifeCycle;
const char* to_string(MsgState state);
const char* to_string(MsgEvent event);

struct Msg {
  using Hook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::normal_link>>;

  Hook queue_hook;  ///< in a credit queue, a portal's queue or the ready list
  Hook md_hook;     ///< among the operations of its MD
  MsgTicket self;
  MsgState state = MsgState::kFresh;
  bool outgoing = false;
  bool waits_answer = false;  ///< PUT with ACK, or GET: the MD expects a response
  bool optimised = false;     ///< GET whose data the driver itself puts into the MD
  bool recovery = false;      ///< a recovery ping: it goes to its target and is not sent again
  bool has_peer_credit = false, has_ni_credit = false;
  bool routed = false;  ///< this node forwards it from another node to another node
  bool has_router_credit = false, has_buffer = false;  ///< routed, in the shard where it came in
  wire::LnetHeader header;
  /// The neighbour to which it goes, or from which it came. For an answer without a path: the
  /// neighbour from which its request came.
  Hop hop;
  RxTicket rx;  ///< incoming: its own; a REPLY, if the driver has rdma_get: the GET's; else 0
  NiId rx_ni;   ///< the NI on which the message named by `rx` came in
  LocalNi* ni = nullptr;   ///< null: no path found yet, or the message came in at another shard
  PeerNi* peer = nullptr;  ///< of the hop
  /// An MD of this shard; null: the MD is another shard's, or the message has no MD.
  Md* md = nullptr;
  RemoteMd* remote_md = nullptr;  ///< an MD of another shard; `memory` is part of it
  Region memory;
  /// Routed, in the shard where it came in: the peer NI that it came from, and the buffer of its
  /// payload. `buffer` is null if it has no payload, or no buffer yet.
  PeerNi* from = nullptr;
  std::unique_ptr<RouterBuffer> buffer;
  Portal request_portal;      ///< a REPLY: the portal that its GET named
  MatchBits request_bits;     ///< a REPLY: the match bits of its GET
  Nid request_sender;         ///< a REPLY: the last hop of its GET
  std::uint32_t offset = 0;   ///< bytes into the MD
  std::uint32_t rlength = 0;  ///< bytes requested
  std::uint32_t mlength = 0;  ///< bytes moved
  /// The shard that has another record of this message, and the ticket there. Outgoing: the shard
  /// where the message begins; none: it begins here. kElsewhere: the shard that transmits it.
  /// Incoming, `parked`: the shard where the message came in. Incoming, and waiting in the owner
  /// shard of its portal: that owner shard.
  RemoteMsg remote;
  // Incoming, if several shards decide about it (shard_msg.h).
  /// In the owner shard: shards that are not asked to look for a buffer until another buffer is
  /// attached.
  ShardSet asked;
  std::uint64_t seen = 0;  ///< owner shard: PortalState::changes when the last search began
  bool parked = false;     ///< it came in at another shard; this one owns its portal
  /// Incoming, not `parked`: the driver was asked to wait (Hold::kDefer). `parked`: Held was sent
  /// to the shard where the message came in.
  bool deferred = false;
  bool rx_lost = false;     ///< its connection died while it waited
  bool staged = false;      ///< the driver was already asked to stage it (Hold::kStage)
  PeerEntryRef peer_entry;  ///< of the sending peer, if it has several NIDs
  /// If not kCount, the message is dropped for this reason when the other shard answers.
  DropReason unwanted = DropReason::kCount;
  // Outgoing: what its sender requested, and how often it was tried.
  /// The NID that the caller of a request named. An answer: the NID that its request came from.
  Nid target;
  /// The NI that the caller named; any: LNet chooses. An answer: the NID that its request
  /// addressed.
  Nid source;
  bool internal = false;         ///< it is for portal 0
  Health fault = Health::kOk;    ///< kFaulted: how it fails; kOk: it is lost on the network
  std::int32_t tries = 0;        ///< the number of resends
  std::int32_t memory_cpt = -1;  ///< MdSpec::cpt, if it began in another shard
  Instant started{};             ///< when the user's call began the operation, or when it arrived
  Instant deadline = kNever;     ///< outgoing only: when it fails; kNever: it has had no NI yet
  std::uint64_t awaited_generation = 0;  ///< kConfigQueue: the configuration that it waits for

  void on(MsgEvent event) { state = kMsgLifeCycle.after(state, event); }
};

using MsgQueue =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::queue_hook>,
                           boost::intrusive::constant_time_size<false>>;
using MdMessages =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::md_hook>,
                           boost::intrusive::constant_time_size<false>>;

}  // namespace ulnet::core
