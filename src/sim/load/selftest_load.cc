#include "sim/load/selftest_load.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lnet/base/assert.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array kTestWords = {"ping", "read", "write"};
constexpr Duration kLookEvery = milliseconds(200);
/// The longest delay of alarms, and of checks of their effect.
constexpr Duration kExpiryLate = seconds(2);
/// How long a driver may keep a message that was given up: until its connection times out.
constexpr Duration kLetGo = std::chrono::minutes(5);

bool runs(SelftestHost& host) {
  return host.node().state() == SimNode::State::kUp ||
         host.node().state() == SimNode::State::kPaused;
}

}  // namespace

const char* to_string(SelftestSetup::What what) {
  return kTestWords[static_cast<std::size_t>(what)];
}

/// The objects of a node that is gone, until they are freed.
struct SelftestLoad::Dead {
  std::unique_ptr<SelftestHost> host;
  std::unique_ptr<SelftestUser> user;  ///< of the console, or null; freed before its host
};

/// The load's objects at one node.
struct SelftestLoad::Part {
  explicit Part(SimNode& at) : node(at) {}

  SimNode& node;
  std::unique_ptr<SelftestHost> host;  ///< null: the node is not up
  std::vector<Dead> dead;
  wire::LstSessionId held;  ///< the session at the last look
  Instant heard{};          ///< when, at the last look, the last request for it had come
  // For how long the node was up and not paused:
  Duration quiet{};   ///< since the last request for its session
  Duration over{};    ///< while tests of ended sessions continue
  Duration ending{};  ///< since the selftest was stopped
  bool stopped = false;
};

SelftestLoad::SelftestLoad(std::string name, const SelftestSetup& setup)
    : Load(std::move(name)), setup_(setup) {
  ULNET_ASSERT(!setup.from.empty() && !setup.to.empty());
  ULNET_ASSERT(setup.session_timeout > Duration{} && setup.console_timeout > Duration{});
}
SelftestLoad::~SelftestLoad() = default;

void SelftestLoad::wrong(const Part& part, const std::string& what) {
  world_->violated("selftest", &part.node, name() + ": " + what);
}

// ---- nodes --------------------------------------------------------------------------------------

void SelftestLoad::begin(World& world) {
  world_ = &world;
  looked_ = world.now();
  std::set<std::uint32_t> numbers(setup_.from.begin(), setup_.from.end());
  numbers.insert(setup_.to.begin(), setup_.to.end());
  numbers.insert(setup_.console);
  for (const std::uint32_t number : numbers) {
    parts_.push_back(std::make_unique<Part>(world.node(number)));
    if (number == setup_.console) console_ = parts_.back().get();
    open(*parts_.back());
  }
  act_in(world, {});
}

SelftestHost* SelftestLoad::host(const SimNode& node) {
  for (const auto& part : parts_)
    if (&part->node == &node) return part->host.get();
  return nullptr;
}

void SelftestLoad::open(Part& part) {
  if (withdrawn_ || part.host != nullptr || !part.node.up()) return;
  svc::selftest::Settings settings;
  settings.session_timeout = setup_.session_timeout;
  settings.rpc_timeout = setup_.rpc_timeout;
  part.host = std::make_unique<SelftestHost>(*world_, part.node, settings);
  part.host->run([&part] { (void)part.host->selftest().start(); });
  part.held = {};
  part.quiet = part.over = part.ending = {};
  part.stopped = false;
}

/// Closes the part of a node that is dead. A call of the selftest may be on the stack, and report
/// to the console that its requests have failed. The selftest and the console are therefore freed
/// later.
void SelftestLoad::close(Part& part) {
  if (part.host == nullptr) return;
  const bool has_user = &part == console_ && user_ != nullptr;
  if (has_user) {
    count_abandoned();
    may_have_ended_ = may_have_ended_ || user_->may_have_ended();
  }
  part.dead.push_back({std::move(part.host), has_user ? std::move(user_) : nullptr});
  act_in(*world_, {});
}

