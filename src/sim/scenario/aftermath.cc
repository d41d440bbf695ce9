#include "sim/scenario/aftermath.h"

#include <algorithm>
#include <array>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

constexpr std::uint32_t kTries = 8;
constexpr std::uint32_t kSenders = 4, kTargets = 4;
/// No load uses the last portals. Each sender has one of them, so that each PUT has memory of its
/// own.
constexpr std::uint32_t kFirstPortal = limits::kPortals - kSenders;

/// Whether the node refuses no request because of a limit, or because of its sender.
bool is_unlimited(const NodeSetup& node) {
  const core::Globals usual;
  const lnd::sock::SockTunables sock;
  return node.hold_memory == MemoryBudget::kUnlimited && node.no_memory_ppm == 0 &&
         node.no_descriptor_ppm == 0 && node.globals.max_peers == usual.max_peers &&
         node.globals.max_answers == usual.max_answers && node.sock.accept == sock.accept &&
         node.sock.accept_pending == sock.accept_pending &&
         node.sock.accept_open == sock.accept_open &&
         node.sock.accept_open_per_address == sock.accept_open_per_address &&
         node.sock.peer_address_check == sock.peer_address_check;
}

bool loses_messages(const Scenario& scenario) {
  const bool pipes = std::ranges::any_of(
      scenario.nodes, [](const NodeSetup& node) { return node.driver == DriverKind::kPipe; });
  return pipes && (scenario.link.loss_ppm != 0 ||
                   std::ranges::any_of(scenario.links, [](const LinkBetween& between) {
                     return between.model.loss_ppm != 0;
                   }));
}

/// Whether nodes may have entries of NIDs that no node has, because a hostile peer has reported
/// them.
bool may_believe_in_others(const Scenario& scenario) {
  constexpr std::array kKinds = {FaultKind::kLies, FaultKind::kTakeOver};
  return std::ranges::any_of(scenario.acts, [&](const Act& act) {
    return act.what == Act::What::kFault && std::ranges::find(kKinds, act.fault) != kKinds.end();
  });
}

/// Whether the node has routes to the net, and all of their gateways are on that net.
bool all_gateways_on(World& world, const SimNode& node, NetId net) {
  const auto routes = node.setup().routes->nets().find(net);
  if (routes == node.setup().routes->nets().end()) return false;
  return std::ranges::all_of(routes->second, [&](const core::Route& route) {
    const SimNode* gateway = world.find(route.gateway);
    return gateway != nullptr && gateway->up() && gateway->setup().routing.on &&
           gateway->setup().is_on(net);
  });
}

/// Whether every shard of the node knows a route to the net that is up.
bool has_route(const SimNode& node, NetId net) {
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard) {
    const auto is_up = [&](const core::RouteEntry& route) {
      return route.gateway->entry.reaches(net);
    };
    if (std::ranges::none_of(routes_to(*node.shard_state(shard), net), is_up)) return false;
  }
  return true;
}

bool connected(World& world, const SimNode& from, const SimNode& to) {
  if (!from.up() || !to.up() || to.setup().nis.empty()) return false;
  if (from.setup().is_on(to.nid().net())) return true;
  const auto takes_any_way = [](const SimNode& node) {
    return node.setup().globals.drop_asym_route == 0;
  };
  return takes_any_way(from) && takes_any_way(to) && from.setup().nis.size() == 1 &&
         all_gateways_on(world, from, to.nid().net()) &&
         all_gateways_on(world, to, from.nid().net()) && has_route(from, to.nid().net());
}

/// Some nodes, in random order.
std::vector<NodeNumber> some(Rng& rng, std::size_t nodes, std::size_t most) {
  std::vector<NodeNumber> all(nodes);
  for (std::size_t i = 0; i < nodes; ++i) all[i] = static_cast<NodeNumber>(i);
  for (std::size_t i = 0; i < nodes; ++i) std::swap(all[i], all[i + rng.below(nodes - i)]);
  all.resize(std::min(nodes, most));
  return all;
}

}  // namespace

EachOther::EachOther(World& world, const Scenario& scenario) : world_(world) {
  if (loses_messages(scenario) || may_believe_in_others(scenario)) return;
  if (!std::ranges::all_of(scenario.nodes, is_unlimited)) return;
  Rng rng = world.rng(kName);
  const std::vector<NodeNumber> senders = some(rng, world.size(), kSenders);
  const std::vector<NodeNumber> targets = some(rng, world.size(), kTargets);
  for (std::uint32_t i = 0; i < senders.size(); ++i)
    for (const NodeNumber to : targets)
      if (senders[i] != to && connected(world, world.node(senders[i]), world.node(to)))
        left_.push_back({senders[i], to, Portal{kFirstPortal + i}});
  for (const Pair& pair : left_)
    most_ = std::max(most_, kTries + world.node(pair.from).setup().nis.size() *
                                         world.node(pair.to).setup().nis.size());
}

bool EachOther::try_again() {
  end_round();
  if (left_.empty() || tries_ == most_) return false;
  ++tries_;
  for (Pair& pair : left_) {
    LoadSpec put;
    put.from = {pair.from};
    put.to = {pair.to};
    put.min_bytes = put.max_bytes = 100;
    put.window = 1;
    // The driver that could not dial waits before it dials again.
    if (tries_ > 1) put.start = kCalm;
    pair.put =
        &world_.add<Traffic>("each other/" + std::to_string(tries_) + "/" +
                                 world_.node(pair.from).name() + "/" + world_.node(pair.to).name(),
                             put, pair.portal);
  }
  return true;
}

bool EachOther::done() const {
  return std::ranges::all_of(left_, [](const Pair& pair) { return pair.put->done(); });
}

void EachOther::end_round() {
  std::erase_if(left_, [&](const Pair& pair) {
    if (pair.put == nullptr) return false;
    pair.put->take_back(world_);
    return pair.put->counts().failed == 0;
  });
}

std::string EachOther::unreached() const {
  if (left_.empty()) return {};
  const Pair& pair = left_.front();
  return world_.node(pair.from).name() + " sends " + std::to_string(tries_) + " PUTs to " +
         world_.node(pair.to).nid().to_string() + ", and none is acknowledged";
}

}  // namespace ulnet::sim
