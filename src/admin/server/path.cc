// /v1/path: which path a message would take, and why. Source: spec/multirail.md 3.
#include <charconv>
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "admin/server/handlers.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {

namespace {

using core::Candidate;

/// Returns -1 if no policy gives a priority, as other answers of the control API do.
std::int64_t shown(std::uint32_t priority) { return static_cast<std::int32_t>(priority); }

/// Describes a route that is up.
Json route_of(const Candidate& one) {
  Json tree = {{"gateway", one.nid.to_string()}, {"chosen", one.chosen}};
  if (!one.chosen) tree["lost by"] = to_string(one.lost_by);
  tree["preferred"] = one.preferred;
  tree["priority"] = one.priority;
  tree["hop"] = one.hops;
  tree["health value"] = one.health;
  tree["queued"] = one.queued;
  tree["credits"] = one.credits;
  tree["turn"] = one.turn;
  return tree;
}

Json tree_of(const Candidate& one) {
  if (one.kind == Candidate::Kind::kRoute) return route_of(one);
  const bool net = one.kind == Candidate::Kind::kNet;
  Json tree = net ? Json{{"net", one.net.to_string()}} : Json{{"nid", one.nid.to_string()}};
  tree["chosen"] = one.chosen;
  if (!one.chosen) tree["lost by"] = to_string(one.lost_by);
  if (one.kind == Candidate::Kind::kNi) tree["fatal_error"] = one.fatal ? 1 : 0;
  tree["health value"] = one.health;
  tree["priority"] = shown(one.priority);
  if (net) {
    tree["local health value"] = one.net_health;
    tree["local priority"] = shown(one.net_priority);
  }
  if (one.kind == Candidate::Kind::kNi && one.distance != 0) tree["distance"] = one.distance;
  if (one.kind == Candidate::Kind::kPeerNi) tree["preferred"] = one.preferred;
  if (!net) tree["credits"] = one.credits;
  tree["turn"] = one.turn;
  if (net) tree["local turn"] = one.net_turn;
  return tree;
}

Json candidates(const PathShow& path, Candidate::Kind kind) {
  Json list = Json::array();
  for (const Candidate& one : path.why.candidates)
    if (one.kind == kind) list.push_back(tree_of(one));
  return list;
}

Json tree_of(const PathShow& path) {
  Json tree = {{"to", path.to.to_string()}};
  if (!path.from.is_any()) tree["from"] = path.from.to_string();
  tree["cpt"] = path.shard;
  tree["known"] = path.known;
  tree["multi-rail"] = path.multi_rail;
  tree["waits for discovery"] = path.waits;
  tree["rule"] = path.why.way;
  if (Json routes = candidates(path, Candidate::Kind::kRoute); !routes.empty())
    tree["routes"] = std::move(routes);
  tree["nets"] = candidates(path, Candidate::Kind::kNet);
  tree["local NI(s)"] = candidates(path, Candidate::Kind::kNi);
  tree["peer ni"] = candidates(path, Candidate::Kind::kPeerNi);
  if (path.path_status != 0) {
    tree["errno"] = path.path_status;
    tree["descr"] = path.path_reason;
    return tree;
  }
  if (!path.source.is_any()) tree["source"] = path.source.to_string();
  tree["hop"] = path.hop.to_string();
  return tree;
}

Result<std::optional<std::uint32_t>> read_cpt(const Request& request) {
  if (!request.has_param("cpt")) return std::optional<std::uint32_t>();
  const std::string_view text = request.param("cpt");
  std::uint32_t cpt = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), cpt);
  if (wrong != std::errc() || end != text.data() + text.size())
    return fail(-EINVAL, "'cpt' is the number of a partition");
  return std::optional(cpt);
}

}  // namespace

Reply show_path(Context&, const NodePtr& node, const Request& request) {
  if (!request.has_param("to")) return reply_error(400, -EINVAL, "'to' is missing");
  const auto to = api::read_one_nid(request.param("to"));
  if (!to) return reply_error(to.error());
  Nid from;
  if (request.has_param("from")) {
    const auto nid = api::read_one_nid(request.param("from"));
    if (!nid) return reply_error(nid.error());
    from = *nid;
  }
  const auto cpt = read_cpt(request);
  if (!cpt) return reply_error(cpt.error());
  const auto path = explain_path(*node, *to, from, *cpt);
  if (!path) return reply_error(path.error());
  return reply_tree(Json{{"path", tree_of(*path)}});
}

}  // namespace ulnet::node::control
