// Lists the routes, gateways and router buffers that a shard shows. Source: spec/core-semantics.md
// 16, spec/cli-lnetctl.md 4.3, 4.4, spec/multirail.md 9.3.
#include "lnet/core/flow/show_routing.h"

#include "lnet/core/flow/gateway_news.h"

namespace ulnet::core {

void show_routes(const Step& step, call::ShowRoutes& call) {
  const auto& gateways = step.s.gateways.by_nid;
  for (const auto& [net, routes] : step.config().routes->nets())
    for (const Route& route : routes) {
      RouteRow row{route};
      const auto gateway = gateways.find(route.gateway);
      if (gateway != gateways.end()) {
        const GatewayView view = view_of(step, gateway->second);
        row.trouble = trouble_of(view, net);
        row.multi_hop = is_multi_hop(view, net);
      }
      call.routes.push_back(row);
    }
  for (const auto& [nid, gateway] : gateways)
    call.gateways.push_back(row_of(view_of(step, gateway), step.now));
}

void show_routing(const Step& step, call::ShowRouting& call) {
  call.state = step.s.router.state;
  for (const auto kind : {RouterPools::kTiny, RouterPools::kSmall, RouterPools::kLarge}) {
    const RouterPool& pool = step.s.pools[kind];
    const auto pages = static_cast<std::int32_t>(pool.buffer_bytes() / RouterPools::kPageBytes);
    call.pools.push_back(
        {step.s.index, pages, pool.gate().max(), pool.gate().credits(), pool.gate().min()});
  }
}

}  // namespace ulnet::core