void SelftestLoad::node_changed(World&, SimNode& node, NodeChange change) {
  const auto found =
      std::ranges::find_if(parts_, [&](const auto& part) { return &part->node == &node; });
  if (found == parts_.end()) return;
  Part& part = **found;
  switch (change) {
    case NodeChange::kConfigured:
    case NodeChange::kResumed:
      return node.after({}, [this, &part] { open(part); });
    case NodeChange::kStopping:
      // The selftest stops first, as in ulnetd; or LNet stops first.
      if (part.host == nullptr || rng().below(2) == 0) return;
      return node.after({}, [&part] {
        if (part.host != nullptr) part.host->run([&part] { part.host->selftest().stop(); });
      });
    case NodeChange::kCrashed:
    case NodeChange::kStopped:
      return close(part);
    case NodeChange::kStarted:
    case NodeChange::kPaused:
      return;
  }
}

// ---- the console --------------------------------------------------------------------------------

std::vector<ProcessId> SelftestLoad::ids(const std::vector<std::uint32_t>& nodes) {
  std::vector<ProcessId> all;
  for (const std::uint32_t number : nodes) {
    const SimNode& node = world_->node(number);
    std::vector<ProcessId> of_node;
    for (std::size_t ni = 0; ni < node.setup().nis.size(); ++ni)
      if (node.nid(ni).is_small()) of_node.push_back(node.id(ni));
    if (!of_node.empty()) all.push_back(of_node[rng().below(of_node.size())]);
  }
  return all;
}

SelftestOrders SelftestLoad::orders() {
  SelftestOrders orders;
  orders.from = ids(setup_.from);
  orders.to = ids(setup_.to);
  orders.timeout = static_cast<std::uint32_t>(setup_.console_timeout / seconds(1));
  orders.test.concurrency = setup_.concurrency;
  orders.test.keep_going = setup_.keep_going;
  if (setup_.what == SelftestSetup::What::kPing) return orders;
  orders.test.service = wire::LstService::kBrw;
  orders.test.write = setup_.what == SelftestSetup::What::kWrite;
  orders.test.size = setup_.bytes;
  orders.test.check = wire::LstCheck::kFull;
  return orders;
}

/// Starts the user at the console, if the console's node is up.
void SelftestLoad::start_user() {
  if (console_->host == nullptr || !console_->node.up()) return;
  sat_ = true;
  const Rng own(rng().next());
  user_ = std::make_unique<SelftestUser>(*console_->host, orders(), own);
  user_->begin();
}

/// Whether a test runs and some of its RPCs have succeeded.
bool SelftestLoad::has_traffic() const {
  return std::ranges::any_of(parts_, [](const auto& part) {
    const auto* session =
        part->host == nullptr ? nullptr : part->host->selftest().framework().session();
    if (session == nullptr) return false;
    return std::ranges::any_of(session->batches, [](const auto& batch) {
      if (batch.second.running() == 0) return false;
      return std::ranges::any_of(batch.second.tests(), [](const auto& test) {
        return test != nullptr && test->latency().count() != 0;
      });
    });
  });
}

void SelftestLoad::count_abandoned() {
  if (has_traffic() && !user_->over()) world_->count("selftest abandoned");
}

void SelftestLoad::disappear() {
  sat_ = true;
  if (user_ == nullptr) return;
  count_abandoned();
  if (setup_.forgotten) return user_->forget();
  // A paused process dies when it resumes.
  if (!console_->node.up())
    return console_->node.after({}, [this] {
      if (user_ != nullptr) user_->kill();
    });
  user_->kill();
}

void SelftestLoad::wind_down(World& world) {
  over_ = true;
  if (setup_.lasts != Duration{}) {
    if (!std::exchange(gone_, true)) disappear();
  } else {
    sat_ = true;
    if (user_ != nullptr) user_->finish();
  }
  act_in(world, {});
  set_busy(world, true);
}

