#include "lab/live/nodes.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "admin/client/tree_fields.h"
#include "lab/live/programs.h"
#include "lab/live/soft_faults.h"
#include "lab/live/space_plan.h"
#include "lab/live/spaces.h"
#include "lab/live/stop_signal.h"
#include "lab/topology/node_config.h"
#include "lnet/base/nearest_word.h"

namespace ulnet::tools::lab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kStartPatience{60}, kEndTimeout{5};
constexpr std::chrono::milliseconds kPollPause{10};
/// A node whose control API does not answer for this long is reported as silent.
constexpr std::chrono::seconds kAnswer{5};

bool on_loopback_cut(const Laboratory& lab, NodeNumber node, std::uint32_t rail) {
  return !lab.record.spaces && lab.record.down.contains(rail_name(lab.topology, node, rail));
}

std::vector<std::string> words_of_daemon(const Laboratory& lab, NodeNumber number,
                                         const std::string& daemon) {
  const std::string& name = lab.topology.nodes[number].name;
  std::vector<std::string> words;
  if (lab.record.spaces) words = {"ip", "netns", "exec", space_of_node(lab.record.name, name)};
  words.insert(words.end(),
               {daemon, "--name", name, "--control", lab.home.socket(name), "--drain", "1"});
  if (lab.topology.nodes[number].module_parameters.empty())
    words.insert(words.end(), {"--config", lab.home.config(name)});
  else
    words.insert(words.end(), {"--modparams", lab.home.module_parameters(name)});
  const NodeRun run{.accept_port = lab.record.port};
  for (std::string& word : node_arguments(lab.topology, number, run))
    words.push_back(std::move(word));
  return words;
}

/// Updates the fault rules of each of these nodes that runs. Tries all of them, and returns the
/// first error.
Result<void> at_running(const Laboratory& lab, const std::set<NodeNumber>& nodes) {
  Result<void> all;
  for (const NodeNumber node : nodes) {
    if (look_at(lab, node).run_state != RunState::kRunning) continue;
    if (auto done = bring_in_line(lab, node); !done && all) all = std::move(done);
  }
  return all;
}

/// Returns the nodes whose rules name a rail of the wire: all nodes on the nets that the wire
/// carries.
std::set<NodeNumber> nodes_beside(const Topology& topology, const WireEnd& wire) {
  std::set<NodeNumber> nodes;
  std::set<NetNumber> nets;
  const Node& node = topology.nodes[wire.node];
  for (std::uint32_t i = 0; i < node.rails.size(); ++i)
    if (node.wire_of(i) == wire.rail) nets.insert(node.rails[i].net);
  for (NodeNumber i = 0; i < topology.nodes.size(); ++i)
    for (const Rail& rail : topology.nodes[i].rails)
      if (nets.contains(rail.net)) nodes.insert(i);
  return nodes;
}

/// Writes the file that the daemon reads. On loopback the address of a rail shows which NI is
/// meant.
Result<void> write_config(const Laboratory& lab, NodeNumber number) {
  const Node& node = lab.topology.nodes[number];
  if (!node.module_parameters.empty())
    return write_whole(lab.home.module_parameters(node.name),
                       lab.topology.module_parameters.at(node.module_parameters));
  std::vector<std::string> interfaces;
  for (std::uint32_t i = 0; i < node.rails.size() && lab.record.spaces; ++i)
    interfaces.push_back(interface_of(node.wire_of(i)));
  return write_whole(lab.home.config(node.name), node_config(lab.topology, number, interfaces));
}

Result<void> no_link_on_loopback(const Laboratory& lab, const WireEnd& wire) {
  if (lab.record.spaces || !wire.link) return {};
  return fail(-EOPNOTSUPP, "on loopback there are no switches, and so no link " +
                               wire_name(lab.topology, wire) +
                               ": start the laboratory with --netns, as root");
}

Result<void> change_wire(Laboratory& lab, const WireEnd& wire, bool up) {
  if (const auto can = no_link_on_loopback(lab, wire); !can) return can;
  const std::string name = wire_name(lab.topology, wire);
  if (lab.record.spaces)
    if (const auto set = set_carrier(lab.record, wire, up); !set) return set;
  if (up)
    lab.record.down.erase(name);
  else
    lab.record.down.insert(name);
  if (const auto saved = save_record(lab.home, lab.record); !saved) return saved;
  if (lab.record.spaces) return {};
  return at_running(lab, nodes_beside(lab.topology, wire));
}

}  // namespace

Result<std::string> find_daemon() {
  std::string path = find_program("ulnetd");
  if (!path.empty()) return path;
  return fail(-ENOENT,
              "there is no ulnetd beside ulnet-lab and none in PATH: install it, or build "
              "it with 'make'");
}

