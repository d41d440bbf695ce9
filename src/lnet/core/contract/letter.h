// Letters: the messages between the shards of one node, a closed list of values. A letter is
// one-way and waits for no other letter. Letters from one shard to another arrive in the order in
// which they were written; nothing is promised about letters of different pairs. Source:
// DESIGN.md 3.
//
// A path is chosen where a message begins: a request where its MD is, an answer where the request
// came in. The transmission takes place in the shard of the path's peer NI, which has the credits
// and talks to the driver. An MD lives in the shard where it was attached or bound. When these are
// two shards, they use letters:
//
//   case                           the peer NI's shard      the other shard
//   a message that begins there                      <----  Transmit
//     its transmission has ended   Returned          ---->
//     its MD is unlinked                             <----  Abort
//   a PUT or GET came in           Match             ---->
//     a buffer takes it                              <----  Matched | Dropped
//     no buffer here                                        Park  ----> the portal's home
//   an ACK or a REPLY came in      ResponseArrived   ---->
//     (answers for a REPLY only)                     <----  Matched | Dropped
//   after Matched: it has ended    Ended             ---->
//
// The home of a portal is the shard (number of the portal) modulo (number of shards). For a
// message that found no buffer where it was first looked for, home alone decides which shards
// look next (Match, answered by Searched), and whether the message waits (Held) or is dropped
// (Dropped). The shard where the message came in may withdraw it (Withdraw). The other shards
// tell home of new buffers (BufferPosted) until home says that no message waits (NoneWaits).
//
// Every chain of letters ends: a Transmit is answered by one Returned, and a message whose path was
// stale is transmitted again by a newer configuration only; a Match is answered once, and home
// offers a message again only if a buffer was attached meanwhile, or if a shard announced a buffer
// again because the message that home had counted for it ended without it. No wake-up is lost: a
// shard that found no buffer tells home of every buffer from then on; it does so after its answer,
// so home has the answer first.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/contract/gateway_card.h"
#include "lnet/core/contract/peer_card.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/contract/ports.h"

