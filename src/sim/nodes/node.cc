#include "sim/nodes/node.h"

#include <algorithm>

#include "base/assert.h"
#include "core/flow/step.h"
#include "sim/kernel/world.h"
#include "sim/nodes/incarnation.h"
#include "sim/nodes/sock_driver.h"

namespace ulnet::sim {

const char* to_string(DriverKind kind) { return kind == DriverKind::kPipe ? "pipe" : "sock"; }

const char* to_string(SimNode::State state) {
  switch (state) {
    case SimNode::State::kDown:
      return "down";
    case SimNode::State::kUp:
      return "up";
    case SimNode::State::kPaused:
      return "paused";
    case SimNode::State::kStopping:
      return "stopping";
    case SimNode::State::kStopped:
      return "stopped";
  }
  return "?";
}

SimNode::SimNode(World& world, std::uint32_t number, NodeSetup setup)
    : world_(world), number_(number), setup_(std::move(setup)) {
  if (setup_.name.empty()) setup_.name = "n" + std::to_string(number);
  for (const NiSetup& ni : setup_.nis) places_.push_back(world.wire().place(ni.nid));
}

SimNode::~SimNode() {
  if (life_ != nullptr) life_->crash(true);
}

// ---- start and end ------------------------------------------------------------------------------

void SimNode::start() {
  ULNET_ASSERT(state_ == State::kDown || state_ == State::kStopped);
  if (life_ != nullptr) end_life(true);
  ++life_number_;
  // Takes the clock, as in production; grows also when the clock stands still.
  incarnation_ = std::max(incarnation_ + 1,
                          static_cast<std::uint64_t>(world_.now().time_since_epoch().count()));
  state_ = State::kUp;
  life_ = std::make_unique<Incarnation>(*this, world_);
  world_.node_changed(*this, NodeChange::kStarted);
  life_->begin();
}

void SimNode::end_life(bool silent) {
  past_drops_ = drops();
  past_counts_ = sock_counts();
  life_->crash(silent);
  life_.reset();
}

void SimNode::crash(bool silent) {
  if (life_ == nullptr) return;
  world_.node_changed(*this, NodeChange::kCrashed);
  end_life(silent);
  state_ = State::kDown;
}

void SimNode::pause() {
  if (state_ != State::kUp) return;
  life_->pause();
  state_ = State::kPaused;
  world_.node_changed(*this, NodeChange::kPaused);
}

void SimNode::resume() {
  if (state_ != State::kPaused) return;
  state_ = State::kUp;
  life_->resume();
  world_.node_changed(*this, NodeChange::kResumed);
}

void SimNode::shutdown(Duration grace) {
  if (state_ == State::kPaused) resume();
  if (state_ != State::kUp) return;
  state_ = State::kStopping;
  world_.node_changed(*this, NodeChange::kStopping);
  life_->begin_shutdown(grace);
}

void SimNode::set_link(std::size_t index, bool up) {
  world_.wire().set_up(places_[index], up);
  if (life_ == nullptr || state_ == State::kStopped) return;
  life_->link_changed(setup_.nis[index].nid, up);
}

// ---- configuration ------------------------------------------------------------------------------

void SimNode::configure(const core::Globals& globals) {
  setup_.globals = globals;
  if (up()) life_->publish();
}

Result<void> SimNode::add_ni(const NiSetup& ni) {
  if (world_.by_nid_.contains(ni.nid)) return fail(-EADDRINUSE, ni.nid.to_string() + " is taken");
  if (up()) {
    if (auto started = life_->start_ni(ni); !started) return started;
  }
  setup_.nis.push_back(ni);
  places_.push_back(world_.wire().place(ni.nid));
  world_.by_nid_[ni.nid] = this;
  if (up()) life_->publish();
  return {};
}

void SimNode::remove_ni(const Nid& nid) {
  for (std::size_t i = 0; i < setup_.nis.size(); ++i) {
    if (setup_.nis[i].nid != nid) continue;
    setup_.nis.erase(setup_.nis.begin() + static_cast<std::ptrdiff_t>(i));
    places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(i));
    world_.by_nid_.erase(nid);
    if (up()) life_->remove_ni(nid);
    return;
  }
}

// ---- state to look at ---------------------------------------------------------------------------

const core::ShardState* SimNode::shard_state(std::uint32_t shard) const {
  return life_ == nullptr ? nullptr : &life_->shard(shard);
}

const core::NodeConfig* SimNode::config() const {
  return life_ == nullptr ? nullptr : life_->config.get();
}

const lnd::sock::Engine* SimNode::engine() const {
  return life_ == nullptr ? nullptr : life_->engine();
}

Leftovers SimNode::leftovers() const { return life_ == nullptr ? Leftovers{} : life_->leftovers(); }

std::size_t SimNode::letters() const { return life_ == nullptr ? 0 : life_->letters(); }

std::array<std::uint64_t, core::kDropReasons> SimNode::drops() const {
  auto sums = past_drops_;
  for (std::uint32_t shard = 0; life_ != nullptr && shard < shards(); ++shard)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += life_->shard(shard).counters.drops[i];
  return sums;
}

std::array<std::uint64_t, lnd::sock::kCountKinds> SimNode::sock_counts() const {
  auto sums = past_counts_;
  if (const lnd::sock::Engine* machine = engine())
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += machine->counters().of(static_cast<lnd::sock::Count>(i));
  return sums;
}

bool SimNode::busy() const { return life_ != nullptr && life_->busy(); }

}  // namespace ulnet::sim
