#include "sim/scenario/admin.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "lnet/config/globals.h"
#include "lnet/core/flow/step.h"
#include "sim/world/node.h"

namespace ulnet::sim {
namespace {

using core::RouteList;
using core::udsp::RuleList;

bool set_global(SimNode& node, std::string_view name, std::int32_t value) {
  core::Globals globals = node.setup().globals;
  if (!conf::set_global(globals, name, value) || globals == node.setup().globals) return false;
  node.configure(globals);
  return true;
}

/// Changes a copy of the node's list of policies or routes. False: `change` refuses.
template <class List>
bool change_list(SimNode& node, const std::shared_ptr<const List>& list, auto&& change) {
  auto next = std::make_shared<List>(*list);
  if (!change(*next)) return false;
  node.configure(std::shared_ptr<const List>(std::move(next)));
  return true;
}

/// Inserts the route at a random place, as a node does (spec/multirail.md 9.2).
bool add_route(SimNode& node, const core::Route& route, Rng& rng) {
  if (node.setup().is_on(route.net) || !node.setup().is_on(route.gateway.net())) return false;
  return change_list(node, node.setup().routes, [&](RouteList& routes) {
    return routes.add(route, rng.below(1 + routes.size())).has_value();
  });
}
bool del_route(SimNode& node, NetId net, const Nid& gateway) {
  return change_list(node, node.setup().routes,
                     [&](RouteList& routes) { return routes.del(net, gateway).has_value(); });
}

/// Gives the node the scenario's value of the setting. False: another setting, which has been
/// changed too, does not allow that yet.
bool give_back(SimNode& node, core::Globals given, const conf::GlobalSetting& setting) {
  const std::int32_t value = given.*setting.field;
  if (node.setup().globals.*setting.field == value) return true;
  // A scenario may give a node what an administrator cannot set.
  return set_global(node, setting.name, value) || !conf::set_global(given, setting.name, value);
}
/// As above, for a route: adds the route as it is in the scenario, or removes it. False: the node's
/// NIs on the gateway's net are gone for a while.
bool give_back(SimNode& node, const RouteList& given, NetId net, const Nid& gateway, Rng& rng) {
  del_route(node, net, gateway);
  if (!given.has(net, gateway)) return true;
  const std::vector<core::Route>& routes = given.nets().at(net);
  return add_route(node, *std::ranges::find(routes, gateway, &core::Route::gateway), rng);
}

/// The status with which the call ends: 0, or a negative errno.
template <class Call>
int status_of(SimNode& node, Call call) {
  core::ApiCall api{std::move(call)};
  node.call(api);
  return api.status;
}
template <class Call>
bool command(SimNode& node, Call call) {
  return status_of(node, std::move(call)) == 0;
}

bool set_health(SimNode& node, const SetHealth& change) {
  if (!change.of_peer) return command(node, core::call::SetNiHealth{change.nid, change.value});
  if (change.nid.is_any()) return command(node, core::call::SetPeersHealth{change.value});
  return command(node, core::call::SetPeerNiHealth{change.nid, change.value});
}

/// Whether the node's routing was turned off and its peers may not have noticed.
bool is_stopping(const SimNode& node) {
  const core::ShardState* control = node.shard_state();
  return control != nullptr && control->router.state == core::RoutingState::kStopping;
}

bool set_routing(SimNode& node, bool on) {
  core::Routing routing = node.setup().routing;
  if (routing.on == on || (on && is_stopping(node))) return false;
  routing.on = on;
  routing.at_once = false;
  node.configure(routing);
  return true;
}

/// The node's routes whose gateway is a NID of the peer.
std::vector<core::Route> routes_by(const SimNode& node, const Nid& primary) {
  std::vector<core::Route> found;
  const core::Peer* peer = node.shard_state()->directory.find(primary);
  if (peer == nullptr) return found;
  for (const auto& [net, routes] : node.setup().routes->nets())
    for (const core::Route& route : routes)
      if (std::ranges::find(peer->nids(), route.gateway) != peer->nids().end())
        found.push_back(route);
  return found;
}

/// Deletes a peer. While messages name the peer, the node refuses the command, which is then tried
/// again. If routes lead through the peer, an administrator deletes them first, and later adds
/// again those that the scenario has.
class DeletePeer {
 public:
  DeletePeer(const Nid& primary, std::shared_ptr<const RouteList> given, Rng rng)
      : primary_(primary), given_(std::move(given)), rng_(rng) {}

