#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "lab/live/laboratory.h"
#include "lab/live/nodes.h"
#include "lab/live/place.h"
#include "lab/live/soft_faults.h"
#include "lab/live/spaces.h"
#include "lab/live/stop_signal.h"
#include "lab/live/wires.h"
#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::uint16_t kPortInSpaces = 988;

tl::unexpected<NotUp> not_up(std::string reason) {
  return tl::unexpected(NotUp{.reason = std::move(reason)});
}
bool stopped() { return StopSignal::came() != 0; }

/// Checks everything that can be refused before anything is created.
Result<void> check_options(const UpOptions& options, const Topology& topology, const Home& home) {
  if (const std::string wrong = check_lab_name(home.name()); !wrong.empty())
    return fail(-EINVAL, "'" + home.name() + "': " + wrong +
                             (options.name.empty() ? "; give one with --name" : ""));
  if (const std::string why = options.spaces ? why_no_spaces() : ""; !why.empty())
    return fail(-EPERM, why);
  if (!options.spaces)
    for (const Node& node : topology.nodes)
      if (!node.module_parameters.empty())
        return fail(-EINVAL, node.name +
                                 " starts from module parameters, whose ip2nets finds no loopback "
                                 "address: start the laboratory with --netns, as root");
  const auto fits = options.spaces ? fit_namespaces(topology) : fit_loopback(topology);
  if (!fits) return fits;
  if (const auto enough_memory = check_memory(topology.nodes.size(), available_memory());
      !enough_memory)
    return enough_memory;
  if (const auto daemon = find_daemon(); !daemon) return tl::unexpected(daemon.error());
  std::size_t longest = 0;
  for (const Node& node : topology.nodes)
    longest = std::max(longest, home.socket(node.name).size());
  if (longest < sizeof(sockaddr_un{}.sun_path)) return {};
  return fail(-ENAMETOOLONG, "the paths of control sockets in " + home.folder() +
                                 " are too long: give a shorter --name");
}

/// Returns the numbers that this user's other laboratories use.
std::set<std::uint8_t> numbers_of_labs(const std::string& labs) {
  std::set<std::uint8_t> numbers;
  for (const std::string& name : lab_names(labs))
    if (const auto other = load_record(Home(labs, name))) numbers.insert(other->number);
  return numbers;
}

/// Chooses addresses and port, and makes the folder with a record of them, so that commands that
/// choose at the same time see it.
Result<void> settle(const UpOptions& options, Laboratory& lab, Progress& progress) {
  const auto alone = Lock::take(Home(lab.home.labs(), "@choice"), progress);
  if (!alone) return tl::unexpected(alone.error());
  Record& record = lab.record;
  record.port = options.port.value_or(kPortInSpaces);
  if (!options.spaces) {
    auto taken = numbers_of_labs(lab.home.labs());
    if (const auto table = read_whole("/proc/self/net/tcp")) taken.merge(loopbacks_in_use(*table));
    const auto number = free_number(taken, lab.home.name());
    if (!number) return tl::unexpected(number.error());
    record.number = *number;
    const auto port =
        options.port ? Result<std::uint16_t>(*options.port) : free_port(lab.home.name());
    if (!port) return tl::unexpected(port.error());
    record.port = *port;
  }
  const std::uint32_t base = options.spaces ? kNamespaceBase : loopback_base(record.number);
  if (const auto given = give_addresses(lab.topology, base); !given) return given;
  if (const auto made = lab.home.make(); !made) return made;
  return save_record(lab.home, record);
}

/// Starts these nodes side by side, and waits until all answer.
Result<void> start_wave(Laboratory& lab, const std::vector<NodeNumber>& wave,
                        const std::string& daemon, Journal& journal,
                        const std::function<void(std::size_t)>& progress) {
  for (const NodeNumber node : wave) {
    if (stopped()) return fail(-EINTR, "interrupted");
    if (const auto started = start_node(lab, node, daemon, journal); !started) return started;
  }
  if (const auto saved = save_record(lab.home, lab.record); !saved) return saved;
  return wait_until_answering(lab, wave, stopped, progress);
}

