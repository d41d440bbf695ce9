#include "lnet/lnd/sock/engine/engine.h"

#include "lnet/base/assert.h"

namespace ulnet::lnd::sock {

void EngineParts::report(Count what, const Conn& conn, const char* detail) {
  Nid who = Nid::any();
  if (conn.peer != nullptr) {
    who = conn.peer->key.hop.nid;
  } else if (conn.handshake && conn.state == ConnState::kHello) {
    // The source is "any" until the hello was read.
    who = conn.handshake->greeting.hello().hello.src_nid;
  }
  report(Report{what, conn.remote, who, detail});
}

Engine::~Engine() { ULNET_ASSERT(parts_.nis.empty()); }

// ---- NIs ----------------------------------------------------------------------------------------

void Engine::add_ni(const NiInfo& ni) {
  const bool fresh = parts_.nis.emplace(ni.id, ni).second;
  ULNET_ASSERT(fresh);
}

void Engine::change_ni(const NiInfo& ni) {
  NiInfo* known = parts_.find_ni(ni.id);
  if (known == nullptr) return;
  const bool more = ni.conns_per_peer != known->conns_per_peer;
  const Instant link_down_since = std::exchange(*known, ni).link_down_since;
  known->link_down_since = link_down_since;
  if (!more) return;
  parts_.peers.for_each([&](Peer& peer) {
    if (peer.key.ni != ni.id) return;
    peer.bulk = ni.conns_per_peer;
    peer.wants_more = peer.initiated;
    if (!peer.plan.dialling()) peer.plan.forget();
  });
}

void Engine::remove_ni(core::NiId id) {
  const NiInfo* ni = parts_.find_ni(id);
  if (ni == nullptr) return;
  parts_.handshakes.close_all_of(*ni);
  parts_.peers.for_each([&](Peer& peer) {
    if (peer.key.ni != id) return;
    peer.initiated = false;
    parts_.closer.close_peer(peer, kShutDown);
  });
  parts_.nis.erase(id);
  parts_.outlet.reset_left(id);
  reap();
}

// ---- commands and connections -------------------------------------------------------------------

void Engine::command(Command&& command) {
  struct Visitor {
    EngineParts& parts;
    void operator()(core::Send& send) { parts.outgoing.send(std::move(send)); }
    void operator()(core::Cancel& cancel) { parts.outgoing.cancel(cancel); }
    void operator()(core::Land& land) { parts.incoming.land(land); }
    void operator()(core::HoldPayload& hold) { parts.incoming.hold(hold); }
    void operator()(core::DropPayload& drop) { parts.incoming.drop(drop); }
    void operator()(core::Reject& reject) { parts.incoming.reject(reject); }
  };
  std::visit(Visitor{parts_}, command);
}

bool Engine::received(Handle handle, std::size_t direct, ByteView tail) {
  Conn* conn = parts_.conns.find(handle);
  if (conn == nullptr || conn->state == ConnState::kClosed) return false;
  conn->last_rx = parts_.now;
  if (conn->state == ConnState::kOpen)
    parts_.incoming.received(*conn, direct, tail);
  else
    parts_.handshakes.greet(*conn, tail);
  return conn->state != ConnState::kClosed;
}

void Engine::clear_writable(Handle handle) {
  if (Conn* conn = parts_.conns.find(handle)) conn->marked_writable = false;
}

void Engine::mark_writable(Handle handle) {
  if (Conn* conn = parts_.conns.find(handle)) parts_.conns.mark_writable(*conn);
}

bool Engine::has_unsent(Handle handle) {
  const Conn* conn = parts_.conns.find(handle);
  return conn != nullptr && conn->state != ConnState::kClosed && conn->has_unsent();
}

std::uint64_t Engine::unsent_bytes(Handle handle) {
  const Conn* conn = parts_.conns.find(handle);
  return conn == nullptr ? 0 : conn->tx.queued_bytes();
}

// ---- time ---------------------------------------------------------------------------------------

Instant Engine::next_deadline() {
  if (has_work()) return parts_.now;
  return std::min(
      {parts_.timers.next_deadline(), parts_.held.next_deadline(), parts_.dials.next_deadline()});
}

void Engine::work() {
  if (parts_.now >= next_deadline()) {
    parts_.timers.fire(
        parts_.now, [&](Conn& conn) { parts_.handshakes.timed_out(conn); },
        [&](Peer& peer) { parts_.watch.check(peer); });
    parts_.held.work();
    parts_.dials.work();
    parts_.incoming.work();
  }
  reap();
}

void Engine::reap() { parts_.conns.reap(parts_.incoming.parsing()); }

// ---- for observers ------------------------------------------------------------------------------

namespace {

std::string trouble_dialling(const Peer& peer, int status) {
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

std::string trouble_connected(const Peer& peer, Instant now) {
  Instant last{};
  for (const Conn* conn : peer.conns) last = std::max(last, conn->last_rx);
  const auto silent = std::chrono::floor<std::chrono::seconds>(now - last);
  if (silent < std::chrono::seconds(1)) return {};
  return "it is connected, but nothing has come from it for " + std::to_string(silent.count()) +
         " s: it hangs, or the network between is broken";
}

}  // namespace

std::string Engine::trouble(const Nid& nid, int status) const {
  for (const Peer& peer : parts_.peers.in_order()) {
    if (peer.key.hop.nid != nid) continue;
    std::string text =
        peer.conns.empty() ? trouble_dialling(peer, status) : trouble_connected(peer, parts_.now);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace ulnet::lnd::sock
