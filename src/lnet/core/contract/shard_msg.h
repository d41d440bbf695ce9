// Inter-shard messages: the messages between the shards of one node, a closed list of values. An
// inter-shard message is one-way and waits for no other one. The inter-shard messages from one
// shard to another arrive in the order in which they were sent. No order is promised between
// different pairs of shards. Source: DESIGN.md 3.
//
// In this file "message" alone is an LNet message. The path of a request is chosen in the shard of
// its MD, the path of an ACK or REPLY in the shard where the request came in. The transmission
// takes place in the shard of the path's peer NI, which has the credits and talks to the driver. An
// MD lives in the shard where it was attached or bound. If the MD's shard and the peer NI's shard
// are two shards, they use inter-shard messages:
//
//   case                           the peer NI's shard      the other shard
//   a message that begins there                      <----  Transmit
//     its transmission has ended   Returned          ---->
//     its MD is unlinked                             <----  Abort
//   a PUT or GET came in           Match             ---->
//     a buffer takes it                              <----  Matched | Dropped
//     no buffer here                                        Park  ----> the portal's owner shard
//   an ACK or a REPLY came in      ResponseArrived   ---->
//     (answers for a REPLY only)                     <----  Matched | Dropped
//   after Matched: it has ended    Ended             ---->
//
// The owner shard of a portal is the shard (number of the portal) modulo (number of shards). When a
// message found no buffer in the first shard that looked, the owner shard alone decides which
// shards look next (Match, answered by Searched), and whether the message waits (Held) or is
// dropped (Dropped). The shard where the message came in may withdraw it (Withdraw). The other
// shards announce new buffers to the owner shard (BufferPosted), until the owner shard answers that
// no message waits (NoneWaits).
//
// Every chain of inter-shard messages ends. One Returned answers a Transmit, and a message whose
// path was out of date is transmitted again only by a newer configuration. One answer follows a
// Match. The owner shard offers a message again only if a buffer was attached meanwhile, or if a
// shard announced a buffer again because the message that the owner shard had counted for that
// buffer ended without it. No wake-up is lost: a shard that found no buffer announces every buffer
// to the owner shard from then on. It announces them after its Park or Searched, so the owner shard
// gets that answer first.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/gateway_entry.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

/// The NI and the peer NI that a transmission uses. select() in the shard where the message begins
/// chooses them (lnet/core/path/select.h).
struct Path {
  NiId ni;                       ///< 0: the shard of `hop` picks it (multirail.md 3.4)
  Hop hop;                       ///< the neighbour; its shard transmits
  std::uint64_t generation = 0;  ///< NodeConfig::generation by which it was chosen
};

