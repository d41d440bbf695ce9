#include "admin/client/verbosity.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "admin/client/tree_fields.h"
#include "lnet/config/params.h"

namespace ulnet::ctl {

namespace {

struct Shown {
  std::string_view key;
  int level;
};

// The verbosity level from which on each key of NIs, peers and peer NIs is shown.
constexpr auto kLevels = std::to_array<Shown>({
    // net show
    {"nid", 0},
    {"status", 0},
    {"interfaces", 0},
    {"statistics", 1},
    {"udsp info", 4},
    {"sent_stats", 2},
    {"received_stats", 2},
    {"dropped_stats", 2},
    {"health stats", 2},
    {"life cycle", 5},  // also for nets and peers
    // peer show
    {"primary nid", 0},
    {"Multi-Rail", 0},
    {"peer state", 3},
    {"differences", 0},
    {"peer ni", 0},
    {"state", 0},
});

int level_of(std::string_view key) {
  const auto at = std::ranges::find(kLevels, key, &Shown::key);
  return at == kLevels.end() ? 1 : at->level;
}

Tree filtered(const Tree& item, int level) {
  Tree out = Tree::object();
  if (!item.is_object()) return out;
  for (const auto& [key, value] : item.items()) {
    if (level_of(key) <= level) out[key] = value;
  }
  return out;
}

/// Whether adding the interface by its name would give another NID than `nid_text`.
bool interface_gives_another(const std::string& interface, const std::string& nid_text,
                             std::span<const conf::LocalInterface> interfaces) {
  const auto nid = Nid::parse(nid_text);
  const auto here = std::ranges::find(interfaces, interface, &conf::LocalInterface::name);
  if (!nid || here == interfaces.end() || here->addresses.empty()) return false;
  const Nid address = conf::on_net(*nid, {NetType::kTcp, 0});
  if (std::ranges::find(here->addresses, address) == here->addresses.end()) return false;
  const auto small = std::ranges::find_if(here->addresses, &Nid::is_small);
  const Nid& first = small != here->addresses.end() ? *small : here->addresses.front();
  return first != address;
}

Tree backup_of_ni(const Tree& ni, std::span<const conf::LocalInterface> interfaces) {
  Tree out = Tree::object();
  if (!ni.is_object()) return out;
  const auto named = ni.find("interfaces");
  const std::string interface = named != ni.end() ? text_in(*named, "0") : std::string();
  const std::string nid = text_in(ni, "nid");
  if (interface.empty() || interface_gives_another(interface, nid, interfaces)) out["nid"] = nid;
  if (!interface.empty()) out["interfaces"] = *named;
  for (const char* key : {"tunables", "lnd tunables", "CPT"}) {
    if (const auto at = ni.find(key); at != ni.end()) out[key] = *at;
  }
  if (const auto lnd = out.find("lnd tunables"); lnd != out.end() && lnd->is_object()) {
    lnd->erase("timeout");
    lnd->erase("accept");  // a parameter of the node
  }
  return out;
}

/// Returns a tree with one section, or without any if that one is empty.
Tree unless_empty(const char* section, Tree content) {
  return content.empty() ? Tree::object() : Tree{{section, std::move(content)}};
}

bool has_state(const Tree& peer, int bit) { return (number_in(peer, "peer state", 0) & bit) != 0; }

}  // namespace

Tree at_verbosity(const Tree& tree, int level) {
  Tree out = Tree::object();
  for (const auto& [section, items] : tree.items()) {
    const bool nets = section == "net";
    const char* inner = nets ? "local NI(s)" : "peer ni";
    Tree list = Tree::array();
    for (const Tree& item : items) {
      if (!item.is_object()) continue;
      Tree kept = nets ? item : filtered(item, level);
      if (level_of("life cycle") > level) kept.erase("life cycle");
      Tree nis = Tree::array();
      for (const Tree& ni : list_in(item, inner)) nis.push_back(filtered(ni, level));
      kept[inner] = std::move(nis);
      list.push_back(std::move(kept));
    }
    out[section] = std::move(list);
  }
  return out;
}

namespace {

/// Makes the number an unsigned one of 32 bits, as lnetctl prints numbers below 0.
void print_unsigned(Tree& of, const char* key) {
  const auto at = of.is_object() ? of.find(key) : of.end();
  if (at != of.end() && at->is_number_integer())
    *at = static_cast<std::uint32_t>(at->get<std::int64_t>());
}

void routes_as_recorded(Tree& tree) {
  if (const auto routes = tree.find("route"); routes != tree.end() && routes->is_array())
    for (Tree& route : *routes)
      if (route.is_object()) route.erase("why");
  const auto routing = tree.find("routing");
  if (routing == tree.end() || !routing->is_array()) return;
  for (Tree& item : *routing)
    if (item.is_object())
      for (auto& [name, of_cpt] : item.items())
        if (of_cpt.is_object())
          for (auto& [pool, row] : of_cpt.items())
            for (const char* key : {"credits", "mincredits"}) print_unsigned(row, key);
}

}  // namespace

Tree as_recorded(Tree tree) {
  if (tree.is_object()) routes_as_recorded(tree);
  const auto peers = tree.is_object() ? tree.find("peer") : tree.end();
  if (peers == tree.end() || !peers->is_array()) return tree;
  for (Tree& peer : *peers) {
    if (!peer.is_object()) continue;
    for (const char* own : {"why", "lock_prim"}) peer.erase(own);
    const auto nis = peer.is_object() ? peer.find("peer ni") : peer.end();
    if (nis == peer.end() || !nis->is_array()) continue;
    for (Tree& ni : *nis) {
      for (const char* key : {"min_tx_credits", "min_rtr_credits"}) print_unsigned(ni, key);
      const auto policies = ni.is_object() ? ni.find("udsp info") : ni.end();
      if (policies != ni.end() && policies->is_object()) policies->erase("Preferred source NIDs");
    }
  }
  return tree;
}

Tree backup_of_nets(const Tree& tree, std::span<const conf::LocalInterface> interfaces) {
  Tree nets = Tree::array();
  for (const Tree& net : list_in(tree, "net")) {
    if (text_in(net, "net type") == "lo") continue;
    Tree nis = Tree::array();
    for (const Tree& ni : list_in(net, "local NI(s)")) nis.push_back(backup_of_ni(ni, interfaces));
    nets.push_back(Tree{{"net type", text_in(net, "net type")}, {"local NI(s)", std::move(nis)}});
  }
  return unless_empty("net", std::move(nets));
}

Tree backup_of_routes(const Tree& tree) {
  Tree routes = Tree::array();
  for (const Tree& route : list_in(tree, "route")) {
    Tree kept = Tree::object();
    for (const char* key : {"net", "gateway", "hop", "priority"})
      if (route.contains(key)) kept[key] = route[key];
    routes.push_back(std::move(kept));
  }
  return unless_empty("route", std::move(routes));
}

Tree backup_of_peers(const Tree& tree) {
  Tree peers = Tree::array();
  for (const Tree& peer : list_in(tree, "peer")) {
    if (!has_state(peer, kConfigured)) continue;
    Tree nis = Tree::array();
    for (const Tree& ni : list_in(peer, "peer ni"))
      nis.push_back(Tree{{"nid", text_in(ni, "nid")}});
    Tree kept = {{"primary nid", text_in(peer, "primary nid")},
                 {"Multi-Rail", bool_in(peer, "Multi-Rail")}};
    if (has_state(peer, kLockPrimary)) kept["lock_prim"] = true;
    kept["peer ni"] = std::move(nis);
    peers.push_back(std::move(kept));
  }
  return unless_empty("peer", std::move(peers));
}

Tree params_to_export(const Tree& params) {
  Tree kept = Tree::object();
  const auto all = params.find("param");
  if (all == params.end() || !all->is_object()) return Tree::object();
  for (const auto& [name, info] : all->items()) {
    const conf::Param* known = conf::find_param(name);
    const bool said_elsewhere = known != nullptr && !known->global.empty();
    const bool names_nets = name == "networks" || name == "ip2nets" || name == "routes";
    if (said_elsewhere || names_nets || !info.is_object()) continue;
    const std::string value = text_in(info, "value");
    if (value != text_in(info, "default")) kept[name] = value;
  }
  return unless_empty("param", std::move(kept));
}

}  // namespace ulnet::ctl
