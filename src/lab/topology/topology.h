// A laboratory as a value: nets, switches, nodes with their rails, routes. Everything is resolved:
// ranges of names are expanded, each rail has its switch, routes have gateways. Only addresses are
// assigned later (addresses.h), because they depend on where the laboratory runs. People write a
// topology as YAML (reader.h). docs/LAB.md describes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/config/problem.h"
#include "ulnet/nid.hpp"

namespace ulnet::tools::lab {

/// Indices in Topology::nets, switches, nodes.
using NetNumber = std::uint32_t;
using SwitchNumber = std::uint32_t;
using NodeNumber = std::uint32_t;

/// The properties of a wire, in each direction.
struct Wire {
  std::uint64_t bits_per_second = 0;  ///< 0: no limit
  Duration delay{};
  std::uint32_t loss_ppm = 0;  ///< lost packets in a million
  bool operator==(const Wire&) const = default;
};

struct Switch {
  std::string name;
  conf::Place place;
};
/// Joins two switches. Links and switches form no ring.
struct SwitchLink {
  SwitchNumber a = 0, b = 0;
  Wire wire;
  conf::Place place;
};

struct Net {
  NetId id;
  std::string label;  ///< for people, as in "clients"; may be empty
  Wire wire;          ///< default for rails of this net
  conf::Place place;
};

/// A node's NI and the wire from it to its switch. Its name is NODE:I, with I its index in the
/// node. NIs on several nets may use one interface: then they share its address and its wire.
struct Rail {
  NetNumber net = 0;
  /// The switch that the wire leads to. A topology without switches has one for each net, with the
  /// net's name; nets that meet on an interface use that of the first of them.
  SwitchNumber at_switch = 0;
  Wire wire;
  /// The earlier rail of the node whose interface this rail shares; nothing: it has its own.
  std::optional<std::uint32_t> shares = {};
  /// The IPv4 address, in the machine's byte order, as in Nid::address4(). 0: not assigned yet.
  std::uint32_t address = 0;
  /// The NID of a node that no file describes, in place of an address.
  std::optional<Nid> nid = {};
};

/// A node sends messages for `net` to the NI `gateway_rail` of the node `gateway`.
struct Route {
  NetNumber net = 0;
  NodeNumber gateway = 0;
  std::uint32_t gateway_rail = 0;
  std::int32_t hops = 1;
  std::uint32_t priority = 0;
  bool operator==(const Route&) const = default;
};

struct Node {
  std::string name;  ///< letters, digits, '-', '_'; at most 32
  /// The group in the file; else the text before the range of "client[1-4]", or the name.
  std::string group;
  std::vector<Rail> rails;
  bool routing = false;
  std::vector<Route> routes;
  /// Parameters of ulnetd (lnet/config/params.h), checked.
  std::map<std::string, std::string> params;
  std::uint32_t partitions = 1;
  /// A key of Topology::module_parameters. Empty: the daemon has `rails` and `routes` as its nets
  /// and routes.
  std::string module_parameters;
  conf::Place place;

  /// Returns the rail whose interface and wire this rail uses: in most cases the rail itself.
  std::uint32_t wire_of(std::uint32_t rail) const { return rails[rail].shares.value_or(rail); }
  bool is_on(NetNumber net) const {
    return std::ranges::find(rails, net, &Rail::net) != rails.end();
  }
};

struct Topology {
  std::string name;   ///< the same rules as a node's name
  std::string about;  ///< a sentence for people; may be empty
  std::vector<Switch> switches;
  std::vector<SwitchLink> switch_links;
  std::vector<Net> nets;
  std::vector<Node> nodes;
  /// Texts of modprobe's files, by name: daemons get them in place of nets and routes.
  std::map<std::string, std::string> module_parameters;
  bool switches_named = false;  ///< the file has `switches`
  /// The file has the addresses of all NIs; false: of none of them.
  bool addresses_given = false;

  const Net& net_of(const Rail& rail) const { return nets[rail.net]; }
  /// Returns the NID of an NI that has an address.
  Nid nid_of(const Rail& rail) const {
    return rail.nid ? *rail.nid : Nid::small(nets[rail.net].id, rail.address);
  }
  std::optional<NodeNumber> find_node(std::string_view word) const;
  /// Returns the nodes of a word: "all", a node's name, a group's name, or a pattern such as
  /// "oss[0-6/2]". Empty: no node has such a name.
  std::vector<NodeNumber> nodes_named(std::string_view word) const;
  /// Returns the rail that "client1:0" names. For a node with one rail the node's name is enough.
  std::optional<std::pair<NodeNumber, std::uint32_t>> find_rail(std::string_view word) const;
};

}  // namespace ulnet::tools::lab
