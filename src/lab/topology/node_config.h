// The input of a node's ulnetd in a laboratory: its configuration file and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Returns the configuration as `ulnetd --config`, `ulnetctl import` and `lnetctl import` take it:
/// nets with their NIs, routes, routing. All rails must have addresses (asserted). `interfaces`:
/// for each rail of the node its interface, such as "eth0"; empty: the rail's own address.
std::string node_config(const Topology& topology, NodeNumber node,
                        const std::vector<std::string>& interfaces = {});

/// Returns the time-out in seconds of an RPC of LNet selftest at a node of a laboratory:
/// `rpc_timeout`. It is short, so that the next RPC begins soon after a dead router or a cut rail
/// swallowed one.
std::string rpc_timeout_of(const Node& node);

/// How the daemon runs.
struct NodeRun {
  std::uint16_t accept_port = 988;
  bool trust = true;  ///< trust peers on ports above 1023: `accept=trust`
  bool selftest = true;
};
/// Returns the arguments of the daemon: --accept-port, --selftest, and --set for each parameter. A
/// parameter that the topology sets overrides `run`. A router routes from its start. The caller
/// adds name, sockets and files.
std::vector<std::string> node_arguments(const Topology& topology, NodeNumber node,
                                        const NodeRun& run);

}  // namespace ulnet::tools::lab
