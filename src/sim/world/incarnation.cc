#include "sim/world/incarnation.h"

#include <algorithm>
#include <cstring>

#include "lnet/base/assert.h"
#include "lnet/core/flow/step.h"
#include "sim/world/lo_driver.h"
#include "sim/world/pipe_driver.h"
#include "sim/world/sock_driver.h"

namespace ulnet::sim {
namespace {

constexpr core::NiId kLo{1};

std::string part_name(const SimNode& node, const char* part) { return node.name() + "/" + part; }

/// Whether checks of a gateway cause this request. Each check makes this node push what the gateway
/// has not acknowledged, and ask the gateway again after a push that failed. Source:
/// spec/multirail.md 8.
bool follows_checks(const core::ShardState& state, const core::Portal0Md& request) {
  const core::Peer* peer = state.directory.find(request.peer);
  return peer != nullptr && state.gateways.has_any(peer->nids());
}

/// Whether LNet itself repeats such a request (a ping or a push).
bool is_repeated(const core::ShardState& state, const core::Portal0Md& request) {
  using Kind = core::Portal0Md::Kind;
  switch (request.kind) {
    case Kind::kRecoveryPing:
    case Kind::kRouterCheck:
    case Kind::kNetPing:
    case Kind::kLoopPing:
      return true;
    case Kind::kPeerPing:
    case Kind::kPush:
      return follows_checks(state, request);
    case Kind::kPingTarget:
    case Kind::kPushTarget:
    case Kind::kUserPing:
      return false;
  }
  return false;
}

/// Whether the answer to this request of LNet's own can still arrive, and another request follows
/// if it does not arrive.
bool is_repeated_request(const core::ShardState& state, const core::Portal0Md& ping, Instant now) {
  constexpr Duration kTimersAreLate = std::chrono::seconds(1);
  if (!is_repeated(state, ping)) return false;
  const core::Md* md = state.memory.find(ping.md);
  return md != nullptr && md->awaited.armed() && now <= md->awaited.deadline() + kTimersAreLate;
}

}  // namespace

SimNode::Incarnation::Incarnation(SimNode& owner, World& owners_world)
    : node(owner),
      world(owners_world),
      caller_(world.rng(part_name(owner, "caller"))),
      snapshots_(world.rng(part_name(owner, "snapshots"))),
      pending_(owner.shards()),
      shard_msg_queues_(world.queue(), world.rng(part_name(owner, "letters")),
                        owner.setup().shard_msg_delay,
                        [this](ShardMsgQueue& msgs) { shard_msg_due(msgs); }),
      handlers_(world.queue(), *this, world.rng(part_name(owner, "handlers")),
                owner.setup().handler_delay) {
  nis_.push_back({});
  for (std::uint32_t i = 0; i < owner.shards(); ++i) {
    shards_.push_back(std::make_unique<core::Shard>(i));
    clocks_.push_back(std::make_unique<Clock>(*this, i));
  }
}

SimNode::Incarnation::~Incarnation() {
  if (counted_busy_) --world.busy_nodes_;
}

// ---- its beginning and its end ------------------------------------------------------------------

void SimNode::Incarnation::begin() {
  NiSetup lo;
  lo.nid = Nid::loopback();
  lo.tunables = {0, 0, 0, 0};
  ULNET_ASSERT(start_ni(lo).has_value());
  for (const NiSetup& ni : node.setup().nis) ULNET_ASSERT(start_ni(ni).has_value());
  publish();
}

SimDriver& SimNode::Incarnation::driver(DriverKind kind) {
  std::unique_ptr<SimDriver>& made = kind == DriverKind::kPipe ? pipe_ : sock_;
  if (made == nullptr) {
    if (kind == DriverKind::kPipe) {
      made = std::make_unique<PipeDriver>(world, node, *this);
    } else {
      made = std::make_unique<SockDriver>(world, node, *this);
    }
    drivers_.push_back(made.get());
  }
  return *made;
}

Result<void> SimNode::Incarnation::start_ni(const NiSetup& setup) {
  Ni ni;
  ni.id = {static_cast<std::uint32_t>(nis_.size())};
  ni.setup = setup;
  if (ni.id == kLo) {
    lo_ = std::make_unique<LoDriver>(*this);
    drivers_.push_back(lo_.get());
    ni.driver = lo_.get();
  } else {
    ni.driver = &driver(setup.driver.value_or(node.setup().driver));
  }
  if (setup.lnd_timeout == Duration{})
    ni.setup.lnd_timeout = std::chrono::seconds(core::lnd_timeout_seconds(node.setup().globals));
  lnd::NiSpec spec;
  spec.id = ni.id;
  spec.net = setup.nid.net();
  spec.pid = node.setup().pid;
  spec.nid = setup.nid;
  spec.options = {{"conns_per_peer", setup.conns_per_peer}};
  spec.timeout = ni.setup.lnd_timeout;
  const auto started = ni.driver->start_ni(spec);
  if (!started) return tl::unexpected<Error>(started.error());
  nis_.push_back(ni);
  return {};
}

void SimNode::Incarnation::publish() {
  auto snapshot = std::make_shared<core::NodeConfig>();
  snapshot->generation = ++generation_;
  snapshot->interface_cookie = node.incarnation();
  snapshot->pid = node.setup().pid;
  snapshot->globals = node.setup().globals;
  snapshot->udsp = node.setup().policies;
  snapshot->routes = node.setup().routes;
  snapshot->routing = node.setup().routing;
  snapshot->shards = node.shards();
  snapshot->announces_memory = node.setup().announces_memory;
  for (const Ni& ni : nis_) {
    if (ni.driver == nullptr || ni.removed) continue;
    core::NiConfig row;
    row.id = ni.id;
    row.nid = ni.setup.nid;
    row.tunables = ni.setup.tunables;
    if (ni.id != kLo) row.lnd_timeout = ni.setup.lnd_timeout;
    snapshot->nis.push_back(row);
  }
  config = std::move(snapshot);
  placement_ = core::Placement(*config);
  for (std::uint32_t shard = 0; shard < shards_.size(); ++shard) configure(shard, config);
  run_deferred();
}

/// Gives the shard a snapshot: the first one at once, a later one after a delay like that of an
/// inter-shard message. Shards therefore work with different configurations for a while, and a
/// shard may get an inter-shard message that refers to a configuration that it has not got yet.
void SimNode::Incarnation::configure(std::uint32_t shard,
                                     std::shared_ptr<const core::NodeConfig> snapshot) {
  if (shards_.size() == 1 || snapshot->generation == 1)
    return enter(shard, core::Config{std::move(snapshot)});
  const Duration delay = up_to(snapshots_, node.setup().shard_msg_delay);
  Pending& pending = pending_[shard];
  pending.due = std::max(pending.due, world.now() + delay);
  ++pending.snapshots;
  after(pending.due - world.now(), [this, shard, snapshot = std::move(snapshot)] {
    --pending_[shard].snapshots;
    if (node.state() == State::kStopped) return;
    enter(shard, core::Config{snapshot});
    if (pending_[shard].snapshots != 0) return;
    for (const core::NiState& link : std::exchange(pending_[shard].links, {})) enter(shard, link);
  });
}

core::NiId SimNode::Incarnation::ni_of(const Nid& nid) const {
  for (const Ni& ni : nis_)
    if (ni.driver != nullptr && !ni.removed && ni.setup.nid == nid) return ni.id;
  return {};
}

void SimNode::Incarnation::remove_ni(const Nid& nid) {
  const core::NiId id = ni_of(nid);
  if (id.value == 0) return;
  if (node.state() == State::kPaused) return after({}, [this, nid] { remove_ni(nid); });
  if (node.state() != State::kUp) return;
  nis_[id.value].removed = true;
  publish();
}

void SimNode::Incarnation::link_changed(const Nid& nid, bool now_up) {
  const core::NiId id = ni_of(nid);
  if (id.value == 0) return;
  nis_[id.value].link_up = now_up;
  // A process looks at its link when it gets the notification of a change. A paused process does so
  // when it resumes, and sees the link as it is then.
  after({}, [this, id] {
    if (node.state() == State::kStopped) return;
    const bool up = nis_[id.value].link_up;
    const core::NiState link{id, up ? core::NiLink::kUp : core::NiLink::kFailed};
    if (up) nis_[id.value].driver->link_changed(id, true);
    for (std::uint32_t shard = 0; shard < shards_.size(); ++shard)
      pending_[shard].snapshots == 0 ? enter(shard, link) : pending_[shard].links.push_back(link);
    if (!up) nis_[id.value].driver->link_changed(id, false);
  });
}

const lnd::sock::Engine* SimNode::Incarnation::engine() const {
  return sock_ == nullptr ? nullptr : &static_cast<const SockDriver&>(*sock_).engine();
}

void SimNode::Incarnation::begin_shutdown(Duration grace) {
  stopping_ = true;
  for (Ni& ni : nis_) ni.removed = ni.driver != nullptr;
  world.queue().in(grace, grace_);
  core::ApiCall api;
  api.body.emplace<core::call::Shutdown>();
  call(api);
}

void SimNode::Incarnation::Grace::run() {
  if (incarnation.frozen(*this)) return;
  // The NI that was started last stops first. Its driver ends the messages that it still has.
  for (std::size_t i = incarnation.nis_.size(); i-- > 1;)
    if (!incarnation.nis_[i].stopped) incarnation.stop_ni(incarnation.nis_[i]);
  incarnation.run_deferred();
}

void SimNode::Incarnation::stop_ni(Ni& ni) {
  ni.stopped = true;
  ni.driver->stop_ni(ni.id);
}

/// Stops the NIs on which no shard has a message in flight any more.
void SimNode::Incarnation::stop_drained() {
  drained_ = false;
  for (std::size_t i = nis_.size(); i-- > 1;)
    if (nis_[i].drained == shards_.size() && !nis_[i].stopped) stop_ni(nis_[i]);
}

void SimNode::Incarnation::crash(bool silent) {
  ULNET_ASSERT(!running_deferred_);
  for (SimDriver* each : drivers_) each->crash(silent);
}

void SimNode::Incarnation::pause() {
  for (SimDriver* each : drivers_) each->pause(true);
}

void SimNode::Incarnation::resume() {
  parking_.release(world.queue());
  for (SimDriver* each : drivers_) each->pause(false);
}

bool SimNode::Incarnation::frozen(Task& task) {
  if (node.state() != State::kPaused) return false;
  parking_.park(task);
  return true;
}

// ---- steps --------------------------------------------------------------------------------------

bool SimNode::Incarnation::deliver(const core::Input& input) {
  const auto* arrived = std::get_if<core::HeaderArrived>(&input);
  arriving_ = arrived;
  if (const auto one = shard_of(placement_, input)) {
    enter(*one, input);
  } else {
    for (std::uint32_t each = 0; each < shards_.size(); ++each) enter(each, input);
  }
  return arrived != std::exchange(arriving_, nullptr);
}

void SimNode::Incarnation::enter(std::uint32_t shard, const core::Input& input) {
  step(shard, input);
  for (core::Action& action : actions_) hand_on(shard, action);
  actions_.clear();
}

void SimNode::Incarnation::step(std::uint32_t shard, const core::Input& input) {
  ULNET_ASSERT(actions_.empty() && node.state() != State::kPaused);
  core::Shard& machine = *shards_[shard];
  const ShardStep taken{node, shard, world.now(), input, actions_, machine.observe()};
  world.before_step(taken);
  machine.step(world.now(), input, actions_);
  world.after_step(taken);
  wind(*clocks_[shard]);
}

void SimNode::Incarnation::shard_msg_due(ShardMsgQueue& msgs) {
  if (frozen(msgs)) return;
  const core::ShardMsg shard_msg = shard_msg_queues_.take(msgs);
  enter(msgs.to, core::FromShard{msgs.from, &shard_msg});
  run_deferred();
}

void SimNode::Incarnation::hand_on(std::uint32_t shard, core::Action& action) {
  std::visit(
      [&](auto& a) {
        using A = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<A, core::Post>) {
          handlers_.append(std::move(a));
        } else if constexpr (std::is_same_v<A, core::CopyPayload>) {
          if (a.to.empty()) return;
          world.touch_memory(node, iovec{a.to.data(), a.to.size()}, true);
          std::memmove(a.to.data(), a.from.data(), a.from.size());
        } else if constexpr (std::is_same_v<A, core::CallDone>) {
          done(*a.done);
        } else if constexpr (std::is_same_v<A, core::Drained>) {
          ++nis_[a.ni.value].drained;
          drained_ = true;
        } else if constexpr (std::is_same_v<A, core::Applied> || std::is_same_v<A, core::Note> ||
                             std::is_same_v<A, core::AttachMemory> ||
                             std::is_same_v<A, core::DetachMemory>) {
          // No caller of the simulator waits for Applied or reads Notes. Checkers see what is done
          // with memory.
        } else if constexpr (std::is_same_v<A, core::ToShard>) {
          shard_msg_queues_.send(shard, a.to, std::move(*a.shard_msg));
        } else if constexpr (std::is_same_v<A, core::DropPayload>) {
          if (arriving_ != nullptr && a.ni == arriving_->ni && a.rx == arriving_->rx)
            arriving_ = nullptr;
          else
            driver_of(a.ni)->submit(lnd::Command(a));
        } else {
          driver_of(a.ni)->submit(lnd::Command(std::move(a)));
        }
      },
      action);
}

