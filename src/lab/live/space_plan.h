// Builds a laboratory's network from namespaces, bridges and pairs of virtual interfaces, as lines
// for ip and tc. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Returns a node's interface for a rail: "eth0".
std::string interface_of(std::uint32_t rail);
/// Returns the other end, in the namespace of the switches: "p12.0".
std::string port_of(NodeNumber node, std::uint32_t rail);
/// Returns the two ends of a link between switches: "l3a", "l3b".
std::string link_end(std::size_t link, char end);

/// Returns the lines of tc that shape the packets that leave through a device; empty when nothing
/// is shaped. The lines replace the earlier settings. A token bucket limits the rate; netem, if the
/// kernel has it, delays and loses packets.
std::string shape_lines(const std::string& device, const Wire& wire, bool netem);

/// The commands to run, in this order. The topology must have addresses. `name` is the
/// laboratory's.
struct SpacePlan {
  std::vector<std::string> spaces;  ///< names of namespaces, with that of the switches first
  std::string pairs;                ///< ip, outside: pairs of interfaces across namespaces
  std::string switches;             ///< ip, in the namespace of the switches
  std::vector<std::string> nodes;   ///< ip, in the namespace of each node
  std::string shapes_of_switches;   ///< tc, in the namespace of the switches
  std::vector<std::string> shapes;  ///< tc, in the namespace of each node; may be empty
};
SpacePlan plan_spaces(const Topology& topology, const std::string& name, bool netem);

}  // namespace ulnet::tools::lab
