// check, draw, scenario, topologies: the commands that need nothing running.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/lab/commands.h"
#include "tools/lab/examples.h"
#include "tools/lab/topology/addresses.h"
#include "tools/lab/topology/picture.h"
#include "tools/lab/topology/reader.h"
#include "tools/lab/topology/scenario_text.h"
#include "tools/lab/topology/topology_json.h"

namespace ulnet::tools::lab {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;
};
struct DrawOptions {
  std::string file, out;
};

std::size_t routes_of(const Topology& topology) {
  std::size_t count = 0;
  for (const Node& node : topology.nodes) count += node.routes.size();
  return count;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

int check(const CheckOptions& options) {
  int code = kExitDone;
  for (const std::string& word : options.files) {
    const auto file = topology_file(word);
    const auto topology = read_topology_file(file);
    if (!topology) {
      fmt::print(stderr, "{}", told(file.string(), topology.error()));
      code = kExitConfiguration;
    } else if (options.json) {
      fmt::print("{}\n", topology_json(*topology).dump(2, ' ', false,
                                                       nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{}: good: {}, {}, {}, {}\n", file.string(),
                 counted(topology->nodes.size(), "node"), counted(topology->nets.size(), "net"),
                 counted(topology->switches.size(), "switch"),
                 counted(routes_of(*topology), "route"));
    }
  }
  return code;
}

/// To a file, or to stdout when it has no name.
bool write(const std::string& name, const std::string& text) {
  std::FILE* file = name.empty() ? stdout : std::fopen(name.c_str(), "we");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) good = (name.empty() ? std::fflush(file) : std::fclose(file)) == 0 && good;
  if (!good)
    fmt::print(stderr, "ulnet-lab: {}: {}\n", name.empty() ? "standard output" : name,
               std::strerror(errno));
  return good;
}

int draw(const DrawOptions& options) {
  const auto file = topology_file(options.file);
  const auto topology = read_topology_file(file);
  if (!topology) {
    fmt::print(stderr, "{}", told(file.string(), topology.error()));
    return kExitConfiguration;
  }
  return write(options.out, draw_topology(*topology)) ? kExitDone : kExitFailed;
}

int print_scenario(const std::string& word) {
  const auto file = topology_file(word);
  auto topology = read_topology_file(file);
  if (!topology) {
    fmt::print(stderr, "{}", told(file.string(), topology.error()));
    return kExitConfiguration;
  }
  if (const auto given = give_addresses(*topology, kNamespaceBase); !given) {
    fmt::print(stderr, "{}: {}\n", file.string(), given.error().reason);
    return kExitConfiguration;
  }
  return write({}, scenario_text(*topology)) ? kExitDone : kExitFailed;
}

int list_topologies() {
  const auto files = example_topologies();
  if (files.empty()) {
    fmt::print(stderr,
               "ulnet-lab: no topologies found: neither share/ulnet/examples/lab nor "
               "examples/lab is beside the program or above it\n");
    return kExitFailed;
  }
  for (const auto& file : files) {
    const auto topology = read_topology_file(file);
    fmt::print("{:<24} {}\n{:<24} {}\n", file.stem().string(),
               topology ? topology->about : "wrong: see 'ulnet-lab check'", "", file.string());
  }
  return kExitDone;
}

}  // namespace

void add_topology_commands(CLI::App& app, int& code) {
  constexpr const char* kFile = "the topology, as YAML; or the name of one that 'topologies' lists";
  const auto checking = std::make_shared<CheckOptions>();
  CLI::App& check_app = *app.add_subcommand("check", "say what is wrong with topology files");
  check_app.add_option("FILE", checking->files, kFile)->required()->type_name("");
  check_app.add_flag("--json", checking->json, "print what was read, resolved, as JSON");
  on_command(check_app, code, [checking] { return check(*checking); });

  const auto drawing = std::make_shared<DrawOptions>();
  CLI::App& draw_app = *app.add_subcommand("draw", "draw a topology as SVG");
  draw_app.add_option("FILE", drawing->file, kFile)->required()->type_name("");
  draw_app.add_option("-o,--output", drawing->out, "where to (default: standard output)")
      ->type_name("FILE");
  on_command(draw_app, code, [drawing] { return draw(*drawing); });

  const auto file = std::make_shared<std::string>();
  CLI::App& scenario_app = *app.add_subcommand(
      "scenario", "print a topology as the beginning of a scenario for ulnet-sim");
  scenario_app.add_option("FILE", *file, kFile)->required()->type_name("");
  on_command(scenario_app, code, [file] { return print_scenario(*file); });

  CLI::App& list_app = *app.add_subcommand("topologies", "list the topologies that come with it");
  on_command(list_app, code, list_topologies);
}

}  // namespace ulnet::tools::lab
