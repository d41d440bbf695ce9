#include "fgr/site/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ranges>

#include "fgr/plan/kinds.h"
#include "fgr/plan/options.h"
#include "fgr/plan/planned.h"
#include "lnet/base/printable.h"
#include "lnet/base/text.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::tools::fgr {
namespace {

using plan::ClientSystem;
using plan::FileSystem;
using plan::Router;
using plan::Server;

constexpr std::size_t kMaxHosts = 100'000;  ///< per word
/// hosts per site; as many as the routes that a host can have
constexpr std::size_t kMaxOfSite = 65'536;
constexpr std::uint32_t kMaxSsus = 2000;

/// Returns an address that a host can have: neither in 0.0.0.0/8, nor from 224.0.0.0 on, which are
/// multicast.
std::optional<plan::Address> address_in(const std::string& text) {
  const auto nid = Nid::parse(text + "@tcp");
  if (!nid || !nid->is_small()) return std::nullopt;
  const plan::Address first = nid->address4() >> 24;
  return first == 0 || first >= 224 ? std::nullopt : std::optional(nid->address4());
}
constexpr std::string_view kNoAddress = "is no IPv4 address of a host, as 10.10.100.2";

/// Whether the text is a valid name. Names become names of files, Ansible's hosts, and words in
/// YAML.
bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= kLongest && plain(text.front()) &&
         std::ranges::all_of(text,
                             [&](char c) { return plain(c) || c == '-' || c == '_' || c == '.'; });
}

std::string no_name(std::string_view text) {
  return text::quoted(text) +
         " is no name: up to 128 letters a to z, digits, '-', '_' and '.', the first a letter or "
         "digit";
}

/// Whether the text is a valid name of a place, rack or switch. Such names are for people.
bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 128;
  return text.size() <= kLongest && !text::has_control_characters(text);
}

template <class Value>
std::optional<Value> chosen(text::Fields& fields, std::string_view key,
                            std::initializer_list<std::pair<std::string_view, Value>> choices) {
  const conf::YamlNode* value = fields.take(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string_view> words;
  for (const auto& [word, meaning] : choices) {
    if (value->is_scalar() && value->text == word) return meaning;
    words.push_back(word);
  }
  fields.wrong(*value, fmt::format("'{}' is not one of {}{}", value->shown(),
                                   fmt::join(words, ", "), plan::suggestion(value->text, words)));
  return std::nullopt;
}

}  // namespace

void SiteReading::read(const conf::YamlNode& root) {
  text::Fields fields(root, "a site", mistakes_);
  fields.text("about", site_.about);
  if (const auto* switches = fields.take("switches")) read_switches(*switches);
  const auto* clients = fields.need("clients");
  const auto* systems = fields.need("file systems");
  if (systems != nullptr) {
    if (!systems->is_map())
      wrong(*systems, "a file system is NAME: {...}");
    else
      for (const conf::YamlEntry& entry : systems->entries) read_file_system(entry);
    if (systems->is_map() && systems->entries.empty())
      wrong(*systems, "there are no file systems: NAME: {net: ..., ...}");
  }
  if (clients == nullptr) return;
  if (!clients->is_map()) return wrong(*clients, "a system of clients is NAME: {...}");
  if (clients->entries.empty()) wrong(*clients, "there are no clients: NAME: {net: ..., ...}");
  for (const conf::YamlEntry& entry : clients->entries) read_clients(entry);
  if (systems != nullptr) look_at_file_names(*clients, *systems);
  look_for_clients();
  look_for_nids_on_fabric();
  settle_groups();
}

