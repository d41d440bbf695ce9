#include "lnet/config/routes.h"

#include <limits>
#include <set>
#include <string>
#include <utility>

#include "lnet/base/text.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::conf {

namespace {

Result<std::vector<NetId>> expand_nets(std::string_view word) {
  const auto pattern = wire::NetPattern::parse(word);
  if (!pattern || pattern->is_all()) return fail(-ENOENT, "cannot parse net " + text::quoted(word));
  if (pattern->type() == NetType::kLo) return fail(-EACCES, "setting @lo not allowed");
  auto nets = pattern->expand(kRoutesMax);
  if (!nets)
    return fail(nets.error().code, "net " + text::quoted(word) + ": " + nets.error().reason);
  return nets;
}

}  // namespace

Result<std::int32_t> check_hops(std::int64_t hops) {
  if (hops == -1 || (hops >= 1 && hops <= 255)) return static_cast<std::int32_t>(hops);
  return fail(-EINVAL, "invalid hop count must be between 1 and 255");
}

Result<std::uint32_t> check_priority(std::int64_t priority) {
  if (priority >= 0 && priority <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::uint32_t>(priority);
  return fail(-EINVAL, "invalid priority " + std::to_string(priority) + ", must be 0 or more");
}

Result<RouteEnds> expand_ends(std::string_view net, std::string_view gateways) {
  auto nets = expand_nets(net);
  if (!nets) return tl::unexpected(nets.error());
  auto nids = wire::expand_nids(gateways, kRoutesMax);
  if (!nids) {
    const Error& error = nids.error();
    const bool unreadable = error.code == -EINVAL && gateways != "0@lo";
    return fail(unreadable ? -ENODEV : error.code, "gateway " + error.reason);
  }
  if (nets->size() * nids->size() > kRoutesMax) return fail(-E2BIG, kTooManyRoutes);
  return RouteEnds{*std::move(nets), *std::move(nids)};
}

void append_routes(std::vector<RouteItem>& routes, const RouteEnds& ends, std::int32_t hops,
                   std::uint32_t priority, bool shared) {
  for (const NetId& net : ends.nets)
    for (const Nid& gateway : ends.gateways)
      routes.push_back({{net, gateway, hops, priority}, shared});
}

Parsed<std::vector<RouteItem>> routes_of(const PlainText& in, std::span<const RouteRule> rules) {
  std::vector<RouteItem> all;
  for (const RouteRule& rule : rules) {
    for (const std::string_view net : rule.nets) {
      for (const std::string_view gateway : rule.gateways) {
        const auto ends = expand_ends(net, gateway);
        if (!ends) return in.wrong(net, ends.error().reason, ends.error().code);
        if (all.size() + ends->nets.size() * ends->gateways.size() > kRoutesMax)
          return in.wrong(net, kTooManyRoutes, -E2BIG);
        append_routes(all, *ends, rule.hop ? static_cast<std::int32_t>(*rule.hop) : -1,
                      rule.priority.value_or(0), true);
      }
    }
  }
  std::set<std::pair<NetId, Nid>> seen;
  std::erase_if(
      all, [&](const RouteItem& route) { return !seen.emplace(route.net, route.gateway).second; });
  return all;
}

Result<std::vector<RouteItem>> routes_of_param(std::string_view text) {
  const PlainText in(text);
  const auto rules = read_routes(in, in.text());
  auto routes = rules ? routes_of(in, *rules) : tl::unexpected(rules.error());
  if (routes) return *std::move(routes);
  const Problem& problem = routes.error();
  return fail(problem.code, "routes: " + to_string(problem));
}

}  // namespace ulnet::conf
