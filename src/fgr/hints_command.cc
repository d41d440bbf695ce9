// hints.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fgr/commands.h"
#include "fgr/hints/hints_out.h"
#include "fgr/hints/nodes.h"
#include "fgr/hints/placement.h"
#include "fgr/output/chunks.h"
#include "fgr/output/output_folder.h"
#include "fgr/plan/planned.h"
#include "lnet/base/expr_list.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kLargestMap = 512U << 20;
constexpr std::uint32_t kLargestOst = 0xffff;
constexpr std::size_t kMaxOsts = 0x10000;

constexpr const char* kHintExamples = R"(Examples:
  ulnet-fgr hints site.yaml                          all OSSs, and who serves them
  ulnet-fgr hints site.yaml --ost 0-7,12
  ulnet-fgr hints site.yaml --oss snx11001n[004-006] --coordinates torus.txt --count 64
  ulnet-fgr hints site.yaml --coordinates torus.txt --count 64 --ranks-per-node 16 -o placement
  ulnet-fgr hints site.yaml --ost 3 --coordinates graph.txt --nodes nid[00100-00200]

The file of coordinates, '#' begins a comment:
  torus 24x24x24                  graph
  nid00010 0 0 3                  nid00010 aries0         (a link)
  nid00011 0 0 3                  aries0 aries1 2         (a link that counts as 2 hops)
ulnet-fgr finds routers in it by host name, or else by their place (the site file's 'at'). A node's
distance is the mean over the primary routers of the groups, weighted by the load of each: a group
counts as the number of its requested OSTs, spread evenly over its routers.)";

struct HintsOptions {
  std::string site, fabric, osts, file_system, clients, coordinates, nodes, out;
  std::vector<std::string> osss;
  std::size_t count = 10;
  std::uint32_t ranks_per_node = 1;
  bool json = false, force = false;
};
using UserError = std::string;  ///< the mistake, in words for the user

template <class Systems>
std::string no_such_system(const Systems& systems, std::string_view what, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& system : systems) names.push_back(system.name);
  if (name.empty())
    return fmt::format("there are several {}: say --{} {}", what,
                       what == "clients" ? "clients" : "file-system", fmt::join(names, "|"));
  return fmt::format("there are no {} {}{}", what, name, plan::suggestion(name, names));
}

tl::expected<plan::HintQuery, UserError> hint_query(const plan::Site& site,
                                                    const HintsOptions& options) {
  plan::HintQuery hint;
  const auto& systems = site.file_systems;
  if (!options.file_system.empty() || systems.size() != 1) {
    const auto found = std::ranges::find(systems, options.file_system, &plan::FileSystem::name);
    if (found == systems.end())
      return tl::unexpected(no_such_system(systems, "file systems", options.file_system));
    hint.file_system = static_cast<std::size_t>(found - systems.begin());
  }
  if (!options.osts.empty()) {
    const auto list = ExprList::parse("[" + options.osts + "]", kLargestOst);
    if (!list) return tl::unexpected("--ost: " + list.error().reason);
    auto numbers = list->expand(kMaxOsts);
    if (!numbers) return tl::unexpected("--ost: " + numbers.error().reason);
    hint.osts = std::move(*numbers);
  }
  for (const std::string& word : options.osss) {
    auto names = node_names(word, kMaxOsts);
    if (!names) return tl::unexpected("--oss: " + names.error().reason);
    hint.osss.insert(hint.osss.end(), names->begin(), names->end());
  }
  return hint;
}

/// Returns the client systems that have routers to at least one of the groups.
tl::expected<std::vector<std::size_t>, UserError> clients_for(
    const plan::Plan& plan, const std::vector<plan::GroupHint>& groups, const std::string& name) {
  const auto& all = plan.site.clients;
  if (!name.empty() && std::ranges::find(all, name, &plan::ClientSystem::name) == all.end())
    return tl::unexpected(no_such_system(all, "clients", name));
  std::vector<std::size_t> systems;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool serve = std::ranges::any_of(groups, [&](const plan::GroupHint& hint) {
      return !plan.groups[hint.group].routers[i].primary.empty();
    });
    if (serve && (name.empty() || name == all[i].name)) systems.push_back(i);
  }
  if (systems.empty())
    return tl::unexpected(UserError("these clients have no routers to these OSTs"));
  return systems;
}

tl::expected<plan::NodeMap, UserError> map_of_file(const std::string& file) {
  const auto text = read_whole(file, kLargestMap);
  if (!text) return tl::unexpected(fmt::format("{}: {}", file, text.error().reason));
  auto map = plan::NodeMap::read(*text);
  if (map) return std::move(*map);
  UserError lines = conf::lines_of(conf::in_file(std::move(map.error()), file));
  lines.pop_back();  // complain() ends the last line
  return tl::unexpected(std::move(lines));
}

/// Returns the nodes that the value of --nodes names: the value is a file, or names.
tl::expected<std::vector<std::size_t>, UserError> candidates_of(const plan::Site& site,
                                                                const plan::NodeMap& map,
                                                                const std::string& words) {
  if (words.empty()) {
    if (map.is_torus()) return nodes_but_routers(map, site);
    return tl::unexpected(
        UserError("a graph has switches as well as nodes: say which are nodes with "
                  "--nodes"));
  }
  std::error_code none;
  Result<std::string> text = words;
  if (std::filesystem::exists(words, none)) text = read_whole(words, kLargestMap);
  if (!text) return tl::unexpected(fmt::format("{}: {}", words, text.error().reason));
  const auto names = node_names(*text, plan::NodeMap::kMaxNames);
  if (!names) return tl::unexpected("--nodes: " + names.error().reason);
  auto nodes = nodes_in(map, *names);
  if (!nodes) return tl::unexpected("--nodes: " + nodes.error().reason);
  return std::move(*nodes);
}

