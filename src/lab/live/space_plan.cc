#include "lab/live/space_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/live/spaces.h"
#include "lab/topology/addresses.h"

namespace ulnet::tools::lab {

namespace {

constexpr int kMtu = 9000;
constexpr std::uint32_t kFirstTable = 100;
/// A token bucket passes no packet that is larger than its burst, and TCP passes on segments of up
/// to 64 KiB.
constexpr std::uint64_t kMinBurst = 128 * 1024;
constexpr int kQueueMs = 30;

std::string bridge_of(SwitchNumber number) { return fmt::format("s{}", number); }

std::string tbf(const Wire& wire) {
  // The amount that passes at the rate within 2 ms; the clock of a busy machine is not more
  // precise.
  const std::uint64_t burst = std::max(kMinBurst, wire.bits_per_second / 8 / 500);
  return fmt::format("tbf rate {}bit burst {} latency {}ms", wire.bits_per_second, burst, kQueueMs);
}

std::string netem_of(const Wire& wire) {
  std::string text = "netem limit 100000";
  if (wire.delay.count() > 0) text += fmt::format(" delay {}us", wire.delay.count() / 1000);
  if (wire.loss_ppm > 0)
    text += fmt::format(" loss {}.{:04}%", wire.loss_ppm / 10'000, wire.loss_ppm % 10'000);
  return text;
}

/// Returns the blocks of 256 addresses that contain the NIs of each net.
std::vector<std::set<std::uint32_t>> blocks_of(const Topology& topology) {
  std::vector<std::set<std::uint32_t>> blocks(topology.nets.size());
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) blocks[rail.net].insert(rail.address & ~255U);
  return blocks;
}

/// Returns the Ethernet address of a node's interface: locally administered, unique in a
/// laboratory.
std::string hardware_address(NodeNumber node, std::uint32_t wire) {
  return fmt::format("02:00:{:02x}:{:02x}:{:02x}:{:02x}", node >> 8 & 0xff, node & 0xff,
                     wire >> 8 & 0xff, wire & 0xff);
}

/// Permanent entries for the neighbours of a node, so that no node uses ARP. The kernel has one ARP
/// table of 1,024 entries for all namespaces (net.ipv4.neigh.default.gc_thresh3). 80 nodes fill
/// this table, and then hosts are unreachable by chance. Permanent entries do not count towards its
/// limit.
std::string neighbours_of(const Topology& topology, NodeNumber number) {
  std::string lines;
  const Node& node = topology.nodes[number];
  for (std::uint32_t i = 0; i < node.rails.size(); ++i)
    for (NodeNumber k = 0; k < topology.nodes.size(); ++k)
      for (std::uint32_t j = 0; k != number && j < topology.nodes[k].rails.size(); ++j)
        if (const Rail& there = topology.nodes[k].rails[j]; there.net == node.rails[i].net)
          lines += fmt::format(
              "neigh replace {} lladdr {} dev {} nud permanent\n", address_text(there.address),
              hardware_address(k, topology.nodes[k].wire_of(j)), interface_of(node.wire_of(i)));
  return lines;
}

/// Returns the commands for a node's addresses and routing rules: packets with an NI's address as
/// their source leave through that NI, wherever they go. Packets without a source yet go to a net
/// through the node's first NI on it.
std::string lines_of_node(const Node& node, const std::vector<std::set<std::uint32_t>>& blocks) {
  std::string lines = "link set lo up\n";
  std::set<NetNumber> seen;
  for (std::uint32_t i = 0; i < node.rails.size(); ++i) {
    const Rail& rail = node.rails[i];
    const std::string device = interface_of(node.wire_of(i)), address = address_text(rail.address);
    if (!rail.shares)
      lines += fmt::format(
          "addr add {}/32 dev {}\nlink set {} up\nroute add default dev {} table {}\n"
          "rule add from {} table {}\n",
          address, device, device, device, kFirstTable + i, address, kFirstTable + i);
    if (!seen.insert(rail.net).second) continue;
    for (const std::uint32_t block : blocks[rail.net])
      lines +=
          fmt::format("route replace {}/24 dev {} src {}\n", address_text(block), device, address);
  }
  if (!node.rails.empty())
    lines += fmt::format("route add default dev {} src {}\n", interface_of(0),
                         address_text(node.rails[0].address));
  return lines;
}

void plan_node(const Topology& topology, NodeNumber number, const std::string& name,
               SpacePlan& plan) {
  const Node& node = topology.nodes[number];
  for (std::uint32_t i = 0; i < node.rails.size(); ++i) {
    if (node.rails[i].shares) continue;
    const std::string port = port_of(number, i);
    plan.pairs += fmt::format(
        "link add {} address {} mtu {} netns {} type veth peer name {} mtu {} netns {}\n",
        interface_of(i), hardware_address(number, i), kMtu, plan.spaces[number + 1], port, kMtu,
        space_of_switches(name));
    plan.switches += fmt::format("link set {} master {} alias {}:{} up\n", port,
                                 bridge_of(node.rails[i].at_switch), node.name, i);
  }
}

}  // namespace

