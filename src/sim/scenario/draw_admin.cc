#include "sim/scenario/draw_admin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

using core::udsp::RuleText;

std::int32_t value_for(Dice& dice, std::string_view setting) {
  if (setting == "numa_range") return dice.one_of({0, 20});
  if (setting == "max_interfaces") return dice.one_of({16, 200, 4096});
  if (setting == "discovery") return dice.one_of({0, 1, core::kDiscoveryVerifies});
  if (setting == "drop_asym_route") return dice.one_of({0, 1});
  if (setting == "retry_count") return dice.one_of({0, 1, 2, 3, 5});
  if (setting == "transaction_timeout") return dice.one_of({2, 5, 10, 50, 150});
  if (setting == "health_sensitivity") return dice.one_of({0, 1, 100, 1000});
  if (setting == "recovery_interval") return dice.one_of({1, 10});
  if (setting == "router_sensitivity") return dice.one_of({0, 50, 100});
  if (setting == "response_tracking") return dice.one_of({0, 1, 2, 3});
  if (setting == "recovery_limit") return dice.one_of({0, 1, 5, 20});
  return dice.one_of({1, 4, 900});  // max_recovery_ping_interval
}

}  // namespace

Act AdminDraw::change() {
  Act made = draw_act(dice_, scenario_, busy_);
  made.what = Act::What::kAdmin;
  made.other = made.node;
  made.ni = 0;
  return made;
}

void AdminDraw::add(Act act, AdminChange change) {
  act.change = std::move(change);
  add_act(scenario_, act);
}

const NodeSetup& AdminDraw::any_node() {
  return scenario_.nodes[dice_.below(scenario_.nodes.size())];
}
/// A random router, or a random node if there is no router.
const NodeSetup& AdminDraw::any_router() {
  const NodeNumber first = ends_ % static_cast<NodeNumber>(scenario_.nodes.size());
  return scenario_.nodes[first + dice_.below(scenario_.nodes.size() - first)];
}
const Nid& AdminDraw::any_nid(const NodeSetup& node) {
  return node.nis[dice_.below(node.nis.size())].nid;
}

// ---- settings -----------------------------------------------------------------------------------

void AdminDraw::settings() {
  if (scenario_.nothing_fails || !dice_.often(25)) return;
  for (std::uint64_t left = some(); left != 0; --left) {
    const Act act = change();
    const NodeSetup& other = scenario_.nodes[(act.node + 1) % scenario_.nodes.size()];
    add(act, setting(scenario_.nodes[act.node], other));
  }
}

AdminChange AdminDraw::setting(const NodeSetup& node, const NodeSetup& other) {
  if (dice_.often(20)) {
    SetHealth made;
    made.of_peer = dice_.often(50);
    if (dice_.often(80)) made.nid = any_nid(made.of_peer ? other : node);
    made.value = dice_.one_of({0, 1, 500, 900, 999, 1000});
    return made;
  }
  const auto all = conf::all_globals();
  const conf::GlobalSetting& chosen = all[dice_.below(all.size())];
  return SetGlobal{&chosen, value_for(dice_, chosen.name)};
}

// ---- policies -----------------------------------------------------------------------------------

void AdminDraw::policies() {
  if (!dice_.often(20)) return;
  for (std::uint64_t left = some(); left != 0; --left) {
    const Act act = change();
    add(act, policy(scenario_.nodes[act.node]));
  }
}

/// A pattern for its net, or for the NID and others beside it.
std::string AdminDraw::pattern(const Nid& nid, bool of_net) {
  const std::string net = nid.net().to_string();
  if (of_net) return dice_.often(80) ? net : "tcp*";
  const std::string text = nid.to_string();
  if (!nid.is_small() || dice_.often(60)) return text;
  if (dice_.often(30)) return "*@" + net;
  return text.substr(0, text.rfind('.') + 1) + (dice_.often(50) ? "[0-3]" : "[2-255]") +
         text.substr(text.find('@'));
}

AdminChange AdminDraw::policy(const NodeSetup& node) {
  // The compiler chooses the order in which arguments are evaluated, so each statement has one
  // draw.
  const bool src_net = dice_.often(40);
  const std::string src = pattern(any_nid(node), src_net);
  const bool dst_net = dice_.often(40);
  const std::string dst = pattern(any_nid(any_node()), dst_net);
  const std::string rte = pattern(any_nid(any_router()), false);
  const std::array<RuleText, 5> kinds = {RuleText{src, {}, {}, {}}, RuleText{{}, dst, {}, {}},
                                         RuleText{src, dst, {}, {}}, RuleText{{}, dst, rte, {}},
                                         RuleText{{}, {}, rte, {}}};
  RuleText words = kinds[dice_.often(95) ? dice_.below(4) : 4];
  if (dice_.often(50)) words.priority = dice_.one_of({0, 1, 2, 7});
  AddPolicy made;
  made.rule = core::udsp::settled(core::udsp::parse_rule(words).value()).value();
  if (dice_.often(40)) made.idx = dice_.below(3);
  return made;
}