Result<void> start_node(Laboratory& lab, NodeNumber number, const std::string& daemon,
                        Journal& journal) {
  const Node& node = lab.topology.nodes[number];
  if (const auto wrote = write_config(lab, number); !wrote) return wrote;
  const auto id =
      start_daemon({.words = words_of_daemon(lab, number, daemon),
                    .folder = lab.home.folder(),
                    .log = lab.home.log(node.name)},
                   [&](ProcessId started) { return journal.note_process(node.name, started); });
  if (!id) return tl::unexpected(id.error());
  lab.record.processes[node.name] = *id;
  return {};
}

std::string last_lines(const Home& home, std::string_view node, std::size_t count) {
  const auto text = read_whole(home.log(node));
  if (!text) return "    (" + text.error().reason + ")\n";
  std::vector<std::string_view> lines;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::string last;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    last += fmt::format("    {}\n", lines[i]);
  return last.empty() ? "    (its log is empty)\n" : last;
}

Result<void> wait_until_answering(const Laboratory& lab, const std::vector<NodeNumber>& nodes,
                                  const std::function<bool()>& stopped,
                                  const std::function<void(std::size_t)>& progress) {
  const auto end = Clock::now() + kStartPatience;
  std::vector<NodeNumber> waiting = nodes;
  for (;;) {
    for (const NodeNumber number : waiting) {
      const std::string& name = lab.topology.nodes[number].name;
      const ProcessId id = lab.record.processes.at(name);
      const auto how = ending_of(id);
      if (!how && state_of(id)) continue;
      constexpr std::size_t kLines = 12;
      return fail(-ECHILD, fmt::format("node {} died at its start ({}); the end of its log:\n{}",
                                       name, how.value_or("its process has ended"),
                                       last_lines(lab.home, name, kLines)));
    }
    std::erase_if(waiting, [&](NodeNumber number) {
      return ctl::ControlClient::open(lab.home.socket(lab.topology.nodes[number].name), kAnswer)
          .has_value();
    });
    progress(nodes.size() - waiting.size());
    if (waiting.empty()) return {};
    if (stopped()) return fail(-EINTR, "interrupted");
    if (Clock::now() > end)
      return fail(-ETIMEDOUT,
                  fmt::format("node {} does not answer; the end of its log:\n{}",
                              lab.topology.nodes[waiting[0]].name,
                              last_lines(lab.home, lab.topology.nodes[waiting[0]].name, 12)));
    std::this_thread::sleep_for(kPollPause);
  }
}

const char* to_string(RunState run_state) {
  return run_state == RunState::kRunning  ? "running"
         : run_state == RunState::kPaused ? "paused"
                                          : "dead";
}

Seen look_at(const Laboratory& lab, NodeNumber node) {
  const auto known = lab.record.processes.find(lab.topology.nodes[node].name);
  if (known == lab.record.processes.end()) return {};
  Seen seen{.run_state = RunState::kDead, .id = known->second};
  const auto state = state_of(seen.id);
  if (!state) return seen;
  seen.run_state = state->paused ? RunState::kPaused : RunState::kRunning;
  seen.anonymous = state->anonymous;
  return seen;
}

Result<std::unique_ptr<ctl::ControlClient>> control_client(const Laboratory& lab, NodeNumber node) {
  const std::string& name = lab.topology.nodes[node].name;
  const RunState run_state = look_at(lab, node).run_state;
  if (run_state == RunState::kPaused)
    return fail(-EAGAIN, "node " + name + " is paused: 'ulnet-lab resume " + name + "'");
  if (run_state == RunState::kDead)
    return fail(-ESRCH, "node " + name + " is dead: 'ulnet-lab restart " + name + "'");
  return ctl::ControlClient::open(lab.home.socket(name), kAnswer);
}

Result<std::vector<NodeNumber>> nodes_of_words(const Topology& topology,
                                               const std::vector<std::string>& words) {
  std::set<NodeNumber> all;
  for (const std::string& word : words) {
    const auto some = topology.nodes_named(word);
    if (some.empty()) {
      std::vector<std::string_view> names;
      for (const Node& node : topology.nodes) names.insert(names.end(), {node.name, node.group});
      const std::string meant = text::did_you_mean(word, names);
      return fail(-ENOENT, "there is no node '" + word + "' in laboratory " + topology.name +
                               (meant.empty() ? "" : ". " + meant));
    }
    all.insert(some.begin(), some.end());
  }
  return std::vector<NodeNumber>(all.begin(), all.end());
}