void SimNode::Incarnation::run_deferred() {
  if (running_deferred_) return;
  running_deferred_ = true;
  const bool at_once = node.setup().handler_delay == Duration{};
  for (bool again = true; again;) {
    again = false;
    for (SimDriver* each : drivers_) {
      if (!each->pending()) continue;
      each->flush();
      again = true;
    }
    if (again) continue;
    if (at_once && !handlers_.empty()) {
      handlers_.run_all();
      again = true;
    } else if (drained_) {
      stop_drained();
      again = true;
    }
  }
  running_deferred_ = false;
  const bool now_busy = busy();
  if (now_busy != counted_busy_) {
    counted_busy_ = now_busy;
    now_busy ? ++world.busy_nodes_ : --world.busy_nodes_;
  }
  if (!stopping_ || node.state() != State::kStopping || !handlers_.empty()) return;
  for (const Ni& ni : nis_)
    if (ni.driver != nullptr && !(ni.stopped && ni.drained == shards_.size())) return;
  if (shard_msg_queues_.under_way() != 0) return;
  world.queue().cancel(grace_);
  for (const auto& clock : clocks_) world.queue().cancel(*clock);
  if (std::exchange(counted_busy_, false)) --world.busy_nodes_;
  node.state_ = State::kStopped;
  world.node_changed(node, NodeChange::kStopped);
}

