// The record of a message that a shard handles: from start_send() to SendDone, or from
// HeaderArrived until its payload has landed or it is dropped. Source: spec/core-semantics.md 6,
// 7.1, 10.2.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>

#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/peer_card.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/memory/router_buffer.h"

namespace ulnet::core {

struct LocalNi;
struct PeerNi;
struct Md;
struct RemoteMd;

enum class MsgState : std::uint8_t {
  kFresh,        ///< just made
  kPeerQueue,    ///< waits for a credit of the peer NI
  kNiQueue,      ///< waits for a credit of the NI
  kReady,        ///< has just got the credit that it waited for
  kSending,      ///< the driver has it, until SendDone; it may be sent again then
  kElsewhere,    ///< another shard transmits it, until Returned; it may be sent again then
  kConfigQueue,  ///< its path was stale; waits for the configuration by which it was
  kDiscovery,    ///< waits until the peer of its target is discovered
  kDelayed,      ///< a fault rule holds it, on its way in or out; its credits are taken
  kFaulted,      ///< a fault rule ends it, as a driver would, at the end of this step
  kAsking,   ///< came in here; another shard looks for its buffer, or for the MD that it answers
  kOffered,  ///< parked here, at its portal's home; another shard looks for a buffer
  kHeld,     ///< waits for a buffer on a lazy portal
  kLanding,  ///< the driver reads its payload, until PayloadLanded
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
/// The rows are in message.cc.
extern const LifeCycle<MsgState, MsgEvent> kMsgLife;
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
  bool routed = false;  ///< this node forwards it: it is from another node, and for another one
  bool has_router_credit = false, has_buffer = false;  ///< routed, where it came in
  wire::LnetHeader header;
  /// The neighbour that it goes to or came from. An answer that has no path yet: the neighbour from
  /// which its request came.
  Hop hop;
  RxTicket rx;  ///< incoming: its own; a REPLY on a driver with rdma_get: that of the GET; else 0
  NiId rx_ni;   ///< the NI on which the message named by `rx` came in
  LocalNi* ni = nullptr;   ///< null: no path found yet, or the message came in at another shard
  PeerNi* peer = nullptr;  ///< of the hop
  Md* md = nullptr;        ///< an MD of this shard, or
  RemoteMd* remote_md = nullptr;  ///< one of another shard, which lends `memory`
  Region memory;
  /// Routed, where it came in: the peer NI that it came from, and where its payload is. Null: it
  /// has no payload, or not yet a buffer.
  PeerNi* from = nullptr;
  std::unique_ptr<RouterBuffer> buffer;
  Portal request_portal;      ///< a REPLY: the portal that its GET named
  MatchBits request_bits;     ///< a REPLY: the match bits of its GET
  std::uint32_t offset = 0;   ///< bytes into the MD
  std::uint32_t rlength = 0;  ///< bytes asked for
  std::uint32_t mlength = 0;  ///< bytes moved
  /// Outgoing: the shard where it begins, and its ticket there; none: it begins here. kElsewhere:
  /// the shard that transmits it. Incoming, `parked`: the shard where it came in, and its ticket
  /// there. Came in here and waits at another home: that home, and its ticket there.
  RemoteMsg remote;
  // Incoming, when this shard does not decide alone (letter.h).
  ShardSet asked;          ///< at home: shards that are not asked (again) unless a buffer comes
  std::uint64_t seen = 0;  ///< at home: PortalState::changes when the shards were last asked anew
  bool parked = false;     ///< it came in at another shard; this one is its portal's home
  /// Came in here: the driver was told to wait (Hold::kDefer). `parked`: Held has been
  /// written.
  bool deferred = false;
  bool rx_lost = false;  ///< its connection died while it waited
  bool staged = false;   ///< the driver has been told already to stage it (Hold::kStage)
  PeerCardRef card;      ///< of the peer that sent it, if that has several NIDs
  /// Not kCount: it is to be dropped for this reason when the answer of another shard comes.
  DropReason unwanted = DropReason::kCount;
  // Outgoing: what its sender wants, and how often it got it.
  Nid target;                    ///< a request: the NID that its caller named; where it ends
  Nid source;                    ///< the NI that its caller named; any: LNet chooses
  bool internal = false;         ///< it is for portal 0
  Health fault = Health::kOk;    ///< kFaulted: how it fails; kOk: it is lost on its way
  std::int32_t tries = 0;        ///< how often it was sent again
  std::int32_t memory_cpt = -1;  ///< MdSpec::cpt, if it began in another shard
  Instant started{};             ///< when the user's call began the operation, or when it arrived
  Instant deadline = kNever;     ///< outgoing only: then it fails; kNever: it has had no NI yet
  std::uint64_t awaited_generation = 0;  ///< kConfigQueue: the configuration that it waits for

  void on(MsgEvent event) { state = kMsgLife.after(state, event); }
};

using MsgQueue =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::queue_hook>,
                           boost::intrusive::constant_time_size<false>>;
using MdMessages =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::md_hook>,
                           boost::intrusive::constant_time_size<false>>;

}  // namespace ulnet::core
