#include "lab/live/wires.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "lab/live/programs.h"
#include "lab/live/space_plan.h"
#include "lab/live/spaces.h"
#include "lnet/base/nearest_word.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::chrono::seconds kCarrierTimeout{20};
constexpr std::chrono::milliseconds kCarrierPause{20};
/// The number of programs at a time. Most of the time they wait for the kernel's only lock of
/// interfaces.
constexpr std::size_t kWidth = 4;

/// Waits until the interfaces of a node are up. The system reports a new link with a delay, and a
/// daemon that starts before would report to its peers that its NI is down.
Result<void> wait_for_carrier(const std::string& space, const Node& node,
                              const std::function<bool()>& stopped) {
  std::vector<std::string> interfaces;
  for (std::uint32_t i = 0; i < node.rails.size(); ++i)
    interfaces.push_back(interface_of(node.wire_of(i)));
  return in_space(space, [&]() -> Result<void> {
    const auto end = std::chrono::steady_clock::now() + kCarrierTimeout;
    while (!are_running(interfaces)) {
      if (stopped()) return fail(-EINTR, "interrupted");
      if (std::chrono::steady_clock::now() > end)
        return fail(-ETIMEDOUT, "the interfaces of " + space + " do not come up");
      std::this_thread::sleep_for(kCarrierPause);
    }
    return {};
  });
}

std::vector<Program> programs_of_nodes(const SpacePlan& plan) {
  std::vector<Program> programs;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    programs.push_back(batch_in("ip", plan.spaces[i + 1], plan.nodes[i]));
  for (std::size_t i = 0; i < plan.shapes.size(); ++i)
    if (!plan.shapes[i].empty())
      programs.push_back(batch_in("tc", plan.spaces[i + 1], plan.shapes[i]));
  return programs;
}

Result<void> make_spaces(const std::vector<std::string>& spaces, Journal& journal) {
  std::string lines;
  for (const std::string& space : spaces) {
    if (const auto noted = journal.note_space(space); !noted) return noted;
    lines += "netns add " + space + "\n";
  }
  if (const auto made = run_program(ip_batch(lines)); !made) return made;
  for (const std::string& space : spaces)
    if (const auto settled = in_space(space, settle_space); !settled) return settled;
  return {};
}

/// The device at one end of a wire, with its namespace.
struct Device {
  std::string space, name;
};
std::vector<Device> devices_of(const Record& record, const Topology& topology,
                               const WireEnd& wire) {
  const std::string switches = space_of_switches(record.name);
  if (wire.link)
    return {{switches, link_end(*wire.link, 'a')}, {switches, link_end(*wire.link, 'b')}};
  return {{switches, port_of(wire.node, wire.rail)},
          {space_of_node(record.name, topology.nodes[wire.node].name), interface_of(wire.rail)}};
}

/// Whether the kernel can delay and lose packets. Asks in the namespace, which must exist.
bool has_netem(const std::string& space) {
  return run_program(batch_in("tc", space,
                              "qdisc add dev lo root netem delay 1us\n"
                              "qdisc del dev lo root\n"))
      .has_value();
}

}  // namespace

std::string why_no_spaces() {
  if (::geteuid() == 0) return {};
  return "--netns needs root, to make network namespaces: type 'sudo ulnet-lab up --netns ...', or "
         "leave --netns out and have the nodes on loopback addresses";
}

Result<void> build_wires(const Topology& topology, Record& record, Journal& journal,
                         const std::function<bool()>& stopped) {
  const auto interrupted = [] { return fail(-EINTR, "interrupted"); };
  SpacePlan plan = plan_spaces(topology, record.name, false);
  if (const auto made = make_spaces(plan.spaces, journal); !made) return made;
  if (stopped()) return interrupted();
  record.netem = has_netem(plan.spaces[0]);
  if (record.netem) plan = plan_spaces(topology, record.name, true);
  if (const auto made = run_program(ip_batch(plan.pairs)); !made) return made;
  if (stopped()) return interrupted();
  if (const auto made = run_program(batch_in("ip", plan.spaces[0], plan.switches)); !made)
    return made;
  if (stopped()) return interrupted();
  std::vector<Program> programs = programs_of_nodes(plan);
  if (!plan.shapes_of_switches.empty())
    programs.push_back(batch_in("tc", plan.spaces[0], plan.shapes_of_switches));
  if (const auto made = run_programs(programs, kWidth); !made) return made;
  for (std::size_t i = 0; i < topology.nodes.size(); ++i)
    if (const auto up = wait_for_carrier(plan.spaces[i + 1], topology.nodes[i], stopped); !up)
      return up;
  return {};
}

Result<WireEnd> find_wire(const Topology& topology, std::string_view word) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < topology.switch_links.size(); ++i) {
    const SwitchLink& link = topology.switch_links[i];
    const std::string there = topology.switches[link.a].name, back = topology.switches[link.b].name;
    if (word == there + "-" + back || word == back + "-" + there)
      return WireEnd{.node = 0, .rail = 0, .link = i};
    names.push_back(there + "-" + back);
  }
  if (const auto rail = topology.find_rail(word))
    return WireEnd{.node = rail->first,
                   .rail = topology.nodes[rail->first].wire_of(rail->second),
                   .link = std::nullopt};
  if (const auto node = topology.find_node(word); node && topology.nodes[*node].rails.size() > 1)
    return fail(-EINVAL, fmt::format("{} has {} rails: name one, as {}:0", word,
                                     topology.nodes[*node].rails.size(), word));
  for (NodeNumber n = 0; n < topology.nodes.size(); ++n)
    for (std::uint32_t i = 0; i < topology.nodes[n].rails.size(); ++i)
      names.push_back(rail_name(topology, n, i));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string meant = text::did_you_mean(word, known);
  return fail(-ENOENT,
              fmt::format("there is no rail '{}'{}{}", word, meant.empty() ? "" : ". ", meant));
}

std::string wire_name(const Topology& topology, const WireEnd& wire) {
  return wire.link ? link_name(topology, topology.switch_links[*wire.link])
                   : rail_name(topology, wire.node, wire.rail);
}

const Wire& wire_of(const Topology& topology, const WireEnd& wire) {
  return wire.link ? topology.switch_links[*wire.link].wire
                   : topology.nodes[wire.node].rails[wire.rail].wire;
}

Result<void> set_carrier(const Record& record, const WireEnd& wire, bool up) {
  const std::string device = wire.link ? link_end(*wire.link, 'a') : port_of(wire.node, wire.rail);
  return run_program(
      {{"ip", "-n", space_of_switches(record.name), "link", "set", device, up ? "up" : "down"},
       ""});
}

Result<void> set_shape(const Record& record, const Topology& topology, const WireEnd& end,
                       const Wire& wire) {
  for (const Device& device : devices_of(record, topology, end)) {
    const std::string lines = shape_lines(device.name, wire, record.netem);
    // A shaper of the same kind is changed in place, with the packets that wait in it.
    if (!lines.empty() && run_program(batch_in("tc", device.space, lines))) continue;
    // There may be no shaper to delete, so an error is ignored.
    static_cast<void>(
        run_program({{"tc", "-n", device.space, "qdisc", "del", "dev", device.name, "root"}, ""}));
    if (lines.empty()) continue;
    if (const auto set = run_program(batch_in("tc", device.space, lines)); !set) return set;
  }
  return {};
}

}  // namespace ulnet::tools::lab
