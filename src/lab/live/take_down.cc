#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "lab/live/laboratory.h"
#include "lab/live/processes.h"
#include "lab/live/spaces.h"
#include "lab/live/stop_signal.h"
#include "text/quantity.h"

namespace ulnet::tools::lab {

namespace {

/// An idle daemon ends within milliseconds; one that drains has --drain.
constexpr std::chrono::seconds kDaemonTimeout{5};
constexpr int kMaxLooks = 5;

/// Every process that belongs to the laboratory by its record, its journal or the machine's process
/// list.
std::vector<ProcessId> processes_of(const Home& home) {
  std::vector<ProcessId> all = daemons_of(home.folder());
  const auto add = [&](ProcessId id) {
    if (std::find(all.begin(), all.end(), id) == all.end() && state_of(id)) all.push_back(id);
  };
  if (const auto text = read_whole(home.journal()))
    for (const Noted::Process& process : read_journal(*text).processes) add(process.id);
  return all;
}

}  // namespace

std::string description(const Removed& removed) {
  std::vector<std::string> parts;
  if (removed.processes > 0) parts.push_back(text::counted(removed.processes, "process"));
  if (removed.spaces > 0) parts.push_back(text::counted(removed.spaces, "namespace"));
  if (removed.folder) parts.push_back("its folder");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  if (removed.killed > 0)
    text += fmt::format(" ({} did not end by itself and was killed)", removed.killed);
  return text.empty() ? "nothing" : text;
}

Result<Removed> take_away(const Home& home) {
  Removed removed;
  std::set<pid_t> ended;
  // Programs of a command that was killed may make something after a look, so the loop looks again
  // until it finds nothing.
  for (int look = 0; look < kMaxLooks; ++look) {
    const auto processes = processes_of(home);
    for (const ProcessId& process : processes) ended.insert(process.pid);
    removed.killed += end_processes(processes, kDaemonTimeout);
    const auto spaces = ::geteuid() == 0 ? spaces_there(home.name()) : std::vector<std::string>();
    if (processes.empty() && spaces.empty() && look > 0) break;
    const auto inside = delete_spaces(spaces, kDaemonTimeout);
    if (!inside) return tl::unexpected(inside.error());
    removed.spaces += spaces.size();
    removed.processes += *inside;
  }
  removed.processes += ended.size();
  if (const auto left = processes_of(home); !left.empty()) {
    std::string pids;
    for (const ProcessId& process : left) pids += " " + std::to_string(process.pid);
    return fail(-EBUSY, "processes of laboratory " + home.name() + " do not end:" + pids);
  }
  removed.folder = home.exists();
  if (const auto gone = home.remove(); !gone) return tl::unexpected(gone.error());
  return removed;
}

std::vector<std::string> traces_of_labs(const std::string& labs) {
  std::set<std::string> names;
  for (std::string& name : lab_names(labs)) names.insert(std::move(name));
  if (::geteuid() == 0)
    for (const std::string& space : spaces_there()) names.insert(*lab_of_space(space));
  for (const std::string& folder : folders_with_daemons())
    if (folder.starts_with(labs + "/")) names.insert(folder.substr(labs.size() + 1));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(labs, error)) {
    const std::string file = entry.path().filename().string();
    if (file.size() > 6 && file.starts_with(".") && file.ends_with(".lock"))
      names.insert(file.substr(1, file.size() - 6));
  }
  return {names.begin(), names.end()};
}

bool is_left_over(const Home& home) {
  if (!home.exists()) return true;
  const auto record = load_record(home);
  if (!record || !record->ready) return true;
  return std::none_of(record->processes.begin(), record->processes.end(),
                      [](const auto& node) { return state_of(node.second).has_value(); });
}

Result<Home> choose_lab(const std::string& name) {
  const auto environment = conf::place_environment();
  const std::string labs = folder_of_labs(environment);
  if (const auto own = check_folder(labs, environment); !own && own.error().code != -ENOENT)
    return tl::unexpected(own.error());
  if (!name.empty()) {
    if (const std::string wrong = check_lab_name(name); !wrong.empty()) return fail(-EINVAL, wrong);
    Home home(labs, name);
    if (home.exists()) return home;
    return fail(-ENOENT,
                "there is no laboratory " + name + ": 'ulnet-lab list' shows those that run");
  }
  const auto names = lab_names(labs);
  if (names.size() == 1) return Home(labs, names[0]);
  if (names.empty())
    return fail(-ENOENT, "no laboratory runs: 'ulnet-lab up TOPOLOGY.yaml' starts one");
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
  return fail(-EEXIST, "several laboratories run (" + all + "): say which one with --lab NAME");
}

Result<Laboratory> open_lab(const std::string& name) {
  auto home = choose_lab(name);
  if (!home) return tl::unexpected(home.error());
  auto record = load_record(*home);
  if (!record) return tl::unexpected(record.error());
  if (!record->ready)
    return fail(-EAGAIN, "laboratory " + home->name() +
                             " is being started, or was not started to its end: 'ulnet-lab clean " +
                             home->name() + "' takes it away");
  auto topology = topology_of(*record);
  if (!topology) return tl::unexpected(topology.error());
  return Laboratory{std::move(*home), std::move(*record), std::move(*topology)};
}

Result<LockedLab> open_to_change(const std::string& name) {
  const auto home = choose_lab(name);
  if (!home) return tl::unexpected(home.error());
  Progress progress;
  auto lock = Lock::take(*home, progress);
  if (!lock) return tl::unexpected(lock.error());
  auto lab = open_lab(home->name());
  if (!lab) return tl::unexpected(lab.error());
  return LockedLab{std::move(*lock), std::move(*lab)};
}

}  // namespace ulnet::tools::lab
