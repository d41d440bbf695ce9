// up, down, clean, list.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "lab/commands.h"
#include "lab/live/laboratory.h"
#include "lab/live/nodes.h"
#include "lab/live/soft_faults.h"
#include "lab/live/status.h"
#include "lab/live/stop_signal.h"
#include "lab/topology/examples.h"
#include "lnet/base/text_table.h"

namespace ulnet::tools::lab {

namespace {

int interrupted_or(int code) { return StopSignal::came() != 0 ? 128 + StopSignal::came() : code; }

void print_next_steps(const Laboratory& lab) {
  const std::string& first = lab.topology.nodes.front().name;
  const std::string& last = lab.topology.nodes.back().name;
  const std::string in = lab_names(lab.home.labs()).size() > 1 ? " --lab " + lab.home.name() : "";
  const std::string place = lab.record.spaces
                                ? "network namespaces"
                                : fmt::format("loopback addresses 127.{}.x.y", lab.record.number);
  std::printf("laboratory %s is up: %zu nodes on %s\n", lab.home.name().c_str(),
              lab.topology.nodes.size(), place.c_str());
  std::printf("  ulnet-lab status%s\n", in.empty() ? "" : (" " + lab.home.name()).c_str());
  std::printf("  ulnet-lab exec%s %s -- ulnetctl net show\n", in.c_str(), first.c_str());
  if (first != last)
    std::printf("  ulnet-lab measure%s --from %s --to %s --write --time 3s\n", in.c_str(),
                first.c_str(), last.c_str());
  std::printf("  ulnet-lab down %s\n", lab.home.name().c_str());
}

int up(UpOptions options) {
  options.file = std::filesystem::absolute(topology_file(options.file)).string();
  const StopSignal signals;
  Progress progress;
  const auto lab = bring_up(options, progress);
  progress.clear();
  if (!lab) {
    if (lab.error().file_is_wrong) {
      std::fputs(lab.error().reason.c_str(), stderr);
      return kExitConfiguration;
    }
    complain(lab.error().reason);
    return interrupted_or(kExitFailed);
  }
  for (const std::string& remark : shortcomings(lab->topology, lab->record))
    std::fprintf(stderr, "ulnet-lab: note: %s\n", remark.c_str());
  print_next_steps(*lab);
  return 0;
}

/// Takes the laboratory's lock, and then takes the laboratory down. `only_left_over`: leaves the
/// laboratory alone if it runs, which is checked again under the lock.
Result<Removed> take_away_locked(const Home& home, int seconds, bool only_left_over = false) {
  const auto lock = Lock::take(
      home, seconds, [](const std::string& who) { complain(who); }, [] { return false; });
  if (!lock) return tl::unexpected(lock.error());
  if (only_left_over && !is_left_over(home)) return Removed{};
  return take_away(home);
}

int down(const std::string& name) {
  const StopSignal signals;  // a removal that has begun is completed
  const auto home = choose_lab(name);
  if (!home) return complain(home.error());
  const auto removed = take_away_locked(*home, Lock::kSeconds);
  if (!removed) return complain(removed.error());
  std::printf("laboratory %s is down: %s\n", home->name().c_str(), description(*removed).c_str());
  return 0;
}

/// Returns the laboratories that `clean` considers.
std::vector<std::string> names_to_clean(const std::string& labs, const std::string& name,
                                        bool all) {
  if (!name.empty()) return {name};
  auto names = traces_of_labs(labs);
  if (!all)
    std::erase_if(names, [&](const std::string& one) { return !is_left_over(Home(labs, one)); });
  return names;
}

int clean(const std::string& name, bool all) {
  const StopSignal signals;
  if (const std::string wrong = name.empty() ? "" : check_lab_name(name); !wrong.empty())
    return complain("'" + name + "': " + wrong);
  const std::string labs = folder_of_labs(conf::place_environment());
  const bool careful = name.empty() && !all;
  bool any = false, failed = false;
  for (const std::string& one : names_to_clean(labs, name, all)) {
    // A laboratory that is being started looks like one that is left over, except for its lock.
    const auto removed = take_away_locked(Home(labs, one), careful ? 0 : Lock::kSeconds, careful);
    if (!removed && removed.error().code == -EBUSY && careful) continue;
    failed |= !removed;
    if (!removed) complain(removed.error());
    if (!removed || removed->none()) continue;
    any = true;
    std::printf("laboratory %s: took away %s\n", one.c_str(), description(*removed).c_str());
  }
  if (!any && !failed) std::printf("there is nothing to clean\n");
  return failed ? 1 : 0;
}

int list() {
  const std::string labs = folder_of_labs(conf::place_environment());
  std::vector<std::vector<std::string>> rows = {{"NAME", "MODE", "NODES", "RUNNING", "TOPOLOGY"}};
  for (const std::string& name : lab_names(labs)) {
    const Home home(labs, name);
    const auto record = load_record(home);
    if (!record || !record->ready) {
      rows.push_back({name, "not started to its end: 'ulnet-lab clean " + name + "'"});
      continue;
    }
    std::size_t running = 0;
    for (const auto& [node, id] : record->processes) running += state_of(id).has_value() ? 1 : 0;
    rows.push_back({name, record->spaces ? "namespaces" : "loopback",
                    std::to_string(record->processes.size()), std::to_string(running),
                    record->file});
  }
  if (rows.size() == 1) return std::puts("no laboratory runs"), 0;
  std::fputs(text::text_table(rows).c_str(), stdout);
  return 0;
}

}  // namespace

void add_start_stop_commands(CLI::App& app, int& code) {
  CLI::App& up_app = *app.add_subcommand("up", "start a laboratory");
  UpOptions& options = run_with<UpOptions>(up_app, code, up);
  add_argument(up_app, "FILE", options.file,
               "the topology, as YAML; or the name of one that 'topologies' lists");
  add_value(up_app, "--name", options.name, "NAME",
            "name of the laboratory, instead of the topology's");
  up_app.add_flag("--netns", options.spaces,
                  "nodes in network namespaces, with rates and switches, as root; else on loopback "
                  "addresses");
  up_app.add_flag("--keep", options.keep, "if a node dies at its start, leave the others running");
  add_value(up_app, "--port", options.port, "PORT",
            "TCP port of the nodes (default: a free one; 988 in "
            "namespaces)")
      ->check(CLI::Range(1, 65535));

  CLI::App& down_app = *app.add_subcommand("down", "end a laboratory, and remove everything of it");
  add_lab_option(down_app, run_with<std::string>(down_app, code, down), "--lab,LAB");

  const auto all = std::make_shared<bool>(false);
  CLI::App& clean_app =
      *app.add_subcommand("clean", "remove the rest of laboratories that were not taken down");
  const auto which = std::make_shared<std::string>();
  auto* const named =
      add_value(clean_app, "--lab,LAB", *which, "NAME", "this laboratory, also when it runs");
  clean_app.add_flag("--all", *all, "all laboratories of this user, also those that run")
      ->excludes(named);
  on_command(clean_app, code, [which, all] { return clean(*which, *all); });

  CLI::App& list_app = *app.add_subcommand("list", "the laboratories of this user");
  on_command(list_app, code, list);
}

}  // namespace ulnet::tools::lab