void look_for_gateways(const Laboratory& lab, NodeNumber node) {
  const auto client = control_client(lab, node);
  const auto routes = client ? (*client)->get("/v1/route") : tl::unexpected(client.error());
  if (!routes) return;
  std::set<std::string> gateways;
  for (const ctl::Tree& route : ctl::list_in(*routes, "route"))
    if (ctl::text_in(route, "state") == "down") gateways.insert(ctl::text_in(route, "gateway"));
  if (gateways.empty()) return;
  static_cast<void>(
      (*client)->post("/v1/discover", {{"nids", gateways}, {"force", true}}, kAnswer));
}

Result<void> bring_in_line(const Laboratory& lab, NodeNumber node) {
  const auto client = control_client(lab, node);
  if (!client) return tl::unexpected(client.error());
  const auto mended = reconcile(**client, wanted_rules(lab.topology, lab.record, node));
  if (!mended)
    return fail(mended.error().code, "node " + lab.topology.nodes[node].name +
                                         ": its fault rules: " + mended.error().reason);
  const auto& rails = lab.topology.nodes[node].rails;
  for (std::uint32_t i = 0; i < rails.size(); ++i) {
    const Nid nid = lab.topology.nid_of(rails[i]);
    const bool is_cut = on_loopback_cut(lab, node, i);
    if (!is_cut && !mended->contains(nid.to_string())) continue;
    if (const auto set = set_health(**client, nid, !is_cut); !set) return set;
  }
  return {};
}

Result<void> cut(Laboratory& lab, const WireEnd& wire) { return change_wire(lab, wire, false); }
Result<void> mend(Laboratory& lab, const WireEnd& wire) { return change_wire(lab, wire, true); }

Result<void> set_rate(Laboratory& lab, const WireEnd& wire, std::uint64_t bits_per_second) {
  if (!lab.record.spaces)
    return fail(-EOPNOTSUPP,
                "on loopback rates are not kept: start the laboratory with --netns, as root");
  Wire changed = wire_of(lab.topology, wire);
  changed.bits_per_second = bits_per_second;
  if (const auto set = set_shape(lab.record, lab.topology, wire, changed); !set) return set;
  lab.record.rates[wire_name(lab.topology, wire)] = bits_per_second;
  return save_record(lab.home, lab.record);
}

Result<void> kill_node(const Laboratory& lab, NodeNumber node) {
  const Seen seen = look_at(lab, node);
  if (seen.run_state == RunState::kDead)
    return fail(-ESRCH, "node " + lab.topology.nodes[node].name + " is dead already");
  const std::array ids = {seen.id};
  if (const auto sent = signal_process(seen.id, SIGKILL); !sent) return sent;
  end_processes(ids, kEndTimeout);  // waits until the process has ended
  return {};
}

Result<void> pause_node(const Laboratory& lab, NodeNumber node) {
  const Seen seen = look_at(lab, node);
  if (seen.run_state == RunState::kDead)
    return fail(-ESRCH, "node " + lab.topology.nodes[node].name + " is dead");
  if (const auto sent = signal_process(seen.id, SIGSTOP); !sent) return sent;
  wait_until_paused(seen.id);
  return {};
}

Result<void> resume_node(const Laboratory& lab, NodeNumber node) {
  const Seen seen = look_at(lab, node);
  if (seen.run_state == RunState::kDead)
    return fail(-ESRCH, "node " + lab.topology.nodes[node].name + " is dead: 'ulnet-lab restart " +
                            lab.topology.nodes[node].name + "'");
  if (const auto sent = signal_process(seen.id, SIGCONT); !sent) return sent;
  for (int i = 0; i < 100 && look_at(lab, node).run_state == RunState::kPaused; ++i)
    std::this_thread::sleep_for(kPollPause);
  return bring_in_line(lab, node);
}

Result<void> restart_nodes(Laboratory& lab, const std::vector<NodeNumber>& nodes) {
  const auto daemon = find_daemon();
  if (!daemon) return tl::unexpected(daemon.error());
  std::vector<ProcessId> running;
  for (const NodeNumber node : nodes)
    if (const Seen seen = look_at(lab, node); seen.run_state != RunState::kDead)
      running.push_back(seen.id);
  end_processes(running, kEndTimeout);
  auto journal = Journal::open(lab.home.journal());
  if (!journal) return tl::unexpected(journal.error());
  for (const NodeNumber node : nodes)
    if (const auto started = start_node(lab, node, *daemon, *journal); !started) return started;
  if (const auto saved = save_record(lab.home, lab.record); !saved) return saved;
  const auto answered = wait_until_answering(
      lab, nodes, [] { return StopSignal::came() != 0; }, [](std::size_t) {});
  if (!answered) return answered;
  return at_running(lab, {nodes.begin(), nodes.end()});
}

}  // namespace ulnet::tools::lab
