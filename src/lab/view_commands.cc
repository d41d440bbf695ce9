// view, top: watch a network in a browser, or in a terminal.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "lab/commands.h"
#include "lab/live/laboratory.h"
#include "lab/live/nodes.h"
#include "lab/live/stop_signal.h"
#include "lab/view/seen_topology.h"
#include "lab/view/top.h"
#include "lab/view/watched.h"
#include "lab/view/web_server.h"

namespace ulnet::tools::lab {

namespace {

struct ViewOptions {
  std::string lab;
  std::vector<std::string> watched;
  std::uint16_t port = 0;
  bool read_only = false, once = false;
};

/// The network that is watched.
struct Network {
  std::string title;
  std::string lab;  ///< the laboratory's name; empty: the user named control sockets
  Topology topology;
  std::vector<WatchedNode> watched;
};

Result<Network> network_of(const ViewOptions& options, Tunnels& tunnels) {
  if (!options.watched.empty()) {
    auto watched = tunnels.open(options.watched);
    if (!watched) return tl::unexpected(watched.error());
    return Network{std::to_string(watched->size()) + " nodes", {}, {}, std::move(*watched)};
  }
  auto lab = open_lab(options.lab);
  if (!lab) return tl::unexpected(lab.error());
  Network network{lab->record.name, lab->record.name, lab->topology, {}};
  for (const Node& node : lab->topology.nodes)
    network.watched.push_back({node.name, lab->home.socket(node.name)});
  return network;
}

Result<void> change_node(Laboratory& lab, const std::string& name, const std::string& act) {
  const auto nodes = nodes_of_words(lab.topology, {name});
  if (!nodes) return tl::unexpected(nodes.error());
  const NodeNumber node = nodes->front();
  if (act == "kill") return kill_node(lab, node);
  if (act == "pause") return pause_node(lab, node);
  if (act == "resume") return resume_node(lab, node);
  return restart_nodes(lab, *nodes);
}

/// Makes a change as the commands link, kill, pause, resume, restart do.
Result<void> change_lab(const std::string& name, const Change& change) {
  auto held = open_to_change(name);
  if (!held) return tl::unexpected(held.error());
  if (change.what == Change::What::kNode) return change_node(held->lab, change.name, change.act);
  const auto wire = find_wire(held->lab.topology, change.name);
  if (!wire) return tl::unexpected(wire.error());
  return change.act == "down" ? cut(held->lab, *wire) : mend(held->lab, *wire);
}

int view(const ViewOptions& options) {
  const StopSignal signals;
  Tunnels tunnels;
  auto network = network_of(options, tunnels);
  if (!network) return complain(network.error());
  const Observer observer(network->watched);
  SeenNetwork seen;
  if (network->lab.empty()) {
    observer.wait_for_all(std::chrono::seconds(10));
    seen.see(observer.look(0).nodes);
  }
  WebPage page{.topology = network->topology,
               .observer = observer,
               .seen = network->lab.empty() ? &seen : nullptr,
               .watched = network->watched,
               .title = network->title,
               .port = options.port};
  if (!network->lab.empty() && !options.read_only)
    page.change = [&](const Change& change) { return change_lab(network->lab, change); };
  if (!network->lab.empty())
    page.cut = [&] {
      const auto lab = open_lab(network->lab);
      return lab ? std::vector<std::string>(lab->record.down.begin(), lab->record.down.end())
                 : std::vector<std::string>();
    };
  const auto server = WebServer::start(page);
  if (!server) return complain(server.error());
  std::printf("%s\nOpen it in a browser; Ctrl-C ends this.\n", (*server)->address().c_str());
  std::fflush(stdout);
  while (StopSignal::came() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return 0;
}

TopSize screen_size() {
  winsize size{};
  TopSize made;
  made.colour = ::isatty(STDOUT_FILENO) == 1;
  if (made.colour && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1) {
    made.columns = size.ws_col;
    made.rows = size.ws_row - 1U;
  } else if (!made.colour) {
    made = {.columns = 1000, .rows = 10000};
  }
  return made;
}

int top(const ViewOptions& options) {
  const StopSignal signals;
  Tunnels tunnels;
  const auto network = network_of(options, tunnels);
  if (!network) return complain(network.error());
  const Observer observer(network->watched);
  observer.wait_for_all(std::chrono::seconds(10), 2);
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && !options.once;
  do {
    const Observer::Look look = observer.look(0);
    const std::string text = top_text(network->title, look, screen_size());
    std::fputs(((terminal ? "\033[H\033[J" : "") + text).c_str(), stdout);
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) return kExitFailed;
    const auto next = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (terminal && StopSignal::came() == 0 && std::chrono::steady_clock::now() < next)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (terminal && StopSignal::came() == 0);
  return 0;
}

template <class Show>
ViewOptions& run_show(CLI::App& command, int& code, Show show) {
  ViewOptions& options = run_with<ViewOptions>(command, code, show);
  add_lab_option(command, options.lab, "--lab,LAB");
  add_value(command, "--door", options.watched, "DOOR",
            "daemons that run anywhere, instead of a laboratory: a socket's path, a node's "
            "name, or ssh:[USER@]HOST[:PATH]; read only");
  return options;
}

}  // namespace

void add_view_commands(CLI::App& app, int& code) {
  CLI::App& page =
      *app.add_subcommand("view", "serve a web page of the live network, to break and restore it");
  ViewOptions& options = run_show(page, code, view);
  add_value(page, "--port", options.port, "PORT", "port on 127.0.0.1 (default: a free one)");
  page.add_flag("--read-only", options.read_only, "the page cannot change anything");
  CLI::App& terminal = *app.add_subcommand("top", "show the live network in a terminal");
  terminal.add_flag("--once", run_show(terminal, code, top).once,
                    "print one screen, from two samples of every node, and end");
}

}  // namespace ulnet::tools::lab