void SiteReading::read_switches(const conf::YamlNode& switches) {
  if (!switches.is_map()) return wrong(switches, "a switch is NAME: {}");
  for (const conf::YamlEntry& entry : switches.entries) {
    if (!entry.value.is_map()) {
      wrong(entry.value, "a switch is NAME: {}");
      continue;
    }
    text::Fields fields(entry.value, "a switch", mistakes_);
    if (!is_label(entry.key) || entry.key.empty())
      wrong(entry.value, text::quoted(entry.key) + " is no name of a switch");
    if (std::ranges::find(site_.switches, entry.key, &plan::Switch::name) != site_.switches.end())
      wrong(entry.value, "switch " + entry.key + " is there already");
    note_place(entry.value, "switches, " + entry.key);
    plan::Switch made{.name = entry.key};
    if (const conf::YamlNode* guid = fields.take("guid")) {
      made.guid = this->guid(*guid, guid->text);
      const auto same = std::ranges::find(site_.switches, made.guid, &plan::Switch::guid);
      if (made.guid != 0 && same != site_.switches.end())
        wrong(*guid, "another switch has the GUID " + guid->text);
    }
    for (const auto& [key, text] :
         {std::pair("description", &made.description), {"rack", &made.rack}})
      if (fields.text(key, *text) && !is_label(*text))
        wrong(*entry.value.find(key), fmt::format("'{}' is not one line", key));
    site_.switches.push_back(std::move(made));
  }
}

/// Checks that no host has a name that the outputs give to all hosts of a kind. Such a name looks
/// like a host's name in a file's name, and the inventory has the clients of a system as one host.
void SiteReading::look_at_file_names(const conf::YamlNode& clients, const conf::YamlNode& systems) {
  const auto look_at = [&](const conf::YamlEntry& entry, const std::string& name) {
    if (hosts_.contains(name))
      wrong(entry.value, fmt::format("host {} has the name that the outputs give to hosts of {}",
                                     name, entry.key));
  };
  for (const conf::YamlEntry& entry : clients.entries)
    for (const char* before : {"", "clients-", "routers-"}) look_at(entry, before + entry.key);
  for (const conf::YamlEntry& entry : systems.entries) look_at(entry, "servers-" + entry.key);
}

/// Counts the hosts. Returns false if the site has too many, which is reported once.
bool SiteReading::count(const conf::YamlNode& at, std::size_t hosts) {
  const bool was_full = count_ > kMaxOfSite;
  count_ += hosts;
  if (count_ > kMaxOfSite && !was_full)
    wrong(at, fmt::format("more than {} routers and servers: nothing is read from here on",
                          kMaxOfSite));
  return count_ <= kMaxOfSite;
}

std::vector<std::string> SiteReading::words(text::Fields& fields, std::string_view key, bool needed,
                                            std::size_t count) {
  const conf::YamlNode* value = needed ? fields.need(key) : fields.take(key);
  if (value == nullptr) return {};
  if (!value->is_scalar() || value->text.empty()) {
    fields.wrong(*value, fmt::format("'{}' is {}: it is a word, or several as in nid[1-4]", key,
                                     value->is_scalar() ? "empty" : value->shown()));
    return {};
  }
  auto list = expand_word(value->text, kMaxHosts);
  if (!list) {
    fields.wrong(*value, list.error().reason);
    return {};
  }
  const auto odd = std::ranges::find_if_not(*list, key == "host" ? is_name : is_label);
  if (odd != list->end()) {
    fields.wrong(*value, key == "host" ? no_name(*odd) : fmt::format("'{}' is not one line", key));
    return {};
  }
  if (count != 0 && list->size() == 1) list->resize(count, list->front());
  if (count != 0 && list->size() != count) {
    fields.wrong(
        *value, fmt::format("'{}' is {} words for {} hosts: give one for each host, or one for all",
                            value->text, list->size(), count));
    return {};
  }
  return std::move(*list);
}

