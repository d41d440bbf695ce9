// Carries out the changes of an administrator (lnet/config/change.h). Source: spec/cli-lnetctl.md
// 3, 11, spec/multirail.md 2.2, 9.1, 9.2.
#include <new>
#include <random>
#include <utility>

#include "lnet/config/globals.h"
#include "lnet/node/node_impl.h"
#include "lnet/node/runtime/log_levels.h"

namespace ulnet::node {

using namespace conf::change;

std::vector<Result<void>> NodeImpl::change_all(std::span<conf::Change> changes) {
  std::vector<Result<void>> results;
  results.reserve(changes.size());
  const auto all = configure([&]() -> Result<void> {
    std::vector<conf::NiRef> nis;
    for (const conf::Change& change : changes)
      if (const auto* added = std::get_if<AddNi>(&change)) nis.push_back({added->net, added->ni});
    nets_.expect(std::move(nis));
    skipped_routes_ = 0;
    nets_.together([&] {
      for (conf::Change& change : changes) results.push_back(made(change));
    });
    nets_.expect({});
    if (skipped_routes_ > 0)
      say(kInfo, "routes=: ignored " + std::to_string(skipped_routes_) +
                     " routes whose gateways are on no net of this node");
    return {};
  });
  if (!all) results.assign(changes.size(), all);
  return results;
}

Result<void> NodeImpl::made(conf::Change& change) try {
  return std::visit([this](auto& one) { return make(one); }, change);
} catch (const std::bad_alloc&) {
  return fail(-ENOMEM, "no memory");
}

Result<void> NodeImpl::make(const AddNi& change) {
  return nets_.add(change.net, change.ni, settings_);
}

Result<void> NodeImpl::make(const DelNi& change) {
  return change.nid ? nets_.del_nid(*change.nid) : nets_.del(change.net, change.interface);
}

Result<void> NodeImpl::make(const SetNi& change) {
  if (change.net && change.lnd_timeout) {
    auto set = nets_.set_lnd_timeout(*change.net, *change.lnd_timeout, settings_.globals());
    if (!set) return set;
  }
  if (!change.health && change.tunables.empty()) return {};
  return nets_.set_ni(change.nid, change.health, change.tunables);
}

Result<void> NodeImpl::make(const AddPeer& change) {
  if (auto free = check_no_gateway(change.primary, change.nids); !free) return free;
  // The shards, which refuse it too, do not know the NIs yet that this transaction adds.
  for (const Nid& nid : change.nids)
    if (nid != change.primary && nets_.has_nid(nid)) return fail(-EINVAL, "a NID of this node");
  return command(
      core::call::PeerAdd{change.primary, change.nids, change.multi_rail, change.lock_primary});
}

Result<void> NodeImpl::make(const DelPeer& change) {
  if (auto free = check_no_gateway(change.primary, change.nids); !free) return free;
  nets_.publish_deleted();  // a peer of a deleted NI is busy until the shards know that
  return command(core::call::PeerDel{change.primary, change.nids, change.force});
}

Result<void> NodeImpl::make(const SetPeer& change) {
  if (change.state) {
    auto set = command(core::call::SetPeerState{change.nid.value_or(Nid::any()), *change.state});
    if (!set) return set;
  }
  if (!change.health) return {};
  return change.nid ? command(core::call::SetPeerNiHealth{*change.nid, *change.health})
                    : command(core::call::SetPeersHealth{*change.health});
}

Result<void> NodeImpl::make(const SetGlobals& change) {
  for (const auto& [name, value] : change.values)
    if (auto set = set_global(name, value); !set) return set;
  return {};
}

Result<void> NodeImpl::make(const SetParams& change) {
  for (const auto& [name, value] : change.values)
    if (auto set = set_param(name, value); !set) return set;
  return {};
}

template <class Edit>
Result<void> NodeImpl::edit_policies(Edit edit) {
  auto rules = std::make_shared<core::udsp::RuleList>(*nets_.udsp());
  if (Result<void> edited = edit(*rules); !edited) return edited;
  nets_.apply(std::move(rules));
  return {};
}

Result<void> NodeImpl::make(const AddPolicy& change) {
  return edit_policies([&](auto& rules) { return rules.add(change.rule, change.idx); });
}

Result<void> NodeImpl::make(const DelPolicy& change) {
  return edit_policies([&](auto& rules) -> Result<void> {
    if (change.idx) return rules.del(static_cast<std::size_t>(*change.idx));
    rules.clear();
    return {};
  });
}

Result<void> NodeImpl::make(const SetPolicies& change) {
  return edit_policies([&](auto& rules) {
    rules.clear();
    Result<void> added;
    for (const core::udsp::Rule& rule : change.rules)
      if (added) added = rules.add(rule);
    return added;
  });
}

Result<void> NodeImpl::make(const AddSelection& change) {
  return edit_policies([&](auto& rules) { return conf::add_selection(rules, change.selection); });
}

Result<void> NodeImpl::make(const DelSelection& change) {
  return edit_policies(
      [&](auto& rules) { return conf::del_selection(rules, change.match, change.id); });
}

Result<void> NodeImpl::make(const AddRoutes& change) {
  std::vector<const core::Route*> added;
  for (const conf::RouteItem& route : change.routes) {
    if (route.shared && !is_for_this_node(route)) continue;
    if (auto done = nets_.add_route(route); !done) {
      for (const core::Route* other : added) (void)nets_.del_routes(other->net, other->gateway);
      return done;
    }
    added.push_back(&route);
  }
  return {};
}

bool NodeImpl::is_for_this_node(const conf::RouteItem& route) {
  if (nets_.has_nid(route.gateway)) {
    if (settings_.routes_if_gateway() && !nets_.routing().on) {
      core::Routing routing = nets_.routing();
      routing.on = routing.at_once = true;
      this->route(routing);
    }
    return false;
  }
  if (nets_.has_net(route.net)) return false;
  if (nets_.has_net(route.gateway.net())) return true;
  ++skipped_routes_;
  return false;
}

Result<void> NodeImpl::make(const DelRoutes& change) {
  Result<void> first;
  for (const core::Route& route : change.routes) {
    const auto gone = nets_.del_routes(route.net, route.gateway);
    if (gone || !first) continue;
    const auto known = ask(core::call::Show{.want_nis = false, .peer = route.gateway});
    if (known && known->peers.empty()) continue;
    first = tl::unexpected<Error>(gone.error());
    if (change.routes.size() > 1)
      first.error().reason += ": no route to " + route.net.to_string() + " through " +
                              route.gateway.to_string() + "; the routes that existed are deleted";
  }
  return first;
}

Result<void> NodeImpl::make(const SetRouting& change) {
  core::Routing routing = nets_.routing();
  const core::Routing before = routing;
  for (std::size_t pool = 0; pool < change.buffers.size(); ++pool) {
    if (!change.buffers[pool]) continue;
    const std::int64_t count = *change.buffers[pool];
    if (count < 0 || count > INT32_MAX) return fail(-EINVAL, "must be 0 or more");
    routing.buffers[pool] = static_cast<std::int32_t>(count);
  }
  if (routing != before) route(routing);
  if (!change.on) return {};
  if (*change.on && this->routing().now.state == core::RoutingState::kStopping)
    return fail(-EBUSY, "routing is being turned off");
  if (routing.on == *change.on) return {};
  routing.on = *change.on;
  routing.at_once = false;
  route(routing);
  return {};
}

void NodeImpl::route(const core::Routing& routing) {
  if (routing.on) routing_was_on_.store(true, std::memory_order_relaxed);
  if (const std::string line = settings_.too_many_buffers(routing); !line.empty())
    say(kWarning, line);
  nets_.apply(routing);
}

Result<void> NodeImpl::make(AddFault& change) {
  auto rule = core::settled(change.rule);
  if (!rule) return tl::unexpected<Error>(rule.error());
  if (rule->seed == 0) rule->seed = std::random_device{}();
  if (auto added = command(core::call::FaultAdd{*rule}); !added) return added;
  change.rule = *rule;
  say(kInfo, "fault rule: " + std::string(to_string(rule->kind)) + " " + rule->source.to_string() +
                 " -> " + rule->destination.to_string() + ", seed " + std::to_string(rule->seed));
  return {};
}

Result<void> NodeImpl::make(DelFault& change) {
  return ask(core::call::FaultDel{change.kind, change.source, change.destination})
      .map([&](const auto& call) { change.gone = call.gone; });
}

Result<void> NodeImpl::make(const ResetFaults& change) {
  return command(core::call::FaultReset{change.kind});
}

Result<void> NodeImpl::make(const ResetStats&) { return command(core::call::ResetStats{}); }

Result<void> NodeImpl::set_global(const std::string& name, std::int64_t value) {
  core::Globals globals = settings_.globals();
  if (auto set = conf::set_global(globals, name, value); !set) return set;
  {
    const std::lock_guard brief(settings_lock_);
    settings_.globals() = globals;
  }
  nets_.apply(globals);
  return {};
}

Result<void> NodeImpl::set_param(const std::string& name, const std::string& value) {
  const conf::Param* param = conf::find_param(name);
  if (param == nullptr) return fail(-ENOENT, "no parameter '" + name + "'");
  auto text = conf::check_param(*param, value);
  if (!text) return tl::unexpected<Error>(text.error());
  if (param->start_only)
    return fail(-EBUSY, "parameter " + name + " counts only when the node starts");
  Settings changed = settings_;
  if (auto set = changed.set_param(name, *text); !set) return set;
  if (auto applied = changed.apply_to_globals(*param); !applied) return applied;
  if (auto set = runtime_.set_tunable(name, *text); !set) return set;
  const bool new_globals = changed.globals() != settings_.globals();
  {
    const std::lock_guard brief(settings_lock_);
    settings_ = std::move(changed);
  }
  runtime_.set_long_cycle(settings_.long_cycle());
  runtime_.set_shard_spin(settings_.shard_spin());
  if (name == "memory_budget") runtime_.memory().set(settings_.memory_budget());
  if (new_globals) nets_.apply(settings_.globals());
  core::Routing routing = nets_.routing();
  routing.check_before_use = settings_.routing().check_before_use;
  routing.standard = settings_.routing().standard;
  nets_.apply(routing);
  if (param_watch_) param_watch_(std::string(param->name), *text);
  events_->add({.type = NodeEvent::Type::kConfig, .text = "parameter " + name + " is " + *text});
  if (!param->warning.empty())
    say(kWarning, "parameter " + name + " " + std::string(param->warning));
  return {};
}

Result<void> NodeImpl::check_no_gateway(const Nid& primary, const std::vector<Nid>& nids) {
  if (!nets_.has_routes()) return {};
  std::vector<Nid> all = nids;
  all.push_back(primary);
  if (const auto known = ask(core::call::Show{.want_nis = false, .peer = primary}))
    for (const core::PeerShow& peer : known->peers)
      for (const core::PeerNiShow& ni : peer.nis) all.push_back(ni.nid);
  for (const Nid& nid : all)
    if (nets_.is_gateway(nid)) return fail(-EBUSY, "the peer is the gateway of a route");
  return {};
}

}  // namespace ulnet::node
