// Dialling: which peers, when, and how many at once. Source: spec/wire-socklnd.md 2, 4.6, 5.1, 9,
// 10.
#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::lnd::sock {

namespace {

/// After this time in which no dial ended, nconnds_max dials may run rather than nconnds: those
/// under way seem to wait for peers that do not answer.
constexpr Duration kDialsStuckAfter = std::chrono::milliseconds(100);

}  // namespace

DialPlan::Pace Engine::pace() const {
  return {std::chrono::milliseconds(tunables_.min_reconnectms),
          std::chrono::milliseconds(tunables_.max_reconnectms)};
}

bool Engine::may_dial(const Peer& peer) const {
  return peer.address && !peer.dial_queued && peer.accepts == 0 && peer.has_link();
}

/// Whether this node dials a peer at its own address although the peer's connections, which carry
/// its messages, all come from other addresses. Those connections may be with a host that took over
/// its NID (spec/observed.md 8). If the peer was once connected at its own address, this node dials
/// it there again after each pause. If it never was (it may be behind address translation), this
/// node dials it there once, and only when no other peer waits for a dial.
bool Engine::may_dial_own_address(const Peer& peer) const {
  if (peer.seen_at_own_address) return true;
  const auto limit = static_cast<unsigned>(std::max(tunables_.nconnds / 2, 1));
  return !peer.own_address_tried && dial_queue_.empty() && dials_ < limit;
}

void Engine::want_dial(Peer& peer, bool message) {
  if (peer.conns.empty() && peer.waiting.empty() && !message) return;
  if (!peer.waiting.empty() || peer.conns.empty()) {
    peer.initiated = true;
    peer.wants_more = true;
  } else if (message && peer.at_other_addresses_only() && may_dial_own_address(peer)) {
    peer.own_address_tried = true;
    peer.wants_more = true;
  }
  if (!peer.wants_more || !may_dial(peer)) return;
  if (!next_missing(peer.at_own_address, peer.bulk, typed())) {
    peer.wants_more = false;
    return;
  }
  if (!peer.plan.ready(now_, message || !peer.waiting.empty())) {
    if (peer.plan.pause_over() != kNever) arm(peer, peer.plan.pause_over());
    return;
  }
  peer.dial_queued = true;
  dial_queue_.push_back(peer.key);
  if (dials_stuck_ == kNever) dials_stuck_ = now_ + kDialsStuckAfter;
  start_dials();
}

void Engine::start_dials() {
  const bool stuck = now_ >= dials_stuck_;
  const auto limit = static_cast<unsigned>(
      stuck ? std::max(tunables_.nconnds, tunables_.nconnds_max) : tunables_.nconnds);
  while (dials_ < limit && !dial_queue_.empty()) {
    const PeerKey key = dial_queue_.front();
    dial_queue_.erase(dial_queue_.begin());
    Peer* peer = find_peer(key.ni, key.hop);
    if (peer == nullptr || !peer->dial_queued) continue;
    peer->dial_queued = false;
    if (peer->plan.dialling() || !may_dial(*peer)) continue;
    start_dial(*peer);
  }
  if (dial_queue_.empty()) dials_stuck_ = kNever;
  dials_full_ = stuck && !dial_queue_.empty();
}

void Engine::start_dial(Peer& peer) {
  const auto type = next_missing(peer.at_own_address, peer.bulk, typed());
  if (!type || (peer.conns.empty() && peer.waiting.empty() && !peer.wants_more)) return;
  const bool bulk = *type == wire::ConnType::kBulkIn || *type == wire::ConnType::kBulkOut;
  const auto port =
      static_cast<std::uint16_t>(bulk ? tunables_.accept_port_bulk : tunables_.accept_port);
  Conn& conn = make_conn(ConnState::kConnecting, {*peer.address, port});
  conn.active = true;
  conn.ni = peer.ni;
  conn.peer = &peer;
  conn.type = *type;
  peer.dial = &conn;
  peer.plan.start();
  ++dials_;
  report(Count::kDialled, conn, to_string(conn.type));
  arm(*conn.handshake, peer.ni->timeout);
  outlet_.dial(conn.self, {peer.ni->address, conn.remote, peer.ni->tos});
}

void Engine::end_dial(Peer& peer) {
  ULNET_ASSERT(peer.dial != nullptr && dials_ != 0);
  peer.dial = nullptr;
  --dials_;
  if (!dial_queue_.empty()) {
    dials_stuck_ = now_ + kDialsStuckAfter;
    start_dials();
  }
}

void Engine::dial_failed(Handle handle, int error, bool unprivileged) {
  Conn* conn = find(handle);
  if (conn == nullptr || conn->state != ConnState::kConnecting) return;
  conn->unprivileged = unprivileged;
  dial_came_to_nothing(*conn, dial_failure(error), Count::kDialFailed);
}

void Engine::dial_came_to_nothing(Conn& conn, const Failure& failure, Count why) {
  Peer& peer = *conn.peer;
  report(why, conn, failure.reason);
  peer.trouble = failure;
  peer.trouble_unprivileged = conn.unprivileged;
  peer.plan.failed(now_, failure, pace());
  peer.wants_more = false;
  close_conn(conn, failure);
  TxList waiting;
  waiting.take_all(peer.waiting);
  finish_all(waiting, failure);
  if (failure.shortage) return forget_if_idle(peer);
  // Any other dial that fails closes every connection to that address, whatever the peer's PID
  // (4.6).
  const core::NiId ni = peer.key.ni;
  const Nid nid = peer.key.hop.nid;
  const Address address = *peer.address;
  for (auto at = peer_order_.begin(); at != peer_order_.end();) {
    Peer& other = *at++;
    if (other.key.ni == ni && other.key.hop.nid == nid) close_address(other, address, failure);
  }
}

}  // namespace ulnet::lnd::sock