std::vector<std::vector<plan::Address>> SiteReading::addresses(text::Fields& fields,
                                                               std::size_t count) {
  std::vector<std::vector<plan::Address>> found(count);
  const conf::YamlNode* value = lenient_ ? fields.take("address") : fields.need("address");
  if (value == nullptr) return lenient_ ? found : decltype(found){};
  if (count == 0) return {};  // the mistake in the hosts has been reported
  if (value->as_list().empty()) {
    fields.wrong(*value, "'address' is an empty list");
    return {};
  }
  for (const conf::YamlNode& item : value->as_list()) {
    const auto list = expand_word(item.text, kMaxHosts);
    if (!item.is_scalar() || !list || list->size() != count) {
      wrong(item, !list ? list.error().reason
                        : fmt::format("'{}' is {} address{} for {} host{}", item.shown(),
                                      item.is_scalar() ? std::to_string(list->size()) : "no",
                                      item.is_scalar() && list->size() == 1 ? "" : "es", count,
                                      count == 1 ? "" : "s"));
      return {};
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto address = address_in((*list)[i]);
      if (!address) {
        wrong(item, fmt::format("'{}' {}", (*list)[i], kNoAddress));
        return {};
      }
      found[i].push_back(*address);
    }
  }
  return found;
}

void SiteReading::note_place(const conf::YamlNode& at, const std::string& name) {
  if (places_ != nullptr) places_->insert_or_assign(name, text::place_of(at));
}

void SiteReading::claim(std::set<std::string>& names, const conf::YamlNode& at,
                        const std::string& name, std::string_view what) {
  if (!names.insert(name).second && !lenient_)
    wrong(at, fmt::format("{} {} is there already", what, name));
}

void SiteReading::claim_address(const conf::YamlNode& at, plan::Address address,
                                const std::string& host) {
  const auto [owner, fresh] = address_owners_.emplace(address, host);
  if (owner->second == host && !fresh)
    wrong(at, fmt::format("{} has the address {} twice", host, plan::words_of({address})));
  else if (!fresh && !lenient_)
    wrong(at, fmt::format("{} has the address of {}, {}", host, owner->second,
                          plan::words_of({address})));
}

void SiteReading::read_file_system(const conf::YamlEntry& entry) {
  if (!entry.value.is_map()) return wrong(entry.value, "a file system is NAME: {net: ..., ...}");
  text::Fields fields(entry.value, "a file system", mistakes_);
  FileSystem system{.name = entry.key};
  note_place(entry.value, entry.key);
  if (!file_systems_.emplace(entry.key, site_.file_systems.size()).second)
    wrong(entry.value, "file system " + entry.key + " is there already");
  if (!is_name(entry.key)) wrong(entry.value, no_name(entry.key));
  if (const auto id = net(fields, true)) system.base = *id;
  fields.text("cluster", system.cluster);
  read_bandwidth(fields, plan::oss_kinds(), system.oss_gb_per_s);
  if (const auto layout = chosen<FileSystem::Layout>(fields, "groups by",
                                                     {{"sides", FileSystem::Layout::kSides},
                                                      {"switches", FileSystem::Layout::kSwitches},
                                                      {"none", FileSystem::Layout::kFlat}}))
    system.layout = *layout;
  read_net_among_servers(fields, system);
  read_group_sizes(fields, system);
  fields.number("OSTs per OSS", system.osts_per_oss, 1, kMaxInGroup);
  if (const conf::YamlNode* isl = fields.take("ISL GB per s"))
    if (const auto number = bandwidth(*isl)) system.isl_gb_per_s = *number;
  fields.truth("secondary routes", system.secondary_routes);
  read_servers(fields, system);
  site_.file_systems.push_back(std::move(system));
}

void SiteReading::read_servers(text::Fields& fields, FileSystem& system) {
  const conf::YamlNode* servers = fields.take("servers");
  if (servers == nullptr) return read_sonexion(fields, system);
  for (const char* key : {"SSUs", "first address"})
    if (const conf::YamlNode* value = fields.take(key))
      fields.wrong(*value, fmt::format("'{0}' describes a Sonexion, and the servers follow from "
                                       "it: leave out '{0}', or 'servers'",
                                       key));
  if (!servers->is_sequence() || servers->items.empty())
    return wrong(*servers, "servers are a list: - {host: ..., role: oss, ...}");
  for (const conf::YamlNode& item : servers->items) read_server(item, system);
}

