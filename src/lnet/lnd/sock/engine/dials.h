// Dialling: which peers, when, and how many at once. Source: spec/wire-socklnd.md 2, 4.6, 5.1, 9,
// 10.
#pragma once

#include <vector>

#include "lnet/lnd/sock/engine/counters.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class Dials {
 public:
  explicit Dials(EngineParts& parts) : parts_(parts) {}

  /// Dials the peer, now or when it may be dialled, if connections to it are missing and this node
  /// is to make them. `message`: a message asks for the dial.
  void want(Peer& peer, bool message);
  /// A dial has failed with `error`, a positive errno.
  void failed(Handle conn, int error, bool unprivileged = false);
  /// The dial, or its handshake, has failed. Ends the messages that waited for it. The peer may be
  /// gone afterwards.
  void came_to_nothing(Conn& conn, const Failure& failure, Count why);
  /// The peer's dial is over: its connection is open or closed.
  void ended(Peer& peer);
  /// When work() must be called next.
  Instant next_deadline() const;
  /// Starts dials that waited for others to end, if those seem to be stuck.
  void work();

  DialPlan::Pace pace() const;
  bool typed() const;

 private:
  bool may_dial(const Peer& peer) const;
  bool may_dial_own_address(const Peer& peer) const;
  void start_all();
  void start_dial(Peer& peer);

  EngineParts& parts_;
  std::vector<PeerKey> queue_;  ///< peers whose dial waits until fewer are under way
  unsigned running_ = 0;        ///< number of dials under way
  /// From this time on nconnds_max dials may run, if no dial ends before.
  Instant stuck_at_ = kNever;
  /// The largest allowed number of dials runs, and others wait for one of them to end.
  bool full_ = false;
};

}  // namespace ulnet::lnd::sock
