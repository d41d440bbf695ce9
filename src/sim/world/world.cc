#include "sim/world/world.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/core/flow/step.h"
#include "lnet/lnd/region.h"
#include "sim/world/pipe_driver.h"

namespace ulnet::sim {

void Checker::violation(World& world, const SimNode* node, std::string what) const {
  world.violated(name_, node, std::move(what));
}

// ---- actors -------------------------------------------------------------------------------------

void Actor::act_in(World& world, Duration delay) { world.queue().in(delay, *this); }
void Actor::act_at(World& world, Instant when) { world.queue().at(when, *this); }
void Actor::run() { act(*world_); }
void Actor::set_busy(World& world, bool busy) {
  if (std::exchange(busy_, busy) == busy) return;
  busy ? ++world.busy_actors_ : --world.busy_actors_;
}
void Actor::write_down(World& world, std::uint8_t what, std::uint32_t node, std::uint64_t a,
                       std::uint64_t b) {
  world.trace().add({world.now(), TraceKind::kActor, what, node, a, b});
}

// ---- its parts ----------------------------------------------------------------------------------

World::World(std::uint64_t seed, const WorldOptions& options)
    : seed_(seed),
      options_(options),
      trace_(options.trace),
      wire_(queue_, rng("wire")),
      streams_(queue_, wire_, trace_, rng("streams"), options.streams),
      pipes_(std::make_unique<Pipes>(*this)) {
  wire_.set_model(options.link);
}

World::~World() = default;

SimNode& World::add_node(NodeSetup setup) {
  for (const NiSetup& ni : setup.nis) ULNET_ASSERT(!by_nid_.contains(ni.nid));
  nodes_.push_back(std::make_unique<SimNode>(*this, static_cast<std::uint32_t>(nodes_.size()),
                                             std::move(setup)));
  SimNode& node = *nodes_.back();
  const bool fresh = by_name_.emplace(node.name(), &node).second;
  ULNET_ASSERT(fresh);
  for (const NiSetup& ni : node.setup().nis) by_nid_[ni.nid] = &node;
  node.start();
  return node;
}

SimNode* World::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

SimNode* World::find(const Nid& nid) {
  const auto found = by_nid_.find(nid);
  return found == by_nid_.end() ? nullptr : found->second;
}

void World::add_actor(std::unique_ptr<Actor> actor) {
  for (const auto& other : actors_) ULNET_ASSERT(other->name() != actor->name());
  actor->world_ = this;
  actor->rng_ = rng("actor/" + actor->name());
  actors_.push_back(std::move(actor));
}

Checker& World::add_checker(std::unique_ptr<Checker> checker) {
  for (std::size_t bit = 0; bit < interested_.size(); ++bit)
    if (checker->interests() >> bit & 1) interested_[bit].push_back(checker.get());
  if (checker->interests() & Checker::kStreams) streams_.listen_in(tap_);
  return *checkers_.emplace_back(std::move(checker));
}

std::array<std::uint64_t, core::kDropReasons> World::drops() const {
  std::array<std::uint64_t, core::kDropReasons> sums{};
  for (const auto& node : nodes_) {
    const auto own = node->drops();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
  }
  return sums;
}

// ---- running it ---------------------------------------------------------------------------------

void World::begin_actors() {
  while (begun_actors_ < actors_.size()) {
    Actor& actor = *actors_[begun_actors_++];
    actor.begin(*this);
  }
}

bool World::step() {
  if (violation_) return false;
  begin_actors();
  if (queue_.empty()) return false;
  ++steps_;
  inside_ = true;
  queue_.run_one();
  inside_ = false;
  if (options_.check_all_every != 0 && steps_ % options_.check_all_every == 0) check_all();
  return true;
}

Verdict World::run_until(Instant until) {
  Run run = begin_run({});
  while (!violation_ && queue_.next() <= until && step()) {
  }
  if (!violation_ && until > now()) queue_.advance(until);
  run.outcome = violation_ ? Outcome::kViolated : Outcome::kReached;
  return end_run(run);
}

World::Run World::begin_run(const Limits& limits) {
  begin_actors();
  Run run;
  run.limits = limits;
  run.first_step = steps_;
  run.until = limits.time < kNever - now() ? now() + limits.time : kNever;
  if (violation_) {
    run.over = true;
    run.outcome = Outcome::kViolated;
  }
  return run;
}

void World::advance(Run& run) {
  const auto over = [&](Outcome outcome) {
    run.over = true;
    run.outcome = outcome;
  };
  if (steps_ - run.first_step >= run.limits.steps) return over(Outcome::kStepsUp);
  if (queue_.empty()) return over(Outcome::kNothingDue);
  if (queue_.next() > run.until) {
    queue_.advance(run.until);
    return over(Outcome::kTimeUp);
  }
  step();
  if (violation_) over(Outcome::kViolated);
}

Verdict World::end_run(const Run& run) const {
  return {run.outcome, steps_ - run.first_step, now()};
}

void World::wind_down() {
  begin_actors();
  for (const auto& actor : actors_) actor->wind_down(*this);
}

bool World::quiet() const {
  return busy_nodes_ == 0 && busy_actors_ == 0 && pipes_->in_flight() == 0 &&
         streams_.in_flight() == 0;
}

bool World::quiet_except_pings() const {
  return busy_actors_ == 0 && std::ranges::all_of(nodes_, [](const auto& node) {
           return !node->busy() || node->only_repeats_pings();
         });
}

Instant World::on_wire_since() const {
  return std::min(pipes_->in_flight_since(), streams_.in_flight_since());
}

Verdict World::run_until_quiet(const Limits& limits) {
  const auto quiet = [](const World& world) { return world.quiet() && world.instant_is_over(); };
  Verdict verdict = run_until(quiet, limits);
  if (!verdict.reached()) return verdict;
  check_at_end();
  if (violation_) verdict.outcome = Outcome::kViolated;
  return verdict;
}

void World::check_at_end() {
  check_all();
  if (violation_) return;
  for (const auto& checker : checkers_) checker->at_end(*this);
}

void World::check_all() {
  for (const auto& checker : checkers_) checker->check_all(*this);
}

void World::check_at_rest() {
  for (const auto& checker : checkers_) checker->at_rest(*this);
}

void World::check_calm(bool ends) {
  for (const auto& checker : checkers_) checker->on_calm(*this, ends);
}

std::string World::explain() const {
  std::string text = fmt::format("seed {}, step {}, {} ns: ", seed_, steps_, age().count());
  if (violation_) {
    text += violation_->checker;
    text += ": ";
    if (violation_->node != kNoNode) text += nodes_[violation_->node]->name() + ": ";
    return text + violation_->what;
  }
  if (quiet()) return text + "quiet";
  text += "not quiet:";
  for (const auto& actor : actors_)
    if (actor->busy_) text += " actor " + actor->name();
  if (pipes_->in_flight() != 0) text += " messages on the wire";
  if (streams_.in_flight() != 0) text += " bytes on the wire";
  for (const auto& node : nodes_) {
    if (!node->busy()) continue;
    const Leftovers left = node->leftovers();
    text += fmt::format(" {} ({} messages, {} awaited, {} events)", node->name(), left.messages,
                        left.responses, left.events);
  }
  return text;
}

// ---- for its parts ------------------------------------------------------------------------------

void World::violated(const char* checker, const SimNode* node, std::string what) {
  if (violation_) return;
  violation_ = Violation{checker, node == nullptr ? kNoNode : node->number(), std::move(what),
                         steps_, now()};
}

void World::node_changed(SimNode& node, NodeChange change) {
  ++exercised_.node_changes[static_cast<std::size_t>(change)];
  trace_.add({now(), TraceKind::kNode, static_cast<std::uint8_t>(change), node.number(),
              node.incarnation()});
  for (const auto& checker : checkers_) checker->on_node(*this, node, change);
  for (const auto& actor : actors_) actor->node_changed(*this, node, change);
}

void World::handle(SimNode& node, const core::Post& post) {
  const Event& event = post.event;
  ++exercised_.events[static_cast<std::size_t>(event.type)];
  trace_.add({now(), TraceKind::kEvent, static_cast<std::uint8_t>(event.type), node.number(),
              static_cast<std::uint64_t>(event.status), event.mlength, event.md.cookie,
              event.unlinked});
  for (Checker* checker : interested_[2]) checker->on_event(*this, node, post);
  post.sink->on_event(event);
}

void World::report_memory(SimNode& node, const core::Region& region, bool written) {
  lnd::RegionCursor cursor(region);
  for (ByteSpan piece = cursor.front(); !piece.empty(); piece = cursor.front()) {
    touch_memory(node, iovec{piece.data(), piece.size()}, written);
    cursor.advance(piece.size());
  }
}

void World::Tap::on_written(const StreamEnd& end, const iovec* from, std::size_t bytes) {
  for (Checker* checker : world.interested_[4]) checker->on_written(world, end, from, bytes);
}
void World::Tap::on_acknowledged(const StreamEnd& end, std::size_t bytes) {
  for (Checker* checker : world.interested_[4]) checker->on_acknowledged(world, end, bytes);
}
void World::Tap::on_read(const StreamEnd& end, std::size_t bytes) {
  for (Checker* checker : world.interested_[4]) checker->on_read(world, end, bytes);
}
void World::Tap::on_over(const StreamEnd& end, bool let_go) {
  for (Checker* checker : world.interested_[4]) checker->on_over(world, end, let_go);
}

void World::before_step(const ShardStep& step) {
  for (Checker* checker : interested_[0]) checker->before_step(*this, step);
}

void World::after_step(const ShardStep& step) {
  ++exercised_.shard_steps;
  trace_step(step);
  for (Checker* checker : interested_[1]) checker->after_step(*this, step);
  if (const auto* config = std::get_if<core::Config>(&step.input); config != nullptr)
    node_changed(step.node, NodeChange::kConfigured);
}

}  // namespace ulnet::sim