tl::expected<RankedHints, UserError> ranked_of(const plan::Plan& plan, const Hints& hints,
                                               const HintsOptions& options) {
  if (hints.clients.size() != 1)
    return tl::unexpected(no_such_system(plan.site.clients, "clients", ""));
  RankedHints ranked{.client = hints.clients.front()};
  ranked.loads = plan::loads_of(plan, ranked.client, hints.groups);
  auto map = map_of_file(options.coordinates);
  if (!map) return tl::unexpected(map.error());
  const auto candidates = candidates_of(plan.site, *map, options.nodes);
  if (!candidates) return tl::unexpected(candidates.error());
  auto ranking = plan::rank_nodes(plan.site.clients[ranked.client], ranked.loads, *map, *candidates,
                                  options.count);
  if (!ranking) {
    constexpr std::size_t kNamed = 5;
    std::vector<std::string> missing = ranking.error();
    const std::size_t more = missing.size() - std::min(missing.size(), kNamed);
    missing.resize(missing.size() - more);
    return tl::unexpected(fmt::format("{}: routers are missing: {}{}", options.coordinates,
                                      fmt::join(missing, ", "),
                                      more == 0 ? "" : fmt::format(" and {} more", more)));
  }
  ranked.map = std::move(*map);
  ranked.candidates = *candidates;
  ranked.ranking = std::move(*ranking);
  if (ranked.map.is_torus())
    ranked.links = plan::links_of_routers(plan.site.clients[ranked.client], ranked.loads,
                                          ranked.map, ranked.ranking.nodes);
  return ranked;
}

tl::expected<Hints, UserError> hints_for(const plan::Plan& plan, const HintsOptions& options) {
  if (options.coordinates.empty() && !options.nodes.empty())
    return tl::unexpected(
        UserError("--nodes are ranked by their distance: that needs --coordinates"));
  if (options.coordinates.empty() && !options.out.empty())
    return tl::unexpected(UserError("--output is for ranked nodes: that needs --coordinates"));
  const auto hint = hint_query(plan.site, options);
  if (!hint) return tl::unexpected(hint.error());
  auto groups = plan::hints_of(plan, *hint);
  if (!groups) return tl::unexpected(groups.error());
  const auto clients = clients_for(plan, *groups, options.clients);
  if (!clients) return tl::unexpected(clients.error());
  Hints hints{.file_system = hint->file_system, .clients = *clients, .groups = std::move(*groups)};
  if (options.coordinates.empty()) return hints;
  auto ranked = ranked_of(plan, hints, options);
  if (!ranked) return tl::unexpected(ranked.error());
  hints.ranked = std::move(*ranked);
  return hints;
}

int give_hints(const plan::Plan& plan, const HintsOptions& options) {
  const auto hints = hints_for(plan, options);
  if (!hints) return complain("hints", hints.error());
  if (!options.out.empty()) {
    const auto files = placement_files(plan, *hints, options.ranks_per_node);
    const auto written = files ? write_folder(options.out, *files, options.force)
                               : Result<void>(tl::unexpected(files.error()));
    if (!written) return complain("hints", written.error().reason);
  }
  if (options.json)
    fmt::print(
        "{}\n",
        hints_json(plan, *hints).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}", hints_text(plan, *hints));
  return kExitDone;
}

}  // namespace

void add_hints_command(CLI::App& app, int& code) {
  CLI::App& command =
      *app.add_subcommand("hints", "which routers serve which OSTs, and which nodes are near them");
  HintsOptions& options = run_with_plan<HintsOptions>(command, code, give_hints);
  command.footer(kHintExamples);
  add_value(command, "--ost", options.osts, "LIST",
            "numbers: 0-7,12; the site file has 'OSTs per OSS'");
  add_value(command, "--oss", options.osss, "NAME", "host names: snx11001n[004-006]");
  add_value(command, "--file-system", options.file_system, "NAME",
            "the file system, when there are several");
  add_value(command, "--clients", options.clients, "NAME", "name of the clients' system");
  add_value(command, "--coordinates", options.coordinates, "FILE",
            "the places of nodes: ranks the nodes");
  add_value(command, "--nodes", options.nodes, "LIST|FILE",
            "candidates, or a file with them; default for a torus: all nodes");
  add_number(command, "--count", options.count, 1, 1'000'000,
             "the number of nearest nodes to print")
      ->capture_default_str();
  add_value(command, "-o,--output", options.out, "DIR",
            "a folder for hosts, MPICH_RANK_ORDER, nodes.slurm, topology.conf, links.txt");
  command.add_flag("--force", options.force, "replace the folder when it is there already");
  add_number(command, "--ranks-per-node", options.ranks_per_node, 1, 4096,
             "ranks that the job has on each node, for the order")
      ->capture_default_str();
  command.add_flag("--json", options.json, "print JSON, for programs");
}

}  // namespace ulnet::tools::fgr
