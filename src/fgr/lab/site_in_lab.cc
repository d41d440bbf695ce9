#include "fgr/lab/site_in_lab.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "fgr/plan/lab_plan.h"
#include "fgr/plan/options.h"

namespace ulnet::tools::fgr {
namespace {

class Placing {
 public:
  Placing(const plan::Plan& site, SiteInLab& in)
      : in_(in), topology_(in.lab.topology), names_(plan::lab_plan(site)) {}

  Result<void> place() {
    in_.plan = names_.plan;
    for (std::size_t i = 0; i < in_.plan.site.clients.size(); ++i) {
      if (const auto placed = place_clients(i); !placed) return placed;
      for (std::size_t k = 0; k < in_.plan.site.clients[i].routers.size(); ++k)
        if (const auto placed = place_router(i, k); !placed) return placed;
    }
    for (const plan::Group& group : in_.plan.groups)
      for (const std::size_t each : group.servers)
        if (const auto placed = place_server(group, each); !placed) return placed;
    return {};
  }

 private:
  tl::unexpected<Error> not_of_this_site(const std::string& what) const {
    return fail(-ENOENT,
                fmt::format("laboratory {} has {}: start one with 'ulnet-fgr lab SITE', or "
                            "of the lab.yaml of 'ulnet-fgr plan SITE -o DIR'",
                            topology_.name, what));
  }

  Result<lab::NodeNumber> node_of(const std::string& host) {
    const std::string& name = names_.nodes.at(host);
    const auto node = topology_.find_node(name);
    if (!node) return not_of_this_site("no node " + name);
    in_.nodes[host] = *node;
    return *node;
  }

  /// Returns the node's addresses on this net, one for each interface.
  std::vector<plan::Address> addresses_at(lab::NodeNumber node, NetId net) const {
    std::vector<plan::Address> addresses;
    for (const lab::Rail& rail : topology_.nodes[node].rails)
      if (topology_.net_of(rail).id == net) addresses.push_back(rail.address);
    return addresses;
  }
  tl::unexpected<Error> not_there(lab::NodeNumber node, NetId net) const {
    return not_of_this_site(
        fmt::format("node {} not on net {}", topology_.nodes[node].name, net.to_string()));
  }

  Result<void> place_clients(std::size_t system) {
    plan::ClientSystem& clients = in_.plan.site.clients[system];
    std::vector<plan::Address> all;
    for (lab::NodeNumber node = 0; node < topology_.nodes.size(); ++node) {
      if (topology_.nodes[node].group != names_.clients[system]) continue;
      const auto addresses = addresses_at(node, clients.net);
      if (addresses.empty()) return not_there(node, clients.net);
      all.insert(all.end(), addresses.begin(), addresses.end());
      in_.nodes[topology_.nodes[node].name] = node;
      in_.clients.push_back({.name = topology_.nodes[node].name, .system = system});
    }
    if (all.empty()) return not_of_this_site("no nodes of the group " + names_.clients[system]);
    clients.addresses = plan::words_of(all);
    return {};
  }

  Result<void> place_router(std::size_t system, std::size_t number) {
    const plan::ClientSystem& clients = in_.plan.site.clients[system];
    plan::Router& router = in_.plan.site.clients[system].routers[number];
    const auto node = node_of(router.host);
    if (!node) return tl::unexpected(node.error());
    const auto on_clients_net = addresses_at(*node, clients.net);
    if (on_clients_net.empty()) return not_there(*node, clients.net);
    router.client_nid = Nid::small(clients.net, on_clients_net.front());
    for (const plan::Group& group : in_.plan.groups)
      for (const int hops : plan::kHops) {
        if (!group.routers[system].has(hops, number)) continue;
        router.addresses = addresses_at(*node, group.net);
        if (router.addresses.empty()) return not_there(*node, group.net);
      }
    return {};
  }

  Result<void> place_server(const plan::Group& group, std::size_t number) {
    plan::Server& server = in_.plan.site.file_systems[group.file_system].servers[number];
    const auto node = node_of(server.host);
    if (!node) return tl::unexpected(node.error());
    const auto addresses = addresses_at(*node, group.net);
    if (addresses.empty()) return not_there(*node, group.net);
    server.address = addresses.front();
    return {};
  }

  SiteInLab& in_;
  const lab::Topology& topology_;
  const plan::LabPlan names_;
};

}  // namespace

std::string SiteInLab::socket(const std::string& host) const {
  return lab.home.socket(lab.topology.nodes[nodes.at(host)].name);
}

Result<void> place_site(const plan::Plan& site, SiteInLab& in) { return Placing(site, in).place(); }

Result<SiteInLab> site_in_lab(const plan::Plan& site, const std::string& name) {
  auto lab = lab::open_lab(name);
  if (!lab) return tl::unexpected(lab.error());
  SiteInLab in{.lab = std::move(*lab), .plan = {}, .nodes = {}, .clients = {}};
  if (auto placed = place_site(site, in); !placed) return tl::unexpected(placed.error());
  return in;
}

}  // namespace ulnet::tools::fgr
