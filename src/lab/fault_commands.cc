// link, kill, pause, resume, restart.
#include <cstdio>

#include "lab/commands.h"
#include "lab/live/nodes.h"
#include "lab/live/stop_signal.h"
#include "lab/topology/rate.h"

namespace ulnet::tools::lab {

namespace {

struct FaultOptions {
  std::string lab, rate;
  std::vector<std::string> words;
};

/// Finds all wires before anything is changed.
Result<std::vector<WireEnd>> wires_of(const Topology& topology,
                                      const std::vector<std::string>& words) {
  std::vector<WireEnd> wires;
  for (const std::string& word : words) {
    const auto wire = find_wire(topology, word);
    if (!wire) return tl::unexpected(wire.error());
    wires.push_back(*wire);
  }
  return wires;
}

using WireChange = std::function<Result<void>(Laboratory&, const WireEnd&)>;

int change_wires(const FaultOptions& options, const WireChange& change, const std::string& now) {
  const StopSignal signals;  // a change that has begun is completed
  auto held = open_to_change(options.lab);
  if (!held) return complain(held.error());
  const auto wires = wires_of(held->lab.topology, options.words);
  if (!wires) return complain(wires.error());
  for (const WireEnd& wire : *wires) {
    const std::string name = wire_name(held->lab.topology, wire);
    if (const auto changed = change(held->lab, wire); !changed)
      return complain(name + ": " + changed.error().reason);
    std::printf("%s: %s\n", name.c_str(), now.c_str());
  }
  return 0;
}

int change_rate(FaultOptions options) {
  // The last word is the rate.
  const std::string text = options.words.back();
  options.words.pop_back();
  if (options.words.empty())
    return complain("link rate: name a rail and a rate, as client1:0 10mbit");
  const auto rate = text == "none" ? Result<std::uint64_t>(0) : parse_bit_rate(text);
  if (!rate) return complain("link rate: the last word is a rate: " + rate.error().reason);
  return change_wires(
      options, [&](Laboratory& lab, const WireEnd& wire) { return set_rate(lab, wire, *rate); },
      *rate == 0 ? "no limit" : bit_rate_text(*rate));
}

using NodeChange = std::function<Result<void>(Laboratory&, const std::vector<NodeNumber>&)>;

int change_nodes(const FaultOptions& options, const NodeChange& change, const char* now) {
  const StopSignal signals;
  auto held = open_to_change(options.lab);
  if (!held) return complain(held.error());
  const auto nodes = nodes_of_words(held->lab.topology, options.words);
  if (!nodes) return complain(nodes.error());
  if (const auto changed = change(held->lab, *nodes); !changed) return complain(changed.error());
  for (const NodeNumber node : *nodes)
    std::printf("%s: %s\n", held->lab.topology.nodes[node].name.c_str(), now);
  return 0;
}

/// Changes one node after the other. Tries all of them, and returns the first error.
NodeChange each(Result<void> (*change)(const Laboratory&, NodeNumber)) {
  return [change](Laboratory& lab, const std::vector<NodeNumber>& nodes) {
    Result<void> done;
    for (const NodeNumber node : nodes)
      if (const auto one = change(lab, node); !one && done) done = one;
    return done;
  };
}

}  // namespace

void add_fault_commands(CLI::App& app, int& code) {
  CLI::App& link = *app.add_subcommand(
      "link", "cut or restore rails and links of switches, or change their rates");
  link.require_subcommand(1);
  const auto add_link = [&](const char* name, const char* help, const char* words_help,
                            std::function<int(const FaultOptions&)> run) {
    CLI::App& command = *link.add_subcommand(name, help);
    FaultOptions& options = run_with<FaultOptions>(command, code, std::move(run));
    add_lab_option(command, options.lab);
    add_argument(command, "RAIL", options.words, words_help);
  };
  constexpr const char* kRails = "as client1:0, client1 when it has one rail, or left-right";
  add_link("down", "cut rails and links", kRails,
           [](const FaultOptions& options) { return change_wires(options, cut, "down"); });
  add_link("up", "restore rails and links", kRails,
           [](const FaultOptions& options) { return change_wires(options, mend, "up"); });
  add_link("rate", "set another rate in both directions, or none; needs --netns",
           "rails, and then the rate, as 10mbit", change_rate);

  const auto add_node = [&](const char* name, const char* help, NodeChange change,
                            const char* now) {
    CLI::App& command = *app.add_subcommand(name, help);
    FaultOptions& options = run_with<FaultOptions>(
        command, code, [change = std::move(change), now](const FaultOptions& given) {
          return change_nodes(given, change, now);
        });
    add_lab_option(command, options.lab);
    add_argument(command, "NODE", options.words,
                 "a node, a group, a pattern as oss[0-6/2], or all");
  };
  add_node("kill", "end nodes at once, as a power cut does", each(kill_node), "killed");
  add_node("pause", "stop nodes, until they are resumed", each(pause_node), "paused");
  add_node("resume", "let paused nodes go on", each(resume_node), "running");
  add_node("restart", "end nodes if they run, and start them", restart_nodes, "running");
}

}  // namespace ulnet::tools::lab
