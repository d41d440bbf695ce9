// A site as a value: systems of clients with their routers, and file systems with their servers.
// What the planner is given. Source: design document 004 (sections I.C to III), docs/spec/
// design-vs-today.md 5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fgr/fabric/fabric.h"
#include "ulnet/nid.hpp"

namespace ulnet::plan {

/// An IPv4 address as a host integer.
using Address = std::uint32_t;

/// A node between the clients' net and the servers' fabric.
struct Router {
  enum class Use : std::uint8_t { kData, kMetadata, kBoth };
  std::string host;                ///< "nid00750"
  std::string physical;            ///< where it is: "c1-0c0s5n2"; may be empty
  Nid client_nid;                  ///< on its clients' net: "750@gni1"
  std::vector<Address> addresses;  ///< on the servers' fabric: one, or two
  std::string at_switch;  ///< of the fabric, in which it is plugged; empty: the fabric says it
  Guid guid = 0;          ///< of its adapter; 0: known by the adapter's description
  std::string cable;      ///< its label or length, as people write it; may be empty
  std::vector<std::size_t> file_systems = {0};  ///< to which it leads, in Site::file_systems
  /// By which its rate is shared among these, one for each. Empty: by what their OSSs at its switch
  /// move at peak, when flat all of them.
  std::vector<double> weights;
  Use use = Use::kData;  ///< for OSSs, for the MGS and the MDS, or for all

  bool carries_metadata() const { return use != Use::kData; }
  bool carries_data() const { return use != Use::kMetadata; }
  bool leads_to(std::size_t file_system) const {
    return std::ranges::find(file_systems, file_system) != file_systems.end();
  }
};

/// Nodes that share a net, and the routers by which they leave it.
struct ClientSystem {
  std::string name;
  NetId net;
  std::string addresses;  ///< of its nodes, as ip2nets has them: "10.128.*.*"
  double router_gb_per_s = 0;
  std::vector<Router> routers;
};

struct Server {
  enum class Role : std::uint8_t { kMgs, kMds, kOss } role = Role::kOss;
  std::string host;
  Address address = 0;
  std::uint32_t number = 0;  ///< of an OSS: even ones are on the left side, odd ones on the right
  std::string rack;
  std::string at_switch;  ///< empty: the fabric says it; or when flat
  Guid guid = 0;          ///< as Router::guid
  std::string cable;      ///< as Router::cable

  bool metadata() const { return role != Role::kOss; }
  bool left() const { return number % 2 == 0; }
};

struct FileSystem {
  /// How its OSSs become groups: those on each side of each rack (the left have even numbers);
  /// those at each switch, for large switches that many racks share; or all in one.
  enum class Layout : std::uint8_t { kSides, kSwitches, kFlat };

  std::string name;
  std::string cluster;  ///< the beginning of its servers' host names: "snx11001"; may be empty
  NetId base;  ///< the net of the metadata group, from whose number those of the others count
  /// All of its servers are on it as well, to talk to each other; no router is, and no route leads
  /// to it.
  std::optional<NetId> among_servers;
  Layout layout = Layout::kSides;
  double oss_gb_per_s = 0;
  std::uint32_t osss_per_group = 0;
  /// Of each client system. 0: as many as carry what the OSSs of the group move at peak.
  std::uint32_t routers_per_group = 0;
  /// The same of some client systems, by their names.
  std::map<std::string, std::uint32_t> routers_per_group_of;
  /// By the name of a client system the part of what OSSs move at peak that its routers are to
  /// carry, at most 1, which is also that of all others.
  std::map<std::string, double> shares;
  /// OST i is at OSS i / osts_per_oss, in the order of the servers. 0: not known.
  std::uint32_t osts_per_oss = 0;
  /// What the link between one of its switches and its core switch carries each way; 0: not said.
  double isl_gb_per_s = 0;
  bool secondary_routes = true;
  std::vector<Server> servers;

  bool flat() const { return layout == Layout::kFlat; }
  std::uint32_t routers_per_group_for(const ClientSystem& clients) const {
    const auto own = routers_per_group_of.find(clients.name);
    return own == routers_per_group_of.end() ? routers_per_group : own->second;
  }
  double share_of(const ClientSystem& clients) const {
    const auto own = shares.find(clients.name);
    return own == shares.end() ? 1 : own->second;
  }
};

/// A switch that several file systems share, or into which no server is plugged. Any other switch
/// is known from the servers at it, and is one of their file system.
struct Switch {
  std::string name;
  Guid guid = 0;            ///< by which the fabric knows it; 0: not said
  std::string description;  ///< the fabric's for it, or a word of that; may be empty
  std::string rack;         ///< where it is; may be empty
};

/// Servers and routers name switches as people do: two file systems may each have a left0. The site
/// of a plan has one name for each switch and rack (fgr/plan/switches.h).
struct Site {
  std::string about;  ///< one line for people; may be empty
  std::vector<Switch> switches;
  std::vector<ClientSystem> clients;
  std::vector<FileSystem> file_systems;
};

}  // namespace ulnet::plan
