#include "sim/world/node.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/core/flow/step.h"
#include "sim/world/incarnation.h"
#include "sim/world/sock_driver.h"
#include "sim/world/world.h"

namespace ulnet::sim {

SimNode::SimNode(World& world, std::uint32_t number, NodeSetup setup)
    : world_(world), number_(number), setup_(std::move(setup)) {
  if (setup_.name.empty()) setup_.name = "n" + std::to_string(number);
  has_routed_ = setup_.routing.on;
  for (const NiSetup& ni : setup_.nis) plug_in(ni);
}

/// Makes the NI's address a place of the wire, which stays when the NI is removed.
void SimNode::plug_in(const NiSetup& ni) {
  Wire& wire = world_.wire();
  places_.push_back(wire.place(ni.nid));
  wire.set_service(places_.back(), ni.service);
  if (ni.at_switch) wire.attach(places_.back(), *ni.at_switch);
}

SimNode::~SimNode() {
  if (incarnation_ != nullptr) incarnation_->crash(true);
}

// ---- start and end ------------------------------------------------------------------------------

void SimNode::start() {
  ULNET_ASSERT(state_ == State::kDown || state_ == State::kStopped);
  if (incarnation_ != nullptr) end_incarnation(true);
  ++starts_;
  // The number is the clock's time, as in production. It also grows when the clock stands still.
  incarnation_number_ = std::max(
      incarnation_number_ + 1, static_cast<std::uint64_t>(world_.now().time_since_epoch().count()));
  state_ = State::kUp;
  incarnation_ = std::make_unique<Incarnation>(*this, world_);
  world_.node_changed(*this, NodeChange::kStarted);
  incarnation_->begin();
}

void SimNode::end_incarnation(bool silent) {
  past_drops_ = drops();
  past_counts_ = sock_counts();
  incarnation_->crash(silent);
  incarnation_.reset();
}

void SimNode::crash(bool silent) {
  if (incarnation_ == nullptr) return;
  world_.node_changed(*this, NodeChange::kCrashed);
  end_incarnation(silent);
  state_ = State::kDown;
}

void SimNode::pause() {
  if (state_ != State::kUp) return;
  incarnation_->pause();
  state_ = State::kPaused;
  world_.node_changed(*this, NodeChange::kPaused);
}

void SimNode::resume() {
  if (state_ != State::kPaused) return;
  state_ = State::kUp;
  incarnation_->resume();
  world_.node_changed(*this, NodeChange::kResumed);
}

void SimNode::shutdown(Duration grace) {
  if (state_ == State::kPaused) resume();
  if (state_ != State::kUp) return;
  state_ = State::kStopping;
  world_.node_changed(*this, NodeChange::kStopping);
  incarnation_->begin_shutdown(grace);
}

void SimNode::set_link(std::size_t index, bool up) {
  world_.wire().set_up(places_[index], up);
  if (incarnation_ == nullptr || state_ == State::kStopped) return;
  incarnation_->link_changed(setup_.nis[index].nid, world_.wire().up(places_[index]));
}

// ---- configuration ------------------------------------------------------------------------------

void SimNode::configure(const core::Globals& globals) {
  setup_.globals = globals;
  publish();
}

void SimNode::configure(std::shared_ptr<const core::udsp::RuleList> policies) {
  setup_.policies = std::move(policies);
  publish();
}

void SimNode::configure(const core::Routing& routing) {
  setup_.routing = routing;
  has_routed_ = has_routed_ || routing.on;
  publish();
}

void SimNode::configure(std::shared_ptr<const core::RouteList> routes) {
  setup_.routes = std::move(routes);
  publish();
}

void SimNode::publish() {
  if (up()) incarnation_->publish();
  if (state_ == State::kPaused) incarnation_->after({}, [this] { publish(); });
}

Result<void> SimNode::add_ni(const NiSetup& ni) {
  if (world_.by_nid_.contains(ni.nid)) return fail(-EADDRINUSE, ni.nid.to_string() + " is taken");
  if (state_ == State::kPaused) return fail(-EAGAIN, name() + " is paused");
  if (up()) {
    if (auto started = incarnation_->start_ni(ni); !started) return started;
  }
  setup_.nis.push_back(ni);
  plug_in(ni);
  world_.by_nid_[ni.nid] = this;
  if (up()) incarnation_->publish();
  return {};
}

void SimNode::remove_ni(const Nid& nid) {
  for (std::size_t i = 0; i < setup_.nis.size(); ++i) {
    if (setup_.nis[i].nid != nid) continue;
    setup_.nis.erase(setup_.nis.begin() + static_cast<std::ptrdiff_t>(i));
    places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
    world_.by_nid_.erase(nid);
    if (incarnation_ != nullptr) incarnation_->remove_ni(nid);
    return;
  }
}

// ---- state to look at ---------------------------------------------------------------------------

const core::ShardState* SimNode::shard_state(std::uint32_t shard) const {
  return incarnation_ == nullptr ? nullptr : &incarnation_->shard(shard);
}

const core::NodeConfig* SimNode::config() const {
  return incarnation_ == nullptr ? nullptr : incarnation_->config.get();
}

bool SimNode::over_tcp(core::NiId id) const {
  return incarnation_ != nullptr && incarnation_->over_tcp(id);
}

const lnd::sock::Engine* SimNode::engine() const {
  return incarnation_ == nullptr ? nullptr : incarnation_->engine();
}

Leftovers SimNode::leftovers() const {
  return incarnation_ == nullptr ? Leftovers{} : incarnation_->leftovers();
}

std::size_t SimNode::shard_msgs() const {
  return incarnation_ == nullptr ? 0 : incarnation_->shard_msgs();
}

std::array<std::uint64_t, core::kDropReasons> SimNode::drops() const {
  auto sums = past_drops_;
  for (std::uint32_t shard = 0; incarnation_ != nullptr && shard < shards(); ++shard)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += incarnation_->shard(shard).counters.drops[i];
  return sums;
}

std::array<std::uint64_t, lnd::sock::kCountKinds> SimNode::sock_counts() const {
  auto sums = past_counts_;
  if (const lnd::sock::Engine* machine = engine())
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += machine->counters().of(static_cast<lnd::sock::Count>(i));
  return sums;
}

bool SimNode::busy() const { return incarnation_ != nullptr && incarnation_->busy(); }

bool SimNode::only_repeats_pings() const {
  return incarnation_ != nullptr && incarnation_->only_repeats_pings();
}

}  // namespace ulnet::sim
