#include "fgr/existing/difference.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "fgr/check/compare.h"

namespace ulnet::tools::fgr {
namespace {

using Json = nlohmann::ordered_json;
using plan::Actual;
using plan::Planned;

std::string net_line(const plan::NetDifference& net) {
  return fmt::format("net {}{}{}", net.net.to_string(),
                     net.address.empty() ? "" : " " + net.address, net.some ? " (some)" : "");
}

std::string route_line(const plan::RouteDifference& route, int hops, std::uint32_t priority) {
  return fmt::format("route {} by {} hop {}{}", route.net.to_string(), route.gateway.to_string(),
                     hops, priority == 0 ? "" : fmt::format(" priority {}", priority));
}
std::string planned_line(const plan::RouteDifference& route) {
  return route_line(route, route.hops, 0);
}
std::string actual_line(const plan::RouteDifference& route, const Actual& file) {
  const plan::ActualRoute& there = file.routes[*route.at];
  return route_line(route, there.counted_hops(), there.priority);
}

void fill(HostDifference& out, const plan::Difference& difference, const Actual& file) {
  for (const auto& net : difference.missing_nets) out.minus.push_back(net_line(net));
  for (const auto& net : difference.unplanned_nets) out.plus.push_back(net_line(net));
  for (const auto& foreign : difference.foreign_nids)
    out.plus.push_back("nid " + foreign.nid.to_string());
  for (const auto& route : difference.missing_routes) out.minus.push_back(planned_line(route));
  for (const auto& route : difference.unplanned_routes)
    out.plus.push_back(actual_line(route, file));
  for (const auto& route : difference.other_routes) {
    out.minus.push_back(planned_line(route));
    out.plus.push_back(actual_line(route, file));
  }
}

}  // namespace

std::vector<HostDifference> differences(const Planned& planned, const std::vector<Actual>& files) {
  std::map<std::size_t, std::vector<const Actual*>> by_host;
  std::vector<HostDifference> found, unknown;
  for (const Actual& file : files) {
    for (const std::size_t host : file.hosts) by_host[host].push_back(&file);
    if (file.hosts.empty()) unknown.push_back({"", file.file, false, {}, {}});
  }
  for (std::size_t i = 0; i < planned.hosts().size(); ++i) {
    const plan::PlannedHost& host = planned.host(i);
    if (by_host[i].empty()) found.push_back({host.config.host, "", true, {}, {}});
    for (const Actual* const file : by_host[i]) {
      HostDifference each{host.config.host, file->file, true, {}, {}};
      fill(each, plan::compare(planned, *file), *file);
      if (host.router() && file->routing == false) {
        each.minus.emplace_back("routing 1");
        each.plus.emplace_back("routing 0");
      }
      if (!each.minus.empty() || !each.plus.empty()) found.push_back(std::move(each));
    }
  }
  for (HostDifference& file : unknown) found.push_back(std::move(file));
  return found;
}

std::string diff_text(const std::vector<HostDifference>& hosts, const std::string& site,
                      const std::string& folder) {
  if (hosts.empty()) return {};
  std::string text = fmt::format("--- plan of {}\n+++ {}\n", site, folder);
  for (const HostDifference& host : hosts) {
    if (!host.known) {
      text += fmt::format("Only in {}: {} (belongs to no host of the site)\n", folder, host.file);
    } else if (host.file.empty()) {
      text += fmt::format("Only in the plan: {}\n", host.host);
    } else {
      text += fmt::format("@@ {} {} @@\n", host.host, host.file);
      for (const std::string& line : host.minus) text += "-" + line + "\n";
      for (const std::string& line : host.plus) text += "+" + line + "\n";
    }
  }
  return text;
}

std::string diff_json(const std::vector<HostDifference>& hosts) {
  Json list = Json::array();
  for (const HostDifference& host : hosts)
    list.push_back({{"host", host.host},
                    {"file", host.file},
                    {"what", !host.known         ? "unknown host"
                             : host.file.empty() ? "no file"
                                                 : "differs"},
                    {"planned", host.minus},
                    {"actual", host.plus}});
  return Json{{"hosts", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace ulnet::tools::fgr