std::string interface_of(std::uint32_t rail) { return fmt::format("eth{}", rail); }
std::string port_of(NodeNumber node, std::uint32_t rail) {
  return fmt::format("p{}.{}", node, rail);
}
std::string link_end(std::size_t link, char end) { return fmt::format("l{}{}", link, end); }

std::string shape_lines(const std::string& device, const Wire& wire, bool netem) {
  const bool shapes = netem && (wire.delay.count() > 0 || wire.loss_ppm > 0);
  const bool limits = wire.bits_per_second > 0;
  std::string lines;
  if (shapes)
    lines += fmt::format("qdisc replace dev {} root handle 1: {}\n", device, netem_of(wire));
  if (limits)
    lines += fmt::format("qdisc replace dev {} {} {}\n", device,
                         shapes ? "parent 1:1 handle 10:" : "root handle 1:", tbf(wire));
  return lines;
}

SpacePlan plan_spaces(const Topology& topology, const std::string& name, bool netem) {
  SpacePlan plan;
  plan.spaces.push_back(space_of_switches(name));
  for (const Node& node : topology.nodes) plan.spaces.push_back(space_of_node(name, node.name));
  plan.switches = "link set lo up\n";
  for (SwitchNumber i = 0; i < topology.switches.size(); ++i)
    plan.switches += fmt::format(
        "link add {} mtu {} type bridge mcast_snooping 0\n"
        "link set {} alias {} up\n",
        bridge_of(i), kMtu, bridge_of(i), topology.switches[i].name);
  const auto blocks = blocks_of(topology);
  for (NodeNumber i = 0; i < topology.nodes.size(); ++i) {
    plan_node(topology, i, name, plan);
    plan.nodes.push_back(lines_of_node(topology.nodes[i], blocks) + neighbours_of(topology, i));
    std::string& shapes = plan.shapes.emplace_back();
    for (std::uint32_t rail = 0; rail < topology.nodes[i].rails.size(); ++rail) {
      if (topology.nodes[i].rails[rail].shares) continue;
      const Wire& wire = topology.nodes[i].rails[rail].wire;
      shapes += shape_lines(interface_of(rail), wire, netem);
      plan.shapes_of_switches += shape_lines(port_of(i, rail), wire, netem);
    }
  }
  for (std::size_t i = 0; i < topology.switch_links.size(); ++i) {
    const SwitchLink& link = topology.switch_links[i];
    const std::string a = link_end(i, 'a'), b = link_end(i, 'b');
    plan.switches +=
        fmt::format("link add {} mtu {} type veth peer name {} mtu {}\n", a, kMtu, b, kMtu);
    plan.switches += fmt::format("link set {} master {} up\nlink set {} master {} up\n", a,
                                 bridge_of(link.a), b, bridge_of(link.b));
    plan.shapes_of_switches += shape_lines(a, link.wire, netem) + shape_lines(b, link.wire, netem);
  }
  return plan;
}

}  // namespace ulnet::tools::lab
