// The simulator's cost of messages in a world with faults and all checkers, of a world of idle
// nodes, and of events in a world of many nodes. Prints figures as "NAME VALUE" lines, which
// bench/run turns into rows.
//
//   sim_loop messages EDGE COUNT       16 nodes: COUNT PUTs of 4 KiB with ACK
//   sim_loop idle EDGE NODES           starts NODES nodes
//   sim_loop events EDGE NODES COUNT   COUNT events of a load on NODES nodes, after a warm-up
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "sim/checkers/all.h"
#include "sim/load/faults.h"
#include "sim/load/loads.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime);
}

double most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void add_nodes(World& world, std::uint32_t count, DriverKind driver) {
  for (std::uint32_t i = 1; i <= count; ++i) {
    NodeSetup setup;
    setup.nis = {{.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + i)}};
    setup.driver = driver;
    setup.globals.transaction_timeout = 5;  // a message that a fault broke times out soon
    world.add_node(std::move(setup));
  }
}

int fail(const World& world) {
  std::fprintf(stderr, "sim_loop: %s\n", world.explain().c_str());
  return 1;
}

int messages(DriverKind driver, std::uint64_t count) {
  World world(1);
  add_all_checkers(world);
  add_nodes(world, 16, driver);
  LoadSetup setup{.at_once = 8, .think = milliseconds(1), .min_bytes = 4096, .max_bytes = 4096};
  setup.shares = {};
  setup.shares[static_cast<std::size_t>(LoadOp::kPutAck)] = 1;
  auto& load = world.add<VerifiedLoad>("load", setup);
  // The recorded figures, which a run is compared with, come from these 16 kinds of faults.
  for (const FaultKind kind : std::span(kFaultKinds).first(16))
    world.add_actor(make_fault(kind, {.every = milliseconds(200), .lasts = milliseconds(20)}));
  const auto done = [&] { return load.counts().ended - load.counts().failed; };
  const double before = cpu_seconds();
  if (!world.run_until([&](World&) { return done() >= count; }).reached()) return fail(world);
  const double took = cpu_seconds() - before;
  std::uint64_t faults = 0;
  for (const auto& [what, times] : world.exercised().acts)
    if (what.starts_with("fault")) faults += times;
  std::printf("messages_per_minute %.0f\nsteps %llu\nfaults %llu\nfailed %llu\n",
              static_cast<double>(done()) / took * 60,
              static_cast<unsigned long long>(world.steps()),          // NOLINT
              static_cast<unsigned long long>(faults),                 // NOLINT
              static_cast<unsigned long long>(load.counts().failed));  // NOLINT
  return 0;
}

int idle(DriverKind driver, std::uint32_t nodes) {
  World world(1);
  const double before = cpu_seconds();
  add_nodes(world, nodes, driver);
  if (!world.run_for(seconds(1)).reached()) return fail(world);
  std::printf("seconds %.3f\nbytes %.0f\n", cpu_seconds() - before, most_memory());
  return 0;
}

int events(DriverKind driver, std::uint32_t nodes, std::uint64_t count) {
  World world(1);
  add_nodes(world, nodes, driver);
  world.add<VerifiedLoad>("load", LoadSetup{.at_once = 1, .max_bytes = 4096});
  const std::uint64_t last = 20'000 + 20ULL * nodes + count;
  if (!world.run_until([&](World&) { return world.steps() >= last; }).reached()) return fail(world);
  std::printf("steps %llu\n", static_cast<unsigned long long>(world.steps()));  // NOLINT
  return 0;
}

std::optional<DriverKind> driver_of(const char* word) {
  for (const DriverKind driver : {DriverKind::kPipe, DriverKind::kSock})
    if (std::strcmp(word, to_string(driver)) == 0) return driver;
  return {};
}

int run(int count, char** words) {
  const auto driver = count >= 4 ? driver_of(words[2]) : std::nullopt;
  const std::string what = count >= 4 ? words[1] : "";
  const auto number = [&](int at) { return std::strtoull(words[at], nullptr, 10); };
  if (driver && what == "messages") return messages(*driver, number(3));
  if (driver && what == "idle") return idle(*driver, static_cast<std::uint32_t>(number(3)));
  if (driver && what == "events" && count == 5)
    return events(*driver, static_cast<std::uint32_t>(number(3)), number(4));
  std::fputs("usage: sim_loop messages|idle EDGE COUNT\n       sim_loop events EDGE NODES COUNT\n",
             stderr);
  return 2;
}

}  // namespace
}  // namespace ulnet::sim

int main(int argc, char** argv) { return ulnet::sim::run(argc, argv); }