void SimNode::Incarnation::Clock::run() {
  if (incarnation.frozen(*this)) return;
  const core::Shard& machine = *incarnation.shards_[shard];
  if (machine.next_deadline() <= incarnation.world.now()) {
    incarnation.enter(shard, core::Tick{});
    incarnation.run_deferred();
  }
  incarnation.wind(*this);
}

/// Makes the clock run at the shard's next deadline at the latest. The node may have stopped within
/// a step: its clocks then stay stopped.
void SimNode::Incarnation::wind(Clock& clock) {
  if (node.state() != State::kStopped)
    world.queue().by(shards_[clock.shard]->next_deadline(), clock);
}

// ---- calls and handlers -------------------------------------------------------------------------

void SimNode::Incarnation::call(core::ApiCall& api) {
  const std::uint32_t caller =
      shards_.size() == 1 ? 0 : static_cast<std::uint32_t>(caller_.below(shards_.size()));
  call_among(placement_, caller, api,
             [this](std::uint32_t shard, core::ApiCall& part) { enter(shard, core::Api{&part}); });
  run_deferred();
}

void SimNode::Incarnation::expect(std::uint64_t ticket, PingSink* sink) {
  std::erase_if(expected_, [&](const Expected& each) { return each.ticket == ticket; });
  if (sink != nullptr) expected_.push_back({ticket, sink});
}

