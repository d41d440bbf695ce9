// measure, capture.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "lab/commands.h"
#include "lab/inside.h"
#include "lab/live/nodes.h"
#include "lab/live/programs.h"
#include "lab/live/space_plan.h"
#include "lab/live/spaces.h"
#include "lab/topology/addresses.h"

namespace ulnet::tools::lab {

namespace {

struct TrafficOptions {
  std::string lab, rail, file;
  std::vector<std::string> from, to, more;
  unsigned seconds = 0;
};

/// Returns the NID by which the console names a node. Prefers a rail that is not cut; among equal
/// rails, one on a net that both share; else the first one.
std::string nid_towards(const Laboratory& lab, NodeNumber console, NodeNumber node) {
  const Topology& topology = lab.topology;
  const auto& rails = topology.nodes[node].rails;
  const auto& own = topology.nodes[console].rails;
  const auto worth = [&](std::uint32_t i) {
    const bool shared = std::any_of(own.begin(), own.end(),
                                    [&](const Rail& rail) { return rail.net == rails[i].net; });
    return (lab.record.down.contains(rail_name(topology, node, i)) ? 0 : 2) + (shared ? 1 : 0);
  };
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < rails.size(); ++i)
    if (worth(i) > worth(best)) best = i;
  return topology.nid_of(rails[best]).to_string();
}

Result<std::vector<std::string>> words_of_ulst(const Laboratory& lab,
                                               const TrafficOptions& options) {
  const auto from = nodes_of_words(lab.topology, options.from);
  if (!from) return tl::unexpected(from.error());
  const auto to = nodes_of_words(lab.topology, options.to);
  if (!to) return tl::unexpected(to.error());
  std::string ulst = find_program("ulst");
  if (ulst.empty()) return fail(-ENOENT, "there is no ulst beside ulnet-lab and none in PATH");
  const NodeNumber console = from->front();
  if (const auto client = control_client(lab, console); !client)
    return tl::unexpected(client.error());
  std::vector<std::string> words = {std::move(ulst), "--control",
                                    lab.home.socket(lab.topology.nodes[console].name), "run"};
  for (const NodeNumber node : *from)
    words.insert(words.end(), {"--from", nid_towards(lab, console, node)});
  for (const NodeNumber node : *to)
    words.insert(words.end(), {"--to", nid_towards(lab, console, node)});
  // Names all nodes, because a node that takes no part may have the session that is in the way.
  for (const Node& node : lab.topology.nodes)
    for (const Rail& rail : node.rails)
      words.insert(words.end(),
                   {"--name", lab.topology.nid_of(rail).to_string() + "=" + node.name});
  words.insert(words.end(), options.more.begin(), options.more.end());
  return words;
}

/// Replaces this process by ulst, whose exit codes are those of this command too.
int measure(const TrafficOptions& options) {
  const auto lab = open_lab(options.lab);
  const auto words = lab ? words_of_ulst(*lab, options)
                         : Result<std::vector<std::string>>(tl::unexpected(lab.error()));
  if (words) return become(*words);
  complain(words.error());
  return kExitNotMeasured;
}

/// Returns the command that captures the packets of the device.
Result<std::vector<std::string>> words_of_capture(const TrafficOptions& options,
                                                  const std::string& device,
                                                  const std::string& filter) {
  std::vector<std::string> words;
  const std::string seconds = std::to_string(options.seconds);
  if (const std::string tcpdump = find_program("tcpdump"); !tcpdump.empty()) {
    if (options.seconds > 0) words = {"timeout", "--preserve-status", "-s", "INT", seconds};
    words.insert(words.end(), {tcpdump, "-Z", "root", "-U", "-i", device, "-w", options.file});
    if (!filter.empty()) words.push_back(filter);
    return words;
  }
  const std::string dumpcap = find_program("dumpcap");
  if (dumpcap.empty())
    return fail(
        -ENOENT,
        "neither tcpdump nor dumpcap is installed: install one, as with 'apt-get install tcpdump'");
  words = {dumpcap, "-q", "-P", "-i", device, "-w", options.file};
  if (!filter.empty()) words.insert(words.end(), {"-f", filter});
  if (options.seconds > 0) words.insert(words.end(), {"-a", "duration:" + seconds});
  return words;
}

int capture(const TrafficOptions& options) {
  const auto lab = open_lab(options.lab);
  if (!lab) return complain(lab.error());
  const auto wire = find_wire(lab->topology, options.rail);
  if (!wire) return complain(wire.error());
  if (wire->link && !lab->record.spaces)
    return complain(
        "on loopback there are no switches: start the laboratory with --netns, as root");
  std::string device = "lo", filter;
  if (wire->link)
    device = link_end(*wire->link, 'a');
  else if (lab->record.spaces)
    device = port_of(wire->node, wire->rail);
  else
    filter = "host " + address_text(lab->topology.nodes[wire->node].rails[wire->rail].address);
  if (::geteuid() != 0)
    return complain("capturing needs root: type 'sudo tcpdump -i lo -w " + options.file + " " +
                    filter + "'");
  auto words = words_of_capture(options, device, filter);
  if (!words) return complain(words.error());
  if (lab->record.spaces) words = in_space_words(space_of_switches(lab->home.name()), *words);
  if (options.seconds == 0) std::fprintf(stderr, "capturing until Ctrl-C\n");
  return become(*words);
}

}  // namespace

void add_traffic_commands(CLI::App& app, int& code) {
  CLI::App& measure_app = *app.add_subcommand(
      "measure", "LNet selftest between nodes; further options are those of 'ulst run'");
  TrafficOptions& measured =
      run_with<TrafficOptions>(measure_app, code, [&measure_app](TrafficOptions& options) {
        options.more = measure_app.remaining();
        return measure(options);
      });
  add_lab_option(measure_app, measured.lab);
  measure_app.allow_extras();
  measure_app.footer(
      "  ulnet-lab measure --from client --to oss --write --check full --time 5s\n"
      "'ulst help run' lists the options that are passed on.\n"
      "Exit codes: 0; 1 measured, but with errors, or with a client that had no data for 3 s; 130\n"
      "interrupted; 255 not measured.");
  for (const auto& [option, words, help] :
       {std::tuple{"--from", &measured.from, "clients: a node, a group, a pattern, or all"},
        std::tuple{"--to", &measured.to, "servers"}})
    add_value(measure_app, option, *words, "NODE", help)
        ->required()
        ->take_all()
        ->allow_extra_args(false);

  CLI::App& capture_app = *app.add_subcommand(
      "capture", "write the packets on a rail to a file, with tcpdump or dumpcap; needs root");
  TrafficOptions& captured = run_with<TrafficOptions>(capture_app, code, capture);
  add_lab_option(capture_app, captured.lab);
  add_argument(capture_app, "RAIL", captured.rail, "as client1:0, or left-right");
  add_argument(capture_app, "FILE", captured.file, "the file to write, for Wireshark");
  add_value(capture_app, "--seconds", captured.seconds, "S",
            "the seconds to capture (default: until Ctrl-C)")
      ->check(CLI::Range(1U, 86'400U));
}

}  // namespace ulnet::tools::lab
