#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/admission.h"
#include "lnet/lnd/sock/engine/engine_parts.h"

namespace ulnet::lnd::sock {

using wire::ConnType;

namespace {

constexpr std::uint32_t preferred_version(const Address& address) {
  return address.family == Family::kIpv4 ? 3 : 4;
}
/// Whether this version can carry both NIDs: versions below 4 have no space for a large NID.
bool can_carry(std::uint32_t version, const Nid& a, const Nid& b) {
  return version >= 4 || (a.is_small() && b.is_small());
}
wire::HelloSelf self(const NiInfo& ni) { return {ni.nid, ni.pid, ni.incarnation}; }

}  // namespace

// ---- passive ------------------------------------------------------------------------------------

std::optional<Handle> Handshakes::accepted(const Endpoint& remote) {
  parts_.report(Count::kAccepted, remote);
  const Admission admission = admit(parts_.tunables.accept, remote);
  if (admission == Admission::kRefuse) {
    const bool user6 = parts_.tunables.accept == Accept::kAll;
    parts_.report(user6 ? Count::kRefusedIpv6User : Count::kRefusedUnprivileged, remote);
    return std::nullopt;
  }
  limit_pending_accepts();
  Conn& conn = parts_.conns.make(ConnState::kRequest, remote);
  conn.user = admission == Admission::kUser;
  conn.handshake->greeting = Greeting::passive();
  await_hello(conn);
  return conn.self;
}

void Handshakes::await_hello(Conn& conn) {
  conn.handshake->order = next_order_++;
  receptions_[conn.handshake->order] = &conn;
  parts_.timers.arm(*conn.handshake,
                    parts_.now + std::chrono::seconds(parts_.tunables.accept_timeout));
}

void Handshakes::limit_pending_accepts() {
  while (receptions_.size() >= static_cast<std::size_t>(parts_.tunables.accept_pending))
    close_unopened(*receptions_.begin()->second, Count::kRefusedCrowded);
}

void Handshakes::close_all_of(const NiInfo& ni) {
  std::vector<Conn*> silent;
  for (const auto& [order, conn] : receptions_)
    if (conn->ni == &ni) silent.push_back(conn);
  for (Conn* conn : silent) close_unopened(*conn, Count::kClosed);
}

void Handshakes::greet(Conn& conn, ByteView in) {
  for (;;) {
    // If the connection has just opened, the greeting is gone and the rest of the input is
    // messages. If it has just been closed or refused, the rest is not read.
    if (conn.state == ConnState::kOpen) return parts_.incoming.parse(conn, in);
    if (conn.state == ConnState::kClosed || conn.state == ConnState::kRefusing) return;
    switch (conn.handshake->greeting.read(in)) {
      case Greeting::Event::kMore:
        return;
      case Greeting::Event::kBadBytes:
        return on_bad_greeting(conn, in);
      case Greeting::Event::kRequest:
        on_request(conn, in);
        break;
      case Greeting::Event::kHello:
        if (conn.active) {
          on_hello_active(conn);
        } else {
          on_hello_passive(conn, in);
        }
        break;
    }
  }
}

void Handshakes::on_request(Conn& conn, ByteView rest) {
  const Nid& target = conn.handshake->greeting.target();
  const auto ni =
      std::ranges::find(parts_.nis, target, [](const auto& entry) { return entry.second.nid; });
  if (ni == parts_.nis.end()) return close_unopened(conn, Count::kRefusedNotMyNid, "", rest);
  conn.ni = &ni->second;
  parts_.conns.step(conn, ConnEvent::kRequestRead);
  parts_.timers.arm(*conn.handshake,
                    parts_.now + std::chrono::seconds(parts_.tunables.accept_timeout));
  // This node does not dial the peer until its connection is accepted or refused
  // (spec/wire-socklnd.md 9).
  if (Peer* peer = parts_.peers.find(
          conn.ni->id, {nid_at(conn.ni->nid.net(), conn.remote.address), Pid::lustre()})) {
    ++peer->accepts;
    conn.handshake->accept_counted = true;
  }
}

void Handshakes::end_accept(Conn& conn) {
  receptions_.erase(conn.handshake->order);
  if (!conn.handshake->accept_counted) return;
  Peer* peer = parts_.peers.find(conn.ni->id,
                                 {nid_at(conn.ni->nid.net(), conn.remote.address), Pid::lustre()});
  if (peer == nullptr || peer->accepts == 0) return;
  --peer->accepts;
  if (peer->accepts == 0) parts_.dials.want(*peer, false);
}

void Handshakes::on_hello_passive(Conn& conn, ByteView rest) {
  const wire::ReceivedHello hello = conn.handshake->greeting.hello();
  const wire::Hello& offer = hello.hello;
  if (offer.is_refusal() || offer.src_nid.is_loopback())
    return close_unopened(conn, Count::kRefusedBadHello, "", rest);
  core::Hop hop{offer.src_nid, offer.src_pid};
  if (conn.user) hop = user_identity(conn.ni->nid.net(), conn.remote);

  Arrival arrival{conn.remote, conn.user, conn.ni->id, hello, {rest.begin(), rest.end()}};
  if (parts_.outlet.pass_to_owner(conn.self, hop, arrival)) {
    parts_.conns.step(conn, ConnEvent::kFail);
    end_accept(conn);
    parts_.conns.closed(conn);
    return;
  }
  if (!can_carry(offer.version, conn.ni->nid, offer.src_nid))
    return refuse(conn, wire::refuse_hello(offer, self(*conn.ni), 4), Count::kRefusedVersion);
  answer(conn, parts_.peers.obtain(*conn.ni, hop), offer);
}

void Handshakes::answer(Conn& conn, Peer& peer, const wire::Hello& offer) {
  const bool elsewhere = !conn.user && address_of(offer.src_nid) != conn.remote.address;
  if (elsewhere && parts_.tunables.peer_address_check == AddressCheck::kEnforce) {
    close_unopened(conn, Count::kRefusedAddress);
    return parts_.peers.forget_if_idle(peer);
  }
  const wire::Hello refusal = wire::refuse_hello(offer, self(*conn.ni), offer.version);
  if (peer.known.contradicts(offer)) {
    const bool reset = peer.known.other_incarnation(offer);
    if (reset) other_incarnation(peer, conn.remote);
    peer.known = {};
    peer.offer = 0;
    refuse(conn, refusal, Count::kRefusedStale);
    return parts_.closer.close_all(peer, kPeerRestarted, reset);
  }
  const ConnType type = wire::mirror(offer.type);
  Count why = Count::kRefusedRace;
  const bool lost = lost_race(conn, peer);
  if (!lost) why = Count::kRefusedDuplicate;
  if (lost || duplicate(conn, peer, type)) {
    refuse(conn, refusal, why);
    return parts_.peers.forget_if_idle(peer);
  }
  if (const Share share = parts_.visitors.admit(conn, peer, type); share != Share::kTaken) {
    close_unopened(conn,
                   share == Share::kAllFull ? Count::kRefusedFull : Count::kRefusedAddressFull);
    return parts_.peers.forget_if_idle(peer);
  }
  if (elsewhere && peer.conns.empty() && parts_.tunables.peer_address_check == AddressCheck::kWarn)
    parts_.report(Count::kAddressDiffers, conn);
  conn.type = type;
  conn.handshake->greeting.say(wire::answer_hello(offer, self(*conn.ni)));
  parts_.conns.mark_writable(conn);
  open(conn, peer, conn.handshake->greeting.hello());
  // From here on this node may dial the peer. The peer's connections must include this one by then:
  // a dial for a second connection of its type could make each side close the connection that the
  // other keeps.
  end_accept(conn);
}

/// Called when another incarnation of the peer has sent a hello, before the engine closes the
/// connections of the earlier incarnation. Reports it if one of those has another remote address
/// than the hello: then one of the two hosts has probably taken over the other's NID.
void Handshakes::other_incarnation(Peer& peer, const Endpoint& from) {
  const auto other = std::find_if(peer.conns.begin(), peer.conns.end(), [&](const Conn* conn) {
    return conn->remote.address != from.address;
  });
  if (other == peer.conns.end()) return;
  parts_.counters.add(Count::kIdentityConflicts);
  parts_.report(Report{peer.is_own_address(from) ? Count::kTakeOverEnded : Count::kTakenOver, from,
                       peer.key.hop.nid, "", (*other)->remote.address});
  // Keep the peer, so that this node dials it at its own address when there is a message for it.
  if (peer.seen_at_own_address) peer.initiated = true;
}

/// True if this node's own dial to the peer wins over the accepted connection. There is a race
/// only between connections of the same two addresses (spec/wire-socklnd.md 9).
bool Handshakes::lost_race(const Conn& conn, const Peer& peer) {
  return peer.plan.dialling() && peer.is_own_address(conn.remote) &&
         peer.key.hop.nid < conn.ni->nid;
}

bool Handshakes::duplicate(const Conn& conn, const Peer& peer, ConnType type) {
  if (conn.remote.address == conn.ni->address)
    return false;  // a connection from this node to itself has both its ends here
  std::int32_t same = 0;
  for (const Conn* other : peer.conns)
    if (other->type == type && other->remote.address == conn.remote.address) ++same;
  return same >= peer.bulk;
}

void Handshakes::refuse(Conn& conn, const wire::Hello& refusal, Count why) {
  parts_.report(why, conn);
  conn.handshake->greeting.say(refusal);
  parts_.conns.step(conn, ConnEvent::kRefuse);
  parts_.conns.mark_writable(conn);
}

std::optional<Handle> Handshakes::expect(const Arrival& arrival) {
  const NiInfo* ni = parts_.find_ni(arrival.ni);
  if (ni == nullptr) return std::nullopt;
  Conn& conn = parts_.conns.make(ConnState::kHello, arrival.remote);
  conn.ni = ni;
  conn.user = arrival.user;
  conn.handshake->greeting = Greeting::resumed(arrival.hello);
  await_hello(conn);
  return conn.self;
}

void Handshakes::arrived(Handle handle, const Arrival& arrival) {
  Conn& conn = *parts_.conns.find(handle);
  core::Hop hop{arrival.hello.hello.src_nid, arrival.hello.hello.src_pid};
  if (conn.user) hop = user_identity(conn.ni->nid.net(), conn.remote);
  answer(conn, parts_.peers.obtain(*conn.ni, hop), arrival.hello.hello);
  if (conn.state == ConnState::kOpen) parts_.incoming.parse(conn, arrival.rest);
}

void Handshakes::on_bad_greeting(Conn& conn, ByteView rest) {
  const Greeting& greeting = conn.handshake->greeting;
  if (conn.active)
    return parts_.dials.came_to_nothing(conn, dial_failure(EPROTO), Count::kDialBadHello);
  if (conn.state == ConnState::kRequest) {
    const char* const why = to_string(greeting.error());
    if (!greeting.answer_request())
      return close_unopened(conn, Count::kRefusedBadRequest, why, rest);
    parts_.report(Count::kRefusedBadRequest, conn, why);
    conn.handshake->greeting.say(wire::acceptor_answer());
    parts_.conns.step(conn, ConnEvent::kRefuse);
    return parts_.conns.mark_writable(conn);
  }
  if (greeting.error() != wire::DecodeError::kBadVersion)
    return close_unopened(conn, Count::kRefusedBadHello, to_string(greeting.error()), rest);
  const Nid& nid = conn.ni->nid;  // the refusal contains it
  const std::uint32_t preferred = preferred_version(conn.remote.address);
  const std::uint32_t version = can_carry(preferred, nid, nid) ? preferred : 4;
  refuse(conn, wire::refuse_version(self(*conn.ni), version), Count::kRefusedVersion);
}

void Handshakes::refusal_sent(Conn& conn) {
  parts_.conns.step(conn, ConnEvent::kRefusalSent);
  end_accept(conn);
  parts_.outlet.close(conn.self);
  parts_.conns.closed(conn);
}

void Handshakes::close_unopened(Conn& conn, Count why, const char* detail, ByteView unread) {
  ULNET_ASSERT(!conn.active && conn.peer == nullptr);
  parts_.report(why, conn, detail);
  parts_.conns.step(conn, ConnEvent::kFail);
  end_accept(conn);
  unread.empty() ? parts_.outlet.close(conn.self) : parts_.outlet.abort(conn.self);
  parts_.conns.closed(conn);
}

// ---- active -------------------------------------------------------------------------------------

void Handshakes::connected(Handle handle, bool unprivileged) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state != ConnState::kConnecting) return;
  const Peer& peer = *conn->peer;
  conn->unprivileged = unprivileged;
  parts_.conns.step(*conn, ConnEvent::kConnected);
  wire::Hello hello;
  hello.version = peer.known.version != 0 ? peer.known.version
                  : peer.offer != 0       ? peer.offer
                                          : preferred_version(*peer.address);
  conn->version = static_cast<std::uint8_t>(hello.version);
  hello.src_nid = conn->ni->nid;
  hello.dst_nid = peer.key.hop.nid;
  hello.src_pid = conn->ni->pid;
  hello.src_incarnation = conn->ni->incarnation;
  hello.type = conn->type;
  conn->handshake->greeting = Greeting::active(peer.key.hop.nid, hello);
  parts_.timers.arm(*conn->handshake, parts_.now + conn->ni->timeout);
  parts_.conns.mark_writable(*conn);
}