  bool operator()(SimNode& node) {
    if (node.state() == SimNode::State::kPaused) return false;
    // A node that has ended takes no commands, and its next incarnation begins without the peer.
    const core::call::PeerDel del{.primary = primary_, .nids = {}, .force = true};
    gone_ = gone_ || !node.up() || status_of(node, del) != -EBUSY;
    if (gone_) {
      std::erase_if(deleted_, [&](const core::Route& route) {
        return give_back(node, *given_, route.net, route.gateway, rng_);
      });
      return deleted_.empty();
    }
    for (const core::Route& route : routes_by(node, primary_))
      if (del_route(node, route.net, route.gateway)) deleted_.push_back(route);
    return false;
  }

 private:
  Nid primary_;
  bool gone_ = false;
  std::shared_ptr<const RouteList> given_;
  Rng rng_;
  std::vector<core::Route> deleted_;
};

struct CarryOut {
  SimNode& node;
  const NodeSetup& given;
  Rng& rng;

  TakeBack operator()(const SetGlobal& change) const {
    if (!set_global(node, change.setting->name, change.value)) return nullptr;
    return [setting = change.setting, globals = given.globals](SimNode& of) {
      return give_back(of, globals, *setting);
    };
  }

  /// Recovery undoes the change, except with a sensitivity of 0 (spec/multirail.md 5.1).
  TakeBack operator()(const SetHealth& change) const {
    if (!set_health(node, change)) return nullptr;
    return [full = SetHealth{change.nid, change.of_peer, core::kHealthMax}](SimNode& of) {
      if (of.state() == SimNode::State::kPaused) return false;
      // A node that has ended takes no commands, and its next incarnation begins with full health.
      if (of.up() && of.setup().globals.health_sensitivity == 0) set_health(of, full);
      return true;
    };
  }

  TakeBack operator()(const AddPolicy& change) const {
    const RuleList& now = *node.setup().policies;
    const auto at = now.index_of(change.rule);
    const auto before = at ? std::optional(now.entries()[*at].rule) : std::nullopt;
    const bool done = change_list(node, node.setup().policies, [&](RuleList& rules) {
      return rules.add(change.rule, change.idx).has_value();
    });
    if (!done) return nullptr;
    return [rule = change.rule, before](SimNode& of) {
      change_list(of, of.setup().policies, [&](RuleList& rules) {
        const auto place = rules.index_of(rule);
        return place && (before ? rules.add(*before) : rules.del(*place)).has_value();
      });
      return true;
    };
  }

  TakeBack operator()(const AddRoute& change) const {
    if (!add_route(node, change.route, rng)) return nullptr;
    return given_route(change.route.net, change.route.gateway);
  }

  TakeBack operator()(const DelRoute& change) const {
    if (!del_route(node, change.net, change.gateway)) return nullptr;
    return given_route(change.net, change.gateway);
  }

  TakeBack operator()(const SetRouting& change) const {
    if (!set_routing(node, change.on)) return nullptr;
    return [on = given.routing.on](SimNode& of) {
      return of.setup().routing.on == on || set_routing(of, on);
    };
  }

  TakeBack operator()(const AddPeer& change) const {
    if (!command(node, change.peer)) return nullptr;
    return DeletePeer(change.peer.primary, given.routes, Rng(rng.next()));
  }

  TakeBack given_route(NetId net, const Nid& gateway) const {
    return [routes = given.routes, net, gateway, place = Rng(rng.next())](SimNode& of) mutable {
      return give_back(of, *routes, net, gateway, place);
    };
  }
};

}  // namespace

TakeBack carry_out(SimNode& node, const AdminChange& change, const NodeSetup& given, Rng& rng) {
  if (!node.up()) return nullptr;
  return std::visit(CarryOut{node, given, rng}, change);
}

}  // namespace ulnet::sim
