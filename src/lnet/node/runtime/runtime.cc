#include "lnet/node/runtime/runtime.h"

#include <algorithm>
#include <iterator>

#include "lnet/lnd/driver_thread.h"
#include "lnet/node/runtime/log_levels.h"

namespace ulnet::node {
namespace {

/// In inline mode a waiting thread checks this often whether another thread's polling has brought
/// what this one waits for.
constexpr Duration kInlineLook = std::chrono::milliseconds(1);
constexpr Duration kHousekeepingInterval = std::chrono::seconds(1);
/// A polling thread checks this often whether another thread has armed an earlier deadline.
constexpr Duration kSlice = std::chrono::milliseconds(20);
constexpr Duration kWaitLimit = std::chrono::hours(24);
/// Looks without waiting follow each other closely, so only one in this many reads the clock.
constexpr unsigned kLooksPerClock = 16;

}  // namespace

Runtime::Runtime(Options options, Partitions partitions)
    : mode_(options.mode),
      trial_(options.trial),
      say_(std::move(options.say)),
      partitions_(std::move(partitions)),
      memory_(options.memory_budget),
      hosts_(partitions_, options.hooks),
      driver_log_(hosts_.timekeeper(), options.log_level, say_, options.events) {
  const lnd::Placing placing{partitions_.count(), cpt::cpt_of_nid,
                             [this](std::uint32_t cpt) { bind(cpt); },
                             [this](std::uint32_t cpt) { return &partitions_.memory().of(cpt); }};
  const DriverParts parts{hosts_,  memory_,     options.params, polled(), options.last_incarnation,
                          placing, &driver_log_};
  for (DriverRow& row : options.drivers) {
    auto lnd = row.make(parts);
    const unsigned index = hosts_.add_driver(*lnd);
    if (lnd->progress_kind() == lnd::Progress::kPolled) poller_.add(*lnd);
    drivers_.push_back({std::move(row), std::move(lnd), index});
  }
  set_shard_spin(options.shard_spin && !trial_);
  hosts_.start(!polled(), [this](std::uint32_t cpt) { bind(cpt); });
  start_poll_thread();
}

Runtime::~Runtime() {
  hosts_.stop();
  stop_poll_thread();
  while (!drivers_.empty()) drivers_.pop_back();  // destroys the last driver first
}

void Runtime::start_poll_thread() {
  if (polled() || poller_.empty()) return;
  poller_.allow_wake();
  poll_thread_ = lnd::start_thread("ulnet-poll", [this] {
    while (!stop_polling_) {
      poller_.wait(kNever - Instant{});
      OuterLoop::current().run();
    }
  });
}

void Runtime::stop_poll_thread() {
  if (!poll_thread_.joinable()) return;
  stop_polling_ = true;
  poller_.wake();
  poll_thread_.join();
}

void Runtime::bind(std::uint32_t cpt) {
  const auto bound =
      trial_ ? Result<void>() : bind_thread(partitions_.table(), static_cast<std::int32_t>(cpt));
  if (!bound && !warned_.exchange(true))
    say_(kWarning, bound.error().reason + "; such threads run on any CPU");
  partitions_.memory().follow(cpt);
}

Runtime::Driver* Runtime::driver_of(NetType type) {
  const auto at =
      std::ranges::find(drivers_, type, [](const Driver& driver) { return driver.row.nets; });
  return at == drivers_.end() ? nullptr : &*at;
}

Result<void> Runtime::set_tunable(std::string_view name, std::string_view value) {
  const RunDeferred after;
  for (Driver& driver : drivers_)
    if (auto set = driver.lnd->set_tunable(name, value); !set && set.error().code != -ENOENT)
      return set;
  return {};
}

std::vector<DriverCounters> Runtime::counters() {
  const RunDeferred after;
  std::vector<DriverCounters> all;
  for (Driver& driver : drivers_)
    if (auto counters = driver.lnd->counters(); !counters.empty())
      all.push_back({NetId{driver.row.nets, 0}.to_string(), std::move(counters)});
  return all;
}

std::uint64_t Runtime::last_incarnation() const {
  std::uint64_t last = 0;
  for (const Driver& driver : drivers_) last = std::max(last, driver.lnd->last_incarnation());
  return last;
}

std::vector<lnd::ThreadDuty> Runtime::duties() {
  std::vector<lnd::ThreadDuty> duties;
  for (const Driver& driver : drivers_)
    std::ranges::move(driver.lnd->duties(), std::back_inserter(duties));
  if (poll_thread_.joinable()) duties.push_back({"poll", poller_.duty().duty()});
  const auto timekeepers = hosts_.timekeepers();
  for (std::size_t i = 0; i < timekeepers.size() && !polled(); ++i)
    duties.push_back({timekeepers.size() == 1 ? "timekeeper" : "shard " + std::to_string(i),
                      timekeepers[i].duty().duty()});
  return duties;
}

void Runtime::set_long_cycle(Duration threshold) {
  for (Timekeeper& timekeeper : hosts_.timekeepers())
    timekeeper.duty().set_threshold(threshold);  // drivers' threads have the threshold as a tunable
  poller_.duty().set_threshold(threshold);
}

void Runtime::set_shard_spin(bool spin) {
  if (!partitions_.own_threads()) return;
  for (Timekeeper& timekeeper : hosts_.timekeepers()) timekeeper.set_spin(spin);
}

Result<void> Runtime::call(core::ApiCall& call) {
  hosts_.call(call);
  if (call.status != 0) return fail(call.status, call.reason);
  return {};
}

template <class Wait>
bool Runtime::wait_moving(Wait wait, Instant until) {
  if (!polled()) return wait(until);
  while (true) {
    if (wait(now())) return true;
    if (now() >= until) return false;
    progress(std::min(kInlineLook, until - now()));
  }
}

void Runtime::wait_for_strand(MdHandle md) {
  Strands& strands = hosts_.strands_of(md);
  if (strands.at_rest(md.cookie)) return;
  if (!polled()) return strands.wait_until_at_rest(md.cookie);
  while (!strands.at_rest(md.cookie)) progress(kInlineLook);
}

void Runtime::wait_until_idle() {
  if (!polled()) return hosts_.wait_until_idle();
  while (!hosts_.idle()) progress(kInlineLook);
}

namespace {

/// The ticket under which a waiting call is answered.
std::uint64_t ticket_of(const core::ApiCall& call) {
  if (const auto* discover = std::get_if<core::call::Discover>(&call.body)) return discover->ticket;
  return std::get<core::call::Ping>(call.body).ticket;
}

}  // namespace

Result<core::Done> Runtime::call_and_wait(core::ApiCall& call) {
  if (OuterLoop::current().running()) return fail(-EDEADLK, "a waiting call inside a handler");
  Waiter waiter;
  waiter.ticket = ticket_of(call);
  hosts_.call(call, waiter);
  if (call.status != 0) return fail(call.status, call.reason);
  wait_moving([&](Instant until) { return hosts_.waiting().wait_done(waiter, until); }, kNever);
  return std::move(waiter.done);
}

namespace {

/// Whether a driver with these limits carries every message of LNet.
bool carries_all(const lnd::MessageLimits& limits) {
  return limits.fragments >= limits::kMaxFragments && limits.payload >= limits::kMtu;
}
std::string in_words(const lnd::MessageLimits& limits) {
  return std::to_string(limits.payload) + " bytes in " + std::to_string(limits.fragments) +
         " fragments";
}

}  // namespace

Result<lnd::NiStarted> Runtime::start_ni(const lnd::NiSpec& spec) {
  const Driver* driver = driver_of(spec.net.type);
  if (driver == nullptr) return fail(-EINVAL, "LND type not supported");
  hosts_.bind_ni(spec.id, driver->index);
  return with_driver(spec.net.type, [&](lnd::Lnd& lnd) -> Result<lnd::NiStarted> {
    auto started = lnd.start_ni(spec);
    if (!started || carries_all(started->limits)) return started;
    lnd.stop_ni(spec.id);
    return fail(-EMSGSIZE, "the driver carries at most " + in_words(started->limits) +
                               "; LNet needs " + in_words(lnd::MessageLimits{}));
  });
}

void Runtime::stop_ni(core::NiId ni, NetType type, Duration grace) {
  const auto drained = [&](Instant until) { return hosts_.waiting().wait_drained(ni, until); };
  const bool quiet = wait_moving(drained, now() + grace);
  with_driver(type, [&](lnd::Lnd& lnd) { lnd.stop_ni(ni); });
  if (!quiet) wait_moving(drained, kNever);
}

bool Runtime::progress(Duration wait) {
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

bool Runtime::look_once(OuterLoop& loop) {
  bool moved = ++looks_ % kLooksPerClock == 0 && run_due(now());
  moved = poller_.look() || moved;
  loop.run();
  return moved;
}

bool Runtime::look_until(Instant until, OuterLoop& loop) {
  const Instant at = now();
  bool moved = run_due(at);
  const Instant next = std::min({until, hosts_.timekeeper().deadline(), at + kSlice});
  const Duration wait = moved ? Duration::zero() : std::max(next - at, Duration::zero());
  moved = poller_.wait(wait) || moved;
  loop.run();
  return moved;
}

bool Runtime::run_due(Instant at) {
  if (housekeeping_ && at >= housekeeping_due_) {
    housekeeping_();
    housekeeping_due_ = at + kHousekeepingInterval;
  }
  return hosts_.timekeeper().poll(at);
}

}  // namespace ulnet::node