void Handshakes::on_hello_active(Conn& conn) {
  const wire::ReceivedHello received = conn.handshake->greeting.hello();
  const wire::Hello& hello = received.hello;
  Peer& peer = *conn.peer;
  // NID and PID are checked first, in a refusal too (spec/wire-socklnd.md 4.5).
  if (hello.src_nid != peer.key.hop.nid || hello.src_pid != peer.key.hop.pid)
    return parts_.dials.came_to_nothing(conn, dial_failure(EPROTO), Count::kDialWrongPeer);

  const bool refused = hello.is_refusal();
  const bool another = peer.known.other_incarnation(hello);
  // After a restart production drops this connection too and dials again (spec/wire-socklnd.md 8).
  // This node keeps it, since the peer may have sent a message on it, which would be lost. It
  // closes the connection only if its version was chosen for the earlier incarnation.
  const bool stale = another || (!refused && peer.known.contradicts(hello));
  if (stale) {
    const bool kept = another && !refused && hello.version == preferred_version(*peer.address);
    if (!kept || !peer.conns.empty()) parts_.report(Count::kClosedRestarted, conn);
    peer.known = {};
    peer.offer = 0;
    peer.initiated = true;
    if (!kept) {
      peer.plan.retry_now(parts_.now, peer.have, parts_.dials.typed(), parts_.dials.pace());
      parts_.closer.close_conn(conn, kPeerRestarted);
    }
    if (another) other_incarnation(peer, conn.remote);
    parts_.closer.close_all(peer, kPeerRestarted, another);
    if (!kept) return parts_.dials.want(peer, true);
    peer.wants_more = true;
  }
  if (refused) {
    const bool same = hello.version == conn.version;
    parts_.report(same ? Count::kDialRefused : Count::kDialOtherVersion, conn);
    if (same) {
      peer.plan.refused(parts_.now, peer.have, parts_.dials.typed(), parts_.dials.pace());
    } else {
      peer.offer = static_cast<std::uint8_t>(hello.version);
      peer.plan.retry_now(parts_.now, peer.have, parts_.dials.typed(), parts_.dials.pace());
    }
    parts_.closer.close_conn(conn, kPeerClosed);
    parts_.dials.want(peer, false);
    return parts_.peers.forget_if_idle(peer);
  }
  if (wire::mirror(hello.type) != conn.type ||
      !can_carry(hello.version, conn.ni->nid, hello.src_nid))
    return parts_.dials.came_to_nothing(conn, dial_failure(EPROTO), Count::kDialBadHello);
  if (duplicate(conn, peer, conn.type)) {
    // While this node dialled, it accepted a connection that the peer had dialled for the same
    // purpose: the accepted one stays (spec/wire-socklnd.md 9).
    parts_.report(Count::kDialRefused, conn);
    peer.plan.retry_now(parts_.now, peer.have, parts_.dials.typed(), parts_.dials.pace());
    parts_.closer.close_conn(conn, kPeerClosed);
    parts_.dials.want(peer, false);
    return parts_.peers.forget_if_idle(peer);
  }
  parts_.dials.ended(peer);
  peer.plan.opened();
  open(conn, peer, received);
  parts_.dials.want(peer, false);
}

