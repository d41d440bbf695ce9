#include "fgr/plan/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "fgr/plan/planned.h"
#include "lnet/base/shortest_items.h"
#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Words = std::vector<std::string>;

/// A continued line is broken at a blank after this many columns.
constexpr std::size_t kLineColumns = 90;

/// Returns "[1,2,3]", in the short form "[1-3]"; a single number without brackets. The numbers are
/// in order.
std::string bracket(const Numbers& numbers, ListForm form) {
  if (numbers.size() == 1) return std::to_string(numbers.front());
  return form == ListForm::kShort ? '[' + shortest_items(numbers) + ']'
                                  : fmt::format("[{}]", fmt::join(numbers, ","));
}

void put_in_order(Numbers& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Adds the words of addresses that share their first two numbers. `last` has the last numbers by
/// the third number.
void add_words(Address first_two, const std::map<std::uint32_t, Numbers>& last, ListForm form,
               Words& words) {
  // third numbers, and the text of their last numbers
  std::vector<std::pair<Numbers, std::string>> by_last;
  for (const auto& [third, numbers] : last) {
    const std::string text = bracket(numbers, form);
    const auto same = form == ListForm::kShort
                          ? std::ranges::find(by_last, text, [](const auto& e) { return e.second; })
                          : by_last.end();
    if (same == by_last.end())
      by_last.push_back({{third}, text});
    else
      same->first.push_back(third);
  }
  for (const auto& [third, text] : by_last)
    words.push_back(
        fmt::format("{}.{}.{}.{}", first_two >> 8, first_two & 0xff, bracket(third, form), text));
}

Words address_words(Numbers addresses, ListForm form) {
  put_in_order(addresses);
  std::map<Address, std::map<std::uint32_t, Numbers>> by_first_two;
  for (const Address address : addresses)
    by_first_two[address >> 16][address >> 8 & 0xff].push_back(address & 0xff);
  Words words;
  for (const auto& [first_two, last] : by_first_two) add_words(first_two, last, form, words);
  return words;
}

/// Returns the words for gateways on a net of this type: "[68,90]", or "10.10.100.[103,104]".
Words gateway_words(Numbers addresses, NetType type, ListForm form) {
  if (wire::text::name_of(type)->form != wire::text::Form::kNumber)
    return address_words(std::move(addresses), form);
  put_in_order(addresses);
  return {bracket(addresses, form)};
}

/// Returns "o2ib[6002,6004]"; for one net its name.
std::string net_words(const std::vector<NetId>& nets, ListForm form) {
  if (nets.size() == 1) return nets.front().to_string();
  Numbers numbers;
  for (const NetId net : nets) numbers.push_back(net.num);
  put_in_order(numbers);
  return std::string(wire::text::name_of(nets.front().type)->name) + bracket(numbers, form);
}

/// Nets of one type, and the words of addresses that they share.
struct NetsWith {
  std::vector<NetId> nets;
  Words words;
};
/// Adds a net; in the short form it joins nets with the same words, if there are any.
void add_net(NetId net, Words words, ListForm form, std::vector<NetsWith>& all) {
  if (form == ListForm::kShort)
    for (NetsWith& each : all)
      if (each.nets.front().type == net.type && each.words == words) {
        each.nets.push_back(net);
        return;
      }
  all.push_back({{net}, std::move(words)});
}

/// Makes "68@gni1" from each word.
Words on_net(const Words& words, const std::string& net) {
  Words on;
  for (const std::string& word : words) on.push_back(word + '@' + net);
  return on;
}

std::string route_entry(const std::string& net, int hops, const Words& gateways) {
  return fmt::format("{} {} {}", net, hops, fmt::join(gateways, " "));
}

/// Returns the address at index `place` of Router::addresses for each of the group's routers that
/// has one there.
Numbers addresses_at(const ClientSystem& clients, const std::vector<std::size_t>& routers,
                     std::size_t place) {
  Numbers addresses;
  for (const std::size_t router : routers)
    if (const auto& own = clients.routers[router].addresses; place < own.size())
      addresses.push_back(own[place]);
  return addresses;
}

/// Adds all addresses of the group's routers on the servers' fabric to `addresses`.
void add_addresses(const ClientSystem& clients, const std::vector<std::size_t>& routers,
                   Numbers& addresses) {
  for (const std::size_t router : routers)
    addresses.insert(addresses.end(), clients.routers[router].addresses.begin(),
                     clients.routers[router].addresses.end());
}

/// Returns the routes of clients, and of routers, to each group's net, with all primary ones first.
Words routes_to_servers(const Plan& plan, std::size_t client, ListForm form) {
  const ClientSystem& clients = plan.site.clients[client];
  Words routes;
  for (const int hops : kHops) {
    std::vector<NetsWith> all;
    for (const Group& group : plan.groups) {
      Numbers nids;
      for (const std::size_t router : group.routers[client].of(hops))
        nids.push_back(clients.routers[router].client_nid.address4());
      if (!nids.empty())
        add_net(group.net, gateway_words(std::move(nids), clients.net.type, form), form, all);
    }
    for (const NetsWith& each : all)
      routes.push_back(route_entry(net_words(each.nets, form), hops,
                                   on_net(each.words, clients.net.to_string())));
  }
  return routes;
}

/// Returns the routes of the servers of a file system: from each group back through the group's
/// routers.
Words routes_to_clients(const Plan& plan, std::size_t file_system, ListForm form) {
  Words routes;
  for (std::size_t client = 0; client < plan.site.clients.size(); ++client) {
    const ClientSystem& clients = plan.site.clients[client];
    for (const int hops : kHops) {
      std::vector<NetsWith> all;
      for (const Group& group : plan.groups) {
        if (group.file_system != file_system) continue;
        Numbers addresses;
        add_addresses(clients, group.routers[client].of(hops), addresses);
        if (!addresses.empty())
          add_net(group.net, gateway_words(std::move(addresses), group.net.type, form), form, all);
      }
      Words gateways;
      for (const NetsWith& each : all) {
        const Words some = on_net(each.words, net_words(each.nets, form));
        if (form == ListForm::kWrittenOut)
          routes.push_back(route_entry(clients.net.to_string(), hops, some));
        else
          gateways.insert(gateways.end(), some.begin(), some.end());
      }
      if (!gateways.empty()) routes.push_back(route_entry(clients.net.to_string(), hops, gateways));
    }
  }
  return routes;
}

/// The rules of ip2nets. A host is on the nets of all rules that match it, in their order.
class Rules {
 public:
  explicit Rules(ListForm form) : form_(form) {}

  void add(const std::string& net, const std::string& patterns) {
    rules_.push_back({net, patterns});
  }

  /// In the short form the net joins the rule that has the same addresses. The net does not join if
  /// a later rule also has one of the addresses, because that would change the order of nets at the
  /// address's host.
  void add(NetId net, const Numbers& addresses) {
    const std::string patterns = words_of(addresses, form_);
    std::size_t latest = 0;  // the latest rule that has one of the addresses, counted from 1
    for (const Address address : addresses) latest = std::max(latest, latest_[address]);
    if (form_ == ListForm::kShort && latest != 0 && rules_[latest - 1].second == patterns) {
      rules_[latest - 1].first += ',' + net.to_string();
      return;
    }
    rules_.emplace_back(net.to_string(), patterns);
    for (const Address address : addresses) latest_[address] = rules_.size();
  }

  Words entries() const {
    Words entries;
    for (const auto& [nets, patterns] : rules_) entries.push_back(nets + ' ' + patterns);
    return entries;
  }

 private:
  ListForm form_;
  std::vector<std::pair<std::string, std::string>> rules_;  // nets, and patterns of addresses
  std::map<Address, std::size_t> latest_;  // by address: the latest rule that has it, from 1
};

/// Adds the rule for routers on their clients' net: the addresses in their NIDs, which the pattern
/// of the clients need not match. If NIDs are numbers, ip2nets can only use the pattern.
void add_own_net(const ClientSystem& clients, Rules& rules) {
  if (is_numbered(clients.net)) return rules.add(clients.net.to_string(), clients.addresses);
  Numbers addresses;
  for (const Router& router : clients.routers) addresses.push_back(router.client_nid.address4());
  rules.add(clients.net, addresses);
}

/// Returns a long entry in several lines. modprobe joins lines without a separator.
std::string in_lines(std::string_view entry) {
  std::string lines;
  while (entry.size() > kLineColumns) {
    const std::size_t blank = entry.find(' ', kLineColumns);
    if (blank == std::string_view::npos) break;
    lines += std::string(entry.substr(0, blank + 1)) + "\\\n";
    entry.remove_prefix(blank + 1);
  }
  return lines + std::string(entry);
}

ModuleParameter parameter(const std::string& name, const Words& entries, ListForm form) {
  const std::string head = "options lnet " + name + "=\"";
  if (form == ListForm::kShort) {
    Words lines;
    for (const std::string& entry : entries) lines.push_back(in_lines(entry));
    return {name, head + fmt::format("{}", fmt::join(lines, ";\\\n")) + "\"\n",
            fmt::format("{}", fmt::join(entries, ";")).size()};
  }
  // As in the document's listing: ten columns left of the first entry.
  const std::string blanks(head.size() - 10, ' ');
  return {name, head + fmt::format("{}", fmt::join(entries, ";\\\n" + blanks)) + "\"\n",
          fmt::format("{}", fmt::join(entries, ";" + blanks)).size()};
}

ModuleOptions options(const Words& nets, const Words& routes, ListForm form) {
  ModuleOptions made{{parameter("ip2nets", nets, form)}};
  if (!routes.empty()) made.parameters.push_back(parameter("routes", routes, form));
  return made;
}

}  // namespace