namespace shard_msg {

// ---- messages whose MD lives in another shard

/// To the shard of the path's hop: transmit this message. Returned{msg} answers it.
struct Transmit {
  MsgTicket msg;  ///< of the sending shard
  MdHandle md;    ///< the MD whose operation the message is; none: an ACK
  Path path;
  wire::LnetHeader header;       ///< complete but for the source, unless `routed`
  bool internal = false;         ///< portal 0: neither uses nor sets a peer's fixed source
  bool routed = false;           ///< another node's message, which this node forwards
  bool ni_given = false;         ///< the caller named the path's NI
  Region memory;                 ///< its payload, or the sink of a GET; valid until Returned
  std::int32_t memory_cpt = -1;  ///< MdSpec::cpt
  std::uint32_t rlength = 0;     ///< bytes
  RxTicket rx;                ///< of a REPLY, drivers with rdma_get: ticket of the GET that came in
  NiId rx_ni;                 ///< the NI where that GET came in; else 0
  Instant started{};          ///< when the operation began
  Instant deadline = kNever;  ///< of the message's first try; kNever: this is the first try
};
/// The answer to Transmit: the transmission has ended, or was refused. The message's memory is no
/// longer in use. The receiver decides whether the message is sent again.
struct Returned {
  MsgTicket msg;
  /// False: the Transmit was refused, and the message is as it was before. Status 0 then means that
  /// the path is out of date: the sender of Returned has configuration `generation`, which is newer
  /// than the path's, and in which the NI is gone or the hop lives in another shard.
  bool taken = true;
  bool bound = false;  ///< the message must not be sent again, whatever `health` is
  int status = 0;
  Health health = Health::kOk;  ///< for the NI; kOk also if the outcome has no bearing on health
  std::int32_t peer_health = kHealthMax;  ///< the present health of the peer NI
  NiId ni;                                ///< the NI that was used
  Nid source;                             ///< its NID
  Instant deadline = kNever;              ///< of the first try
  std::uint64_t generation = 0;
};
/// To the MD's shard: an operation on the MD has ended with this event: a PUT or REPLY landed, or a
/// REPLY was sent from the MD. The MD's shard fills in the fields that describe the MD.
struct Ended {
  MdHandle md;
  Event event;
  int status = 0;
};
/// To a shard that may have messages of this MD, when the MD is unlinked. The receiver ends the
/// messages that wait for a credit, cancels those that a driver has, and passes the Abort on to the
/// shards that transmit the others.
struct Abort {
  MdHandle md;
};
/// To the MD's shard: the driver itself has put the data of an optimised GET into the MD.
struct ReplyInPlace {
  MdHandle md;
  Event event;
  int status = 0;
  Nid hop;  ///< the peer NI that the GET used; for its round-trip times
  NiId ni;  ///< the NI that the GET used; for its round-trip times
};

// ---- looking for the buffer of a message that came in
// In these structs the origin is the shard where the message came in, `msg` is the origin's ticket
// for the message, and `parked` is the owner shard's ticket for it.

/// Look for a buffer that takes this PUT or GET. The origin sends it to the shard that looks first,
/// the portal's owner shard sends it to the shards that look next. If a buffer takes the message,
/// or matches but is too short, the receiver answers the origin with Matched or Dropped. If the
/// owner shard sent the Match, the receiver answers it with Searched. If the origin sent the Match
/// and no buffer matches, the receiver sends Park to the owner shard.
struct Match {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  MsgTicket parked{};  ///< none: the origin sent this Match, not the owner shard
  ShardSet asked{};    ///< shards that found nothing
  /// The ME of a BufferPosted for which the owner shard counted the message; none: no particular
  /// one. The owner shard offers the space that the message would use in that ME to no other
  /// message.
  Handle me{};
  PeerEntryRef peer_entry{};  ///< of the initiator, if its peer has several NIDs
  bool of_neighbour = true;   ///< the initiator is the neighbour from which the message came
};
/// To the origin: this memory takes the message. The message counts as an operation on the MD until
/// Ended{md}.
struct Matched {
  MsgTicket msg;
  MdHandle md;
  Region memory;             ///< `mlength` bytes; none if the MD has kDiscard
  std::uint32_t offset = 0;  ///< bytes into the MD, for the event
  std::uint32_t mlength = 0;
  bool ack_disabled = false;  ///< the MD has kAckDisable
};
/// To the origin: the message is dropped.
struct Dropped {
  MsgTicket msg;
  DropReason reason = DropReason::kNoMatch;
};
/// To the portal's owner shard, from the shard that looked first: no buffer here takes the message.
struct Park {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  ShardSet asked{};           ///< shards that found nothing
  PeerEntryRef peer_entry{};  ///< of the initiator, if its peer has several NIDs
  bool of_neighbour = true;   ///< the initiator is the neighbour from which the message came
};
/// To the portal's owner shard: the answer to its Match. When the owner shard is the origin and the
/// message is decided, Matched or Dropped is the answer instead.
struct Searched {
  MsgTicket parked;
  bool taken = false;  ///< a buffer here took the message, or matched but was too short
  bool empty = false;  ///< no ME is left here
};
/// The portal's owner shard to the origin: the message waits on the lazy portal.
struct Held {
  MsgTicket msg;
  MsgTicket parked;
};
/// The origin to the portal's owner shard: this message shall not wait any longer, because its
/// connection died or its NI is removed. Dropped answers it, unless a Matched or Dropped is already
/// under way.
struct Withdraw {
  MsgTicket parked;
  DropReason reason = DropReason::kNoMatch;
};
/// To the portal's owner shard: a buffer was attached here, or has space left because the message
/// that the owner shard counted for it ended without using it. The fields describe ME and MD as far
/// as the owner shard needs them to find the waiting messages that fit.
struct BufferPosted {
  Portal portal;
  Handle me;  ///< the ME
  ProcessId match_id;
  MatchBits match, ignore;
  std::uint32_t options = 0;
  std::int32_t threshold = 0;
  std::uint32_t length = 0, offset = 0, max_size = 0;
  std::uint64_t refusals = 0;  ///< PortalState::refusals of the sending shard
};
/// The owner shard's answer to a BufferPosted: no message waits on this portal, so the receiver
/// need not announce buffers any more. The receiver ignores it if its `refusals` have grown since
/// that BufferPosted: then one more message is on its way to the owner shard, which needs the next
/// buffer for it.
struct NoneWaits {
  Portal portal;
  std::uint64_t refusals = 0;  ///< as in the BufferPosted that it answers
};

// ---- answers to this node's requests, and what shards learn about peers

/// To the MD's shard: an ACK or a REPLY for that MD came in at `origin`. `msg` is the REPLY. An ACK
/// has none, because the origin has finished with an ACK.
struct ResponseArrived {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  NiId ni;      ///< where it came in
  Nid hop;      ///< the neighbour from which it came
  Nid primary;  ///< of the peer that sent it
};
/// From the MD's shard to the peer NI's shard: the times that responses took, several together
/// (lnet/core/path/round_trips.h).
struct RoundTrip {
  Nid nid;  ///< the peer NI
  Latency put_ack, get_rtt;
};
/// From the MD's shard to the peer NI's shard: a response did not come in time.
struct ResponseTimeout {
  Nid nid;  ///< the peer NI
};
/// To the control shard, which owns the health of NIs: `balance` is the number of messages that
/// succeeded on this NI less the number that failed. 0: the sender only asks for the health,
/// because it has just added the NI, or has changed its copy of the NI's health for a message of
/// another shard.
struct NiOutcomes {
  NiId ni;
  std::int32_t balance = 0;
  bool received = false;  ///< a message came in, so the NI's recovery pings count from 0 again
};
/// From the control shard: the health of an NI. It goes to all shards if the health has changed.
/// Else it goes to the shard that sent NiOutcomes, and corrects the copy which that shard has.
struct NiHealth {
  NiId ni;
  std::int32_t health = kHealthMax;
  bool down = false;  ///< it fell to 0 and is not back at kHealthMax yet (multirail.md 5.1)
};
/// From a peer NI's owner shard to all: the health of the peer NI, if its peer has other NIDs.
struct PeerNiHealth {
  Nid nid;
  std::int32_t health = kHealthMax;
};
/// To the control shard: the peer that has this NID has restarted.
struct PeerRestarted {
  Nid nid;
};
/// To the control shard: a message was exchanged with this NID for the first time.
struct PeerMet {
  Nid nid;
};
/// To the control shard: this shard uses the NID from now on. `PeerEntryAnswer` answers it.
struct PeerEntryWanted {
  Nid nid;
};
/// From the control shard, the answer to PeerEntryWanted.
struct PeerEntryAnswer {
  Nid nid;
  PeerEntryRef peer_entry;       ///< null: the NID has no peer entry
  std::uint64_t generation = 0;  ///< of the directory
};
/// From the control shard to all: one change of the directory, complete, so that no shard ever has
/// the entries of two peers for one NID. A shard keeps a peer entry if it uses one of its NIDs, or
/// if messages from one of these NIDs can come in there.
struct Publish {
  std::vector<PeerEntryRef> peer_entries;
  std::vector<Nid> alone;        ///< these NIDs have no peer entry any more
  std::vector<Nid> gone;         ///< the receiver forgets all that it knows of these NIDs
  std::uint64_t generation = 0;  ///< of the directory
};
/// From the control shard through all others, one after the other, and back: collects which of
/// these peers were used since the last IdlePeers.
struct IdlePeers {
  struct One {
    Handle peer;  ///< of the directory
    std::vector<Nid> nids;
    bool used = false;  ///< a shard has used the peer since the last IdlePeers, or uses it now
  };
  std::vector<One> peers;
};
/// To the control shard: the owner shard of this NID has forgotten the peer NI, to make room for
/// another one.
struct PeerEvicted {
  Nid nid;
};
/// To the control shard: messages to this NID wait here until its peer is discovered. Discovered is
/// the answer.
struct DiscoveryWanted {
  Nid nid;
  Pid pid = Pid::lustre();  ///< of the destination process of the messages
};
/// From the control shard: the discovery of the peer that has these NIDs has ended. Status 0 goes
/// to the shards that have asked, after every Publish of the changes that the discovery has made:
/// messages to these NIDs need not wait any more. An error goes to all shards: waiting messages end
/// with it, and the next message asks again.
struct Discovered {
  std::vector<Nid> nids;
  int status = 0;
};
/// From the control shard to the shard of a caller: the waiting call has ended. It follows every
/// Publish of what the call has learned.
struct CallEnded {
  Done done;
};
/// From the control shard to a peer NI's owner shard: the peer has advertised that this NI of its
/// is up, or down (multirail.md 4.4).
struct PeerNiReported {
  Nid nid;
  bool up = true;
};
/// From the control shard to all: the gateway entry has changed.
struct GatewayNews {
  GatewayEntry entry;
};
/// To the control shard: a message came from or through the gateway with this NID, or a driver or
/// an administrator reports that it is up, or down.
struct GatewayNotified {
  enum class What : std::uint8_t {
    kHeard,  ///< a message came from it, or through it from `net`
    kReset,  ///< it is up, whatever its state was
    kDown,   ///< its NID is down
  };
  Nid nid;
  What what = What::kHeard;
  NetId net{};  ///< kHeard: of the message's source
  NiId ni{};    ///< kDown: whose driver has lost it; 0: an administrator reports it
};
/// To a shard that transmits a message which another shard has received and forwards: routing is
/// turned off, and the message ends.
struct Recall {
  MsgTicket msg;
};
/// To the control shard of a router: another node has pinged it on this net.
struct NetVisited {
  NetId net;
};

/// To the control shard of a router: a message for `destination` came from a router, and is
/// forwarded to this gateway.
struct RouteFollowed {
  Nid gateway;
  Nid destination;
};
/// To the control shard of a router: a ping of this node has come back to this node.
struct CameBack {
  MdHandle md;  ///< where its REPLY would land
  Nid source;
  Nid destination;
};

}  // namespace shard_msg

