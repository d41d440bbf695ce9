#include "lab/live/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "admin/client/tree_fields.h"
#include "lnet/base/text_table.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::size_t kAskers = 8;

void ask_nis(ctl::ControlApi& api, NodeStatus& status) {
  const auto nets = api.get("/v1/net");
  if (!nets) {
    status.trouble = nets.error().reason;
    return;
  }
  for (const ctl::Tree& net : ctl::list_in(*nets, "net")) {
    if (ctl::text_in(net, "net type") == "lo") continue;
    for (const ctl::Tree& ni : ctl::list_in(net, "local NI(s)"))
      status.nis.push_back({ctl::text_in(ni, "nid"), ctl::text_in(ni, "status"),
                            ctl::number_in(ctl::field_in(ni, "health stats"), "health value", 0)});
  }
}

void ask_routes(ctl::ControlApi& api, NodeStatus& status) {
  const auto routes = api.get("/v1/route");
  if (!routes) return;
  for (const ctl::Tree& route : ctl::list_in(*routes, "route"))
    ++(ctl::text_in(route, "state") == "up" ? status.routes_up : status.routes_down);
}

NodeStatus ask(const Laboratory& lab, NodeNumber number) {
  NodeStatus status{.name = lab.topology.nodes[number].name, .seen = look_at(lab, number)};
  if (status.seen.run_state != RunState::kRunning) return status;
  const auto api = control_client(lab, number);
  if (!api) {
    status.trouble = api.error().reason;
    return status;
  }
  ask_nis(**api, status);
  if (status.trouble.empty()) ask_routes(**api, status);
  return status;
}

std::string routes_text(const NodeStatus& node) {
  if (node.routes_up + node.routes_down == 0) return "-";
  std::string text;
  if (node.routes_up > 0) text = fmt::format("{} up", node.routes_up);
  if (node.routes_down > 0)
    text += fmt::format("{}{} down", text.empty() ? "" : ", ", node.routes_down);
  return text;
}

/// Returns "19.5 MiB"
std::string mebibytes_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

std::vector<NodeStatus> ask_nodes(const Laboratory& lab) {
  std::vector<NodeStatus> all(lab.topology.nodes.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++)
      all[i] = ask(lab, static_cast<NodeNumber>(i));
  };
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < std::min(kAskers, all.size()); ++i) askers.emplace_back(work);
  for (std::thread& asker : askers) asker.join();
  return all;
}

std::string status_table(const std::vector<NodeStatus>& nodes) {
  std::vector<std::vector<std::string>> rows = {
      {"NODE", "PID", "STATE", "MEMORY", "NI", "STATUS", "HEALTH", "ROUTES"}};
  for (const NodeStatus& node : nodes) {
    const bool dead = node.seen.run_state == RunState::kDead;
    std::vector<std::string> row = {node.name, dead ? "-" : std::to_string(node.seen.id.pid),
                                    to_string(node.seen.run_state),
                                    dead ? "-" : mebibytes_text(node.seen.anonymous)};
    if (!node.trouble.empty()) row.push_back(node.trouble);
    for (std::size_t i = 0; i < node.nis.size(); ++i) {
      const NiStatus& ni = node.nis[i];
      row.insert(row.end(), {ni.nid, ni.status, std::to_string(ni.health)});
      if (i == 0) row.push_back(routes_text(node));
      rows.push_back(std::move(row));
      row = {"", "", "", ""};
    }
    if (node.nis.empty()) rows.push_back(std::move(row));
  }
  return text::text_table(rows);
}

nlohmann::ordered_json status_json(const Laboratory& lab, const std::vector<NodeStatus>& nodes) {
  using ctl::Tree;
  Tree list = Tree::array();
  for (const NodeStatus& node : nodes) {
    Tree nis = Tree::array();
    for (const NiStatus& ni : node.nis)
      nis.push_back({{"nid", ni.nid}, {"status", ni.status}, {"health", ni.health}});
    const bool dead = node.seen.run_state == RunState::kDead;
    list.push_back({{"node", node.name},
                    {"pid", dead ? Tree() : Tree(node.seen.id.pid)},
                    {"state", to_string(node.seen.run_state)},
                    {"memory_bytes", node.seen.anonymous},
                    {"nis", nis},
                    {"routes", {{"up", node.routes_up}, {"down", node.routes_down}}},
                    {"trouble", node.trouble.empty() ? Tree() : Tree(node.trouble)}});
  }
  return {{"name", lab.record.name},
          {"mode", lab.record.spaces ? "namespaces" : "loopback"},
          {"folder", lab.home.folder()},
          {"down", lab.record.down},
          {"nodes", list}};
}

}  // namespace ulnet::tools::lab