namespace ulnet::core {

/// What a transmission uses. select() in the shard where the message begins chooses it
/// (lnet/core/path/select.h).
struct Path {
  NiId ni;                       ///< 0: the shard of `hop` picks it (multirail.md 3.4)
  Hop hop;                       ///< the neighbour; its shard transmits
  std::uint64_t generation = 0;  ///< NodeConfig::generation by which it was chosen
};

namespace letter {

// ---- messages of MDs that live elsewhere

/// To the shard of the path's hop: transmit this message. Returned{msg} answers it.
struct Transmit {
  MsgTicket msg;  ///< of the shard that writes
  MdHandle md;    ///< whose operation it is; none: an ACK
  Path path;
  wire::LnetHeader header;       ///< complete but for the source, unless `routed`
  bool internal = false;         ///< portal 0: neither uses nor sets a peer's fixed source
  bool routed = false;           ///< it is another node's, and this one forwards it
  bool ni_given = false;         ///< its caller has named the path's NI
  Region memory;                 ///< its payload, or the sink of a GET; valid until Returned
  std::int32_t memory_cpt = -1;  ///< MdSpec::cpt
  std::uint32_t rlength = 0;     ///< bytes
  RxTicket rx;                ///< of a REPLY, drivers with rdma_get: that of the GET, which came in
  NiId rx_ni;                 ///< on this NI; else 0
  Instant started{};          ///< when the operation began
  Instant deadline = kNever;  ///< of its first try; kNever: this is the first
};
/// The answer to Transmit: the transmission has ended, or it was refused. The receiver lends no
/// memory any more, and decides whether the message is sent again.
struct Returned {
  MsgTicket msg;
  /// False: it was refused and is as it was before Transmit. With status 0 because its path was
  /// stale: the shard that writes has configuration `generation`, which is newer than the path's,
  /// and in which the NI is gone or the hop lives in another shard.
  bool taken = true;
  bool bound = false;  ///< it may not be sent again, whatever its health says
  int status = 0;
  Health health = Health::kOk;  ///< for the NI; kOk also if the end says nothing about health
  std::int32_t peer_health = kHealthMax;  ///< of the peer NI, now
  NiId ni;                                ///< the NI that was used
  Nid source;                             ///< its NID
  Instant deadline = kNever;              ///< of the first try
  std::uint64_t generation = 0;
};
/// To the MD's shard: an operation on the MD has ended with this event: a PUT or REPLY that landed,
/// or a REPLY that was sent from it. The MD's shard fills in the fields that describe the MD.
struct Ended {
  MdHandle md;
  Event event;
  int status = 0;
};
/// To a shard that may have messages of this MD, when the MD is unlinked. That shard ends the
/// messages that wait for a credit, cancels those that a driver has, and passes the letter on to
/// the shards that transmit the others.
struct Abort {
  MdHandle md;
};
/// To the MD's shard: the driver itself has put the data of an optimised GET into the MD.
struct ReplyInPlace {
  MdHandle md;
  Event event;
  int status = 0;
  Nid hop;  ///< the peer NI, and
  NiId ni;  ///< the NI that the GET used: for their round-trip times
};

// ---- looking for the buffer of a message that came in
// In these letters the origin is the shard where the message came in, `msg` the origin's ticket
// for the message, and `parked` home's ticket for it.

/// Look for a buffer that takes this PUT or GET. The origin writes it to the shard that looks
/// first, home to the shards that look next. If a buffer takes the message, or would but is too
/// short, the receiver tells the origin by Matched or Dropped. It tells home by Searched what it
/// found, if home wrote the Match; else, when it found nothing, it parks the message at home.
struct Match {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  MsgTicket parked{};  ///< none: the origin wrote this Match, not home
  ShardSet asked{};    ///< shards that found nothing
  /// The entry of a BufferPosted for which home counted the message; none: no particular one.
  /// Home offers what the message would use of that entry to no other message.
  Handle me{};
  PeerCardRef card{};        ///< of the initiator, if its peer has several NIDs
  bool of_neighbour = true;  ///< the initiator is the neighbour from which the message came
};
/// To the origin: this memory takes the message. The MD counts it as an operation until Ended{md}.
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
/// To home, from the shard that looked first: no buffer here takes the message.
struct Park {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  ShardSet asked{};          ///< shards that found nothing
  PeerCardRef card{};        ///< of the initiator, if its peer has several NIDs
  bool of_neighbour = true;  ///< the initiator is the neighbour from which the message came
};
/// To home: the answer to a Match that home wrote. When home is the origin and the message is
/// decided, Matched or Dropped is the answer instead.
struct Searched {
  MsgTicket parked;
  bool taken = false;  ///< a buffer here took the message, or would but was too short
  bool empty = false;  ///< no entry is left here
};
/// Home to the origin: the message waits on the lazy portal.
struct Held {
  MsgTicket msg;
  MsgTicket parked;
};
/// The origin to home: this message shall not wait any longer, because its connection died or its
/// NI is removed. Dropped answers it, unless a Matched or Dropped is on its way already.
struct Withdraw {
  MsgTicket parked;
  DropReason reason = DropReason::kNoMatch;
};
/// To home: a buffer was attached here, or has room left because the message that home counted
/// for it ended without it. The fields describe entry and MD as far as home needs them to find
/// the waiting messages that the buffer fits.
struct BufferPosted {
  Portal portal;
  Handle me;  ///< the entry
  ProcessId match_id;
  MatchBits match, ignore;
  std::uint32_t options = 0;
  std::int32_t threshold = 0;
  std::uint32_t length = 0, offset = 0, max_size = 0;
  std::uint64_t refusals = 0;  ///< PortalState::refusals of the shard that writes
};
/// Home answers a BufferPosted: no message waits on this portal, so the shard need not announce
/// buffers any more. The shard ignores it if its `refusals` have grown since that BufferPosted:
/// then home will hear of one more message, and has to be told of the next buffer for it.
struct NoneWaits {
  Portal portal;
  std::uint64_t refusals = 0;  ///< as in the BufferPosted that it answers
};

// ---- answers to this node's requests, and what shards learn of peers

/// To the MD's shard: an ACK or a REPLY for that MD came in at `origin`. `msg` is the REPLY; for
/// an ACK it names nothing, for the origin is done with it.
struct ResponseArrived {
  std::uint32_t origin = 0;
  MsgTicket msg;
  wire::LnetHeader header;
  NiId ni;      ///< where it came in
  Nid hop;      ///< the neighbour that it came from
  Nid primary;  ///< of the peer that sent it
};
/// MD's shard to a peer NI's shard: the times that responses took, several together
/// (lnet/core/path/round_trips.h).
struct RoundTrip {
  Nid nid;  ///< the peer NI
  Latency put_ack, get_rtt;
};
/// MD's shard to a peer NI's shard: a response did not come in time.
struct ResponseTimeout {
  Nid nid;  ///< the peer NI
};
/// To the control shard, which owns the health of NIs: messages have ended well (> 0) or badly
/// (< 0) on this NI, as many as the number says, one taken off the other. 0: the writer only asks,
/// because it has the NI anew, or has changed what it thinks of it for a message of another shard.
struct NiOutcomes {
  NiId ni;
  std::int32_t balance = 0;
  bool received = false;  ///< one of them came in, so the NI's recovery pings count from 0 again
};
/// From the control shard: the health of an NI. A changed one goes to all. One that NiOutcomes did
/// not change goes to the shard that wrote it: so what that has meanwhile thought is corrected.
struct NiHealth {
  NiId ni;
  std::int32_t health = kHealthMax;
  bool down = false;  ///< it fell to 0 and is not back at kHealthMax yet (multirail.md 5.1)
};
/// From a NID's home to all: the health of the peer NI, if its peer has other NIDs.
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
/// To the control shard: this shard uses the NID from now on. Card answers it.
struct CardWanted {
  Nid nid;
};
/// From the control shard, the answer to CardWanted.
struct Card {
  Nid nid;
  PeerCardRef card;              ///< null: there is none
  std::uint64_t generation = 0;  ///< of the directory
};
/// From the control shard to all: one change of the directory, and all of it, so that no shard ever
/// has cards of two peers for one NID. A shard keeps a card if it uses one of its NIDs, or if
/// messages from one of them may come in there.
struct Publish {
  std::vector<PeerCardRef> cards;
  std::vector<Nid> alone;        ///< these NIDs have no card any more
  std::vector<Nid> gone;         ///< all that is known of these NIDs is void
  std::uint64_t generation = 0;  ///< of the directory
};
/// From the control shard by way of all others, one after the other, and back: which of these peers
/// were used since they were looked at last?
struct IdlePeers {
  struct One {
    Handle peer;  ///< of the directory
    std::vector<Nid> nids;
    bool used = false;  ///< a shard has had something to do with it, or has now
  };
  std::vector<One> peers;
};
/// To the control shard: the home of this NID has forgotten it, to make room for another one.
struct PeerEvicted {
  Nid nid;
};
/// To the control shard: messages to this NID wait here until its peer is discovered. Discovered
/// answers it.
struct DiscoveryWanted {
  Nid nid;
  Pid pid = Pid::lustre();  ///< of the process there that the messages are for
};
/// From the control shard: the discovery of the peer that has these NIDs has ended. Status 0 goes
/// to those that have asked, after every Publish of what was learnt: messages to them need not wait
/// any more. An error goes to all: messages that wait end with it, the next ones ask again.
struct Discovered {
  std::vector<Nid> nids;
  int status = 0;
};
/// From the control shard to the shard of a caller: the call that waits has ended. It comes after
/// every Publish of what the call has learnt.
struct CallEnded {
  Done done;
};
/// From the control shard to a NID's home: the peer has told that this NI of it is up, or down
/// (multirail.md 4.4).
struct PeerNiTold {
  Nid nid;
  bool up = true;
};
/// From the control shard to all: what is known of a gateway has changed.
struct GatewayNews {
  GatewayCard card;
};
/// To the control shard: the gateway with this NID was heard of, or its driver or an administrator
/// has said that it is there, or gone.
struct GatewayNotified {
  enum class What : std::uint8_t {
    kHeard,  ///< a message came from it, or through it from `net`
    kReset,  ///< it is up, whatever was thought of it
    kDown,   ///< its NID is down
  };
  Nid nid;
  What what = What::kHeard;
  NetId net{};  ///< kHeard: of the message's source
  NiId ni{};    ///< kDown: whose driver has lost it; 0: an administrator says so
};
/// To a shard that transmits the second leg of a message: the router is turned off, and it ends.
struct Recall {
  MsgTicket msg;
};
/// To the control shard of a router: another node has pinged it on this net.
struct NetVisited {
  NetId net;
};

/// To the control shard of a router: a message for `destination` came from a router, and goes on by
/// this gateway.
struct RouteFollowed {
  Nid gateway;
  Nid destination;
};
/// To the control shard of a router: a ping of this node has come back to it.
struct CameBack {
  MdHandle md;  ///< in which its REPLY would land
  Nid source;
  Nid destination;
};

}  // namespace letter

/// docs/PARTITIONS.md has a line for each letter. As an ApiCall it is copied, moved and destroyed
/// in a source of its own.
struct Letter {
  Letter();
  template <class Body>
  requires(!std::is_same_v<std::remove_cvref_t<Body>, Letter>) Letter(Body&& contents)
      : body(std::forward<Body>(contents)) {}
  Letter(const Letter&);
  Letter(Letter&&) noexcept;
  Letter& operator=(const Letter&);
  Letter& operator=(Letter&&) noexcept;
  ~Letter();

  std::variant<letter::Transmit, letter::Returned, letter::Ended, letter::Abort,
               letter::ReplyInPlace, letter::Match, letter::Matched, letter::Dropped, letter::Park,
               letter::Searched, letter::Held, letter::Withdraw, letter::BufferPosted,
               letter::NoneWaits, letter::ResponseArrived, letter::RoundTrip,
               letter::ResponseTimeout, letter::NiOutcomes, letter::NiHealth, letter::PeerRestarted,
               letter::PeerMet, letter::CardWanted, letter::Card, letter::Publish,
               letter::PeerNiHealth, letter::CallEnded, letter::DiscoveryWanted, letter::Discovered,
               letter::PeerNiTold, letter::GatewayNews, letter::GatewayNotified, letter::NetVisited,
               letter::Recall, letter::RouteFollowed, letter::CameBack, letter::IdlePeers,
               letter::PeerEvicted>
      body;
};

}  // namespace ulnet::core