/// One inter-shard message. docs/PARTITIONS.md has a line for each kind. Its copy, move and
/// destruction are compiled in shard_msg.cc alone, as those of ApiCall are in api.cc.
struct ShardMsg {
  ShardMsg();
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, ShardMsg>) ShardMsg(Body&& contents)
      : body(std::forward<Body>(contents)) {}
  ShardMsg(const ShardMsg&);
  ShardMsg(ShardMsg&&) noexcept;
  ShardMsg& operator=(const ShardMsg&);
  ShardMsg& operator=(ShardMsg&&) noexcept;
  ~ShardMsg();

  std::variant<
      shard_msg::Transmit, shard_msg::Returned, shard_msg::Ended, shard_msg::Abort,
      shard_msg::ReplyInPlace, shard_msg::Match, shard_msg::Matched, shard_msg::Dropped,
      shard_msg::Park, shard_msg::Searched, shard_msg::Held, shard_msg::Withdraw,
      shard_msg::BufferPosted, shard_msg::NoneWaits, shard_msg::ResponseArrived,
      shard_msg::RoundTrip, shard_msg::ResponseTimeout, shard_msg::NiOutcomes, shard_msg::NiHealth,
      shard_msg::PeerRestarted, shard_msg::PeerMet, shard_msg::PeerEntryWanted,
      shard_msg::PeerEntryAnswer, shard_msg::Publish, shard_msg::PeerNiHealth, shard_msg::CallEnded,
      shard_msg::DiscoveryWanted, shard_msg::Discovered, shard_msg::PeerNiReported,
      shard_msg::GatewayNews, shard_msg::GatewayNotified, shard_msg::NetVisited, shard_msg::Recall,
      shard_msg::RouteFollowed, shard_msg::CameBack, shard_msg::IdlePeers, shard_msg::PeerEvicted>
      body;
};

}  // namespace ulnet::core