/// Starts routers first, because other nodes ask them at once whether they route.
Result<void> start_all(Laboratory& lab, Journal& journal, Progress& progress) {
  const auto daemon = find_daemon();
  if (!daemon) return tl::unexpected(daemon.error());
  const std::size_t count = lab.topology.nodes.size();
  progress.step(fmt::format("starting {} nodes", count));
  std::array<std::vector<NodeNumber>, 2> waves;
  for (NodeNumber node = 0; node < count; ++node)
    waves[lab.topology.nodes[node].routing ? 0 : 1].push_back(node);
  std::size_t before = 0;
  for (const auto& wave : waves) {
    const auto started = start_wave(lab, wave, *daemon, journal, [&](std::size_t answer) {
      progress.detail(fmt::format("starting {} nodes: {} answer", count, before + answer));
    });
    if (!started) return started;
    before += wave.size();
  }
  for (const auto& wave : waves)
    for (const NodeNumber node : wave) {
      if (stopped()) return fail(-EINTR, "interrupted");
      if (!lab.topology.nodes[node].routes.empty()) look_for_gateways(lab, node);
      if (wanted_rules(lab.topology, lab.record, node).empty()) continue;
      if (const auto done = bring_in_line(lab, node); !done) return done;
    }
  return {};
}

/// While it exists, programs that this one starts are marked as the laboratory's, so that `clean`
/// ends them if this program is killed.
class Marked {
 public:
  explicit Marked(const std::string& folder) { ::setenv(kDaemonVariable, folder.c_str(), 1); }
  ~Marked() { ::unsetenv(kDaemonVariable); }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;
};

Result<void> make_all(Laboratory& lab, Progress& progress) {
  const Marked marked(lab.home.folder());
  auto journal = Journal::open(lab.home.journal());
  if (!journal) return tl::unexpected(journal.error());
  if (lab.record.spaces) {
    progress.step(fmt::format("making {} namespaces", lab.topology.nodes.size() + 1));
    const auto built = build_wires(lab.topology, lab.record, *journal, stopped);
    if (!built) return built;
  }
  if (const auto started = start_all(lab, *journal, progress); !started) return started;
  if (stopped()) return fail(-EINTR, "interrupted");
  lab.record.ready = true;
  return save_record(lab.home, lab.record);
}

/// Takes down the laboratory of a start that failed, unless it is to be kept. Returns the report on
/// the start.
NotUp after_failure(const UpOptions& options, Laboratory& lab, Error error, Progress& progress) {
  if (error.code == -EINTR) error.reason = "interrupted";
  while (error.reason.ends_with('\n')) error.reason.pop_back();
  if (options.keep && error.code != -EINTR) {
    lab.record.ready = true;
    if (const auto saved = save_record(lab.home, lab.record); saved)
      return {.reason = error.reason + "\nThe rest is kept: 'ulnet-lab status " + lab.home.name() +
                        "' shows it, 'ulnet-lab down " + lab.home.name() + "' ends it"};
  }
  progress.step("taking down");
  const auto removed = take_away(lab.home);
  progress.clear();
  return {.reason = error.reason + "\n" +
                    (removed ? "Taken down again: " + description(*removed)
                             : "Not all was taken down (" + removed.error().reason +
                                   "): 'ulnet-lab clean " + lab.home.name() + "' tries again")};
}

}  // namespace

tl::expected<Laboratory, NotUp> bring_up(const UpOptions& options, Progress& progress) {
  Record record{.spaces = options.spaces, .version = ULNET_VERSION, .file = options.file};
  auto topology = options.text.empty() ? read_topology_file(options.file, &record.text)
                                       : read_topology(options.text, "lab");
  if (!options.text.empty()) record.text = options.text;
  if (!topology)
    return tl::unexpected(
        NotUp{.reason = conf::lines_of(conf::in_file(topology.error(), options.file)),
              .file_is_wrong = true});
  record.name = options.name.empty() ? topology->name : options.name;
  topology->name = record.name;
  Laboratory lab{Home(folder_of_labs(conf::place_environment()), record.name), std::move(record),
                 std::move(*topology)};
  if (const auto good = check_options(options, lab.topology, lab.home); !good)
    return not_up(good.error().reason);
  const auto held = Lock::take(lab.home, progress);
  if (!held) return not_up(held.error().reason);
  const std::string name = lab.home.name();
  if (lab.home.exists())
    return not_up("there is a laboratory " + name +
                  (is_left_over(lab.home)
                       ? ", which does not run: type 'ulnet-lab clean " + name + "' first"
                       : ": type 'ulnet-lab down " + name + "' first, or give this one a --name"));
  const bool strays = options.spaces && !spaces_there(name).empty();
  if (strays || !daemons_of(lab.home.folder()).empty())
    return not_up("there are remains of an earlier laboratory " + name +
                  ": type 'ulnet-lab clean " + name + "' first");
  if (const auto settled = settle(options, lab, progress); !settled) {
    static_cast<void>(lab.home.remove());
    return not_up(settled.error().reason);
  }
  if (auto made = make_all(lab, progress); !made)
    return tl::unexpected(after_failure(options, lab, std::move(made.error()), progress));
  progress.clear();
  return lab;
}

}  // namespace ulnet::tools::lab