void SelftestLoad::take_back(World& world) {
  withdrawn_ = true;
  act_in(world, {});
  set_busy(world, true);
}

// ---- what it sees -------------------------------------------------------------------------------

void SelftestLoad::act(World& world) {
  const Duration time = world.now() - std::exchange(looked_, world.now());
  for (const auto& part : parts_) part->dead.clear();
  const Instant start = EventQueue::kOrigin + setup_.start;
  if (!sat_ && world.now() >= start) start_user();
  if (!gone_ && setup_.lasts != Duration{} && world.now() >= start + setup_.lasts) {
    gone_ = true;
    disappear();
  }
  if (user_ != nullptr) {
    const std::string late = user_->stood_by(console_->node.up() ? time : Duration{});
    if (!late.empty()) wrong(*console_, late);
    may_have_ended_ = may_have_ended_ || user_->may_have_ended();
  }
  for (const auto& part : parts_)
    if (part->host != nullptr && part->node.up()) judge(*part, time);
  settled_ = is_settled();
  const bool hosts =
      std::ranges::any_of(parts_, [](const auto& part) { return part->host != nullptr; });
  set_busy(world, withdrawn_ ? hosts : over_ && !settled_);
  if (!withdrawn_ || hosts) act_in(world, kLookEvery);
}

bool SelftestLoad::is_settled() const {
  if (!sat_ || (user_ != nullptr && !user_->over())) return false;
  return std::ranges::none_of(parts_, [](const auto& part) {
    if (part->host == nullptr || !runs(*part->host)) return false;
    const auto& framework = part->host->selftest().framework();
    return framework.session() != nullptr || framework.zombies() != 0;
  });
}

void SelftestLoad::judge(Part& part, Duration time) {
  const auto& framework = part.host->selftest().framework();
  const Instant before = std::exchange(part.heard, part.host->heard());
  const bool heard = part.heard != before || framework.waiting() != 0;
  part.quiet = heard ? Duration{} : part.quiet + time;
  part.over = framework.zombies() != 0 ? part.over + time : Duration{};
  if (part.over > kLetGo)
    wrong(part, "tests go on though their session was over " +
                    std::to_string(part.over / seconds(1)) + " s ago");
  withdrawn_ ? judge_end(part, time) : judge_session(part, before);
}

void SelftestLoad::judge_session(Part& part, Instant heard_before) {
  const auto* session = part.host->selftest().framework().session();
  const wire::LstSessionId now = session == nullptr ? wire::LstSessionId{} : session->id;
  if (session != nullptr && part.quiet > setup_.session_timeout + kExpiryLate)
    wrong(part, "it holds a session without a request for " +
                    std::to_string(part.quiet / seconds(1)) + " s");
  const bool lost = !part.held.is_none() && now != part.held;
  part.held = now;
  // A request that came since the last look may have come after the end of the session.
  const Duration quiet = world_->now() - heard_before;
  if (!lost || may_have_ended_) return;
  world_->count("selftest expired");
  if (quiet < setup_.session_timeout)
    wrong(part, "its session ended " + std::to_string(quiet / milliseconds(1)) +
                    " ms after a request for it");
}

/// Called after take_back().
void SelftestLoad::judge_end(Part& part, Duration time) {
  if (!std::exchange(part.stopped, true))
    return part.host->run([&part] { part.host->selftest().stop(); });
  part.ending += time;
  if (!part.host->selftest().quiet()) {
    if (part.ending > kLetGo) wrong(part, "its selftest was stopped and is not quiet");
    return;
  }
  if (const std::size_t mds = part.host->mds(); mds != 0)
    wrong(part, "its selftest is quiet, but has left " + std::to_string(mds) + " MDs");
  if (&part == console_) user_.reset();
  part.host.reset();
}

}  // namespace ulnet::sim