// ---- both ---------------------------------------------------------------------------------------

void Handshakes::open(Conn& conn, Peer& peer, const wire::ReceivedHello& received) {
  const wire::Hello& hello = received.hello;
  parts_.conns.step(conn, ConnEvent::kHelloAccepted);
  conn.handshake->timer.cancel();
  conn.peer = &peer;
  conn.version = static_cast<std::uint8_t>(hello.version);
  conn.rx.open(hello.version, received.order);
  conn.last_rx = parts_.now;
  peer.known = {true, conn.version, hello.src_incarnation};
  peer.trouble = {};
  peer.last_heard = parts_.now;
  const bool first = peer.conns.empty();
  peer.conns.push_back(&conn);
  ++peer.have.of(conn.type);
  if (peer.is_own_address(conn.remote)) {
    ++peer.at_own_address.of(conn.type);
    peer.seen_at_own_address = true;
  }
  if (conn.reserved != 0) parts_.visitors.visited(peer);
  parts_.report(Count::kOpened, conn, to_string(conn.type));
  if (conn.handshake->greeting.unsent().empty()) conn.handshake.reset();
  parts_.outlet.opened(conn.self, conn.type, conn.ni->tos);
  if (first) {
    parts_.report(Count::kPeersUp, conn);
    parts_.outlet.deliver(core::PeerUp{peer.key.ni, peer.key.hop});
  }
  parts_.watch.watch(peer);
  parts_.outgoing.send_waiting(peer);
}

void Handshakes::timed_out(Conn& conn) {
  if (conn.active) {
    const bool asked = conn.state == ConnState::kGreeting;
    return parts_.dials.came_to_nothing(conn, dial_failure(ETIMEDOUT),
                                        asked ? Count::kDialBadHello : Count::kDialFailed);
  }
  close_unopened(conn, Count::kRefusedSilent);
}

}  // namespace ulnet::lnd::sock