void SiteReading::read_sonexion(text::Fields& fields, FileSystem& system) {
  plan::SonexionFacts facts{.cluster = system.cluster};
  std::uint32_t ssus = 0;
  const conf::YamlNode* first = fields.take("first address");
  if (!fields.number("SSUs", ssus, 1, kMaxSsus) || first == nullptr) {
    if (mistakes_.empty())
      wrong(fields.map(),
            "there are no servers: list 'servers', or for a Sonexion say 'SSUs' and 'first "
            "address' (that of its MGS)");
    return;
  }
  if (system.cluster.empty())
    return wrong(fields.map(), "'cluster' is missing: the beginning of the servers' host names");
  const auto address = address_in(first->text);
  if (!address || !first->is_scalar())
    return wrong(*first, fmt::format("'{}' {}", first->shown(), kNoAddress));
  const std::uint32_t servers = 2 + 2 * ssus;
  if (!address_in(plan::words_of({*address + servers - 1})))
    return wrong(*first,
                 fmt::format("{} servers have no addresses from {} on", servers, first->shown()));
  if (!is_name(system.cluster)) return wrong(fields.map(), "cluster: " + no_name(system.cluster));
  if (!count(fields.map(), servers)) return;
  facts.ssus = ssus;
  facts.first_address = *address;
  system.servers = plan::sonexion_servers(facts);
  for (const Server& server : system.servers) {
    claim(hosts_, fields.map(), server.host, "host");
    note_place(*first, server.host);
    claim_address(*first, server.address, server.host);
  }
}

void SiteReading::read_server(const conf::YamlNode& item, FileSystem& system) {
  if (!item.is_map()) return wrong(item, "a server is {host: ..., address: ..., ...}");
  text::Fields fields(item, "a server", mistakes_);
  const auto hosts = words(fields, "host", true, 0);
  const auto addresses = this->addresses(fields, hosts.size());
  const bool says_role = item.find("role") != nullptr;
  const auto role = chosen<Server::Role>(
      fields, "role",
      {{"oss", Server::Role::kOss}, {"mds", Server::Role::kMds}, {"mgs", Server::Role::kMgs}});
  const auto racks = words(fields, "rack", false, hosts.size());
  const auto switches = words(fields, "switch", false, hosts.size());
  const auto guids = this->guids(fields, hosts.size());
  const auto cables = words(fields, "cable", false, hosts.size());
  const auto numbers = words(fields, "number", false, hosts.size());
  if (hosts.empty() || addresses.empty() || !count(item, hosts.size())) return;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    Server server{.role = role.value_or(Server::Role::kOss), .host = hosts[i]};
    if (addresses[i].size() > 1)
      return wrong(item, "a server has one address on the fabric; its groups share it");
    if (!addresses[i].empty()) server.address = addresses[i].front();
    if (!racks.empty()) server.rack = racks[i];
    if (!switches.empty()) server.at_switch = switches[i];
    if (!guids.empty()) server.guid = guids[i];
    if (!cables.empty()) server.cable = cables[i];
    // The number at the end of an OSS's host name decides whether it is even or odd.
    const std::string& host = numbers.empty() ? hosts[i] : numbers[i];
    const std::string digits = host.substr(host.find_last_not_of("0123456789") + 1);
    const auto number = text::number(digits, UINT32_MAX);
    if (!server.metadata() && !number && (role || !says_role))
      wrong(item,
            fmt::format("{} has no number at its end: say 'number' (even: left, odd: right){}",
                        host, role ? "" : ", or 'role' if it is no OSS"));
    if (!server.metadata() && !numbers.empty() && number &&
        std::ranges::any_of(system.servers, [&](const Server& other) {
          return !other.metadata() && other.number == *number;
        }))
      wrong(item, fmt::format("{} has the number {} of another OSS", server.host, *number));
    server.number = server.metadata() ? 0 : static_cast<std::uint32_t>(number.value_or(0));
    claim(hosts_, item, server.host, "host");
    note_place(item, server.host);
    if (server.address != 0) claim_address(item, server.address, server.host);
    system.servers.push_back(std::move(server));
  }
}