// ---- routes -------------------------------------------------------------------------------------

void AdminDraw::routes() {
  if (ends_ == 0 || !dice_.often(50)) return;
  for (std::uint64_t left = some(); left != 0; --left) {
    const Act act = change();
    if (const auto made = route(scenario_.nodes[act.node])) add(act, *made);
  }
}

/// A route of the node is deleted; or one is added, if the node is not a router, so that no message
/// goes round. Nothing: it has no routes.
std::optional<AdminChange> AdminDraw::route(const NodeSetup& node) {
  std::vector<core::Route> routes;
  for (const auto& [net, to_net] : node.routes->nets())
    routes.insert(routes.end(), to_net.begin(), to_net.end());
  if (routes.empty()) return {};
  core::Route chosen = routes[dice_.below(routes.size())];
  if (node.routing.on || dice_.often(60)) return DelRoute{chosen.net, chosen.gateway};
  std::vector<Nid> gateways;
  for (const NodeSetup& router : scenario_.nodes)
    for (const NiSetup& ni : router.nis)
      if (router.routing.on && ni.nid.net() == chosen.gateway.net()) gateways.push_back(ni.nid);
  chosen.gateway = gateways[dice_.below(gateways.size())];
  chosen.hops = dice_.one_of({core::kHopsUndefined, 1, 2, 3});
  chosen.priority = static_cast<std::uint32_t>(dice_.below(2));
  return AddRoute{chosen};
}

void AdminDraw::routing() {
  if (ends_ == 0 || !dice_.often(40)) return;
  const bool quick = dice_.often(60);
  if (quick) check_quickly();
  for (std::uint64_t left = 1 + dice_.below(4); left != 0; --left) {
    Act act = change();
    if (quick) {
      act.at = std::chrono::milliseconds(dice_.below(6'000));
      act.lasts = std::chrono::milliseconds(1 + dice_.below(6'000));
    }
    if (dice_.often(85))
      act.node = ends_ + static_cast<NodeNumber>(dice_.below(scenario_.nodes.size() - ends_));
    act.other = act.node;
    add(act, SetRouting{!scenario_.nodes[act.node].routing.on});
  }
}

/// Gateways are checked every second or two, so that nodes notice the change of routing while
/// messages flow; and messages flow for long enough.
void AdminDraw::check_quickly() {
  for (NodeSetup& node : scenario_.nodes) {
    node.globals.alive_router_check_interval = dice_.one_of({1, 2});
    node.globals.router_ping_timeout = dice_.one_of({1, 2});
    node.globals.transaction_timeout = 5;
    node.globals.retry_count = std::min(node.globals.retry_count, 3);
  }
  LoadSpec slow;
  slow.from = {0};
  slow.to = {1};
  slow.every = std::chrono::milliseconds(dice_.one_of({20, 100}));
  slow.lasts = std::chrono::seconds(8);
  slow.min_bytes = 0;
  scenario_.loads.push_back(std::move(slow));
  scenario_.lasts = std::max<Duration>(scenario_.lasts, std::chrono::seconds(10));
}

// ---- peers --------------------------------------------------------------------------------------

void AdminDraw::peers() {
  if (scenario_.nothing_fails || !dice_.often(20)) return;
  const bool before = dice_.often(40);
  for (std::uint64_t left = some(); left != 0; --left) {
    Act act = change();
    const std::size_t step = 1 + dice_.below(scenario_.nodes.size() - 1);
    if (before) act.at = {};
    add(act, peer(scenario_.nodes[(act.node + step) % scenario_.nodes.size()]));
  }
}

/// A peer with NIDs of the node, not always all of them.
AdminChange AdminDraw::peer(const NodeSetup& other) {
  AddPeer made;
  made.peer.primary = dice_.often(80) ? other.nis[0].nid : any_nid(other);
  const bool all = dice_.often(60);
  for (const NiSetup& ni : other.nis)
    if (ni.nid != made.peer.primary && (all || dice_.often(50))) made.peer.nids.push_back(ni.nid);
  made.peer.multi_rail = dice_.often(80);
  made.peer.lock_primary = dice_.often(40);
  return made;
}

}  // namespace ulnet::sim
