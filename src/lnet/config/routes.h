// Routes as items: one net through one gateway each. Texts and YAML may name several by patterns.
// Source: spec/cli-lnetctl.md 3.6, 5.2, 9.2.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lnet/config/model.h"
#include "lnet/config/routes_text.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

// What every way to configure a route takes and refuses, with lnetctl's errno.
/// Hops as a user writes them: 1 to 255, or -1, which is "not given"; else -EINVAL.
Result<std::int32_t> check_hops(std::int64_t hops);
/// 0, which is preferred to all others, and more; else -EINVAL.
Result<std::uint32_t> check_priority(std::int64_t priority);

/// The nets and gateways of a route, of which each gateway leads to each net.
struct RouteEnds {
  std::vector<NetId> nets;
  std::vector<Nid> gateways;
};
/// Reads both words, which may be patterns; of gateways there may be a list. Errors: net: -EACCES
/// the loopback net, -ENOENT what is no net; gateways: -ENODEV. -E2BIG: more than kRoutesMax
/// routes.
Result<RouteEnds> expand_ends(std::string_view net, std::string_view gateways);

/// Appends a route for each net through each gateway, nets slowest. `shared`: RouteItem::shared.
void append_routes(std::vector<RouteItem>& routes, const RouteEnds& ends, std::int32_t hops,
                   std::uint32_t priority, bool shared = false);
/// The routes of the rules of `routes=`, each once: of a route that is there twice the first
/// counts. The problem of a rule at its first net.
Parsed<std::vector<RouteItem>> routes_of(const PlainText& in, std::span<const RouteRule> rules);
/// The same of the text of the module parameter; the reason says line and column.
Result<std::vector<RouteItem>> routes_of_param(std::string_view text);

}  // namespace ulnet::conf
