#include "sim/load/selftest_user.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

namespace lst = svc::selftest::console;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kKey = 1;
constexpr const char* kClients = "clients";
constexpr const char* kServers = "servers";
constexpr const char* kBatch = "batch";  // exists from the start
constexpr Duration kThinkTime = milliseconds(300);
constexpr Duration kLookTimeout = seconds(5);
/// Ending a session takes at most four rounds.
constexpr Duration kRelease = 4 * lst::kReplyTimeout;
constexpr Duration kTick = seconds(8);
/// How much later than its limit a command, or the release of a session, may end. Alarms ring
/// slightly late, and event handlers run late by up to NodeSetup::handler_delay.
constexpr Duration kCommandLate = seconds(5);

bool is_good(const lst::NodeResult& result) { return result.good(); }

}  // namespace

SelftestUser::SelftestUser(SelftestHost& host, SelftestOrders orders, Rng rng)
    : host_(host),
      orders_(std::move(orders)),
      rng_(rng),
      console_(std::make_unique<lst::Console>(surroundings_)),
      used_(host.world().now()) {}

void SelftestUser::kill() {
  host_.run([this] {
    console_.reset();
    command_.reset();
    step_ = Step::kOver;
    host_.selftest().abort_calls(-EINTR);
  });
}

bool SelftestUser::over() const {
  return step_ == Step::kOver || (forgets_ && !command_ && !console_->show_session());
}

/// Whether the console may have ended the session by itself.
bool SelftestUser::is_forgotten() const {
  return host_.world().now() - used_ >= seconds(orders_.timeout) - seconds(1);
}

std::string SelftestUser::stood_by(Duration time) {
  may_have_ended_ = may_have_ended_ || is_forgotten();
  if (console_ == nullptr) return "";
  if (command_) {
    command_->took += time;
    if (command_->took <= command_->most) return "";
    return std::string("the command ") + command_->name + " goes on after " +
           std::to_string(command_->took / seconds(1)) + " s";
  }
  if (!forgets_ || !console_->show_session()) return "";
  alone_ += time;
  if (alone_ <= seconds(orders_.timeout) + kTick + kRelease + kCommandLate) return "";
  return "the console keeps a session that nobody has used for " +
         std::to_string(alone_ / seconds(1)) + " s";
}

void SelftestUser::soon() {
  const Duration think(
      static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(kThinkTime.count()))));
  host_.node().after(think, [this, there = std::weak_ptr(there_)] {
    if (!there.expired()) host_.run([this] { act(); });
  });
}

void SelftestUser::act() {
  if (console_ == nullptr || forgets_) return;
  if (finishes_ && step_ != Step::kOver) step_ = step_ == Step::kSession ? Step::kOver : Step::kEnd;
  switch (step_) {
    case Step::kSession:
      return new_session();
    case Step::kClients:
    case Step::kServers:
      return invite();
    case Step::kTest:
      return add_test();
    case Step::kRun:
      return run();
    case Step::kLook:
      return look();
    case Step::kEnd:
      return end();
    case Step::kOver:
      return;
  }
}

/// Notes a command that takes up to `most` when its turn comes. The console may first be ending the
/// session by itself.
void SelftestUser::command(const char* name, Duration most) {
  command_ = {name, most + kCommandLate + (is_forgotten() ? kRelease : Duration{})};
  used_ = host_.world().now();
}

void SelftestUser::ended(const Error* error) {
  command_.reset();
  if (error != nullptr && error->code == -ESRCH) step_ = Step::kOver;
  if (step_ != Step::kOver) soon();
}

/// Continues at `good` when the command succeeded on one node, or with `all` on all nodes;
/// otherwise at `bad`.
lst::Done<lst::NodeResults> SelftestUser::then(Step good, Step bad, bool all) {
  return [this, good, bad, all](const Result<lst::NodeResults>& results) {
    const bool well = results && (all ? std::ranges::all_of(*results, is_good)
                                      : std::ranges::any_of(*results, is_good));
    step_ = well ? good : bad;
    ended(results ? nullptr : &results.error());
  };
}

void SelftestUser::new_session() {
  command("new_session", Duration{});
  console_->new_session({.key = kKey, .name = "simulated", .timeout = orders_.timeout},
                        [this](const Result<lst::SessionShown>& made) {
                          step_ = made ? Step::kClients : Step::kSession;
                          ended(made ? nullptr : &made.error());
                        });
}

void SelftestUser::invite() {
  const bool clients = step_ == Step::kClients;
  const Step next = clients ? Step::kServers : Step::kTest;
  const char* const group = clients ? kClients : kServers;
  if (std::exchange(grouped_[clients ? 0 : 1], true)) {
    command("update_group", 2 * lst::kReplyTimeout);
    return console_->refresh_group(kKey, group, then(next, next, false));
  }
  command("add_group", lst::kReplyTimeout);
  console_->add_nodes(kKey, group, clients ? orders_.from : orders_.to,
                      [done = then(next, next, false)](Result<lst::NodesAdded> added) {
                        if (!added) return done(tl::unexpected(added.error()));
                        done(std::move(added->results));
                      });
}

void SelftestUser::add_test() {
  command("add_test", 2 * lst::kReplyTimeout);
  console_->add_test(kKey,
                     {.batch = kBatch, .from = kClients, .to = kServers, .spec = orders_.test},
                     then(Step::kRun, Step::kClients, true));
}

void SelftestUser::run() {
  command("run", lst::kReplyTimeout);
  console_->run(kKey, kBatch, 0, then(Step::kLook, Step::kLook, false));
}

void SelftestUser::look() {
  const std::uint64_t what = rng_.below(16);
  const auto again = then(Step::kLook, Step::kLook, false);
  if (what == 0) return run();
  if (what == 1) {
    const bool force = rng_.below(2) == 0;
    command("stop", lst::kReplyTimeout);
    return console_->stop(kKey, kBatch, force, then(Step::kRun, Step::kLook, false));
  }
  command(what < 8 ? "stat" : what < 14 ? "query" : "ping", kLookTimeout);
  if (what < 8)
    console_->sample(kKey, {.name = what < 4 ? kClients : kServers, .nodes = {}}, kLookTimeout,
                     again);
  else if (what < 14)
    console_->query(kKey, {.batch = kBatch}, kLookTimeout, again);
  else
    console_->ping_session(kKey, kLookTimeout, again);
}

void SelftestUser::end() {
  may_have_ended_ = true;
  command("end_session", kRelease);
  console_->end_session(kKey, then(Step::kOver, Step::kOver, false));
}

}  // namespace ulnet::sim
