// The plan by host, with tables for looking up addresses, NIDs, names and nets.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fgr/plan/host_config.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::plan {

/// The text by which ip2nets finds an interface of a host.
struct PlannedInterface {
  std::string text;  ///< "10.10.100.103"; for clients a pattern
  wire::AddressPattern pattern;
  std::optional<Address> address;  ///< unless it is a pattern
};
struct PlannedHost {
  HostConfig config;
  std::vector<PlannedInterface> interfaces;
  std::vector<std::pair<NetId, std::size_t>> nets;  ///< each with the index of an interface

  bool clients() const { return config.kind == HostConfig::Kind::kClients; }
  bool router() const { return config.kind == HostConfig::Kind::kRouter; }
  bool has(NetId net) const;
};

class Planned {
 public:
  /// The plan must outlive this object.
  explicit Planned(const Plan& plan);

  const Plan& plan() const { return plan_; }
  const std::vector<PlannedHost>& hosts() const { return hosts_; }
  const PlannedHost& host(std::size_t number) const { return hosts_[number]; }

  /// Finds a server or a router by its name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// Finds the server or router that has this NID.
  std::optional<std::size_t> owner(const Nid& nid) const;
  /// Finds the server or router that has this address on any net, or to which the site gives this
  /// address.
  std::optional<std::size_t> owner(Address address) const;
  /// Returns all NIDs of servers and routers, in the order of the NIDs.
  std::vector<Nid> nids() const;
  /// Returns the group whose net this is; null if the net belongs to no group.
  const Group* group_of(NetId net) const;
  /// Returns the file system, an index in Site::file_systems, that has this net among its servers.
  std::optional<std::size_t> among_servers(NetId net) const;
  /// Whether this is a group's net, or a net among servers.
  bool on_fabric(NetId net) const { return group_of(net) != nullptr || among_servers(net); }
  /// Returns the client system on this net, an index in Site::clients.
  std::optional<std::size_t> client_system_of(NetId net) const;

  /// Returns the hosts of a kind: the clients (one entry) or routers of a client system, or the
  /// servers of a file system. `system` is its number in the site.
  std::vector<std::size_t> of_kind(HostConfig::Kind kind, std::size_t system) const;
  /// Returns the routes that all of these hosts have together; each once, in the order of net and
  /// gateway.
  std::vector<HostRoute> routes_of(std::span<const std::size_t> hosts) const;
  const Router& router(const PlannedHost& host) const;
  const Server& server(const PlannedHost& host) const;

 private:
  void add(HostConfig config);

  const Plan& plan_;
  std::vector<PlannedHost> hosts_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::unordered_map<Nid, std::size_t, NidHash> by_nid_;
  std::unordered_map<Address, std::size_t> by_address_;
  std::map<NetId, std::size_t> groups_, client_systems_, among_servers_;
};

/// Whether NIDs on the net have numbers instead of addresses, as on gni.
bool is_numbered(NetId net);

// Names for people.

/// Returns "server snx11001n004", "router nid00750", "the clients of xe".
std::string words_for(const Planned& planned, std::size_t host);
/// Returns "the routers of xe" for all of a kind, else a list that begins with the first four
/// names.
std::string words_for(const Planned& planned, std::span<const std::size_t> hosts);
/// Returns "o2ib6002 (home, group 002)", "o2ib6500 (servers of home)", "gni1 (clients xe)".
std::string words_for(const Planned& planned, NetId net);
/// Returns " (did you mean 'left0'?)"; empty when no name is similar.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);
/// Returns "a, b, c, d and 3 more".
std::string list_of(const std::vector<std::string>& names);

}  // namespace ulnet::plan
