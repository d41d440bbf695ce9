// State that the parts of the topology reader share.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lab/topology/automatic_routes.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

class Reading {
 public:
  Topology topology;
  conf::Problems mistakes;

  /// Nobody reads more mistakes, and a short file can have very many.
  bool too_many_mistakes() const { return mistakes.size() > 1000; }
  void wrong(const conf::YamlNode& at, std::string reason) {
    mistakes.push_back({text::place_of(at), std::move(reason)});
  }
  /// Reads the keys name and about; without the key name the topology's name is `name`.
  void read_names(text::Fields& fields, std::string_view name);

  // Called in this order, since later sections use the names that earlier ones define.
  void read_settings(const conf::YamlNode& section);
  void read_switches(const conf::YamlNode& section);
  void read_switch_links(const conf::YamlNode& section);
  void read_nets(const conf::YamlNode& section);
  void read_module_parameters(const conf::YamlNode& section);
  void read_nodes(const conf::YamlNode& section);
  /// Checks that need all nodes.
  void check_nodes();
  /// Null: automatic routes. Called when there were no other mistakes, so that each mistake is
  /// reported once.
  void read_routes(const conf::YamlNode* section);

 private:
  using Params = std::map<std::string, std::string>;
  /// The file's description of a rail, for each of the nodes that a key names.
  struct RailSpec {
    conf::Place place;
    Rail rail;
    bool own_switch = false;
    std::optional<std::uint32_t> address;  ///< address of the first node
  };

  void read_wire(text::Fields& fields, Wire& wire) const;
  void read_params(const conf::YamlNode& map, Params& params);
  void read_net(const conf::YamlEntry& entry);
  std::optional<NetNumber> net_in(const conf::YamlNode& at, std::string_view text, bool may_add);
  std::optional<SwitchNumber> switch_in(const conf::YamlNode& name);
  void add_switch_link(const conf::YamlNode& item, SwitchLink link);

  void read_node(const conf::YamlEntry& entry);
  std::vector<RailSpec> rails_in(const conf::YamlNode& nets);
  void add_rails(const conf::YamlNode& item, std::vector<RailSpec>& rails);
  void settle_switch(RailSpec& spec, const conf::YamlNode& item);
  void read_group(text::Fields& fields, std::string& group);
  void choose_module_parameters(text::Fields& fields, Node& node);
  std::vector<std::string> names_in(const conf::YamlEntry& entry, std::string& group);
  void note_group(const conf::YamlEntry& entry, const std::string& group, bool of_several);
  void add_nodes(const conf::YamlEntry& entry, const Node& node,
                 const std::vector<RailSpec>& rails);
  void give_each_net_a_switch();
  void check_addresses();
  void check_joined();

  void read_route(const conf::YamlNode& item);
  const Hops& hops_to(NetNumber net);
  /// A router that routes lead through, and its rail where the file names one.
  using Gateway = std::pair<NodeNumber, std::optional<std::uint32_t>>;
  void add_routes(const conf::YamlNode& item, const std::vector<NodeNumber>& on, NetNumber net,
                  const std::vector<Gateway>& gateways, Route route, bool hops_given);
  std::vector<Gateway> gateways_to(const conf::YamlNode& item, NetNumber net,
                                   const std::vector<Gateway>& named);
  std::vector<NodeNumber> nodes_in(text::Fields& fields, std::string_view key);
  std::vector<Gateway> gateways_in(text::Fields& fields);
  void resolve(const conf::YamlNode& word, std::set<NodeNumber>& out);

  Params params_;  ///< for all nodes
  /// the switches that nets name, by net number
  std::vector<std::optional<SwitchNumber>> net_switches_;
  std::map<NetId, NetNumber> net_numbers_;
  std::map<std::string, SwitchNumber, std::less<>> switch_numbers_;
  /// For each switch, one switch of those that it is joined with: the same for all switches that
  /// are joined.
  std::vector<SwitchNumber> joined_;
  std::map<std::string, NodeNumber, std::less<>> node_numbers_;
  /// by name; false: it is the name of a single node
  std::map<std::string, bool, std::less<>> groups_;
  std::vector<std::vector<conf::Place>> rail_places_;
  std::size_t rails_ = 0, addresses_ = 0;
  std::map<NetNumber, Hops> hops_;  ///< for the nets whose routes have been read
  /// The routes with their gateway and its rail.
  std::set<std::tuple<NodeNumber, NetNumber, NodeNumber, std::uint32_t>> routes_;
};

}  // namespace ulnet::tools::lab
