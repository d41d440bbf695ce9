#include "sim/network/streams.h"

#include <algorithm>
#include <cerrno>

#include "lnet/base/assert.h"
#include "sim/network/streams_impl.h"

namespace ulnet::sim {
namespace {

/// How long after a partial read or write the rest can be read or written.
constexpr Duration kSoon = std::chrono::microseconds(5);
constexpr std::size_t kSegment = 60;  ///< bytes that a piece takes on the wire besides its payload
/// A machine retransmits what is not acknowledged until its wait would exceed this.
constexpr Duration kGiveUp = std::chrono::minutes(15);
constexpr Duration kMaxRetransmitDelay = std::chrono::minutes(2);

std::size_t sum(const iovec* pieces, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  return bytes;
}

/// A random part of `bytes`: often a small one, as when a read or write ends within a header.
std::size_t part_of(Rng& rng, std::size_t bytes) {
  const std::size_t most = rng.below(2) == 0 ? bytes : std::min<std::size_t>(bytes, 128);
  return 1 + rng.below(most);
}

}  // namespace

// ---- pieces that travel -------------------------------------------------------------------------

void Streams::Impl::note(const End& end, StreamChange change, int error) {
  ++counts_[static_cast<std::size_t>(change)];
  const std::uint32_t other = end.other->user != nullptr ? end.other->user->number() : kNoNode;
  trace_.add({queue_.now(), TraceKind::kStream, static_cast<std::uint8_t>(change),
              end.user != nullptr ? end.user->number() : kNoNode, other, end.conn->number,
              static_cast<std::uint64_t>(error)});
}

void Streams::Impl::note_stranger(std::uint32_t node, std::uint32_t other) {
  if (node == kNoNode || other != kNoNode) return;
  if (strange_.size() <= node) strange_.resize(node + 1);
  ++strange_[node];
}

Streams::Impl::End& Streams::Impl::at(Handle socket) {
  Socket* found = sockets_.find(socket);
  ULNET_ASSERT(found != nullptr);
  return *found->end;
}

Handle Streams::Impl::hold(End& end, SocketUser& user) {
  const auto [handle, socket] = sockets_.make();
  socket->end = &end;
  end.handle = handle;
  end.user = &user;
  user.sockets_.push_back(end);
  return handle;
}

void Streams::Impl::let_go(End& end) {
  if (tap_ != nullptr && !end.left) tap_->on_over(seen(end), true);
  lost_bytes_ += end.readable();
  queue_.cancel(end.notice);
  queue_.cancel(end.ask);
  set_split(end, false);
  sockets_.erase(end.handle);
  end.unlink();
  end.user = nullptr;
}

/// Notes whether a read of this end was split. The rest of a split read counts as under way until
/// the user can read it.
void Streams::Impl::set_split(End& end, bool split) {
  if (std::exchange(end.split, split) == split) return;
  split ? ++in_flight_ : --in_flight_;
}

void Streams::Impl::push(End& end, Piece piece) {
  piece.sent = queue_.now();
  end.pieces.push_back(piece);
  ++in_flight_;
  start(end);
}

/// Puts the pieces that wait on the link, and schedules the arrival of the first.
void Streams::Impl::start(End& end) {
  if (end.stalls != 0 || end.pieces.empty() || end.travel.parked()) return;
  if (!end.link->open()) {
    if (!end.travel.scheduled()) end.link->waiting().park(end.travel);
    return;
  }
  if (end.resend_at <= queue_.now()) put_on_link(end);
  if (!end.travel.scheduled())
    queue_.at(end.on_link != 0 ? end.pieces.front().arrives : end.resend_at, end.travel);
}

void Streams::Impl::put_on_link(End& end) {
  for (; end.on_link < end.pieces.size(); ++end.on_link) {
    Piece& piece = end.pieces[end.on_link];
    const std::size_t bytes = kSegment + piece.length;
    const Instant arrives = wire_.pass_stream(*end.link, bytes).arrives;
    piece.arrives = end.last = std::max(arrives, end.last);
    const Fabric::Way* way = end.link->way();
    if (way == nullptr) continue;
    // The pieces of one direction of a connection have odd numbers, those of the other one even
    // numbers.
    piece.crossing = ++crossings_ << 1 | (&end == &end.conn->active ? 1 : 0);
    wire_.fabric().cross(*this, end.conn->self, piece.crossing, *way,
                         static_cast<std::uint32_t>(bytes), piece.arrives);
    piece.arrives = kNever;
  }
}

/// Called when a piece has crossed the switches, or was lost on the way. The pieces behind a lost
/// one are sent again with it, so that all stay in order.
void Streams::Impl::crossed(Handle whose, std::uint64_t number, bool lost) {
  Conn* conn = conns_.find(whose);
  if (conn == nullptr) return;
  End& end = (number & 1) != 0 ? conn->active : conn->passive;
  std::size_t at = 0;
  while (at < end.on_link && end.pieces[at].crossing != number) ++at;
  if (at == end.on_link) return;  // the piece was dropped, or is being sent again
  if (lost) {
    end.on_link = at;
    end.resend_at = queue_.now() + end.link->model().retransmit;
  } else {
    end.pieces[at].arrives = queue_.now();
  }
  if (at == 0) start(end);
}

void Streams::Impl::travel(End& end) {
  if (end.stalls != 0 || end.pieces.empty()) return;
  if (!end.link->open()) return end.link->waiting().park(end.travel);
  const Piece& head = end.pieces.front();
  if (end.on_link == 0 || head.arrives > queue_.now()) return start(end);
  const Piece piece = head;
  arrive(end, piece);
}

void Streams::Impl::pop(End& end) {
  end.pieces.pop_front();
  if (end.on_link > 0) --end.on_link;
  --in_flight_;
  end.again = {};
  start(end);
}

void Streams::Impl::drop_pieces(End& end) {
  lost_bytes_ += end.under_way;
  in_flight_ -= end.pieces.size();
  end.pieces.clear();
  end.on_link = 0;
  end.ring.keep(end.ring.size() - end.under_way);
  end.under_way = 0;
  queue_.cancel(end.travel);
}

void Streams::Impl::arrive(End& end, const Piece& piece) {
  End& to = *end.other;
  Conn& conn = *end.conn;
  if (piece.what == Piece::What::kReset) {
    pop(end);
    if (to.alive()) fail(to, ECONNRESET);
    return forget_if_over(conn);
  }
  if (piece.what == Piece::What::kOpen && there(to.place)) {
    pop(end);
    return accept(conn);
  }
  if (!to.alive()) return nobody(end);
  end.heard = to.heard = queue_.now();
  trace_.add({queue_.now(), TraceKind::kArrive, 5, to.user->number(),
              end.user != nullptr ? end.user->number() : kNoNode, conn.number, piece.length});
  if (piece.what == Piece::What::kEnd) {
    to.at_end = true;
    note(to, StreamChange::kEnded);
  }
  end.under_way -= piece.length;
  if (tap_ != nullptr && piece.length != 0) tap_->on_acknowledged(seen(end), piece.length);
  pop(end);
  notify_readable(to);
}

/// Handles a piece that arrived at an end that no user holds. The machine there answers with a
/// reset. If there is no machine, the sender sends the piece again, and gives up after kGiveUp.
void Streams::Impl::nobody(End& end) {
  Conn& conn = *end.conn;
  const bool answered = there(end.other->place) && end.other->link->open();
  if (answered || !end.alive()) {
    drop_pieces(end);
    if (end.alive()) fail(end, ECONNRESET);
    return forget_if_over(conn);
  }
  if (end.pieces.size() == 1 && end.pieces.front().what == Piece::What::kKeepAlive) {
    if (++end.asked < end.keep.count) return queue_.in(end.keep.interval, end.travel);
    return fail(end, ETIMEDOUT);
  }
  end.again = std::max(end.again * 2, std::max(end.link->model().retransmit, Duration(1)));
  if (end.again < kGiveUp) return queue_.in(std::min(end.again, kMaxRetransmitDelay), end.travel);
  fail(end, ETIMEDOUT);
}

/// Called when this end is lost and the other end is not notified.
void Streams::Impl::lost(const End& end) {
  End& other = *end.other;
  if (!other.alive() || !other.open || !other.keep.on()) return;
  other.asked = 0;
  queue_.by(std::max(queue_.now(), other.heard + other.keep.idle), other.ask);
}

/// Sends a keepalive probe, unless pieces wait to be sent: these serve as a probe.
void Streams::Impl::ask(End& end) {
  if (end.alive() && end.pieces.empty()) push(end, {Piece::What::kKeepAlive});
}

// ---- calls of a program -------------------------------------------------------------------------

Transfer Streams::Impl::read(End& end, const iovec* to, std::size_t count) {
  if (end.split) return {0, EAGAIN};
  const std::size_t there_is = end.readable();
  if (there_is == 0) {
    end.notified = false;
    if (end.error != 0) return {0, end.error};
    return {0, end.at_end ? 0 : EAGAIN};
  }
  std::size_t bytes = std::min(there_is, sum(to, count));
  if (bytes > 1 && chance(rng_, model_.split_ppm)) {
    bytes = part_of(rng_, bytes);
    set_split(end, bytes < there_is);
    if (end.split) notice(end, kSoon);
  }
  End& from = *end.other;
  from.ring.take(to, bytes);
  if (tap_ != nullptr) tap_->on_read(seen(end), bytes);
  if (bytes == there_is) {
    end.notified = false;
    if (end.at_end || end.error != 0) notice(end);
  }
  if (from.wants_space && from.user != nullptr && has_space(from)) notice(from);
  return {bytes, 0};
}

Transfer Streams::Impl::write(End& end, const iovec* from, std::size_t count) {
  if (end.error != 0) return {0, end.error};
  if (!end.open) return {0, EAGAIN};
  const std::size_t given = sum(from, count);
  if (given == 0) return {0, 0};
  const std::size_t space = end.ring.size() < model_.window ? model_.window - end.ring.size() : 0;
  std::size_t bytes = std::min(given, space);
  if (bytes > 1 && chance(rng_, model_.short_ppm)) bytes = part_of(rng_, bytes);
  if (bytes < given) {
    end.wants_space = true;
    if (bytes < space) notice(end, kSoon);
  }
  if (bytes == 0) return {0, EAGAIN};
  end.ring.put(from, bytes);
  if (tap_ != nullptr) tap_->on_written(seen(end), from, bytes);
  for (std::size_t left = bytes; left != 0;) {
    const auto length =
        static_cast<std::uint32_t>(std::min<std::size_t>(left, std::max(model_.piece, 1U)));
    end.under_way += length;
    left -= length;
    push(end, {Piece::What::kBytes, length});
  }
  return {bytes, 0};
}

void Streams::Impl::notify_readable(End& end) {
  if (end.notified || end.split || !end.open) return;
  end.notified = true;
  end.user->on_readable(end.handle);
}

void Streams::Impl::notify(End& end) {
  const Handle socket = end.handle;
  set_split(end, false);
  if (end.wants_space && (end.error != 0 || has_space(end))) {
    end.wants_space = false;
    end.user->on_writable(socket);
    if (sockets_.find(socket) == nullptr) return;
  }
  if (end.readable() == 0 && !end.at_end && end.error == 0) return;
  end.notified = true;
  end.user->on_readable(socket);
}

/// Breaks the connection for this end. Pieces that have not left this end are lost.
void Streams::Impl::fail(End& end, int error) {
  drop_pieces(end);
  queue_.cancel(end.ask);
  end.error = error;
  note(end, StreamChange::kReset, error);
  if (tap_ != nullptr && !end.left) tap_->on_over(seen(end), false);
  notice(end);
  lost(end);
}

void Streams::Impl::close(End& end, bool reset) {
  Conn& conn = *end.conn;
  note(end, StreamChange::kClosed);
  reset = reset || end.readable() != 0;
  let_go(end);
  end.stalls = 0;  // no user could end the stall any more
  if (conn.dialling) return conns_.erase(conn.self);
  if (end.error == 0 && reset) {
    drop_pieces(end);
    push(end, {Piece::What::kReset});
  } else if (end.error == 0) {
    push(end, {Piece::What::kEnd});
  }
  forget_if_over(conn);
}

/// Called when the user's machine died: the other end is not notified.
void Streams::Impl::vanish(End& end) {
  Conn& conn = *end.conn;
  let_go(end);
  if (conn.dialling) return conns_.erase(conn.self);
  drop_pieces(end);
  lost(end);
  forget_if_over(conn);
}

void Streams::Impl::forget_if_over(Conn& conn) {
  if (conn.active.user != nullptr || conn.passive.user != nullptr) return;
  if (!conn.active.pieces.empty() || !conn.passive.pieces.empty()) return;
  conns_.erase(conn.self);
}

// ---- the interface ------------------------------------------------------------------------------

Streams::Streams(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model)
    : impl_(std::make_unique<Impl>(queue, wire, trace, rng, model)) {}
Streams::~Streams() = default;

void Streams::listen_in(StreamTap& tap) { impl_->tap_ = &tap; }
std::uint64_t Streams::number(Handle socket) const { return impl_->at(socket).conn->number; }

int Streams::listen(const Endpoint& at, SocketUser& user) {
  impl_->set_there(impl_->wire_.place(at.address), true);
  if (!impl_->listeners_.emplace(at, &user).second) return -EADDRINUSE;
  user.listening_.push_back(at);
  return 0;
}
void Streams::unlisten(const Endpoint& at) {
  const auto found = impl_->listeners_.find(at);
  if (found == impl_->listeners_.end()) return;
  std::erase(found->second->listening_, at);
  impl_->listeners_.erase(found);
}

Handle Streams::dial(const Endpoint& from, const Endpoint& to, SocketUser& user) {
  return impl_->dial(from, to, user);
}
Transfer Streams::read(Handle socket, const iovec* to, std::size_t count) {
  return impl_->read(impl_->at(socket), to, count);
}
Transfer Streams::write(Handle socket, const iovec* from, std::size_t count) {
  return impl_->write(impl_->at(socket), from, count);
}
void Streams::rearm(Handle socket) {
  Impl::End& end = impl_->at(socket);
  end.notified = false;
  // Bytes that arrived while the user did not read count as under way until Streams notifies the
  // user.
  impl_->set_split(end, end.readable() != 0);
  impl_->notice(end);
}
std::uint32_t Streams::unacknowledged(Handle socket) const { return impl_->at(socket).under_way; }
void Streams::keep_alive(Handle socket, const KeepAlive& how) { impl_->at(socket).keep = how; }
void Streams::join(Handle socket) { impl_->set_split(impl_->at(socket), false); }
int Streams::error(Handle socket) const { return impl_->at(socket).error; }
void Streams::close(Handle socket, bool reset) { impl_->close(impl_->at(socket), reset); }

void Streams::leave(Handle socket) {
  Impl::End& end = impl_->at(socket);
  if (impl_->tap_ != nullptr) impl_->tap_->on_over(impl_->seen(end), true);
  end.left = true;
}

void Streams::abandon(SocketUser& user, bool silent) {
  for (const Endpoint& at : user.listening_) {
    impl_->listeners_.erase(at);
    if (silent) impl_->set_there(impl_->wire_.place(at.address), false);
  }
  user.listening_.clear();
  while (!user.sockets_.empty()) {
    auto& end = static_cast<Impl::End&>(user.sockets_.front());
    if (silent) impl_->set_there(end.place, false);
    silent ? impl_->vanish(end) : impl_->close(end, false);
  }
}

void Streams::reset(Handle socket) {
  Impl::Socket* found = impl_->sockets_.find(socket);
  if (found == nullptr || !found->end->open) return;
  Impl::End& end = *found->end;
  for (Impl::End* each : {&end, end.other}) {
    if (each->alive()) {
      impl_->fail(*each, ECONNRESET);
    } else {
      impl_->drop_pieces(*each);
    }
  }
}

void Streams::half_open(Handle socket) {
  Impl::Socket* found = impl_->sockets_.find(socket);
  if (found != nullptr && found->end->open && found->end->alive())
    impl_->fail(*found->end, ECONNRESET);
}

void Streams::stall(Handle socket, bool begins) {
  Impl::Socket* found = impl_->sockets_.find(socket);
  if (found == nullptr) return;
  Impl::End& end = *found->end;
  if (begins) {
    ++end.stalls;
    return;
  }
  if (end.stalls == 0 || --end.stalls != 0) return;
  if (!end.pieces.empty() && !end.travel.parked() && !end.travel.scheduled())
    impl_->queue_.in({}, end.travel);
}

void Streams::between(Place a, Place b, std::vector<Handle>& sockets) const {
  std::vector<const Impl::Conn*> found;
  impl_->conns_.for_each([&](Handle, const Impl::Conn& conn) {
    const Place from = conn.active.place;
    const Place to = conn.passive.place;
    if ((from == a && to == b) || (from == b && to == a)) found.push_back(&conn);
  });
  std::ranges::sort(found, [](const auto* x, const auto* y) { return x->number < y->number; });
  for (const Impl::Conn* conn : found)
    for (const Impl::End* end : {&conn->active, &conn->passive})
      if (end->alive() && end->open && end->place == a) sockets.push_back(end->handle);
}

std::uint64_t Streams::lost_bytes() const { return impl_->lost_bytes_; }
std::size_t Streams::in_flight() const { return impl_->in_flight_; }

Instant Streams::in_flight_since() const {
  Instant since = kNever;
  if (impl_->in_flight_ == 0) return since;
  impl_->conns_.for_each([&](Handle, const Impl::Conn& conn) {
    for (const Impl::End* end : {&conn.active, &conn.passive}) {
      if (!end->pieces.empty()) since = std::min(since, end->pieces.front().sent);
      if (end->split) since = std::min(since, end->other->last);
    }
  });
  return since;
}

std::uint64_t Streams::with_foreign(std::uint32_t node) const {
  return node < impl_->strange_.size() ? impl_->strange_[node] : 0;
}
const std::array<std::uint64_t, 8>& Streams::counts() const { return impl_->counts_; }

}  // namespace ulnet::sim
