// A message that the core has in its hands: on its way out, landing, or held. Source:
// spec/core-semantics.md 6, 7.1, 10.2.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>

#include "core/drop_reason.h"
#include "core/life_cycle.h"
#include "core/placement.h"
#include "core/ports.h"

namespace ulnet::core {

struct LocalNi;
struct PeerNi;
struct Md;
struct AwayMd;

enum class MsgState : std::uint8_t {
  kFresh,      ///< just made
  kPeerQueue,  ///< waits for a credit of the peer NI
  kNiQueue,    ///< waits for a credit of the NI
  kReady,      ///< has been given the credit that it waited for
  kSending,    ///< with the driver, until SendDone
  kAsking,     ///< another shard has the word: it looks for a buffer, or for the MD
  kOffered,    ///< in custody of its portal's home: another shard looks for a buffer there
  kHeld,       ///< on a lazy portal, waits for a buffer
  kLanding,    ///< with the driver, until PayloadLanded
  kEnded,
  kCount
};
enum class MsgEvent : std::uint8_t {
  kNoPeerCredit,
  kNoNiCredit,
  kCredit,
  kHandOver,
  kAsk,
  kOffer,
  kHold,
  kLand,
  kEnd,
  kCount
};
/// A message as another shard knows it.
struct FarMsg {
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
  bool waits_answer = false;  ///< PUT with ACK, or GET: its MD expects a response
  bool optimised = false;     ///< GET whose data the driver itself puts in place
  bool has_peer_credit = false, has_ni_credit = false;
  wire::LnetHeader header;
  Hop hop;      ///< where it goes or came from
  RxTicket rx;  ///< incoming, or the GET that a REPLY answers (drivers with rdma_get)
  NiId rx_ni;   ///< where that came in
  LocalNi* ni = nullptr;
  PeerNi* peer = nullptr;  ///< of the hop
  Md* md = nullptr;        ///< of this shard, or
  AwayMd* away = nullptr;  ///< of another: then `memory` is what it lends
  Region memory;
  Portal request_portal;      ///< of the GET that a REPLY answers
  MatchBits request_bits;     ///< the same
  std::uint32_t offset = 0;   ///< in the MD
  std::uint32_t rlength = 0;  ///< asked for
  std::uint32_t mlength = 0;  ///< moved
  // Incoming, and not this shard's alone to decide (letter.h).
  FarMsg far;              ///< in custody: where it came in; came in here: what home calls it
  ShardSet asked;          ///< in custody: shards that found nothing
  std::uint64_t seen = 0;  ///< in custody: the portal's changes when it was offered last
  bool custody = false;    ///< came in at another shard, is here for its portal
  bool deferred = false;   ///< the driver was told to wait
  bool rx_lost = false;    ///< its connection went meanwhile
  DropReason unwanted = DropReason::kCount;  ///< what to drop it for as soon as that is possible
  Instant started{};                         ///< when it was launched or arrived
  Instant deadline = kNever;                 ///< outgoing only

  void on(MsgEvent event) { state = kMsgLife.after(state, event); }
};

using MsgQueue =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::queue_hook>,
                           boost::intrusive::constant_time_size<false>>;
using MdMessages =
    boost::intrusive::list<Msg, boost::intrusive::member_hook<Msg, Msg::Hook, &Msg::md_hook>,
                           boost::intrusive::constant_time_size<false>>;

}  // namespace ulnet::core