void SimNode::Incarnation::done(core::Done& done) {
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (expected_[i].ticket != done.ticket) continue;
    PingSink* sink = expected_[i].sink;
    expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(i));
    // Calls the sink outside the step, as for a handler.
    after({}, [sink, done] { sink->on_ping(done.ticket, done.status, done.ping); });
    return;
  }
}

void SimNode::Incarnation::after(Duration delay, std::function<void()> fn) {
  const auto [handle, later] = later_.make(*this, std::move(fn));
  later->self = handle;
  world.queue().in(delay, *later);
}

void SimNode::Incarnation::Later::run() {
  if (incarnation.frozen(*this)) return;
  Incarnation& owner = incarnation;
  const std::function<void()> what = std::move(fn);
  owner.later_.erase(self);
  what();
  owner.run_deferred();
}

void SimNode::Incarnation::handle(const core::Post& post) { world.handle(node, post); }

void SimNode::Incarnation::strand_due(Task& strand) {
  if (frozen(strand)) return;
  handlers_.run(strand);
  run_deferred();
}

void SimNode::Incarnation::run_out(MdHandle md) {
  if (!running_deferred_) handlers_.run_out(md);
  run_deferred();
}

// ---- what it still holds ------------------------------------------------------------------------

Leftovers SimNode::Incarnation::leftovers() const {
  Leftovers left;
  for (const auto& each : shards_) {
    const core::ShardState& state = each->observe();
    left.messages += state.messages.size();
    left.responses += state.responses.size();
    left.mds += state.memory.size();
    left.mes += state.mes.size();
  }
  left.shard_msgs = shard_msg_queues_.under_way();
  for (const SimDriver* each : drivers_) left.driver_messages += each->messages();
  left.events = handlers_.waiting();
  return left;
}

bool SimNode::Incarnation::busy() const {
  if (node.state() == State::kStopped) return false;  // its awaited answers will never come
  for (const auto& each : shards_) {
    const core::ShardState& state = each->observe();
    if (state.messages.size() != 0 || state.responses.size() != 0) return true;
  }
  return is_busy_inside();
}

/// Whether shards have yet to get inter-shard messages or snapshots, or users have yet to get
/// events.
bool SimNode::Incarnation::is_busy_inside() const {
  const auto waits = [](const Pending& pending) { return pending.snapshots != 0; };
  return shard_msg_queues_.under_way() != 0 || !handlers_.empty() ||
         std::ranges::any_of(pending_, waits);
}

bool SimNode::Incarnation::only_repeats_pings() const {
  if (is_busy_inside()) return false;
  for (const auto& each : shards_) {
    const core::ShardState& state = each->observe();
    std::size_t pings = 0;
    state.portal0.mds.for_each([&](Handle, const core::Portal0Md& ping) {
      pings += is_repeated_request(state, ping, world.now()) ? 1 : 0;
    });
    if (state.messages.size() != 0 || state.responses.size() != pings) return false;
  }
  return true;
}

}  // namespace ulnet::sim
