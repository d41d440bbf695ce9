#include <algorithm>

#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

namespace {

constexpr Duration kKeepaliveGap = std::chrono::seconds(10);
/// How long connections are kept while the link is down, if TCP retransmits within a second once
/// the link is up again. Messages under way on them then survive a short outage. A message that was
/// partly written is lost when its connection is closed, since nobody knows how many of its bytes
/// arrived (spec/multirail.md 5.2).
constexpr Duration kKeptFor = std::chrono::seconds(10);

}  // namespace

void PeerWatch::watch(Peer& peer) { parts_.timers.arm(peer, parts_.now + peer.ni->timeout / 4); }

void PeerWatch::check(Peer& peer) {
  if (is_cut_off(peer)) return leave(peer);
  Instant next = kNever;
  check_waiting(peer, next);
  for (std::size_t i = 0; i < peer.conns.size(); ++i) {
    Conn& conn = *peer.conns[i];
    if (check_conn(peer, conn, next)) continue;
    parts_.report(Count::kClosedNoProgress, conn);
    watch(peer);
    return parts_.closer.close_address(peer, conn.remote.address,
                                       kNoProgress);  // the peer may be gone now
  }
  const Duration limit = peer.ni->timeout;
  if (!peer.ledger.empty()) {
    if (peer.ledger.oldest() + limit <= parts_.now) {
      parts_.report(Count::kClosedNoAck,
                    *peer.conns.front());  // a request is dropped with its connection,
                                           // so there is one
      return parts_.closer.close_peer(peer, kAckMissing);
    }
    next = std::min(next, peer.ledger.oldest() + limit);
  }
  check_keepalive(peer, next);
  if (next != kNever)
    parts_.timers.arm(peer, std::max(next, parts_.now + std::chrono::milliseconds(1)));
  parts_.dials.want(peer, false);
}

/// Fails the messages that have waited too long for a connection, or past their deadline.
void PeerWatch::check_waiting(Peer& peer, Instant& next) {
  const Duration limit = peer.ni->timeout;
  const auto over = [&](const Tx& tx) {
    return tx.since + limit <= parts_.now || tx.send.deadline <= parts_.now;
  };
  while (Tx* tx = peer.waiting.take_if(over)) parts_.outgoing.finish(tx, kWaitedTooLong);
  peer.waiting.for_each([&](const Tx& tx) {
    next = std::min({next, tx.since + limit, tx.send.deadline});
  });
}

/// Checks an open connection; fails its queued messages that are past their deadline. False: it
/// has made no progress for too long.
bool PeerWatch::check_conn(Peer& peer, Conn& conn, Instant& next) {
  const Duration limit = peer.ni->timeout;
  const auto late = [&](const Tx& tx) { return !tx.is_noop && tx.send.deadline <= parts_.now; };
  while (Tx* tx = parts_.outgoing.take_back(conn, late)) parts_.outgoing.finish(tx, kNoProgress);
  conn.tx.for_each([&](const Tx& tx) {
    if (!tx.is_noop && !tx.begun()) next = std::min(next, tx.send.deadline);
  });

  if (conn.rx.mid_message() && !conn.paused) {
    if (conn.last_rx + limit <= parts_.now) return false;
    next = std::min(next, conn.last_rx + limit);
  }
  if (conn.unacked != 0) {
    const std::uint32_t unacked = parts_.outlet.unacknowledged(conn.self);
    if (unacked == 0) peer.last_heard = std::max(peer.last_heard, conn.last_tx);
    const std::uint64_t acked = conn.written - std::min<std::uint64_t>(unacked, conn.written);
    if (acked > conn.acked) conn.progress = parts_.now;
    conn.acked = acked;
    conn.unacked = unacked;
  }
  if (!conn.outstanding()) return true;
  if (conn.progress + limit <= parts_.now) return false;
  // Look often enough to see that something was acknowledged between two looks.
  next = std::min({next, conn.progress + limit, parts_.now + limit / 4});
  return true;
}

void PeerWatch::check_keepalive(Peer& peer, Instant& next) {
  if (parts_.tunables.keepalive <= 0) return;
  Conn* conn = OutgoingMessages::choose_for_noop(peer, false);
  if (conn == nullptr || conn->version < 3) return;
  const Instant due = std::max(peer.last_heard + std::chrono::seconds(parts_.tunables.keepalive),
                               peer.last_keepalive + kKeepaliveGap);
  if (parts_.now < due || !conn->tx.empty()) {
    next = std::min(next, parts_.now < due ? due : parts_.now + kKeepaliveGap);
    return;
  }
  parts_.outgoing.send_keepalive(*conn);
  peer.last_keepalive = parts_.now;
  next = std::min(next, parts_.now + kKeepaliveGap);
}

// ---- links --------------------------------------------------------------------------------------

void PeerWatch::link_changed(core::NiId id, bool up) {
  NiInfo* ni = parts_.find_ni(id);
  if (ni == nullptr || ni->link_up() == up) return;
  ni->link_down_since = up ? kNever : parts_.now;
  up ? link_up(id) : link_down(id);
}

void PeerWatch::link_down(core::NiId id) {
  const bool kept = parts_.outlet.resends_soon();
  parts_.peers.for_each([&](Peer& peer) {
    if (peer.key.ni != id || peer.has_link()) return;
    kept ? parts_.timers.arm(peer, parts_.now + kKeptFor) : leave(peer);
  });
}

/// Whether the link of the peer's NI has been down for longer than its connections are kept.
bool PeerWatch::is_cut_off(const Peer& peer) {
  const Duration kept = parts_.outlet.resends_soon() ? kKeptFor : Duration{};
  return !peer.has_link() && parts_.now >= peer.ni->link_down_since + kept;
}

/// Ends the messages under way on the peer's connections, so that the core can send them by another
/// NI.
void PeerWatch::leave(Peer& peer) {
  peer.dial_with_link = peer.initiated && !peer.conns.empty();
  parts_.closer.close_peer(peer, kLinkDown);
}

/// Called when the link of the NI is up again. Dials the peers that were connected when the link
/// went down. Before that, resets the connections that were left: a peer that still has them would
/// refuse new ones as duplicates (spec/wire-socklnd.md 5.1).
void PeerWatch::link_up(core::NiId id) {
  parts_.outlet.reset_left(id);
  parts_.peers.for_each([&](Peer& peer) {
    if (peer.key.ni != id) return;
    peer.plan.link_up();
    if (!std::exchange(peer.dial_with_link, false)) return;
    peer.wants_more = true;
    parts_.dials.want(peer, true);
  });
}

}  // namespace ulnet::lnd::sock
