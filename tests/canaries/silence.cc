#include "silence.h"

#include "sim/checkers/all.h"
#include "sim/loads.h"
#include "sim/world.h"

namespace ulnet::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

SwarmRun run_silence(std::uint64_t seed, EdgeKind edge) {
  Rng rng = rng_for(seed, "silence");
  World world(seed);
  add_all_checkers(world);
  LoadSetup small;
  small.at_once = 1;
  small.think = milliseconds(100 + rng.below(400));
  small.max_bytes = 100;
  small.shares = {1, 0, 0, 0, 0, 0};  // PUTs without ACK
  auto& load = world.add<VerifiedLoad>("load", small);
  NodeSetup setup{.nis = {{.nid = *Nid::parse("10.0.0.1@tcp")}}, .edge = edge};
  setup.globals.transaction_timeout = 5;
  setup.globals.retry_count = static_cast<std::int32_t>(rng.below(4));
  setup.sock.keepalive = rng.below(2) == 0 ? -1 : 30;
  setup.name = "a";
  SimNode& a = world.add_node(setup);
  setup.name = "b";
  setup.nis[0].nid = *Nid::parse("10.0.0.2@tcp");
  SimNode& b = world.add_node(setup);

  world.run_for(seconds(2));
  std::vector<Handle> open;
  world.streams().between(a.place(), b.place(), open);
  const Handle silent = open.empty() ? Handle{} : open[rng.below(open.size())];
  world.streams().stall(silent, true);
  world.run_for(seconds(12));  // three times the longest of their time-outs
  world.streams().stall(silent, false);
  world.wind_down();
  const bool ended = world.run_until_quiet({.time = std::chrono::minutes(5)}).reached();
  load.take_back(world);
  return {world.violation(), ended, world.explain(), world.digest(), load.under_way()};
}

}  // namespace ulnet::sim
