#include "swarm.h"

#include "mixed_load.h"
#include "sim/checkers/all.h"
#include "sim/checkers/nothing_fails.h"
#include "sim/faults.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kNodes = 4;
constexpr FaultPace kShortLives{.every = milliseconds(4), .lasts = milliseconds(1)};
constexpr FaultPace kPace{.every = milliseconds(60), .lasts = milliseconds(20), .ppm = 100'000};

NodeSetup some_node(std::size_t number, EdgeKind edge, Rng& rng, Rng& partitions) {
  NodeSetup setup;
  NiSetup ni;
  ni.nid = Nid::small({NetType::kTcp, 0}, 0x0a000001U + static_cast<std::uint32_t>(number));
  ni.tunables.peer_credits = 2 + static_cast<std::int32_t>(rng.below(4));
  ni.tunables.credits = 4 + static_cast<std::int32_t>(rng.below(5));
  setup.nis = {ni};
  setup.edge = edge;
  static constexpr std::uint32_t kPartitions[] = {1, 1, 2, 3};
  setup.partitions = kPartitions[partitions.below(std::size(kPartitions))];
  setup.globals.transaction_timeout = 10;
  setup.globals.retry_count = 1;
  if (rng.below(2) == 0) setup.handler_delay = microseconds(300);
  setup.sock.zc_request = 1;
  setup.sock.zc_min_payload = 2048;
  return setup;
}

WorldOptions some_options(Rng& rng) {
  WorldOptions options;
  options.link.jitter = microseconds(rng.below(100));
  static constexpr std::uint64_t kSpeeds[] = {0, 2'000'000, 20'000'000};
  options.link.bytes_per_second = kSpeeds[rng.below(std::size(kSpeeds))];
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
  const bool faults = rng.below(4) != 0;
  const bool short_lives = faults && rng.below(3) == 0;
  // Faults before the load, which winds down on sound nodes.
  if (faults)
    for (const FaultKind kind : kFaultKinds) world.add_actor(make_fault(kind, kPace));
  if (short_lives) world.add_actor(make_fault(FaultKind::kCrash, kShortLives, "short lives"));
  if (!faults) world.add<NothingFails>();
  MixedLoad& load = world.add<MixedLoad>();
  Rng partitions = rng_for(seed, "partitions");
  for (std::size_t i = 0; i < kNodes; ++i) world.add_node(some_node(i, edge, rng, partitions));

  world.run_for(milliseconds(100));
  if (faults && rng.below(2) == 0) world.node(rng.below(kNodes)).shutdown(seconds(1));
  world.run_for(milliseconds(50));
  world.wind_down();
  const Limits limits{.time = std::chrono::minutes(5)};
  bool ended = world.run_until_quiet(limits).reached();
  if (ended) {
    for (std::size_t i = 0; i < world.size(); ++i) world.node(i).shutdown();
    ended = world.run_until(stopped, limits).reached() && world.run_until_quiet(limits).reached();
  }
  if (!ended) world.check_all();
  return {world.violation(), ended, world.explain(), world.digest(), load.operations()};
}

}  // namespace ulnet::sim
