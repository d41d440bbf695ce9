#include "lnet/lnd/sock/reactor/reactor.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "lnet/base/assert.h"
#include "lnet/lnd/driver_thread.h"
#include "lnet/lnd/pause.h"
#include "lnet/lnd/sock/reactor/ticks.h"

namespace ulnet::lnd::sock {
namespace {

/// How often a pass repeats draining and writing, for commands that its own deliveries have
/// submitted.
constexpr int kDrainsPerPass = 16;

/// At most this many messages for one peer are left in the inbox to be written together.
constexpr std::uint32_t kMaxLeftMessages = 64;

/// The reactor on which this thread is delivering a header right now, if any.
thread_local const Reactor* delivering_header = nullptr;
/// The reactor that this thread belongs to, if any.
thread_local const Reactor* own_reactor = nullptr;

unsigned cpus_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::uint64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

}  // namespace

Reactor::Reactor(std::uint8_t id, Inlet& inlet, const SockTunables& tunables, ReactorOf reactor_of,
                 DriverShares& shares, std::pmr::memory_resource& memory, ReportSink* reports)
    : inlet_(inlet),
      shares_(shares),
      reports_(reports),
      tunables_(tunables),
      reactor_of_(std::move(reactor_of)),
      engine_(id, tunables_, *this),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      spare_(dup(wake_fd_.get())),
      read_buffer_(make_placed_for_overwrite<std::array<std::byte, kReadBuffer>>(memory)),
      scratch_(make_placed_for_overwrite<std::array<std::byte, kScratch>>(memory)) {
  if (!epoll_ || !wake_fd_)  // calls after the failed one may have changed errno
    throw std::system_error(EMFILE, std::generic_category(), "no descriptor for a reactor");
  epoll_event event{EPOLLIN, {}};
  event.data.u64 = 0;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_fd_.get(), &event);
  retuned_ = true;
}

Reactor::~Reactor() { stop_thread(); }

Instant Reactor::clock() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

// ---- passes -------------------------------------------------------------------------------------

void Reactor::begin() {
  now_ = clock();
  engine_.at(now_);
}

bool Reactor::pass() noexcept {
  begin();
  ++passes_;
  if (std::exchange(retuned_, false)) {
    spin_.configure(tunables_.wait, std::chrono::microseconds(tunables_.spin_us), cpus_allowed());
    duty_.set_threshold(std::chrono::milliseconds(tunables_.long_cycle_ms));
  }
  left_over_.store(false, std::memory_order_seq_cst);
  if (!own_thread_) lone_tag_.store(0, std::memory_order_relaxed);
  const std::uint64_t before = moved_ + delivered_;
  drain();
  look();
  report_dials();
  engine_.work();
  for (int i = 0; i < kDrainsPerPass && (i == 0 || inbox_.pending()); ++i) {
    drain();
    report_dials();
    write_queued(false);
  }
  rest_listeners();
  if (!engine_.writable().empty()) left_over_.store(true, std::memory_order_seq_cst);
  planned_until_ =
      std::min(engine_.next_deadline(), listeners_rest_ ? listeners_rest_until_ : kNever);
  return moved_ + delivered_ != before;
}

void Reactor::submit(Command&& command, std::uint64_t tag) {
  // A verdict that is given inside deliver() needs no lock. But it must not overtake other commands
  // in the inbox.
  if (delivering_header == this && !inbox_.pending()) {
    nested_.push_back(std::move(command));
  } else {
    inbox_.put(std::move(command), tag);
  }
}

void Reactor::submit(const core::Send& send, std::uint64_t tag) {
  if (delivering_header == this && !inbox_.pending()) {
    nested_.emplace_back(send);
  } else {
    inbox_.put(send, tag);
  }
}

/// True if the calling thread is the reactor's own and sleeps next.
bool Reactor::about_to_sleep() const { return own_reactor == this && sleeps_next_; }

/// True if the inbox has only messages to the peer that flush() wrote to a moment ago. The next
/// pass then writes them in one system call.
bool Reactor::may_leave() const {
  const std::uint64_t tag = inbox_.tag();
  return tag != 0 && tag == lone_tag_.load(std::memory_order_relaxed) &&
         inbox_.count() < kMaxLeftMessages &&
         ticks() - lone_at_.load(std::memory_order_relaxed) < kMoment;
}

void Reactor::flush() noexcept {
  while (inbox_.pending()) {
    if (!about_to_sleep() && may_leave()) {
      if (own_thread_) wake();
      return;
    }
    if (!token_.try_lock()) return;  // its holder looks at the inbox again after it has unlocked
    flush_pass();
    const bool left = left_over_.load(std::memory_order_relaxed);
    token_.unlock();
    if (left) wake();
  }
}

void Reactor::flush_pass() {
  begin();
  for (int i = 0; i < kDrainsPerPass && (i == 0 || inbox_.pending()); ++i) {
    drain();
    report_dials();
    write_queued(true);
  }
  // The next pass handles the rest. It must not come later than a deadline that was set here.
  const Instant deadline = engine_.next_deadline();
  if (engine_.writable().empty() && deadline >= planned_until_) return;
  planned_until_ = std::min(planned_until_, deadline);
  left_over_.store(true, std::memory_order_seq_cst);
}

