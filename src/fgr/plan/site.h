// A site as a value: client systems with their routers, and file systems with their servers. It is
// the planner's input. Source: design document 004 (sections I.C to III),
// docs/spec/design-vs-today.md 5.
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
  std::string physical;            ///< its place: "c1-0c0s5n2"; may be empty
  Nid client_nid;                  ///< on its clients' net: "750@gni1"
  std::vector<Address> addresses;  ///< on the servers' fabric: one, or two
  /// the switch of the fabric that it is plugged into; empty: the fabric shows it
  std::string at_switch;
  Guid guid = 0;      ///< of its adapter; 0: the adapter's description identifies it
  std::string cable;  ///< its label or length, as people write it; may be empty
  /// the file systems that it leads to, in Site::file_systems
  std::vector<std::size_t> file_systems = {0};
  /// The weights by which these file systems share its rate, one for each. Empty: the weights are
  /// the peak bandwidth of their OSSs at its switch, or of all their OSSs when flat.
  std::vector<double> weights;
  Use use = Use::kData;  ///< for OSSs, for the MGS and the MDS, or for all

  bool carries_metadata() const { return use != Use::kData; }
  bool carries_data() const { return use != Use::kMetadata; }
  bool leads_to(std::size_t file_system) const {
    return std::ranges::find(file_systems, file_system) != file_systems.end();
  }
};

/// Nodes that share a net, and the routers that connect them to other nets.
struct ClientSystem {
  std::string name;
  NetId net;
  std::string addresses;  ///< addresses of its nodes, in the syntax of ip2nets: "10.128.*.*"
  double router_gb_per_s = 0;
  std::vector<Router> routers;
};

struct Server {
  enum class Role : std::uint8_t { kMgs, kMds, kOss } role = Role::kOss;
  std::string host;
  Address address = 0;
  std::uint32_t number = 0;  ///< for an OSS: even ones are on the left side, odd ones on the right
  std::string rack;
  std::string at_switch;  ///< empty: the fabric shows it; or when flat
  Guid guid = 0;          ///< as Router::guid
  std::string cable;      ///< as Router::cable

  bool metadata() const { return role != Role::kOss; }
  bool left() const { return number % 2 == 0; }
};

struct FileSystem {
  /// How its OSSs become groups. kSides: by side of each rack (the left side has even numbers).
  /// kSwitches: by switch, for large switches that many racks share. kFlat: all in one.
  enum class Layout : std::uint8_t { kSides, kSwitches, kFlat };

  std::string name;
  std::string cluster;  ///< the beginning of its servers' host names: "snx11001"; may be empty
  /// the net of the metadata group; the nets of the other groups count from its number
  NetId base;
  /// A net that all of its servers are on too, to send to each other; no router is on it, and no
  /// route leads to it.
  std::optional<NetId> among_servers;
  Layout layout = Layout::kSides;
  double oss_gb_per_s = 0;
  std::uint32_t osss_per_group = 0;
  /// The primary routers of each client system for a group. 0: as many as the peak bandwidth of the
  /// group's OSSs needs.
  std::uint32_t routers_per_group = 0;
  /// The number of primary routers for single client systems, by the systems' names.
  std::map<std::string, std::uint32_t> routers_per_group_of;
  /// The part of the OSSs' peak that the routers of a client system must carry, by its name; at
  /// most 1, the default.
  std::map<std::string, double> shares;
  /// OST i is at OSS i / osts_per_oss, in the order of the servers. 0: not known.
  std::uint32_t osts_per_oss = 0;
  /// The bandwidth of the link between one of its switches and its core switch, each way; 0: not
  /// given.
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

/// A switch that several file systems share, or that no server is plugged into. Any other switch is
/// known from its servers, and belongs to their file system.
struct Switch {
  std::string name;
  Guid guid = 0;            ///< identifies it in the fabric; 0: not given
  std::string description;  ///< the fabric's description, or a word of it; may be empty
  std::string rack;         ///< its place; may be empty
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
