// Writes a site as its file, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "fgr/plan/options.h"
#include "fgr/plan/site.h"

namespace ulnet::plan {

/// YAML in which read_site() finds the same site. Each server and router has a line of its own.
class SiteText {
 public:
  explicit SiteText(const Site& site) : site_(site) {}

  std::string made() {
    text_ = "switches: {";
    for (const Switch& each : site_.switches) text_ += each.name + ": {}, ";
    text_ += "}\nclients:\n";
    for (const ClientSystem& clients : site_.clients) add(clients);
    text_ += "file systems:\n";
    for (const FileSystem& system : site_.file_systems) add(system);
    return std::move(text_);
  }

 private:
  static std::string addresses_text(const std::vector<Address>& addresses) {
    std::vector<std::string> words;
    for (const Address address : addresses) words.push_back(words_of({address}));
    return fmt::format("[{}]", fmt::join(words, ", "));
  }

  void add(const ClientSystem& clients) {
    text_ += fmt::format(
        "    {}:\n        net: {}\n        addresses: \"{}\"\n        kind: generic\n"
        "        GB per s: {}\n        routers:\n",
        clients.name, clients.net.to_string(), clients.addresses, clients.router_gb_per_s);
    for (const Router& router : clients.routers) {
      std::vector<std::string> systems;
      for (std::size_t i = 0; i < router.file_systems.size(); ++i)
        systems.push_back(site_.file_systems[router.file_systems[i]].name +
                          (router.weights.empty() ? "" : fmt::format(": {}", router.weights[i])));
      const std::string nid = router.client_nid.to_string();
      text_ += fmt::format(
          "            - {{host: {}, nid: {}, address: {}, switch: {}, for: {}, file system: "
          "{}{}{}}}\n",
          router.host, nid.substr(0, nid.find('@')), addresses_text(router.addresses),
          router.at_switch,
          router.use == Router::Use::kData       ? "OSSs"
          : router.use == Router::Use::kMetadata ? "metadata"
                                                 : "both",
          router.weights.empty() ? '[' : '{', fmt::join(systems, ", "),
          router.weights.empty() ? ']' : '}');
    }
  }

  template <class Map>
  void add_by_client(const char* key, const Map& map) {
    if (map.empty()) return;
    text_ += fmt::format("        {}: {{", key);
    for (const auto& [name, value] : map) text_ += fmt::format("{}: {}, ", name, value);
    text_ += "}\n";
  }

  void add(const FileSystem& system) {
    constexpr const char* kLayouts[] = {"sides", "switches", "none"};
    text_ += fmt::format(
        "    {}:\n        cluster: {}\n        net: {}\n        kind: generic\n"
        "        GB per s: {}\n        groups by: {}\n        OSSs per group: {}\n"
        "        secondary routes: {}\n",
        system.name, system.cluster, system.base.to_string(), system.oss_gb_per_s,
        kLayouts[static_cast<std::size_t>(system.layout)], system.osss_per_group,
        system.secondary_routes ? "yes" : "no");
    if (system.among_servers)
      text_ += fmt::format("        net among servers: {}\n", system.among_servers->to_string());
    if (system.routers_per_group != 0)
      text_ += fmt::format("        routers per group: {}\n", system.routers_per_group);
    add_by_client("routers per group", system.routers_per_group_of);
    add_by_client("share of clients", system.shares);
    text_ += "        servers:\n";
    for (const Server& server : system.servers)
      text_ += fmt::format(
          "            - {{host: {}, role: {}, address: {}, number: {}, rack: {}, switch: {}}}\n",
          server.host,
          server.role == Server::Role::kMgs   ? "mgs"
          : server.role == Server::Role::kMds ? "mds"
                                              : "oss",
          words_of({server.address}), server.number, server.rack, server.at_switch);
  }

  const Site& site_;
  std::string text_;
};

}  // namespace ulnet::plan
