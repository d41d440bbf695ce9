#include "lab/experiment/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "lab/topology/addresses.h"
#include "lab/topology/node_config.h"
#include "lab/topology/scenario_text.h"
#include "lnet/base/assert.h"
#include "sim/scenario/reader.h"
#include "sim/scenario/run.h"

namespace ulnet::tools::lab {
namespace {

using FaultWhat = ExperimentFault::What;
constexpr std::uint64_t kUnlimited = 8'000'000'000'000;  ///< bits a second
constexpr std::size_t kMaxWindow = 1024;

/// Returns the topology with addresses. Rails whose rate a fault changes get a rate from the start.
Topology topology_for(const Experiment& experiment) {
  Topology topology = experiment.topology;
  const auto given = give_addresses(topology, kNamespaceBase);
  ULNET_ASSERT(given.has_value());
  for (const ExperimentFault& fault : experiment.faults) {
    if (fault.what != FaultWhat::kLinkRate || fault.wire.link) continue;
    Wire& wire = topology.nodes[fault.wire.node].rails[fault.wire.rail].wire;
    if (wire.bits_per_second == 0) wire.bits_per_second = kUnlimited;
  }
  return topology;
}

std::string load_text(const Topology& topology, const ExperimentLoad& load) {
  const char* const what = load.what == ExperimentLoad::What::kWrite  ? "put"
                           : load.what == ExperimentLoad::What::kRead ? "get"
                                                                      : "ping";
  const std::string size =
      load.what == ExperimentLoad::What::kPing ? "" : fmt::format(" size: {},", load.size);
  const std::string patience =
      load.what == ExperimentLoad::What::kPing
          ? ""
          : " patience: " + rpc_timeout_of(topology.nodes[load.from.front()]) + "s,";
  return fmt::format("    - {{what: {}, from: {}, to: {},{}{} window: {}, start: {}, lasts: {}}}\n",
                     what, scenario_names(topology, load.from), scenario_names(topology, load.to),
                     size, patience, std::min(load.concurrency * load.to.size(), kMaxWindow),
                     text::duration_text(load.start), text::duration_text(load.end - load.start));
}

/// Returns the names of the two switches at the ends of a wire: for a rail, the rail's own switch
/// and the switch that it is connected to.
std::string ends_of(const Topology& topology, const WireEnd& wire) {
  if (wire.link) {
    const SwitchLink& link = topology.switch_links[*wire.link];
    return fmt::format("[\"{}\", \"{}\"]", topology.switches[link.a].name,
                       topology.switches[link.b].name);
  }
  const Rail& rail = topology.nodes[wire.node].rails[wire.rail];
  return fmt::format("[\"{}\", \"{}\"]", wire_name(topology, wire),
                     topology.switches[rail.at_switch].name);
}

std::string fault_text(const Topology& topology, const ExperimentFault& fault) {
  std::string what;
  switch (fault.what) {
    case FaultWhat::kKill:
    case FaultWhat::kPause:
      what =
          fmt::format("what: {}, node: \"{}\"", fault.what == FaultWhat::kKill ? "crash" : "pause",
                      topology.nodes[fault.node].name);
      break;
    case FaultWhat::kLinkDown:
      what = fault.wire.link
                 ? fmt::format("what: link-cut, link: {}", ends_of(topology, fault.wire))
                 : fmt::format("what: interface, node: \"{}\", ni: {}",
                               topology.nodes[fault.wire.node].name, fault.wire.rail);
      break;
    case FaultWhat::kLinkRate:
      what = fmt::format("what: link-slow, link: {}, bandwidth: {}B/s",
                         ends_of(topology, fault.wire), fault.bits_per_second / 8);
      break;
  }
  return fmt::format("    - {{at: {}, {}{}}}\n", text::duration_text(fault.at), what,
                     fault.mended ? ", for: " + text::duration_text(fault.end - fault.at) : "");
}

LoadRecord record_of(const Experiment& experiment, const sim::LoadResult& result) {
  LoadRecord record;
  record.operations = result.counts.delivered;
  record.lost = result.counts.failed + result.counts.forgotten;
  for (Duration from{}; from + experiment.sample <= experiment.lasts; from += experiment.sample) {
    const std::size_t place = record.intervals.size();
    const sim::Delivered moved =
        place < result.series.size() ? result.series[place] : sim::Delivered{};
    record.intervals.push_back({from, from + experiment.sample, moved.messages, moved.bytes});
  }
  return record;
}

}  // namespace

std::string scenario_of(const Experiment& experiment, std::uint64_t seed) {
  const Topology topology = topology_for(experiment);
  std::string text = scenario_text(topology);
  text +=
      fmt::format("seed: {}\nlasts: {}\nsample: {}\nsteps: 2000000000\nworkload:\n", seed,
                  text::duration_text(experiment.lasts), text::duration_text(experiment.sample));
  for (const ExperimentLoad& load : experiment.loads) text += load_text(topology, load);
  if (!experiment.faults.empty()) text += "faults:\n";
  for (const ExperimentFault& fault : experiment.faults) text += fault_text(topology, fault);
  return text;
}

Result<Measured> simulate(const Experiment& experiment, std::uint64_t seed) {
  const auto scenario = sim::read_scenario(scenario_of(experiment, seed));
  if (!scenario)
    return fail(-EPROTO, "the simulator does not take the experiment: line " +
                             std::to_string(scenario.error().front().place.line) + ": " +
                             scenario.error().front().reason);
  sim::RunOptions options;
  options.checkers = options.marks = false;  // `ulnet-sim swarm` has these checks
  const sim::Report report = sim::Run(*scenario, options).go();
  if (!report.good())
    return fail(-EPROTO, std::string("the simulated run was no good: ") + to_string(report.ending) +
                             ": " + report.checker + " " + report.what);
  Measured measured{.where = Measured::Where::kSimulator, .seed = seed};
  for (const sim::LoadResult& result : report.loads)
    measured.loads.push_back(record_of(experiment, result));
  for (const ExperimentFault& fault : experiment.faults)
    measured.faults.push_back({fault.at, fault.end});
  return measured;
}

}  // namespace ulnet::tools::lab