std::string words_of(std::vector<Address> addresses, ListForm form) {
  return fmt::format("{}", fmt::join(address_words(std::move(addresses), form), " "));
}

std::string ModuleOptions::text() const {
  std::string text;
  for (const ModuleParameter& each : parameters) text += each.line;
  return text;
}

const ModuleParameter* ModuleOptions::too_long(std::size_t most) const {
  const auto found = std::ranges::find_if(
      parameters, [most](const ModuleParameter& each) { return each.bytes > most; });
  return found == parameters.end() ? nullptr : &*found;
}

ModuleOptions router_options(const Plan& plan, std::size_t client, ListForm form) {
  const ClientSystem& clients = plan.site.clients[client];
  Rules rules(form);
  add_own_net(clients, rules);
  for (const Group& group : plan.groups) {
    const auto& [primary, secondary] = group.routers[client];
    std::vector<std::size_t> routers = primary;
    routers.insert(routers.end(), secondary.begin(), secondary.end());
    // A rule takes one interface of a host, so a router with two addresses needs a second rule.
    for (std::size_t place = 0;; ++place) {
      const Numbers addresses = addresses_at(clients, routers, place);
      if (addresses.empty()) break;
      rules.add(group.net, addresses);
    }
  }
  return options(rules.entries(), routes_to_servers(plan, client, form), form);
}

