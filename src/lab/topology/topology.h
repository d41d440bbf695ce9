// A laboratory as a value: nets, switches, nodes with their rails, routes. Everything is resolved:
// ranges of names are expanded, each rail has its place, routes have gateways. Only addresses
// are given later (addresses.h), because they depend on where the laboratory runs. People write one
// as YAML (reader.h). docs/LAB.md describes it.
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

/// What a wire lets through, in each direction.
struct Wire {
  std::uint64_t bits_per_second = 0;  ///< 0: as much as the machine carries
  Duration delay{};
  std::uint32_t loss_ppm = 0;  ///< of a million packets
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
  Wire wire;          ///< of each rail that does not say otherwise
  conf::Place place;
};

/// A node's NI and the wire from it to its switch. Its name is NODE:I, with I its index in the
/// node. NIs on several nets may be of one interface: then they have its address and its wire.
struct Rail {
  NetNumber net = 0;
  /// The switch that it hangs on. A topology without switches has one for each net, with the net's
  /// name; nets that meet on an interface share that of the first of them.
  SwitchNumber at_switch = 0;
  Wire wire;
  /// The earlier rail of the node whose interface this one has too; nothing: it has its own.
  std::optional<std::uint32_t> shares = {};
  /// The IPv4 address, in the machine's order, as in Nid::address4(). 0: none is given yet.
  std::uint32_t address = 0;
  /// In the place of an address: the NID of a node that no file describes.
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
  /// As the file has it; else the text before the range of "client[1-4]", or the name.
  std::string group;
  std::vector<Rail> rails;
  bool routing = false;
  std::vector<Route> routes;
  /// Parameters of ulnetd (lnet/config/params.h), checked.
  std::map<std::string, std::string> params;
  std::uint32_t partitions = 1;
  /// A key of Topology::module_parameters; empty: nets and routes of the daemon are those above.
  std::string module_parameters;
  conf::Place place;

  /// The rail whose interface and wire a rail has: mostly its own number.
  std::uint32_t wire_of(std::uint32_t rail) const { return rails[rail].shares.value_or(rail); }
  bool is_on(NetNumber net) const {
    return std::ranges::find(rails, net, &Rail::net) != rails.end();
  }
};

struct Topology {
  std::string name;   ///< a node's rules
  std::string about;  ///< a sentence for people; may be empty
  std::vector<Switch> switches;
  std::vector<SwitchLink> switch_links;
  std::vector<Net> nets;
  std::vector<Node> nodes;
  /// Texts of modprobe's files, by name: what daemons are given in the place of nets and routes.
  std::map<std::string, std::string> module_parameters;
  bool switches_named = false;  ///< the file has `switches`
  /// Addresses are in the file, all of them or none.
  bool addresses_given = false;

  const Net& net_of(const Rail& rail) const { return nets[rail.net]; }
  /// The NID of an NI whose address is given.
  Nid nid_of(const Rail& rail) const {
    return rail.nid ? *rail.nid : Nid::small(nets[rail.net].id, rail.address);
  }
  std::optional<NodeNumber> find_node(std::string_view word) const;
  /// The nodes of a word: "all", a node's name, a group's name, or a pattern as "oss[0-6/2]".
  /// Empty: there are none.
  std::vector<NodeNumber> nodes_named(std::string_view word) const;
  /// The rail that "client1:0" names; of a node with one rail the node's name will do.
  std::optional<std::pair<NodeNumber, std::uint32_t>> find_rail(std::string_view word) const;
};

}  // namespace ulnet::tools::lab