void Reactor::drain() {
  if (!inbox_.pending()) return;
  batch_tag_ = inbox_.take(commands_, jobs_, handovers_);
  ++moved_;
  for (Command& command : commands_) engine_.command(std::move(command));
  commands_.clear();
  engine_.drained();
  for (Job* job : jobs_) {
    job->run(engine_);
    const std::lock_guard hold(jobs_lock_);
    job->done = true;
    jobs_done_.notify_all();
  }
  jobs_.clear();
  for (Handover& handover : handovers_) {
    const auto conn = engine_.expect(handover.arrival);
    if (!conn) continue;
    Socket& socket = attach(*conn, std::move(handover.socket));
    watch(*conn, socket, EPOLLIN);
    engine_.arrived(*conn, handover.arrival);
  }
  handovers_.clear();
}

void Reactor::run(std::function<void(Engine&)> what) {
  Job job{std::move(what)};
  inbox_.put(job);
  flush();
  wake();
  std::unique_lock hold(jobs_lock_);
  while (!job.done) {
    // The holder of the token may have unlocked it just before it could see the job.
    jobs_done_.wait_for(hold, std::chrono::milliseconds(1));
    if (job.done) break;
    hold.unlock();
    flush();
    hold.lock();
  }
}

void Reactor::retune(const SockTunables& tunables) {
  run([&](Engine&) {
    tunables_ = tunables;
    retuned_ = true;
  });
}

// ---- Outlet -------------------------------------------------------------------------------------

bool Reactor::deliver(const core::Input& input) {
  ++delivered_;
  if (!std::holds_alternative<core::HeaderArrived>(input)) return inlet_.deliver(input);
  delivering_header = this;
  const bool done = inlet_.deliver(input);
  delivering_header = nullptr;
  // Carry out a header's verdict at once: then payload in the read buffer is copied once, to
  // where it belongs.
  for (Command& command : nested_) engine_.command(std::move(command));
  nested_.clear();
  if (!inbox_.pending()) return done;
  inbox_.take_commands(commands_);
  for (Command& command : commands_) engine_.command(std::move(command));
  commands_.clear();
  return done;
}

void Reactor::dial(Handle conn, const DialOrder& order) {
  DialStart start = start_dial(order, tunables_);
  if (start.error == EMFILE || start.error == ENFILE)
    engine_.report(Count::kRefusedNoDescriptor, order.remote);
  if (start.error != 0) {
    dial_results_.push_back({conn, start.error});
    return;
  }
  Socket& socket = attach(conn, std::move(start.socket));
  socket.dialling = true;
  socket.unprivileged = start.unprivileged;
  if (start.connected) {
    dial_results_.push_back({conn, 0});
  } else {
    watch(conn, socket, EPOLLOUT);
  }
}

void Reactor::report_dials() {
  // Reporting a failed dial may make the engine start another one.
  for (std::size_t i = 0; i < dial_results_.size(); ++i) {
    const DialResult result = dial_results_[i];
    if (result.error != 0) {
      engine_.dial_failed(result.conn, result.error);
    } else if (Socket* socket = find(result.conn)) {
      finish_dial(result.conn, *socket);
    }
  }
  dial_results_.clear();
}

void Reactor::finish_dial(Handle conn, Socket& socket) {
  socket.dialling = false;
  ++moved_;
  const int error = dial_result(socket.fd.get());
  if (error != 0) return engine_.dial_failed(conn, error, socket.unprivileged);
  watch(conn, socket, EPOLLIN);
  engine_.connected(conn, socket.unprivileged);
}

void Reactor::close(Handle conn) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  std::erase(hot_, conn);
  *socket = Socket{};
}

void Reactor::abort(Handle conn) {
  if (const Socket* socket = find(conn)) set_reset_at_close(socket->fd.get());
  close(conn);
}

void Reactor::leave(Handle conn, core::NiId ni) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket->fd.get(), nullptr);
  set_reset_at_close(socket->fd.get());
  left_.push_back({ni, std::move(socket->fd)});
  close(conn);
}

void Reactor::reset_left(core::NiId ni) {
  std::erase_if(left_, [&](const Left& left) { return left.ni == ni; });
}

void Reactor::pause(Handle conn, bool paused) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  if (paused && socket->hot) {
    socket->hot = false;
    std::erase(hot_, conn);
  }
  watch(conn, *socket, paused ? socket->events & ~EPOLLIN : socket->events | EPOLLIN);
}

void Reactor::opened(Handle conn, wire::ConnType type, std::int32_t tos) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  if (tos >= 0) set_tos(socket->fd.get(), tos);
  const auto bit = 1U << static_cast<unsigned>(type);
  socket->quick_ack = (static_cast<unsigned>(tunables_.eager_ack) & bit) != 0;
  steer_acks(*socket);
}