ModuleOptions client_options(const Plan& plan, std::size_t client, ListForm form) {
  const ClientSystem& clients = plan.site.clients[client];
  Rules rules(form);
  rules.add(clients.net.to_string(), clients.addresses);
  return options(rules.entries(), routes_to_servers(plan, client, form), form);
}

ModuleOptions server_options(const Plan& plan, std::size_t file_system, ListForm form) {
  const FileSystem& system = plan.site.file_systems[file_system];
  Rules rules(form);
  for (const Group& group : plan.groups) {
    if (group.file_system != file_system) continue;
    Numbers addresses;
    for (const std::size_t server : group.servers)
      addresses.push_back(system.servers[server].address);
    rules.add(group.net, addresses);
  }
  if (system.among_servers) {
    Numbers addresses;
    for (const Server& server : system.servers) addresses.push_back(server.address);
    rules.add(*system.among_servers, addresses);
  }
  return options(rules.entries(), routes_to_clients(plan, file_system, form), form);
}

ModuleOptions options_of(const Plan& plan, HostConfig::Kind kind, std::size_t system,
                         ListForm form) {
  switch (kind) {
    case HostConfig::Kind::kClients:
      return client_options(plan, system, form);
    case HostConfig::Kind::kRouter:
      return router_options(plan, system, form);
    case HostConfig::Kind::kServer:
      return server_options(plan, system, form);
  }
  return {};
}

}  // namespace ulnet::plan
