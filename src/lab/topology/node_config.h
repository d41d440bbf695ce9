// What the ulnetd of a laboratory's node is given: its configuration file and its arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// The configuration as `ulnetd --config`, `ulnetctl import` and `lnetctl import` take it: nets
/// with their NIs, routes, routing. All rails have addresses (asserted). `interfaces`: for each
/// rail of the node the interface that it uses, as "eth0"; empty: the rail's own address.
std::string node_config(const Topology& topology, NodeNumber node,
                        const std::vector<std::string>& interfaces = {});

/// Seconds after which an RPC of LNet selftest has failed at a node of a laboratory: `rpc_timeout`.
/// What a dead router or a cut rail has swallowed is over soon, and the next RPC begins.
std::string rpc_timeout_of(const Node& node);

/// How the daemon runs.
struct NodeRun {
  std::uint16_t accept_port = 988;
  bool trust = true;  ///< believe peers on ports above 1023: `accept=trust`
  bool selftest = true;
};
/// The arguments that go with it: --accept-port, --selftest, and --set for each parameter. A
/// parameter that the topology sets wins over `run`. A router routes from its start. Name, sockets
/// and files are the caller's business.
std::vector<std::string> node_arguments(const Topology& topology, NodeNumber node,
                                        const NodeRun& run);

}  // namespace ulnet::tools::lab
