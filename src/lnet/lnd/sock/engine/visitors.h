// How many connections peers may have opened to this node; to make room for a peer, the engine
// disconnects one that is idle. All engines of a driver share the limits. Source: docs/SECURITY.md.
#pragma once

#include <boost/intrusive/list.hpp>

#include "lnet/lnd/sock/engine/address_shares.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class Visitors {
 public:
  explicit Visitors(EngineParts& parts) : parts_(parts) {}

  /// Whether a connection of `type` that the peer has dialled may open (kTaken), or all engines or
  /// the host at its address have reached their limit.
  Share admit(Conn& conn, const Peer& peer, wire::ConnType type);
  /// A connection that the peer has dialled is open.
  void visited(Peer& peer);
  /// The connection, which the peer no longer has, passes its reservation to another of the peer's
  /// connections from the same address, or gives it back.
  void release_reservation(Conn& conn, const Peer& peer);

 private:
  using List = boost::intrusive::list<
      Peer, boost::intrusive::member_hook<Peer, Peer::VisitorHook, &Peer::visiting>,
      boost::intrusive::constant_time_size<false>>;

  bool evict_one(const Peer& newcomer);
  void evict(Peer& peer);
  bool can_disconnect(const Peer& peer);

  EngineParts& parts_;
  List silent_;    ///< peers that have opened connections, newest last, by Peer::visiting
  List visitors_;  ///< peers that evict_one() took from silent_ and could not disconnect
};

}  // namespace ulnet::lnd::sock
