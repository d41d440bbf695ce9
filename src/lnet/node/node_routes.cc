// Routes of a node, and the node as a router. Source: spec/multirail.md 9.1, 9.2, 9.4.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "lnet/node/node_impl.h"

namespace ulnet::node {

Result<void> NodeImpl::route_add(const core::Route& route) {
  return configure([&] { return nets_.add_route(route); });
}

Result<void> NodeImpl::route_del(std::optional<NetId> net, const std::optional<Nid>& gateway) {
  return configure([&]() -> Result<void> {
    const auto gone = nets_.del_routes(net, gateway);
    if (gone) return {};
    if (gateway) {
      auto known = ask(core::call::Show{.want_nis = false, .peer = *gateway});
      if (known && known->peers.empty()) return {};
    }
    return tl::unexpected<Error>(gone.error());
  });
}

std::vector<Result<void>> NodeImpl::add_routes(const std::vector<conf::RouteItem>& routes) {
  std::vector<Result<void>> results;
  const auto all = configure([&]() -> Result<void> {
    bool is_gateway = false;
    std::size_t elsewhere = 0;  // the number of routes whose gateways are on no net of this node
    nets_.together([&] {
      for (const conf::RouteItem& route : routes) {
        const bool by_me = route.shared && nets_.has_nid(route.gateway);
        const bool to_me = route.shared && nets_.has_net(route.net);
        const bool by_others = route.shared && !nets_.has_net(route.gateway.net());
        is_gateway |= by_me;
        elsewhere += by_others ? 1 : 0;
        if (by_me || to_me || by_others)
          results.emplace_back();
        else
          results.push_back(
              nets_.add_route({route.net, route.gateway, route.hops, route.priority}));
      }
      if (is_gateway && settings_.routes_if_gateway() && !nets_.routing().on) {
        core::Routing routing = nets_.routing();
        routing.on = routing.at_once = true;
        this->route(routing);
      }
    });
    if (elsewhere > 0)
      say(kInfo, "routes=: ignored " + std::to_string(elsewhere) +
                     " routes whose gateways are on no net of this node");
    return {};
  });
  if (!all) results.assign(routes.size(), all);
  return results;
}

Result<void> NodeImpl::set_routing(bool on) {
  return configure([&]() -> Result<void> {
    const bool stopping = on && routing().now.state == core::RoutingState::kStopping;
    if (stopping) return fail(-EBUSY, "routing is being turned off");
    core::Routing routing = nets_.routing();
    if (routing.on == on) return {};
    routing.on = on;
    routing.at_once = false;
    route(routing);
    return {};
  });
}

Result<void> NodeImpl::set_buffers(const std::array<std::optional<std::int32_t>, 3>& buffers) {
  return configure([&]() -> Result<void> {
    core::Routing routing = nets_.routing();
    for (std::size_t pool = 0; pool < buffers.size(); ++pool) {
      if (buffers[pool].value_or(0) < 0) return fail(-EINVAL, "must be 0 or more");
      routing.buffers[pool] = buffers[pool].value_or(routing.buffers[pool]);
    }
    route(routing);
    return {};
  });
}

void NodeImpl::route(const core::Routing& routing) {
  if (routing.on) routing_was_on_.store(true, std::memory_order_relaxed);
  if (const std::string line = settings_.too_many_buffers(routing); !line.empty())
    say(kWarning, line);
  nets_.apply(routing);
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

core::call::ShowRoutes NodeImpl::routes() {
  const OuterLoop::Call in_call;
  return ask(core::call::ShowRoutes{}).value_or(core::call::ShowRoutes{});
}

std::string NodeImpl::explain_routes(const Nid& target, int status) {
  const NetId net = target.net();
  for (const Nets::Row& row : nets_.rows())
    if (row.show.net == net) return {};
  const std::vector<core::RouteRow> all = routes().routes;
  const auto leads_there = [&](const core::RouteRow& row) { return row.route.net == net; };
  const auto is_used = [&](const core::RouteRow& row) { return leads_there(row) && row.up(); };
  const bool any_up = std::ranges::any_of(all, is_used);
  if (status == -ETIMEDOUT && any_up)
    return "no answer from " + target.to_string() +
           ", which is behind routers: 'trace' shows which routers answer";
  if (status != -EHOSTUNREACH || any_up) return {};
  for (const core::RouteRow& row : all)
    if (leads_there(row))
      return "no route to " + net.to_string() + " is up: " + row.route.gateway.to_string() + ": " +
             core::to_string(row.trouble);
  return "this node has no net " + net.to_string() + ", and no route to it";
}

node::Node::RoutingShow NodeImpl::routing() {
  const OuterLoop::Call in_call;
  RoutingShow shown;
  shown.now = ask(core::call::ShowRouting{}).value_or(core::call::ShowRouting{});
  shown.wanted = nets_.routing();
  shown.was_on = routing_was_on_.load(std::memory_order_relaxed);
  return shown;
}

bool first_checks_are_over(Node& node) {
  if (!node.routing().wanted.check_before_use) return true;
  return std::ranges::none_of(node.routes().routes, [](const core::RouteRow& row) {
    return row.trouble == core::RouteTrouble::kUntried;
  });
}

namespace {

/// Lets the node run for this time.
void run_node_for(Node& node, Mode mode, std::chrono::nanoseconds time) {
  if (mode != Mode::kInline) return std::this_thread::sleep_for(time);
  const auto end = std::chrono::steady_clock::now() + time;
  for (; time.count() > 0; time = end - std::chrono::steady_clock::now()) node.progress(time);
}

}  // namespace

void wait_for_first_checks(Node& node, Mode mode, const std::function<bool()>& gives_up) {
  // A gateway that is up answers soon, so the first pauses are short.
  std::chrono::milliseconds time(2);
  // Each first check ends by its own deadline, so this loop ends too.
  while (!first_checks_are_over(node)) {
    if (gives_up && gives_up()) return;
    run_node_for(node, mode, time);
    time = std::min(2 * time, kUntilFirstChecksAreAskedFor);
  }
}

}  // namespace ulnet::node
