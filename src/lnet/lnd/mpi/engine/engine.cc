// Peers: greetings, versions, keep-alives, and the end of a peer.
#include "lnet/lnd/mpi/engine/engine.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lnet/base/assert.h"

namespace ulnet::lnd::mpi {
namespace {

using core::Health;
using wire::MpiGreeting;

constexpr const char* kCountNames[] = {
    "mpi_short_sent",    "mpi_short_received", "mpi_immediate_sent",  "mpi_large_sent",
    "mpi_gets_sent",     "mpi_answers_sent",   "mpi_withdrawn",       "mpi_peers_up",
    "mpi_peers_down",    "mpi_peers_dead",     "mpi_refused_version", "mpi_refused_greeting",
    "mpi_refused_frame", "mpi_refused_stale",  "mpi_refused_stranger"};
static_assert(std::size(kCountNames) == static_cast<std::size_t>(Count::kKinds));

std::string versions(const MpiGreeting& greeting) {
  return greeting.min_version == greeting.max_version
             ? "version " + std::to_string(greeting.max_version)
             : "versions " + std::to_string(greeting.min_version) + " to " +
                   std::to_string(greeting.max_version);
}

}  // namespace

const char* to_string(Count count) { return kCountNames[static_cast<std::size_t>(count)]; }

Engine::Engine(Outlet& outlet, const EngineOptions& options, std::uint64_t epoch)
    : outlet_(outlet),
      options_(options),
      epoch_(epoch),
      payload_tags_(Tags::Parity::kEven, options.tag_max),
      sink_tags_(Tags::Parity::kOdd, options.tag_max) {
  ULNET_ASSERT(options.short_bytes >= wire::kMpiShortBytesMin);
}

Engine::~Engine() = default;

void Engine::stop() {
  stopped_ = true;
  for (Peer& peer : peers_) close(peer, kShutDown, false);
  work();
}

// ---- peers --------------------------------------------------------------------------------------

Engine::Peer* Engine::peer_at(const Place& place) {
  if (Peer* known = by_place_.find(place)) return known;
  const auto hop = outlet_.hop_of(place);
  if (!hop) return nullptr;
  Peer& peer = peers_.emplace_back();
  peer.place = place;
  peer.hop = *hop;
  peer.epoch = ++epoch_;
  peer.watch.peer = &peer;
  by_place_.insert(place, &peer);
  return &peer;
}

void Engine::touch(Peer& peer) {
  if (std::exchange(peer.dirty, true)) return;
  dirty_.push_back(&peer);
}

std::string Engine::trouble(const core::Hop& hop) const {
  const auto place = outlet_.place_of(hop);
  const Peer* peer = place ? by_place_.find(*place) : nullptr;
  if (peer == nullptr) return place ? "" : "no process of this MPI job has this NID";
  if (peer->state == Peer::State::kAsked) return "it has not answered yet: is LNet started there?";
  return peer->trouble;
}

MpiGreeting Engine::own_greeting() const {
  MpiGreeting greeting;
  greeting.min_version = options_.min_version;
  greeting.max_version = options_.max_version;
  greeting.short_bytes = options_.short_bytes;
  greeting.pool = options_.pool;
  greeting.tag_max = options_.tag_max;
  return greeting;
}

void Engine::greet(Peer& peer, MpiGreeting::Kind kind) {
  MpiGreeting greeting = own_greeting();
  greeting.kind = kind;
  greeting.epoch = peer.epoch;
  greeting.answers = kind == MpiGreeting::Kind::kQuery ? 0 : peer.theirs;
  std::vector<std::byte> message(wire::kMpiGreetingBytes);
  wire::encode_greeting(greeting, message);
  OpId id;
  make_op(Op::Kind::kShort, peer, id);
  ++peer.shorts;
  add(Count::kShortSent);
  outlet_.send_short(id, peer.place, std::move(message));
}

void Engine::ask(Peer& peer) {
  greet(peer, MpiGreeting::Kind::kQuery);
  peer.state = Peer::State::kAsked;
}

void Engine::on_greeting(Peer& peer, ByteView message) {
  const auto greeting = wire::decode_greeting(message);
  if (!greeting) {
    add(Count::kRefusedGreeting);
    return outlet_.warn(peer.place, std::string("sent a greeting that was refused: ") +
                                        to_string(greeting.error()));
  }
  if (greeting->kind == MpiGreeting::Kind::kQuery) return on_query(peer, *greeting);
  // Both asked at the same time, and the other side's query has opened this side already.
  if (peer.state == Peer::State::kOpen && greeting->answers == peer.epoch &&
      greeting->epoch == peer.theirs)
    return;
  if (greeting->answers != peer.epoch || peer.state != Peer::State::kAsked)
    return add(Count::kRefusedStale);
  peer.theirs = greeting->epoch;
  const auto version = common_version(*greeting, own_greeting());
  if (greeting->kind == MpiGreeting::Kind::kRefusal || !version) return refuse(peer, *greeting);
  open(peer, *greeting, *version);
}

void Engine::on_query(Peer& peer, const MpiGreeting& greeting) {
  if (peer.state == Peer::State::kOpen) {
    if (peer.theirs == greeting.epoch) return add(Count::kRefusedStale);
    close(peer, kRestarted, true);
  }
  peer.theirs = greeting.epoch;
  const auto version = common_version(greeting, own_greeting());
  greet(peer, version ? MpiGreeting::Kind::kResponse : MpiGreeting::Kind::kRefusal);
  version ? open(peer, greeting, *version) : refuse(peer, greeting);
}

void Engine::open(Peer& peer, const MpiGreeting& greeting, std::uint16_t version) {
  peer.state = Peer::State::kOpen;
  peer.version = version;
  peer.short_bytes = std::min(options_.short_bytes, greeting.short_bytes);
  peer.trouble.clear();
  add(Count::kPeersUp);
  due_.emplace_back(core::PeerUp{ni_, peer.hop});
  touch(peer);
}

void Engine::refuse(Peer& peer, const MpiGreeting& greeting) {
  peer.state = Peer::State::kRefused;
  peer.ask_again = now_ + options_.ask_again;
  peer.trouble = "it has " + versions(greeting) + " of LNet over MPI, this node has " +
                 versions(own_greeting());
  add(Count::kRefusedVersion);
  outlet_.warn(peer.place, "was refused: " + peer.trouble);
  fail_queue(peer, kOtherVersion);
}

void Engine::fail_queue(Peer& peer, const Failure& failure) {
  while (!peer.queue.empty()) {
    Out* out = outs_.find(peer.queue.front());
    peer.queue.pop_front();
    end(*out, failure, false);
  }
}

void Engine::close(Peer& peer, const Failure& failure, bool restarted) {
  const bool was_open = peer.state == Peer::State::kOpen;
  fail_queue(peer, failure);
  for (const Handle batched : std::exchange(peer.batched, {}))
    if (Out* out = outs_.find(batched)) end(*out, failure, true);
  peer.batch.clear();
  // An operation may still touch its memory. Its message ends when the operation has ended.
  std::vector<OpId> cancelled;
  ops_.for_each([&](OpId id, Op& op) {
    if (op.peer != &peer || op.over.status != 0) return;
    op.over = failure;
    for (const Handle batched : std::exchange(op.batched, {}))
      if (Out* out = outs_.find(batched)) end(*out, failure, true);
    cancelled.push_back(id);
  });
  for (const OpId id : cancelled) outlet_.cancel(id);
  std::vector<Handle> gone;
  rxs_.for_each([&](Handle self, const Rx& rx) {
    if (rx.peer == &peer) gone.push_back(self);
  });
  for (const Handle self : gone) {
    Rx& rx = *rxs_.find(self);
    if (rx.msg.generation != 0)
      due_.emplace_back(core::PayloadLanded{rx.msg, failure.status, failure.health});
    forget(rx);
  }
  peer.state = Peer::State::kUnknown;
  peer.epoch = ++epoch_;
  peer.theirs = 0;
  peer.asked_alive = kNever;
  peer.watch.cancel();
  if (!was_open) return;
  add(Count::kPeersDown);
  due_.emplace_back(core::PeerDown{ni_, peer.hop, restarted});
}

// ---- keep-alives --------------------------------------------------------------------------------

void Engine::watch(Peer& peer) {
  if (!peer.watch.armed()) watches_.arm(peer.watch, now_ + options_.keep_alive);
}

void Engine::on_watch(Peer& peer) {
  const bool waits = peer.owes != 0 || peer.shorts != 0;
  if (!waits || peer.state != Peer::State::kOpen) {
    peer.asked_alive = kNever;
    return;
  }
  if (peer.asked_alive != kNever) {
    add(Count::kPeersDead);
    peer.trouble = "it does not answer";
    outlet_.warn(peer.place, "does not answer: its messages have ended");
    return close(peer, kDead, false);
  }
  const Instant silent_until = peer.heard + options_.keep_alive;
  if (now_ < silent_until) return watches_.arm(peer.watch, silent_until);
  append(peer, {.type = wire::MpiFrameType::kAlive});
  touch(peer);
  peer.asked_alive = now_;
  watches_.arm(peer.watch, now_ + options_.dead_after);
}

// ---- work ---------------------------------------------------------------------------------------

void Engine::deliver_due() {
  while (!due_.empty()) {
    giving_.swap(due_);
    for (const core::Input& input : giving_) outlet_.deliver(input);
    giving_.clear();
  }
}

void Engine::work() {
  while (Timer* timer = deadlines_.pop(now_)) on_deadline(static_cast<Out&>(*timer));
  while (Timer* timer = watches_.pop(now_)) on_watch(*static_cast<Watch&>(*timer).peer);
  do {
    while (!dirty_.empty()) {
      Peer& peer = *dirty_.back();
      dirty_.pop_back();
      peer.dirty = false;
      advance(peer);
      write(peer);
    }
    deliver_due();
  } while (!dirty_.empty() || !due_.empty());
}

Instant Engine::next_deadline() const {
  return std::min(deadlines_.next_deadline(), watches_.next_deadline());
}

}  // namespace ulnet::lnd::mpi
