// Routes as items: one net through one gateway each. In texts and YAML patterns may name several.
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

// The checks of routes that all commands and files share, with lnetctl's errno.
/// Hops as a user writes them: 1 to 255, or -1 for "not given"; else -EINVAL.
Result<std::int32_t> check_hops(std::int64_t hops);
/// 0 or more, 0 is preferred to all others; else -EINVAL.
Result<std::uint32_t> check_priority(std::int64_t priority);

/// The nets and gateways of a route: each gateway leads to each net.
struct RouteEnds {
  std::vector<NetId> nets;
  std::vector<Nid> gateways;
};
/// Reads both words, which may be patterns; `gateways` may be a list. Errors of `net`: -EACCES for
/// the loopback net, -ENOENT for a word that is no net; of `gateways`: -ENODEV. -E2BIG: more than
/// kRoutesMax routes.
Result<RouteEnds> expand_ends(std::string_view net, std::string_view gateways);

/// Appends a route for each net through each gateway, nets slowest. `shared`: RouteItem::shared.
void append_routes(std::vector<RouteItem>& routes, const RouteEnds& ends, std::int32_t hops,
                   std::uint32_t priority, bool shared = false);
/// The routes of the rules of `routes=`, without duplicates: the first one counts. A Problem of a
/// rule is placed at its first net.
Parsed<std::vector<RouteItem>> routes_of(const PlainText& in, std::span<const RouteRule> rules);
/// The same for the text of the module parameter; the reason has line and column.
Result<std::vector<RouteItem>> routes_of_param(std::string_view text);

}  // namespace ulnet::conf