Share Reactor::take_connections(const Address& address, std::uint16_t count) {
  const auto limit = [](std::int32_t tunable) { return static_cast<std::uint64_t>(tunable); };
  return shares_.take_connections(
      address, count, {limit(tunables_.accept_open_per_address), limit(tunables_.accept_open)});
}

std::uint32_t Reactor::unacknowledged(Handle conn) {
  const Socket* socket = find(conn);
  return socket == nullptr ? 0 : unacknowledged_bytes(socket->fd.get());
}

bool Reactor::pass_to_owner(Handle conn, const core::Hop& peer, Arrival& arrival) {
  Reactor* other = reactor_of_ ? reactor_of_(arrival.ni, peer) : nullptr;
  if (other == nullptr || other == this) return false;
  Socket* socket = find(conn);
  if (socket == nullptr) return false;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket->fd.get(), nullptr);
  Handover handover{std::move(arrival), std::move(socket->fd)};
  close(conn);
  other->inbox_.put(std::move(handover));
  other->wake();
  return true;
}

// ---- descriptors --------------------------------------------------------------------------------

Reactor::Socket& Reactor::attach(Handle conn, Descriptor fd) {
  while (sockets_.size() <= conn.slot) sockets_.emplace_back();
  Socket& socket = sockets_[conn.slot];
  socket = Socket{};
  socket.fd = std::move(fd);
  socket.generation = conn.generation;
  return socket;
}

void Reactor::watch(Handle conn, Socket& socket, std::uint32_t events) {
  if (socket.events == events && socket.watched) return;
  epoll_event event{events, {}};
  event.data.u64 = static_cast<std::uint64_t>(conn.generation) << 32 | conn.slot;
  epoll_ctl(epoll_.get(), socket.watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket.fd.get(), &event);
  socket.watched = true;
  socket.events = events;
}

// ---- the thread ---------------------------------------------------------------------------------

void Reactor::start_thread(std::function<void()> begin) {
  own_thread_ = true;
  thread_ = lnd::start_thread("ulnet-sock", [this, begin = std::move(begin)] {
    begin();
    loop();
  });
}

void Reactor::stop_thread() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_seq_cst);
  wake();
  thread_.join();
}

Reactor::Passed Reactor::pass_under_token() {
  token_.lock();
  const std::uint64_t before = delivered_;
  const bool busy = pass();
  const Passed passed{busy, delivered_ != before, now_, planned_until_};
  token_.unlock();
  if (busy) spin_.traffic(passed.now);
  return passed;
}

void Reactor::loop() {
  own_reactor = this;
  while (!stop_.load(std::memory_order_seq_cst)) {
    const Passed passed = pass_under_token();
    duty_.end(passed.now);
    if (passed.busy) duty_.begin(passed.now);
    sleeps_next_ = !spin_.spins(passed.now);
    if (passed.delivered) inlet_.after_batch();
    if (sleeps_next_) {
      sleep(passed.until);
    } else if (!passed.busy) {
      spin_once(passed.now);
    }
  }
}

void Reactor::spin_once(Instant now) {
  if (spin_.asks(now)) spin_.preempted(involuntary_switches(), now);
  lnd::pause();
}

void Reactor::sleep(Instant until) {
  const Instant now = duty_.running() || until != kNever ? clock() : Instant{};
  duty_.end(now);
  int timeout = 0;
  if (announce_sleep()) {
    timeout = -1;
    if (until != kNever) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(std::max(until - now, Duration{}));
      timeout = static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000));
    }
    duty_.sleep();
  }
  const int ready =
      epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout);
  sleeping_.store(false, std::memory_order_seq_cst);
  ready_ = ready < 0 ? 0 : static_cast<std::size_t>(ready);
  slept_ = true;
}

bool Reactor::announce_sleep() {
  sleeping_.store(true, std::memory_order_seq_cst);
  return !inbox_.pending() && !left_over_.load(std::memory_order_seq_cst) &&
         !stop_.load(std::memory_order_seq_cst);
}

void Reactor::wake() {
  if (!sleeping_.load(std::memory_order_seq_cst)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_.get(), &one, sizeof one);
}

bool Reactor::progress(Duration wait) {
  const Instant end = wait == Duration{} ? Instant{} : clock() + wait;
  sleeping_.store(false, std::memory_order_relaxed);
  bool delivered = false;
  for (;;) {
    const Passed passed = pass_under_token();
    delivered = passed.delivered;
    due_ = passed.until;
    if (delivered || passed.now >= end) break;
    if (!spin_.spins(passed.now)) {
      sleep(std::min(passed.until, end));
    } else if (!passed.busy) {
      spin_once(passed.now);
    }
  }
  flush();  // commands that were submitted while this thread held the token
  return delivered;
}

Duration Reactor::may_sleep() {
  const Instant now = clock();
  if (spin_.spins(now)) {
    if (spin_.asks(now)) spin_.preempted(involuntary_switches(), now);
    return {};
  }
  return announce_sleep() ? std::max(due_ - now, Duration{}) : Duration{};
}

}  // namespace ulnet::lnd::sock
