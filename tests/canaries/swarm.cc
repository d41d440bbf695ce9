#include "swarm.h"

#include "mixed_load.h"
#include "sim/checkers/all.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kNodes = 4;

/// Breaks links and nodes now and then, and mends them.
class Faults final : public Actor {
 public:
  Faults() : Actor("faults") {}

  void begin(World& world) override { act_in(world, milliseconds(10)); }
  void act(World& world) override {
    if (over_) return;
    SimNode& node = world.node(rng().below(world.size()));
    SimNode& other = world.node((node.number() + 1 + rng().below(world.size() - 1)) % world.size());
    const std::uint64_t what = rng().below(10);
    if (what < 3) {
      world.wire().cut(node.place(), other.place(), true);
    } else if (what < 4) {
      world.wire().clog(node.place(), other.place(), true);
    } else if (what < 7) {
      mend(world);
    } else if (what < 8) {
      node.pause();
    } else if (what < 9) {
      node.resume();
    } else {
      node.state() == SimNode::State::kDown ? node.start() : node.crash(rng().below(2) == 0);
    }
    act_in(world, Duration(static_cast<std::int64_t>(rng().below(30'000'000))));
  }
  void wind_down(World& world) override {
    over_ = true;
    mend(world);
    for (std::size_t i = 0; i < world.size(); ++i)
      if (world.node(i).state() == SimNode::State::kDown) world.node(i).start();
  }

 private:
  void mend(World& world) {
    world.wire().heal();
    for (std::size_t i = 0; i < world.size(); ++i) world.node(i).resume();
  }
  bool over_ = false;
};

NodeSetup some_node(std::size_t number, EdgeKind edge, Rng& rng) {
  NodeSetup setup;
  NiSetup ni;
  ni.nid = Nid::small({NetType::kTcp, 0}, 0x0a000001U + static_cast<std::uint32_t>(number));
  ni.tunables.peer_credits = 2 + static_cast<std::int32_t>(rng.below(4));
  ni.tunables.credits = 4 + static_cast<std::int32_t>(rng.below(5));
  setup.nis = {ni};
  setup.edge = edge;
  setup.globals.transaction_timeout = 10;
  setup.globals.retry_count = 1;
  if (rng.below(2) == 0) setup.handler_delay = microseconds(300);
  return setup;
}

WorldOptions some_options(Rng& rng) {
  WorldOptions options;
  options.link.jitter = microseconds(rng.below(100));
  if (rng.below(2) == 0) options.link.bytes_per_second = 20'000'000;
  options.link.loss_ppm = static_cast<std::uint32_t>(rng.below(3)) * 2'000;
  options.link.duplicate_ppm = static_cast<std::uint32_t>(rng.below(2)) * 2'000;
  options.link.reorder_ppm = static_cast<std::uint32_t>(rng.below(2)) * 20'000;
  options.check_all_every = 500;
  return options;
}

bool stopped(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i)
    if (world.node(i).state() != SimNode::State::kStopped) return false;
  return true;
}

}  // namespace

SwarmRun run_swarm(std::uint64_t seed, EdgeKind edge) {
  Rng rng = rng_for(seed, "swarm");
  World world(seed, some_options(rng));
  add_all_checkers(world);
  if (rng.below(4) != 0) world.add<Faults>();  // before the load, which winds down on sound nodes
  MixedLoad& load = world.add<MixedLoad>();
  for (std::size_t i = 0; i < kNodes; ++i) world.add_node(some_node(i, edge, rng));

  world.run_for(milliseconds(150));
  world.wind_down();
  const Limits limits{.time = std::chrono::minutes(5)};
  bool ended = world.run_until_quiet(limits).reached();
  if (ended) {
    for (std::size_t i = 0; i < world.size(); ++i) world.node(i).shutdown();
    ended = world.run_until(stopped, limits).reached() && world.run_until_quiet(limits).reached();
  }
  return {world.violation(), ended, world.explain(), world.digest(), load.operations()};
}

}  // namespace ulnet::sim
