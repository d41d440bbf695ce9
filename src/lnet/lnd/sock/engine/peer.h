// One peer of one NI of this node: its connections, the plan to dial it, its version and
// incarnation, the messages that wait for it. Plain data; engine.h acts on it. Source:
// spec/wire-socklnd.md 4.6, 5, 7, 8.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <cstdint>
#include <optional>

#include "lnet/base/timer_wheel.h"
#include "lnet/lnd/sock/engine/ack_ledger.h"
#include "lnet/lnd/sock/engine/conn.h"
#include "lnet/lnd/sock/engine/dial_plan.h"
#include "lnet/lnd/sock/engine/ni_info.h"

namespace ulnet::lnd::sock {

/// A peer is identified by this node's NI, and the peer's NID and PID.
struct PeerKey {
  core::NiId ni;
  core::Hop hop;
  bool operator==(const PeerKey&) const = default;
};
struct PeerKeyHash {
  std::size_t operator()(const PeerKey& key) const {
    return NidHash{}(key.hop.nid) * 31 + key.hop.pid.value * 7 + key.ni.value;
  }
};

struct PeerTimer : Timer {
  Peer* peer = nullptr;
};

/// The peer's version and incarnation: every connection of it must have the same
/// (spec/wire-socklnd.md 8).
struct Acquaintance {
  bool met = false;          ///< a connection was open since this was last reset
  std::uint8_t version = 0;  ///< 0: not fixed, to be negotiated
  std::uint64_t incarnation = 0;

  /// Whether the hello comes from another incarnation of the peer, or has another version.
  bool contradicts(const wire::Hello& hello) const {
    return met &&
           (incarnation != hello.src_incarnation || (version != 0 && version != hello.version));
  }
  bool other_incarnation(const wire::Hello& hello) const {
    return met && incarnation != hello.src_incarnation;
  }
};

struct Peer : boost::intrusive::list_base_hook<> {
  using VisitorHook = boost::intrusive::list_member_hook<
      boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  PeerKey key;
  const NiInfo* ni = nullptr;
  /// Where to dial; nothing: this node never dials the peer (a user PID, or no tcp NID of the NI's
  /// family).
  std::optional<Address> address;
  boost::container::small_vector<Conn*, 3> conns;  ///< the open connections, oldest first
  Census have;                                     ///< counts conns
  Census at_own_address;  ///< of those in conns whose remote address is `address`
  DialPlan plan;
  Conn* dial = nullptr;    ///< the connection being made
  std::uint8_t offer = 0;  ///< the version to dial with; 0: this node's own choice
  bool initiated = false;  ///< this node has dialled the peer, or had a reason to
  Instant last_message{};  ///< when an LNet message last came or was sent
  /// An LNet message was sent or received on one of conns, or was queued for one.
  bool exchanged = false;
  bool wants_more = false;   ///< connections are missing, and this node is to dial for them
  bool dial_queued = false;  ///< waits in Dials for its dial
  /// This node dials the peer when the link is up again, since it was connected when the link went
  /// down.
  bool dial_with_link = false;
  bool seen_at_own_address = false;  ///< a connection with `address` was once open
  /// `address` was dialled although all conns have other addresses.
  bool own_address_tried = false;
  std::uint16_t accepts = 0;  ///< connections of the peer being accepted; meanwhile it is not
                              ///< dialled
  std::int32_t bulk = 1;      ///< connections per bulk direction
  Acquaintance known;
  TxList waiting;  ///< messages that wait for a connection
  AckLedger ledger;
  /// Payload bytes of staged messages, at most limits::kHoldBytesPerPeer.
  std::size_t held_bytes = 0;
  /// The peer is in one of the lists of Visitors while it has open connections that it has
  /// dialled. visitors_ is roughly ordered by last use. `queued`: when a message was last
  /// exchanged, or the first of these connections was opened, as known when the peer got its place
  /// in the list.
  VisitorHook visiting;
  Instant queued{};
  Instant last_heard{};      ///< when bytes last came, or were last seen acknowledged
  Instant last_keepalive{};  ///< when a keepalive was last sent
  PeerTimer timer;
  Failure trouble;                    ///< why the last dial failed; status 0: it did not
  bool trouble_unprivileged = false;  ///< that dial used a source port above 1023

  bool is_own_address(const Endpoint& remote) const {
    return address && remote.address == *address;
  }
  /// Whether the peer is this NI itself. Messages to it cross no link.
  bool is_own_ni() const { return address && *address == ni->address; }
  /// Whether the link of this node lets it dial the peer.
  bool has_link() const { return ni->link_up() || is_own_ni(); }
  /// True if no open connection has the address in the peer's NID. Then the peer is a host with
  /// several addresses, a host behind address translation, or one that took the NID over.
  bool at_other_addresses_only() const {
    return address && !conns.empty() && at_own_address.total() == 0;
  }
};

}  // namespace ulnet::lnd::sock
