#include "admin/conf/unsupported.h"

#include <algorithm>

#include "admin/conf/route_entry.h"

namespace ulnet::conf {

namespace {

void note(LeftOut& left, NetId net, Place place) {
  const auto same = [&](const auto& known) { return known.first == net; };
  if (std::ranges::none_of(left.nets, same)) left.nets.emplace_back(net, place);
}

bool leads_nowhere(const RouteEntry& entry, HasDriver has_driver) {
  const auto routes = routes_of(entry);
  return routes && !routes->empty() && std::ranges::none_of(*routes, [&](const RouteItem& route) {
           return has_driver(route.gateway.net().type);
         });
}

}  // namespace

std::string LeftOut::to_string() const {
  std::string text;
  for (const auto& [net, place] : nets) text += (text.empty() ? "" : ", ") + net.to_string();
  if (!text.empty()) text = "nets whose type is not built in (" + text + ")";
  if (routes == 0) return text;
  return text + (text.empty() ? "" : ", ") + std::to_string(routes) +
         (routes == 1 ? " route" : " routes") + " through gateways on such nets";
}

std::optional<bool> skips_unsupported(const Document& document) {
  for (const Item& item : document.items)
    if (const auto* daemon = std::get_if<DaemonEntry>(&item.what);
        daemon != nullptr && daemon->settings.skip_unsupported)
      return daemon->settings.skip_unsupported;
  return std::nullopt;
}

LeftOut leave_out_unsupported(Document& document, HasDriver has_driver) {
  LeftOut left;
  std::erase_if(document.items, [&](Item& item) {
    if (const auto* net = std::get_if<NetEntry>(&item.what)) {
      if (has_driver(net->item.net.type)) return false;
      note(left, net->item.net, item.place);
      return true;
    }
    if (auto* rules = std::get_if<Ip2NetsEntry>(&item.what)) {
      std::erase_if(rules->rules, [&](const Ip2NetsRule& rule) {
        if (has_driver(rule.net.type)) return false;
        note(left, rule.net, rule.place);
        return true;
      });
      return rules->rules.empty();
    }
    const auto* route = std::get_if<RouteEntry>(&item.what);
    if (route == nullptr || !leads_nowhere(*route, has_driver)) return false;
    ++left.routes;
    return true;
  });
  return left;
}

LeftOut leave_out_unsupported(std::vector<NetItem>& nets, std::vector<RouteItem>& routes,
                              HasDriver has_driver) {
  LeftOut left;
  std::erase_if(nets, [&](const NetItem& net) {
    if (has_driver(net.net.type)) return false;
    note(left, net.net, {});
    return true;
  });
  left.routes = std::erase_if(
      routes, [&](const RouteItem& route) { return !has_driver(route.gateway.net().type); });
  return left;
}

}  // namespace ulnet::conf
