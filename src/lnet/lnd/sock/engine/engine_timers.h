// The engine's timers: one of each peer, and one of each connection until it is open.
#pragma once

#include <algorithm>
#include <utility>

#include "lnet/base/timer_wheel.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

class EngineTimers {
 public:
  /// Has the peer's timer fire at `when`, or earlier if it is armed for an earlier time.
  void arm(Peer& peer, Instant when) {
    if (when >= peer.timer.deadline()) return;
    peers_.arm(peer.timer, when);
    stale_ = true;
  }
  void arm(Handshake& handshake, Instant when) {
    conns_.arm(handshake.timer, when);
    stale_ = true;
  }
  /// When the next timer fires.
  Instant next_deadline() {
    if (std::exchange(stale_, false))
      due_ = std::min(peers_.next_deadline(), conns_.next_deadline());
    return due_;
  }
  /// Calls on_conn(Conn&) and on_peer(Peer&) for the timers that are due.
  template <class OnConn, class OnPeer>
  void fire(Instant now, OnConn&& on_conn, OnPeer&& on_peer) {
    while (Timer* timer = conns_.pop(now)) on_conn(*static_cast<ConnTimer*>(timer)->conn);
    while (Timer* timer = peers_.pop(now)) on_peer(*static_cast<PeerTimer*>(timer)->peer);
    stale_ = true;
  }

 private:
  TimerWheel peers_, conns_;
  Instant due_ = kNever;  ///< when the next timer fires, unless stale_
  bool stale_ = false;    ///< a timer was armed or fired since due_ was computed
};

}  // namespace ulnet::lnd::sock