void SiteReading::read_clients(const conf::YamlEntry& entry) {
  if (!entry.value.is_map())
    return wrong(entry.value, "a system of clients is NAME: {net: ..., ...}");
  text::Fields fields(entry.value, "a system of clients", mistakes_);
  ClientSystem clients{.name = entry.key};
  note_place(entry.value, entry.key);
  for (const ClientSystem& other : site_.clients)
    if (other.name == entry.key) wrong(entry.value, "clients " + entry.key + " are there already");
  if (!is_name(entry.key)) wrong(entry.value, no_name(entry.key));
  if (const auto id = net(fields, false)) clients.net = *id;
  if (fields.text("addresses", clients.addresses))
    for (const auto word : std::views::split(clients.addresses, ' '))
      if (const auto pattern =
              wire::AddressPattern::parse_ip(std::string(word.begin(), word.end()));
          !word.empty() && !pattern)
        fields.wrong(*entry.value.find("addresses"),
                     pattern.error().reason + ": patterns as 10.128.*.*, with blanks between");
  const conf::YamlNode* patterns = entry.value.find("addresses");
  if (clients.addresses.empty() && !lenient_ && (patterns == nullptr || patterns->is_scalar()))
    wrong(fields.map(),
          "'addresses' is missing: the addresses of its nodes, as ip2nets writes them");
  read_bandwidth(fields, plan::router_kinds(), clients.router_gb_per_s);
  const conf::YamlNode* routers = fields.need("routers");
  if (routers != nullptr && !routers->is_sequence())
    wrong(*routers, "routers are a list: - {host: ..., nid: ..., address: ..., switch: ...}");
  else if (routers != nullptr && routers->items.empty())
    wrong(*routers, "the list of routers is empty: without them these clients reach no server");
  else if (routers != nullptr)
    for (const conf::YamlNode& item : routers->items) read_router(item, clients);
  site_.clients.push_back(std::move(clients));
}

void SiteReading::read_router(const conf::YamlNode& item, ClientSystem& clients) {
  if (!item.is_map()) return wrong(item, "a router is {host: ..., nid: ..., ...}");
  text::Fields fields(item, "a router", mistakes_);
  const auto hosts = words(fields, "host", true, 0);
  const auto places = words(fields, "at", false, hosts.size());
  const auto nids = words(fields, "nid", true, hosts.size());
  const auto addresses = this->addresses(fields, hosts.size());
  const auto switches = words(fields, "switch", false, hosts.size());
  const auto guids = this->guids(fields, hosts.size());
  const auto cables = words(fields, "cable", false, hosts.size());
  const auto use = chosen<Router::Use>(fields, "for",
                                       {{"OSSs", Router::Use::kData},
                                        {"metadata", Router::Use::kMetadata},
                                        {"both", Router::Use::kBoth}});
  Router router;
  read_destinations(fields, router);
  const bool read = !hosts.empty() && !nids.empty() && !addresses.empty();
  if (!read || clients.net.is_any()) return;  // the mistake has been reported
  if (!count(item, hosts.size())) return;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto nid = Nid::parse(nids[i] + "@" + clients.net.to_string());
    if (!nid || !nid->is_small())
      return wrong(item, fmt::format("'{}' is no address on {}", nids[i], clients.net.to_string()));
    if (addresses[i].size() > 2) return wrong(item, "a router has one address or two");
    claim(hosts_, item, hosts[i], "host");
    note_place(item, hosts[i]);
    router_places_.insert_or_assign(hosts[i], text::place_of(item));
    claim(client_nids_, item, nid->to_string(), "NID");
    for (const plan::Address address : addresses[i]) claim_address(item, address, hosts[i]);
    router.host = hosts[i];
    router.physical = places.empty() ? "" : places[i];
    router.client_nid = *nid;
    router.addresses = addresses[i];
    router.at_switch = switches.empty() ? "" : switches[i];
    router.guid = guids.empty() ? 0 : guids[i];
    router.cable = cables.empty() ? "" : cables[i];
    router.use = use.value_or(Router::Use::kData);
    clients.routers.push_back(router);
  }
}

}  // namespace ulnet::tools::fgr
