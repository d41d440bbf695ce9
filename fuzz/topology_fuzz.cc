// Topology files: any text gives a topology or mistakes with their places, and a topology gives a
// scenario, configurations and a picture.
#include "admin/conf/yaml_in.h"
#include "input.h"
#include "lab/topology/addresses.h"
#include "lab/topology/node_config.h"
#include "lab/topology/picture.h"
#include "lab/topology/reader.h"
#include "lab/topology/scenario_text.h"
#include "sim/scenario/reader.h"
#include "topologies.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto topology = tools::lab::read_topology(fuzz::text_of(data, size), "fuzz");
  if (!topology) {
    fuzz::check(topology.error());
    return 0;
  }
  ULNET_ASSERT(!topology->nodes.empty());
  if (!fuzz::is_small(*topology)) return 0;
  static_cast<void>(tools::lab::draw_topology(*topology));
  if (!tools::lab::give_addresses(*topology, tools::lab::kNamespaceBase)) return 0;
  for (tools::lab::NodeNumber node = 0; node < topology->nodes.size(); ++node)
    ULNET_ASSERT(conf::read_yaml(tools::lab::node_config(*topology, node)));
  // Settings may contradict each other; then the simulator's reader reports a mistake.
  const auto scenario = sim::read_scenario(tools::lab::scenario_text(*topology));
  if (scenario) ULNET_ASSERT(scenario->nodes.size() == topology->nodes.size());
  return 0;
}
