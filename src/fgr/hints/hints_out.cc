#include "fgr/hints/hints_out.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "fgr/log/log_explanation.h"
#include "lnet/base/shortest_items.h"
#include "lnet/base/text_table.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::vector<std::uint32_t> osts_of(const plan::GroupHint& hint) {
  std::vector<std::uint32_t> osts;
  for (const plan::OssHint& oss : hint.osss)
    osts.insert(osts.end(), oss.osts.begin(), oss.osts.end());
  return osts;
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string oss_table(const plan::Plan& plan, const Hints& hints) {
  const plan::FileSystem& system = plan.site.file_systems[hints.file_system];
  Rows rows = {{"OSTs", "OSS", "rack", "group", "net", "switch"}};
  for (const plan::GroupHint& hint : hints.groups) {
    const plan::Group& group = plan.groups[hint.group];
    for (const plan::OssHint& oss : hint.osss) {
      const plan::Server& server = system.servers[oss.server];
      rows.push_back({or_dash(shortest_items(oss.osts)), server.host, or_dash(server.rack),
                      plan.name_of(group), group.net.to_string(), or_dash(server.at_switch)});
    }
  }
  std::string text = text::text_table(rows);
  if (system.osts_per_oss == 0)
    text += fmt::format("The OSTs of {} are not known: the site file may say 'OSTs per OSS'.\n",
                        system.name);
  return text;
}

std::string router_table(const plan::Plan& plan, const Hints& hints) {
  Rows rows = {{"group", "clients", "hop count", "router", "at", "NID", "switch", "OSTs"}};
  for (const plan::GroupHint& hint : hints.groups)
    for (const std::size_t client : hints.clients)
      for (const int hops : plan::kHops)
        for (const std::size_t each : plan.groups[hint.group].routers[client].of(hops)) {
          const plan::Router& router = plan.site.clients[client].routers[each];
          rows.push_back({plan.name_of(plan.groups[hint.group]), plan.site.clients[client].name,
                          std::to_string(hops), router.host, or_dash(router.physical),
                          router.client_nid.to_string(), or_dash(router.at_switch),
                          or_dash(shortest_items(osts_of(hint)))});
        }
  return "\n" + text::text_table(rows);
}

std::string ranking_table(const plan::Plan& plan, const RankedHints& ranked) {
  std::string text = fmt::format(
      "\nNodes by their mean distance to {} of {}, of {}\n"
      "mean, nearest and farthest are {}; in the mean each router counts as its share of "
      "the load\n",
      text::counted(ranked.loads.size(), "primary router"), plan.site.clients[ranked.client].name,
      text::counted(ranked.candidates.size(), "candidate"),
      ranked.map.is_torus() ? "hops, the shorter way around in each dimension"
                            : "hops, or sums of the weights of links");
  Rows rows = {{"rank", "node", "mean", "nearest", "farthest"}};
  for (const plan::RankedNode& node : ranked.ranking.nodes)
    rows.push_back({std::to_string(rows.size()), ranked.map.names()[node.node],
                    fmt::format("{:.3f}", node.mean), std::to_string(node.nearest),
                    std::to_string(node.farthest)});
  text += text::text_table(rows);
  if (ranked.ranking.cut_off > 0)
    text += fmt::format("{} candidate{} no way to some of the routers\n", ranked.ranking.cut_off,
                        ranked.ranking.cut_off == 1 ? " has" : "s have");
  return text;
}

/// Returns "x+", "x-", "y+", …; from the fourth dimension on "4+".
std::string link_name(std::size_t link) {
  constexpr std::string_view kNames = "xyz";
  const std::size_t dimension = link / 2;
  const std::string name =
      dimension < kNames.size() ? std::string(1, kNames[dimension]) : std::to_string(dimension + 1);
  return name + (link % 2 == 0 ? '+' : '-');
}

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

Json routers_json(const plan::ClientSystem& clients, const std::vector<std::size_t>& routers) {
  Json list = Json::array();
  for (const std::size_t each : routers) {
    const plan::Router& router = clients.routers[each];
    list.push_back({{"host", router.host},
                    {"at", router.physical},
                    {"nid", router.client_nid.to_string()},
                    {"switch", router.at_switch}});
  }
  return list;
}

