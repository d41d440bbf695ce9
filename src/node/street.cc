#include "node/street.h"

#include <algorithm>

namespace ulnet::node {
namespace {

/// In inline mode a waiting thread looks this often whether another thread's polling brought what
/// it waits for.
constexpr Duration kInlineLook = std::chrono::milliseconds(1);
constexpr Duration kChoreInterval = std::chrono::seconds(1);
/// A polling thread looks this often whether another thread has set an earlier deadline.
constexpr Duration kSlice = std::chrono::milliseconds(20);
constexpr Duration kWaitLimit = std::chrono::hours(24);
/// Looks without waiting follow each other closely: only one in so many reads the clock.
constexpr unsigned kLooksPerClock = 16;

}  // namespace

Street::Street(Mode mode, std::uint64_t seed, const lnd::sock::SockTunables& tunables,
               std::uint64_t last_incarnation, ShardHost::Hooks hooks)
    : mode_(mode),
      shard_(0, Rng(seed)),
      host_(shard_, timekeeper_, hooks),
      lo_(host_),
      sock_(host_, tunables,
            mode == Mode::kInline ? lnd::sock::Threads::kInline : lnd::sock::Threads::kOwn,
            last_incarnation),
      lo_index_(host_.add_driver(lo_)),
      sock_index_(host_.add_driver(sock_)) {
  timekeeper_.start([this] { host_.tick(); }, mode != Mode::kInline);
}

Street::~Street() { timekeeper_.stop(); }

lnd::Lnd* Street::driver_of(NetType type) {
  if (type == NetType::kLo) return &lo_;
  if (type == NetType::kTcp) return &sock_;
  return nullptr;
}

std::vector<lnd::ThreadDuty> Street::duties() {
  std::vector<lnd::ThreadDuty> duties = sock_.duties();
  if (!polled()) duties.push_back({"timekeeper", timekeeper_.duty().duty()});
  return duties;
}

void Street::set_long_cycle(Duration threshold) {
  timekeeper_.duty().set_threshold(threshold);  // the driver has it as a tunable
}

Result<void> Street::call(core::ApiCall& call) {
  host_.call(call);
  if (call.status != 0) return fail(call.status, call.reason);
  return {};
}

template <class Wait>
bool Street::wait_moving(Wait wait, Instant until) {
  if (!polled()) return wait(until);
  while (true) {
    if (wait(now())) return true;
    if (now() >= until) return false;
    progress(std::min(kInlineLook, until - now()));
  }
}

void Street::wait_for_strand(MdHandle md) {
  Strands& strands = host_.strands();
  if (strands.at_rest(md.cookie)) return;
  if (!polled()) return strands.wait_until_at_rest(md.cookie);
  while (!strands.at_rest(md.cookie)) progress(kInlineLook);
}

void Street::wait_for_handlers() {
  Strands& strands = host_.strands();
  if (!polled()) return strands.wait_until_all_at_rest();
  while (!strands.all_at_rest()) progress(kInlineLook);
}

Result<core::Done> Street::call_and_wait(core::ApiCall& call) {
  if (OuterLoop::current().running()) return fail(-EDEADLK, "a waiting call inside a handler");
  Waiter waiter;
  waiter.ticket = std::get<core::call::Ping>(call.body).ticket;
  host_.call(call, waiter);
  if (call.status != 0) return fail(call.status, call.reason);
  wait_moving([&](Instant until) { return host_.wait_done(waiter, until); }, kNever);
  return std::move(waiter.done);
}

Result<lnd::NiStarted> Street::start_ni(const lnd::NiSpec& spec) {
  lnd::Lnd* driver = driver_of(spec.net.type);
  if (driver == nullptr) return fail(-EINVAL, "LND type not supported");
  host_.bind_ni(spec.id, driver == &lo_ ? lo_index_ : sock_index_);
  return with_driver(spec.net.type, [&](lnd::Lnd& lnd) { return lnd.start_ni(spec); });
}

void Street::stop_ni(core::NiId ni, NetType type, Duration grace) {
  const auto drained = [&](Instant until) { return host_.wait_drained(ni, until); };
  const bool quiet = wait_moving(drained, now() + grace);
  with_driver(type, [&](lnd::Lnd& lnd) { lnd.stop_ni(ni); });
  if (!quiet) wait_moving(drained, kNever);
}

bool Street::progress(Duration wait) {
  OuterLoop& loop = OuterLoop::current();
  if (!polled() || loop.running()) return false;
  if (wait <= Duration::zero()) {
    if (!polling_.try_take()) return false;
    const bool moved = look_once(loop);
    polling_.give();
    return moved;
  }
  const Instant until = now() + std::min(wait, kWaitLimit);
  bool moved = false;
  do {
    if (!polling_.take(until)) return false;
    moved = look_until(until, loop);
    polling_.give();
  } while (!moved && now() < until);
  return moved;
}

bool Street::look_once(OuterLoop& loop) {
  bool moved = ++looks_ % kLooksPerClock == 0 && run_due(now());
  moved = lo_.progress(Duration::zero()) || moved;
  moved = sock_.progress(Duration::zero()) || moved;
  loop.run();
  return moved;
}

bool Street::look_until(Instant until, OuterLoop& loop) {
  const Instant at = now();
  bool moved = run_due(at);
  moved = lo_.progress(Duration::zero()) || moved;
  const Instant next = std::min({until, timekeeper_.deadline(), at + kSlice});
  moved = sock_.progress(moved ? Duration::zero() : std::max(next - at, Duration::zero())) || moved;
  loop.run();
  return moved;
}

bool Street::run_due(Instant at) {
  if (chore_ && at >= chore_due_) {
    chore_();
    chore_due_ = at + kChoreInterval;
  }
  return timekeeper_.poll(at);
}

}  // namespace ulnet::node
