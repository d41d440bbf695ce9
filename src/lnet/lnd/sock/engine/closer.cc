// How connections end, and which messages and peers end with them. Source: spec/wire-socklnd.md
// 4.6, 8, 10.
#include <algorithm>

#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

namespace {

/// Returns the counter for the end of this connection. An error of an idle connection interrupts no
/// message.
Count how_it_ended(const Conn& conn, int error) {
  if (conn.rx.mid_message() || conn.tx.mid_message()) return Count::kClosedMidMessage;
  const bool silent = error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
  return silent ? Count::kClosedSilent : Count::kClosedByPeer;
}

}  // namespace

void Closer::ended(Handle handle, int error) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr) return;
  switch (conn->state) {
    case ConnState::kClosed:
      return;
    case ConnState::kConnecting:
      return parts_.dials.failed(handle, error == 0 ? ECONNRESET : error);
    case ConnState::kGreeting:
      return parts_.dials.came_to_nothing(*conn, dial_failure(error == 0 ? ECONNRESET : error),
                                          Count::kDialFailed);
    case ConnState::kRequest:
    case ConnState::kHello:
    case ConnState::kRefusing:
      return parts_.handshakes.close_unopened(*conn, Count::kRefusedHungUp);
    case ConnState::kOpen:
      break;
  }
  parts_.report(how_it_ended(*conn, error), *conn);
  const bool closed = error == 0 || error == ECONNRESET || error == EPIPE;
  const Failure& failure = closed               ? kPeerClosed
                           : error == ETIMEDOUT ? kNoProgress
                                                : kConnectionFailed;
  close_address(*conn->peer, conn->remote.address, failure);
}

void Closer::siblings(Handle handle, std::vector<Handle>& siblings) {
  const Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state != ConnState::kOpen) return;
  for (const Conn* other : conn->peer->conns)
    if (other != conn && other->remote.address == conn->remote.address)
      siblings.push_back(other->self);
}

void Closer::close_conn(Conn& conn, const Failure& failure) {
  if (conn.state == ConnState::kClosed) return;
  const bool was_open = conn.state == ConnState::kOpen;
  parts_.conns.step(conn, ConnEvent::kFail);
  Peer& peer = *conn.peer;
  if (was_open) {
    parts_.report(Count::kClosed, conn, failure.reason);
    --peer.have.of(conn.type);
    if (peer.is_own_address(conn.remote)) --peer.at_own_address.of(conn.type);
    peer.conns.erase(std::find(peer.conns.begin(), peer.conns.end(), &conn));
    parts_.visitors.release_reservation(conn, peer);
  } else {
    parts_.dials.ended(peer);
  }
  if (was_open && failure.link_down)
    parts_.outlet.leave(conn.self, peer.key.ni);
  else
    parts_.outlet.close(conn.self);
  parts_.conns.closed(conn);
  parts_.incoming.lose(conn, failure);
  while (Tx* tx = conn.tx.take_front())
    parts_.outgoing.finish(tx, message_failure(failure, tx->begun()));
  TxList unacked;
  peer.ledger.take(conn.self, unacked);
  parts_.outgoing.finish_all(unacked, message_failure(failure, true));
}

void Closer::close_address(Peer& peer, const Address& address, const Failure& failure, bool reset) {
  std::optional<Endpoint> last;
  for (std::size_t i = peer.conns.size(); i-- > 0;) {
    if (peer.conns[i]->remote.address != address) continue;
    last = peer.conns[i]->remote;
    close_conn(*peer.conns[i], failure);
  }
  if (last && peer.conns.empty()) peer_emptied(peer, *last, failure, reset);
  parts_.peers.forget_if_idle(peer);
}

std::optional<Endpoint> Closer::close_conns(Peer& peer, const Failure& failure) {
  std::optional<Endpoint> last;
  while (!peer.conns.empty()) {
    last = peer.conns.back()->remote;
    close_conn(*peer.conns.back(), failure);
  }
  return last;
}

void Closer::close_all(Peer& peer, const Failure& failure, bool reset) {
  if (const auto last = close_conns(peer, failure))
    peer_emptied(peer, *last, failure, reset);
  else if (reset)
    parts_.outlet.deliver(core::PeerDown{peer.key.ni, peer.key.hop, true});
  parts_.peers.forget_if_idle(peer);
}

void Closer::close_peer(Peer& peer, const Failure& failure) {
  if (peer.dial != nullptr) {
    peer.plan.forget();
    close_conn(*peer.dial, failure);
  }
  const auto last = close_conns(peer, failure);
  TxList waiting;
  waiting.take_all(peer.waiting);
  parts_.outgoing.finish_all(waiting, message_failure(failure, false));
  if (last) peer_emptied(peer, *last, failure, false);
  parts_.peers.forget_if_idle(peer);
}

/// A peer is not lost when it closes connections that carried no message. A peer that had dialled
/// this node's earlier incarnation does so (spec/wire-socklnd.md 8), and dials again at once. Nor
/// is a peer lost when the link of this node's NI goes down: the core knows that the NI has failed.
void Closer::peer_emptied(Peer& peer, const Endpoint& last, const Failure& failure, bool reset) {
  const bool exchanged = std::exchange(peer.exchanged, false);
  const bool lost = (exchanged || !failure.closed) && !failure.link_down;
  parts_.report(Count::kPeersDown, last, peer.key.hop.nid, failure.reason);
  peer.known.version = 0;  // the next connection negotiates it again (spec/wire-socklnd.md 8)
  peer.offer = 0;
  peer.wants_more = !peer.waiting.empty();
  peer.own_address_tried = false;
  if (!peer.plan.dialling()) peer.plan.forget();
  if (lost) parts_.outlet.deliver(core::PeerDown{peer.key.ni, peer.key.hop, reset});
  if (!peer.waiting.empty()) parts_.dials.want(peer, true);
}

}  // namespace ulnet::lnd::sock