Json group_json(const plan::Plan& plan, const Hints& hints, const plan::GroupHint& hint) {
  const plan::Group& group = plan.groups[hint.group];
  Json json = {{"group", plan.name_of(plan.groups[hint.group])},
               {"net", group.net.to_string()},
               {"switch", group.at_switch},
               {"load", hint.load},
               {"osss", Json::array()},
               {"clients", Json::array()}};
  for (const plan::OssHint& oss : hint.osss) {
    const plan::Server& server = plan.site.file_systems[hints.file_system].servers[oss.server];
    json["osss"].push_back({{"host", server.host},
                            {"rack", server.rack},
                            {"switch", server.at_switch},
                            {"osts", oss.osts}});
  }
  for (const std::size_t client : hints.clients) {
    const plan::ClientSystem& clients = plan.site.clients[client];
    json["clients"].push_back(
        {{"system", clients.name},
         {"primary", routers_json(clients, group.routers[client].primary)},
         {"secondary", routers_json(clients, group.routers[client].secondary)}});
  }
  return json;
}

Json ranking_json(const plan::Plan& plan, const RankedHints& ranked) {
  const plan::ClientSystem& clients = plan.site.clients[ranked.client];
  Json json = {{"clients", clients.name},
               {"candidates", ranked.candidates.size()},
               {"cut_off", ranked.ranking.cut_off},
               {"routers", Json::array()},
               {"nodes", Json::array()}};
  for (const plan::RouterLinks& links : ranked.links) {
    Json one = {{"routers", Json::array()}, {"place", links.place}, {"share", links.share}};
    for (const std::size_t router : links.routers)
      one["routers"].push_back(clients.routers[router].host);
    for (std::size_t link = 0; link < links.loads.size(); ++link)
      one["loads"][link_name(link)] = links.loads[link];
    json["links"].push_back(std::move(one));
  }
  for (const plan::RouterLoad& load : ranked.loads)
    json["routers"].push_back({{"host", clients.routers[load.router].host}, {"share", load.share}});
  for (const plan::RankedNode& node : ranked.ranking.nodes)
    json["nodes"].push_back({{"node", ranked.map.names()[node.node]},
                             {"mean", node.mean},
                             {"nearest", node.nearest},
                             {"farthest", node.farthest}});
  return json;
}

}  // namespace

std::string links_table(const plan::Plan& plan, const RankedHints& ranked) {
  Rows rows = {{"routers", "at", "share"}};
  for (std::size_t link = 0; link < 2 * ranked.map.sizes().size(); ++link)
    rows[0].push_back(link_name(link));
  for (const plan::RouterLinks& links : ranked.links) {
    std::vector<std::string> hosts;
    for (const std::size_t router : links.routers)
      hosts.push_back(plan.site.clients[ranked.client].routers[router].host);
    rows.push_back({fmt::format("{}", fmt::join(hosts, ", ")),
                    fmt::format("{}", fmt::join(links.place, " ")), percent(links.share)});
    for (const double load : links.loads) rows.back().push_back(percent(load));
  }
  return text::text_table(rows);
}

std::string hints_text(const plan::Plan& plan, const Hints& hints) {
  std::string text = oss_table(plan, hints) + router_table(plan, hints);
  if (!hints.ranked) return text;
  text += ranking_table(plan, *hints.ranked);
  if (!hints.ranked->links.empty())
    text +=
        "\n"
        "Links at the routers' places: the share of the writes that goes over each link, in either "
        "direction,\n"
        "when these nodes write equally much; messages go dimension by dimension\n" +
        links_table(plan, *hints.ranked);
  return text;
}

nlohmann::ordered_json hints_json(const plan::Plan& plan, const Hints& hints) {
  const plan::FileSystem& system = plan.site.file_systems[hints.file_system];
  Json json = {{"file_system", system.name}, {"groups", Json::array()}};
  if (system.osts_per_oss > 0) json["osts_per_oss"] = system.osts_per_oss;
  for (const plan::GroupHint& hint : hints.groups)
    json["groups"].push_back(group_json(plan, hints, hint));
  if (hints.ranked) json["ranking"] = ranking_json(plan, *hints.ranked);
  return json;
}

}  // namespace ulnet::tools::fgr
