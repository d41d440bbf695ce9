// Experiment files: any text gives an experiment or mistakes with their places, and an experiment
// gives a scenario. The simulator reads that scenario, unless settings of the topology contradict
// each other.
#include "input.h"
#include "lab/experiment/reader.h"
#include "lab/experiment/simulate.h"
#include "sim/scenario/reader.h"
#include "topologies.h"

using namespace ulnet;
using namespace ulnet::tools;

namespace {

void check(const lab::Experiment& experiment) {
  const std::size_t nodes = experiment.topology.nodes.size();
  ULNET_ASSERT(!experiment.loads.empty() && experiment.console < nodes);
  for (const lab::ExperimentLoad& load : experiment.loads) {
    ULNET_ASSERT(load.start < load.end && load.end <= experiment.lasts);
    for (const auto* ends : {&load.from, &load.to})
      for (const lab::NodeNumber node : *ends) ULNET_ASSERT(node < nodes);
  }
  Duration before{};
  for (const lab::ExperimentFault& fault : experiment.faults) {
    ULNET_ASSERT(before <= fault.at && fault.at < fault.end && fault.end <= experiment.lasts);
    before = fault.at;
  }
  for (const lab::Expected& expected : experiment.expected)
    ULNET_ASSERT(!expected.load || *expected.load < experiment.loads.size());
  static_cast<void>(lab::not_on_loopback(experiment));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The folder of topology files does not exist, so the name of a topology is an example's, or
  // unknown.
  const auto experiment = lab::read_experiment(fuzz::text_of(data, size), "/nowhere/fuzz.yaml");
  if (!experiment) {
    fuzz::check(experiment.error());
    return 0;
  }
  check(*experiment);
  if (!fuzz::is_small(experiment->topology)) return 0;
  const auto scenario = sim::read_scenario(lab::scenario_of(*experiment, 1));
  if (scenario) ULNET_ASSERT(scenario->nodes.size() == experiment->topology.nodes.size());
  return 0;
}
