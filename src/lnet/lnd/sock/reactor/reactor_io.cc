// The reactor's reading, writing and accepting, with as few system calls as the traffic allows.
// Source: DESIGN.md 3.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/lnd/memory_short.h"
#include "lnet/lnd/sock/reactor/address_claim.h"
#include "lnet/lnd/sock/reactor/reactor.h"
#include "lnet/lnd/sock/reactor/ticks.h"

namespace ulnet::lnd::sock {
namespace {

/// After this many rounds of reading only the hot connections, the reactor asks epoll about the
/// others.
constexpr std::uint32_t kRoundsPerEpoll = 64;
/// How often one pass looks at the hot connections, while the thread spins and nothing comes.
constexpr int kLooksPerPass = 16;
/// kHotMax: the largest number of hot connections. kCoolAfter: the number of rounds without bytes
/// after which a connection is no longer hot; spin_us has time for about that number of rounds. A
/// connection also stops being hot when the thread sleeps.
constexpr std::size_t kHotMax = 4;
constexpr std::uint16_t kCoolAfter = 256;
/// Bytes read from one connection before the others get their turn.
constexpr std::size_t kReadTurn = 1 << 20;
/// Bytes read from a connection before it is closed because another one of its peer has ended.
constexpr std::size_t kReadAtEnd = 64 << 20;
/// System calls and bytes to write to one connection before other connections, and reading, get
/// their turn. With longer turns the requests that arrive meanwhile would be read in bunches, and
/// between two bunches there would be nothing to write.
constexpr int kWriteTurn = 16;
constexpr std::size_t kWriteTurnBytes = 2 << 20;
/// About how many bytes one system call writes; the message that reaches this number is written to
/// its end.
constexpr std::size_t kWriteEnough = 256 << 10;
/// If flush() wrote to a connection less than this long ago, it leaves the next message to the next
/// pass, unless kMaxCoalescedBytes bytes wait.
constexpr Duration kCoalesceWithin = std::chrono::microseconds(20);
constexpr std::uint64_t kMaxCoalescedBytes = 64 << 10;
constexpr Duration kSteerAcksEvery = std::chrono::milliseconds(10);
constexpr std::size_t kDirectVectors = 64;
constexpr int kAcceptsPerEvent = 64;
constexpr Duration kListenersRest = std::chrono::milliseconds(100);

}  // namespace

// ---- reading ------------------------------------------------------------------------------------

void Reactor::look() {
  if (slept_) cool_all();
  for (std::size_t i = 0; i < ready_; ++i) handle(events_[i]);
  ready_ = 0;
  // sleep() has just called epoll_wait(), and its events were handled above.
  if (std::exchange(slept_, false)) return engine_.count(Count::kCallsWait);
  if (!hot_.empty() && !epoll_first_) {
    // Several looks in one pass: while the thread spins, the clock and the timers of a pass would
    // take most of the time between two looks. Data to be written waits for these looks only while
    // they find something, because the answers to that can then be written in the same call.
    const bool writes = !engine_.writable().empty();
    bool gave = false;
    for (int looks = !spin_.spins(now_) ? 1
                     : writes           ? looks_before_write_
                                        : kLooksPerPass;
         looks > 0 && !gave; --looks) {
      gave = read_hot();
      if (++rounds_ >= kRoundsPerEpoll || inbox_.pending()) break;
    }
    if (writes) looks_before_write_ = gave ? kLooksPerPass : std::max(1, looks_before_write_ / 2);
    if (rounds_ < kRoundsPerEpoll) return;
  }
  rounds_ = 0;
  epoll_first_ = ask_epoll() != 0;
}

/// Asks epoll and handles what is ready. Returns how many of the ready connections were not hot.
std::size_t Reactor::ask_epoll() {
  std::array<epoll_event, 64> events;  // NOLINT: written by the call
  const int ready = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  engine_.count(Count::kCallsWait);
  std::size_t others = 0;
  for (int i = 0; i < ready; ++i) {
    const Handle conn{
        static_cast<std::uint32_t>(events[static_cast<std::size_t>(i)].data.u64),
        static_cast<std::uint32_t>(events[static_cast<std::size_t>(i)].data.u64 >> 32)};
    const Socket* socket = find(conn);
    others += socket != nullptr && socket->hot ? 0 : 1;
    handle(events[static_cast<std::size_t>(i)]);
  }
  return others;
}

void Reactor::handle(const epoll_event& event) {
  ++moved_;
  const Handle conn{static_cast<std::uint32_t>(event.data.u64),
                    static_cast<std::uint32_t>(event.data.u64 >> 32)};
  if (conn.generation == 0) {
    if (conn.slot != 0) {
      Listener* listener = listeners_[conn.slot - 1].get();
      if (listener == nullptr) return;
      accept_from(*listener);
      return dismiss_claimants(listener->claim.get());
    }
    std::uint64_t wakes = 0;
    [[maybe_unused]] const auto got = ::read(wake_fd_.get(), &wakes, sizeof wakes);
    return engine_.count(Count::kCallsWake, wakes);
  }
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  if (socket->dialling) return finish_dial(conn, *socket);
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  if ((event.events & EPOLLIN) != 0 || (broken && (socket->events & EPOLLIN) != 0)) {
    if (read(conn)) warm(conn, *socket);
  } else if (broken) {
    // The connection is not being read, so epoll would report its error again and again.
    const int error = dial_result(socket->fd.get());
    end(conn, error != 0 ? error : ECONNRESET);
  }
  if ((event.events & EPOLLOUT) != 0) write(conn);
}

bool Reactor::read(Handle conn) {
  bool any = false;
  std::size_t total = 0;
  for (bool full = true; full && total < kReadTurn;) {
    Socket* socket = find(conn);
    if (socket == nullptr) break;
    std::size_t bytes = 0;
    if (!read_once(conn, *socket, bytes, full)) break;
    total += bytes;
    any = true;
  }
  return any;
}

/// A connection has ended. The peer's other connections must be closed too (spec/wire-socklnd.md
/// 10), because a peer that goes closes them all. Bytes that have arrived on the others were
/// written before the end, so they are read first.
void Reactor::end(Handle conn, int error) {
  if (!ending_.empty()) return;  // called for one of the siblings that the loop below is reading
  ending_.push_back(conn);
  engine_.siblings(conn, ending_);
  for (std::size_t i = 0; i < ending_.size(); ++i) {
    std::size_t total = 0;
    bool full = true;
    for (Socket* socket = find(ending_[i]); socket != nullptr && full && total < kReadAtEnd;
         socket = find(ending_[i])) {
      std::size_t bytes = 0;
      if (!read_once(ending_[i], *socket, bytes, full)) break;
      total += bytes;
      full = true;
    }
  }
  ending_.clear();
  engine_.ended(conn, error);
}

/// Reads once. True if something was read and the connection is still open. `full`: the call filled
/// all its buffers, so there may be more.
bool Reactor::read_once(Handle conn, Socket& socket, std::size_t& bytes, bool& full) {
  iovec vectors[kDirectVectors + 1];
  std::size_t direct = 0;
  std::size_t ahead = kReadBuffer;
  std::size_t used = engine_.read_plan(conn, vectors, kDirectVectors, direct, ahead);
  if (ahead != 0) vectors[used++] = {read_buffer_->data(), ahead};
  if (used == 0) return false;
  ssize_t got = 0;
  if (used == 1) {
    got = ::recv(socket.fd.get(), vectors[0].iov_base, vectors[0].iov_len, MSG_DONTWAIT);
  } else {
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = used;
    got = ::recvmsg(socket.fd.get(), &message, MSG_DONTWAIT);
  }
  engine_.count(got < 0 ? Count::kCallsReceiveEmpty : Count::kCallsReceive);
  if (got <= 0) {
    full = false;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    ++moved_;
    end(conn, got == 0 ? 0 : errno);
    return false;
  }
  ++moved_;
  bytes = static_cast<std::size_t>(got);
  full = bytes == direct + ahead;
  steer_acks(socket);
  const std::size_t landed = std::min(bytes, direct);
  return engine_.received(conn, landed, {read_buffer_->data(), bytes - landed});
}

/// Sets when TCP acknowledges on this connection (eager_ack). A bulk connection carries messages
/// one way only, so no data can carry TCP's ACKs; an ACK for each read would double the cost of a
/// message.
void Reactor::steer_acks(Socket& socket) {
  if (!socket.quick_ack && now_ - socket.acks_steered < kSteerAcksEvery) return;
  socket.acks_steered = now_;
  set_quick_ack(socket.fd.get(), socket.quick_ack);
}

bool Reactor::read_hot() {
  bool any = false;
  for (std::size_t i = 0; i < hot_.size(); ++i) {
    const Handle conn = hot_[i];
    const bool gave = read(conn);
    any = any || gave;
    Socket* socket = find(conn);
    if (socket == nullptr) continue;
    socket->idle_rounds =
        gave ? std::uint16_t{0} : static_cast<std::uint16_t>(socket->idle_rounds + 1);
    if (socket->idle_rounds < kCoolAfter) continue;
    socket->hot = false;
    std::erase(hot_, conn);
  }
  return any;
}

/// Makes all connections not hot. Called after a sleep, when epoll reports which connections have
/// something.
void Reactor::cool_all() {
  for (const Handle conn : hot_)
    if (Socket* socket = find(conn)) socket->hot = false;
  hot_.clear();
}

void Reactor::warm(Handle conn, Socket& socket) {
  if (find(conn) != &socket || socket.hot || hot_.size() >= kHotMax) return;
  socket.hot = true;
  socket.idle_rounds = 0;
  hot_.push_back(conn);
}

// ---- writing ------------------------------------------------------------------------------------

void Reactor::write_queued(bool from_flush) {
  writing_.swap(engine_.writable());
  for (const Handle conn : writing_) {
    engine_.clear_writable(conn);
    Socket* socket = find(conn);
    if (socket == nullptr || socket->dialling || (socket->events & EPOLLOUT) != 0) continue;
    if (!from_flush || may_write_now(conn, *socket)) {
      write(conn);
    } else {
      engine_.mark_writable(conn);
    }
  }
  writing_.clear();
}

/// Whether flush() may write to this connection now. A message that comes alone is written at once.
/// The first message after a pass is written at once too, if no other pass follows at once.
/// Messages that follow closely wait for the next pass, which writes them in one system call.
bool Reactor::may_write_now(Handle conn, Socket& socket) {
  const bool passed_since = (!own_thread_ || about_to_sleep()) && socket.direct_pass != passes_;
  const bool lone = passed_since || now_ - socket.direct_at > kCoalesceWithin;
  if (!lone && engine_.unsent_bytes(conn) < kMaxCoalescedBytes) return false;
  lone_tag_.store(batch_tag_, std::memory_order_relaxed);
  lone_at_.store(ticks(), std::memory_order_relaxed);
  socket.direct_pass = passes_;
  socket.direct_at = now_;
  return true;
}

void Reactor::write(Handle conn) {
  std::size_t total = 0;
  for (int turn = 0; turn < kWriteTurn && total < kWriteTurnBytes; ++turn) {
    Socket* socket = find(conn);
    if (socket == nullptr) return;
    iovec vectors[kVectors];
    const std::size_t used = engine_.gather(conn, vectors, kVectors, *scratch_, kWriteEnough);
    if (used == 0) return watch(conn, *socket, socket->events & ~EPOLLOUT);
    std::size_t asked = 0;
    for (std::size_t i = 0; i < used; ++i) asked += vectors[i].iov_len;
    ssize_t put = 0;
    if (used == 1) {
      put = ::send(socket->fd.get(), vectors[0].iov_base, asked, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      msghdr message{};
      message.msg_iov = vectors;
      message.msg_iovlen = used;
      put = ::sendmsg(socket->fd.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    engine_.count(Count::kCallsSend);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return watch(conn, *socket, socket->events | EPOLLOUT);
    ++moved_;
    if (put < 0) return end(conn, errno);
    const auto written = static_cast<std::size_t>(put);
    total += written;
    engine_.written(conn, written);
    socket = find(conn);
    if (socket == nullptr) return;
    if (written < asked) return watch(conn, *socket, socket->events | EPOLLOUT);
    if (!engine_.has_unsent(conn)) return watch(conn, *socket, socket->events & ~EPOLLOUT);
  }
  engine_.mark_writable(conn);
}

// ---- listening ----------------------------------------------------------------------------------

/// Claims `endpoint`, and listens on it unless accept=none.
Result<Reactor::Listener> Reactor::open_listener(const Endpoint& endpoint) const {
  auto claim = claim_endpoint(endpoint);
  if (!claim) return tl::unexpected(claim.error());
  Listener listener{endpoint, std::move(*claim), Descriptor(), 1};
  if (tunables_.accept == Accept::kNone) return listener;
  auto fd = listen_on(endpoint, tunables_);
  if (!fd) return tl::unexpected(fd.error());
  listener.fd = std::move(*fd);
  return listener;
}

Result<void> Reactor::add_listener(const Endpoint& endpoint) {
  Result<void> result;
  run([&](Engine&) {
    for (const auto& listener : listeners_)
      if (listener && listener->endpoint == endpoint) {
        ++listener->users;
        return;
      }
    auto opened = open_listener(endpoint);
    if (!opened) {
      result = tl::unexpected(opened.error());
      return;
    }
    auto hole = std::find(listeners_.begin(), listeners_.end(), nullptr);
    if (hole == listeners_.end()) hole = listeners_.insert(hole, nullptr);
    *hole = std::make_unique<Listener>(std::move(*opened));
    epoll_event event{EPOLLIN, {}};
    event.data.u64 = static_cast<std::uint64_t>(hole - listeners_.begin()) + 1;
    if ((*hole)->fd) epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, (*hole)->fd.get(), &event);
    // Edge-triggered: a claimant that cannot be accepted, because no descriptor is free, does not
    // keep the thread awake.
    event.events |= EPOLLET;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, (*hole)->claim.get(), &event);
  });
  return result;
}

void Reactor::remove_listener(const Endpoint& endpoint) {
  run([&](Engine&) {
    for (auto& listener : listeners_)
      if (listener && listener->endpoint == endpoint && --listener->users == 0) listener.reset();
  });
}

void Reactor::accept_from(Listener& listener) {
  if (!listener.fd) return;
  for (int i = 0; i < kAcceptsPerEvent; ++i) {
    Endpoint remote;
    int error = 0;
    Descriptor fd = accept_next(listener.fd.get(), remote, error);
    if (!fd && (error == EMFILE || error == ENFILE)) {
      if (refuse_without_descriptor(listener)) continue;
      return;
    }
    if (!fd) return;  // no connection waits, or the waiting one is gone
    if (memory_is_short.load(std::memory_order_relaxed)) {
      engine_.report(Count::kRefusedNoMemory, remote);
      continue;
    }
    const auto conn = engine_.accepted(remote);
    if (!conn) continue;
    set_options(fd.get(), tunables_, -1);
    watch(*conn, attach(*conn, std::move(fd)), EPOLLIN);
  }
}

/// Called when no descriptor is free. Closes the spare one, so that the waiting connection can be
/// accepted and closed: its peer learns of that, and epoll stops reporting the connection. Returns
/// whether a connection was refused in this way.
bool Reactor::refuse_without_descriptor(Listener& listener) {
  spare_.reset();
  Endpoint remote;
  int error = 0;
  const bool refused = static_cast<bool>(accept_next(listener.fd.get(), remote, error));
  engine_.report(Count::kRefusedNoDescriptor, refused ? remote : listener.endpoint);
  spare_.reset(dup(wake_fd_.get()));
  if (refused || error == EAGAIN) return refused;
  // This failed too: do not watch the listeners for a while.
  for (const auto& each : listeners_)
    if (each) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, each->fd.get(), nullptr);
  listeners_rest_ = true;
  listeners_rest_until_ = now_ + kListenersRest;
  return false;
}

void Reactor::rest_listeners() {
  if (!listeners_rest_ || now_ < listeners_rest_until_) return;
  listeners_rest_ = false;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (!listeners_[i]) continue;
    epoll_event event{EPOLLIN, {}};
    event.data.u64 = i + 1;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listeners_[i]->fd.get(), &event);
  }
}

}  // namespace ulnet::lnd::sock
