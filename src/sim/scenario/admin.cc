#include "sim/scenario/admin.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "conf/globals.h"
#include "core/flow/step.h"
#include "sim/nodes/node.h"

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

/// Changes a copy of what the node has, a list of policies or of routes. False: `change` refuses.
template <class List>
bool change_list(SimNode& node, const std::shared_ptr<const List>& list, auto&& change) {
  auto next = std::make_shared<List>(*list);
  if (!change(*next)) return false;
  node.configure(std::shared_ptr<const List>(std::move(next)));
  return true;
}

/// As a node does it (spec/multirail.md 9.2).
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

template <class Call>
bool command(SimNode& node, Call call) {
  core::ApiCall api{std::move(call)};
  node.call(api);
  return api.status == 0;
}

/// Its routing was turned off, and its peers may not have noticed.
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

struct CarryOut {
  SimNode& node;
  Rng& rng;

  TakeBack operator()(const SetGlobal& change) const {
    const std::string_view name = change.setting->name;
    const std::int32_t before = node.setup().globals.*change.setting->field;
    if (!set_global(node, name, change.value)) return nullptr;
    return [name, before](SimNode& of) {
      set_global(of, name, before);
      return true;
    };
  }

  TakeBack operator()(const SetHealth& change) const {
    const bool done = !change.of_peer
                          ? command(node, core::call::SetNiHealth{change.nid, change.value})
                      : change.nid.is_any()
                          ? command(node, core::call::SetPeersHealth{change.value})
                          : command(node, core::call::SetPeerNiHealth{change.nid, change.value});
    if (!done) return nullptr;
    return [](SimNode&) { return true; };
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
    return [route = change.route](SimNode& of) {
      del_route(of, route.net, route.gateway);
      return true;
    };
  }

  TakeBack operator()(const DelRoute& change) const {
    const auto& nets = node.setup().routes->nets();
    const auto net = nets.find(change.net);
    if (net == nets.end()) return nullptr;
    const auto route = std::ranges::find(net->second, change.gateway, &core::Route::gateway);
    if (route == net->second.end()) return nullptr;
    const core::Route gone = *route;
    if (!del_route(node, gone.net, gone.gateway)) return nullptr;
    return [gone, place = Rng(rng.next())](SimNode& of) mutable {
      add_route(of, gone, place);
      return true;
    };
  }

  TakeBack operator()(const SetRouting& change) const {
    if (!set_routing(node, change.on)) return nullptr;
    return [on = !change.on](SimNode& of) {
      return of.setup().routing.on == on || set_routing(of, on);
    };
  }

  TakeBack operator()(const AddPeer& change) const {
    if (!command(node, change.peer)) return nullptr;
    return [primary = change.peer.primary](SimNode& of) {
      if (of.state() == SimNode::State::kPaused) return false;
      // A node that has ended takes no commands, and its next life begins without the peer.
      if (!of.up()) return true;
      command(of, core::call::PeerDel{.primary = primary, .nids = {}, .force = true});
      return true;
    };
  }
};

}  // namespace

TakeBack carry_out(SimNode& node, const AdminChange& change, Rng& rng) {
  if (!node.up()) return nullptr;
  return std::visit(CarryOut{node, rng}, change);
}

}  // namespace ulnet::sim
