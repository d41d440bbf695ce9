#include "lnet/lnd/sock/engine/engine.h"

#include "lnet/base/assert.h"
#include "lnet/lnd/sock/engine/engine_rx.h"

namespace ulnet::lnd::sock {

Engine::Engine(std::uint8_t id, const SockTunables& tunables, Outlet& outlet)
    : id_(id), tunables_(tunables), outlet_(outlet) {}

Engine::~Engine() { ULNET_ASSERT(nis_.empty()); }

// ---- NIs ----------------------------------------------------------------------------------------

void Engine::add_ni(const NiInfo& ni) {
  const auto [at, fresh] = nis_.emplace(ni.id, ni);
  ULNET_ASSERT(fresh && !ni_by_nid_.contains(ni.nid));
  ni_by_nid_[ni.nid] = &at->second;
}

void Engine::change_ni(const NiInfo& ni) {
  const auto found = nis_.find(ni.id);
  if (found == nis_.end()) return;
  const bool more = ni.conns_per_peer != found->second.conns_per_peer;
  const Instant link_down_since = std::exchange(found->second, ni).link_down_since;
  found->second.link_down_since = link_down_since;
  if (!more) return;
  for (Peer& peer : peer_order_) {
    if (peer.key.ni != ni.id) continue;
    peer.bulk = ni.conns_per_peer;
    peer.wants_more = peer.initiated;
    if (!peer.plan.dialling()) peer.plan.forget();
  }
}

void Engine::remove_ni(core::NiId id) {
  const auto found = nis_.find(id);
  if (found == nis_.end()) return;
  std::vector<Conn*> silent;
  for (const auto& [order, conn] : receptions_)
    if (conn->ni == &found->second) silent.push_back(conn);
  for (Conn* conn : silent) close_unopened(*conn, Count::kClosed);
  for (auto at = peer_order_.begin(); at != peer_order_.end();) {
    Peer& peer = *at++;
    if (peer.key.ni != id) continue;
    peer.initiated = false;
    close_peer(peer, kShutDown);
  }
  ni_by_nid_.erase(found->second.nid);
  nis_.erase(found);
  outlet_.reset_left(id);
  reap();
}

// ---- commands -----------------------------------------------------------------------------------

void Engine::command(Command&& command) {
  struct Visitor {
    Engine& engine;
    void operator()(core::Send& send) { engine.send(std::move(send)); }
    void operator()(core::Cancel& cancel) { engine.cancel(cancel); }
    void operator()(core::Land& land) { engine.land(land); }
    void operator()(core::HoldPayload& hold) { engine.hold(hold); }
    void operator()(core::DropPayload& drop) { engine.drop(drop); }
    void operator()(core::Reject& reject) { engine.reject(reject); }
  };
  std::visit(Visitor{*this}, command);
}

void Engine::drained() {
  for (const Handle rx : lost_rx_before_)
    if (rxs_.find(rx) != nullptr) rxs_.erase(rx);
  lost_rx_before_ = std::exchange(lost_rx_, {});
}

// ---- connections: queries
// -----------------------------------------------------------------------

void Engine::clear_writable(Handle handle) {
  if (Conn* conn = find(handle)) conn->marked_writable = false;
}

bool Engine::has_unsent(Handle handle) {
  const Conn* conn = find(handle);
  return conn != nullptr && conn->state != ConnState::kClosed && conn->has_unsent();
}

std::uint64_t Engine::unsent_bytes(Handle handle) {
  const Conn* conn = find(handle);
  return conn == nullptr ? 0 : conn->tx.queued_bytes();
}

std::string Engine::trouble(const Nid& nid, int status) const {
  for (const Peer& peer : peer_order_) {
    if (peer.key.hop.nid != nid) continue;
    std::string text =
        peer.conns.empty() ? trouble_dialling(peer, status) : trouble_connected(peer);
    if (!text.empty()) return text;
  }
  return {};
}

void Engine::report(Count what, const Conn& conn, const char* detail) {
  Nid who = Nid::any();
  if (conn.peer != nullptr) {
    who = conn.peer->key.hop.nid;
  } else if (conn.handshake && conn.state == ConnState::kHello) {
    // The source is "any" until the hello was read.
    who = conn.handshake->greeting.hello().hello.src_nid;
  }
  report(what, conn.remote, who, detail);
}

std::string Engine::trouble_dialling(const Peer& peer, int status) {
  std::string text = peer.trouble.reason;
  // A message fails with -EIO if its peer may not be dialled again yet (spec/wire-socklnd.md 4.6).
  if (status == -EIO && !text.empty()) text = "not dialled again yet, since a moment ago " + text;
  if (peer.trouble_unprivileged && peer.trouble.status == -ECONNRESET)
    text +=
        "; we dialled from a port above 1023, and an acceptor that is `secure` (the default) "
        "takes none of those: permit "
        "this node to bind ports below 1024 (CAP_NET_BIND_SERVICE), or set accept=all there "
        "(accept=trust for ulnet)";
  return text;
}

std::string Engine::trouble_connected(const Peer& peer) const {
  Instant last{};
  for (const Conn* conn : peer.conns) last = std::max(last, conn->last_rx);
  const auto silent = std::chrono::floor<std::chrono::seconds>(now_ - last);
  if (silent < std::chrono::seconds(1)) return {};
  return "it is connected, but nothing has come from it for " + std::to_string(silent.count()) +
         " s: it hangs, or the network between is broken";
}

// ---- peers --------------------------------------------------------------------------------------

Peer* Engine::find_peer(core::NiId ni, const core::Hop& hop) {
  const PeerKey key{ni, hop};
  if (last_peer_ != nullptr && last_peer_->key == key) return last_peer_;
  const auto found = peers_.find(key);
  if (found == peers_.end()) return nullptr;
  return last_peer_ = found->second.get();
}

Peer& Engine::obtain_peer(const NiInfo& ni, const core::Hop& hop) {
  if (Peer* known = find_peer(ni.id, hop)) return *known;
  auto peer = std::make_unique<Peer>();
  peer->key = {ni.id, hop};
  peer->ni = &ni;
  if (!hop.pid.is_user()) peer->address = address_of(hop.nid);
  if (peer->address && peer->address->family != ni.address.family) peer->address.reset();
  peer->bulk = ni.conns_per_peer;
  peer->timer.peer = peer.get();
  peer_order_.push_back(*peer);
  last_peer_ = peer.get();
  return *(peers_[last_peer_->key] = std::move(peer));
}

}  // namespace ulnet::lnd::sock
