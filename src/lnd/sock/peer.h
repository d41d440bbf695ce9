// What is known of one peer of one NI of ours: its connections, how it is dialled, what it said of
// itself, what waits for it. Plain state; engine.h drives it. Source: spec/wire-socklnd.md 4.6, 5,
// 7, 8.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <cstdint>
#include <optional>

#include "base/timer_wheel.h"
#include "lnd/sock/ack_ledger.h"
#include "lnd/sock/conn.h"
#include "lnd/sock/dial_plan.h"
#include "lnd/sock/ni_info.h"

namespace ulnet::lnd::sock {

/// Peers are told apart by our NI, their NID and their PID.
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

/// Version and incarnation, as the first accepted connection fixed them (spec/wire-socklnd.md 8).
struct Acquaintance {
  bool met = false;
  std::uint8_t version = 0;  ///< 0: forgotten, it is negotiated anew
  std::uint64_t incarnation = 0;

  /// A hello that says otherwise comes from another life, or would mix versions.
  bool contradicts(const wire::Hello& hello) const {
    return met &&
           (incarnation != hello.src_incarnation || (version != 0 && version != hello.version));
  }
  bool other_life(const wire::Hello& hello) const {
    return met && incarnation != hello.src_incarnation;
  }
};

struct Peer : boost::intrusive::list_base_hook<> {
  PeerKey key;
  const NiInfo* ni = nullptr;
  std::optional<Address>
      address;  ///< where to dial; nothing: never dialled (a user PID, not a tcp NID)
  boost::container::small_vector<Conn*, 3> conns;  ///< open ones, oldest first
  Census have;                                     ///< of conns
  Census at_own_address;                           ///< ... those with its own address
  DialPlan plan;
  Conn* dial = nullptr;      ///< the connection being made
  std::uint8_t offer = 0;    ///< version to dial with; 0: our own choice
  bool initiated = false;    ///< we ever dialled it
  bool wants_more = false;   ///< our set of connections is not complete and may be completed
  bool dial_queued = false;  ///< waits for its turn to dial
  bool seen_at_own_address = false;  ///< a connection with its own address was open
  bool own_address_tried = false;    ///< it was dialled though its connections come from others
  std::uint16_t accepts = 0;         ///< connections of its being accepted: our own dial waits
  std::int32_t bulk = 1;             ///< C: connections per bulk direction
  Acquaintance known;
  TxList waiting;  ///< messages that wait for a connection
  AckLedger ledger;
  std::size_t held_bytes = 0;
  Instant last_heard{};
  Instant last_keepalive{};
  PeerTimer timer;
  Failure trouble;  ///< of the last dial; status 0: none
  bool trouble_unprivileged = false;

  bool is_own_address(const Endpoint& remote) const {
    return address && remote.address == *address;
  }
  /// Its connections come from addresses that are not its NID's: a host with several addresses,
  /// one behind address translation, or one that took the NID over.
  bool at_other_addresses_only() const {
    return address && !conns.empty() && at_own_address.total() == 0;
  }
};

}  // namespace ulnet::lnd::sock
