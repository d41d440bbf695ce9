// check, draw, scenario, topologies: the commands that need nothing running.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/commands.h"
#include "lab/live/laboratory.h"
#include "lab/topology/addresses.h"
#include "lab/topology/examples.h"
#include "lab/topology/picture.h"
#include "lab/topology/reader.h"
#include "lab/topology/scenario_text.h"
#include "lab/topology/topology_json.h"
#include "lab/view/figures.h"
#include "lab/view/layout_tree.h"
#include "lab/view/observer.h"
#include "text/quantity.h"
#include "text/shell/speak.h"

namespace ulnet::tools::lab {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
};
struct DrawOptions {
  std::string file, out, lab;
  bool layout = false;
};

std::size_t routes_of(const Topology& topology) {
  std::size_t count = 0;
  for (const Node& node : topology.nodes) count += node.routes.size();
  return count;
}

int check(const CheckOptions& options) {
  int code = kExitDone;
  for (const std::string& word : options.files) {
    const auto file = topology_file(word);
    const auto topology = read_topology_file(file);
    if (!topology) {
      fmt::print(stderr, "{}", conf::lines_of(topology.error()));
      code = kExitConfiguration;
    } else if (options.json) {
      fmt::print("{}\n", topology_json(*topology).dump(2, ' ', false,
                                                       nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{}: good: {}, {}, {}, {}\n", file.string(),
                 text::counted(topology->nodes.size(), "node"),
                 text::counted(topology->nets.size(), "net"),
                 text::counted(topology->switches.size(), "switch"),
                 text::counted(routes_of(*topology), "route"));
    }
  }
  return code;
}

bool write(const std::string& name, const std::string& text) {
  return write_text("ulnet-lab", name, text);
}

/// Draws a laboratory that runs, with the current figures of its nodes.
int draw_running(const DrawOptions& options) {
  const auto lab = open_lab(options.lab);
  if (!lab) return complain(lab.error());
  std::vector<WatchedNode> watched;
  for (const Node& node : lab->topology.nodes)
    watched.push_back({node.name, lab->home.socket(node.name)});
  const Observer observer(std::move(watched));
  observer.wait_for_all(std::chrono::seconds(10));
  const Figures figures = figures_of(lab->topology, observer.look(0).nodes);
  return write(options.out, draw_topology(lab->topology, figures)) ? kExitDone : kExitFailed;
}

int draw(const DrawOptions& options) {
  if (!options.lab.empty()) return draw_running(options);
  if (options.file.empty()) {
    fmt::print(stderr, "ulnet-lab: draw: name a topology, or with --lab a laboratory that runs\n");
    return kExitUsage;
  }
  const auto file = topology_file(options.file);
  auto topology = read_topology_file(file);
  if (!topology) {
    fmt::print(stderr, "{}", conf::lines_of(topology.error()));
    return kExitConfiguration;
  }
  // the addresses that `up --netns` uses
  if (options.layout) (void)give_addresses(*topology, kNamespaceBase);
  const std::string text =
      options.layout ? layout_tree(*topology).dump() + "\n" : draw_topology(*topology);
  return write(options.out, text) ? kExitDone : kExitFailed;
}

int print_scenario(const std::string& word) {
  const auto file = topology_file(word);
  auto topology = read_topology_file(file);
  if (!topology) {
    fmt::print(stderr, "{}", conf::lines_of(topology.error()));
    return kExitConfiguration;
  }
  if (const auto given = give_addresses(*topology, kNamespaceBase); !given) {
    fmt::print(stderr, "{}: {}\n", file.string(), given.error().reason);
    return kExitConfiguration;
  }
  return write({}, scenario_text(*topology)) ? kExitDone : kExitFailed;
}

int list_topologies() {
  return list_examples(example_topologies(), "topologies", "lab",
                       [](const std::filesystem::path& file) {
                         const auto topology = read_topology_file(file);
                         return topology ? topology->about : "wrong: see 'ulnet-lab check'";
                       });
}

}  // namespace

void add_topology_commands(CLI::App& app, int& code) {
  constexpr const char* kFile = "the topology, as YAML; or the name of one that 'topologies' lists";
  CLI::App& check_app = *app.add_subcommand("check", "print the mistakes in topology files");
  CheckOptions& checking = run_with<CheckOptions>(check_app, code, check);
  add_argument(check_app, "FILE", checking.files, kFile);
  check_app.add_flag("--json", checking.json,
                     "print the topology with all names resolved, as JSON");

  CLI::App& draw_app = *app.add_subcommand("draw", "draw a topology as SVG");
  DrawOptions& drawing = run_with<DrawOptions>(draw_app, code, draw);
  auto* const drawn = add_value(draw_app, "FILE", drawing.file, "", kFile);
  add_value(draw_app, "--lab", drawing.lab, "NAME",
            "draw a running laboratory instead, with the bytes that each rail has carried, and "
            "what is down")
      ->excludes(drawn);
  add_value(draw_app, "-o,--output", drawing.out, "FILE",
            "the file to write (default: standard output)");
  draw_app.add_flag("--layout", drawing.layout,
                    "print the positions of the picture's parts, as JSON, for other pictures");

  CLI::App& scenario_app = *app.add_subcommand(
      "scenario", "print a topology as the beginning of a scenario for ulnet-sim");
  std::string& file = run_with<std::string>(scenario_app, code, print_scenario);
  add_argument(scenario_app, "FILE", file, kFile);

  CLI::App& list_app =
      *app.add_subcommand("topologies", "list the topologies that come with ulnet-lab");
  on_command(list_app, code, list_topologies);
}

}  // namespace ulnet::tools::lab
