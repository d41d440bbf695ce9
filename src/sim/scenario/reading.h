// State that the parts of the scenario reader share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.h"
#include "text/fields.h"

namespace ulnet::sim {

class Reading {
 public:
  Scenario scenario;
  conf::Problems mistakes;

  void wrong(const conf::YamlNode& at, std::string reason) {
    mistakes.push_back({text::place_of(at), std::move(reason)});
  }

  // Called in this order, since later sections use the names that earlier ones define.
  void read_links(const conf::YamlNode& section);
  void read_streams(const conf::YamlNode& section);
  void read_switches(const conf::YamlNode& section);
  void read_switch_links(const conf::YamlNode& section);
  void read_nodes(const conf::YamlNode& section);
  void check_topology(const conf::YamlNode& section);
  void check_switches();
  void check_gateways();
  void read_between(const conf::YamlNode& section);
  void read_workload(const conf::YamlNode& section);
  void read_selftests(const conf::YamlNode& section);
  void read_old_nodes(const conf::YamlNode& section);
  void read_faults(const conf::YamlNode& section);
  void read_expectations(const conf::YamlNode& section);

  DriverKind driver = DriverKind::kPipe;  ///< of nodes that name no driver
  bool driver_named(text::Fields& fields, DriverKind& out);

 private:
  using Numbers = std::vector<NodeNumber>;
  /// An NI, with what the checks of switches need.
  struct Hanging {
    conf::Place place;
    std::string node;
    NetId net;
    std::optional<SwitchId> at;
  };

  /// Calls `read(item)` for every item that is a mapping; others are mistakes.
  template <class Read>
  void each(const conf::YamlNode& section, std::string_view what, Read&& read) {
    if (!section.is_sequence())
      return wrong(section, "expected a list, each item " + std::string(what));
    for (const conf::YamlNode& item : section.items) {
      if (item.is_map())
        read(item);
      else
        wrong(item, "expected " + std::string(what));
    }
  }
  void read_node(const conf::YamlNode& item);
  void read_settings(const conf::YamlNode& map, NodeSetup& setup);
  void read_nids(const conf::YamlNode& list, NodeSetup& setup);
  void read_node_switch(text::Fields& fields, NodeSetup& setup);
  void read_routing(text::Fields& fields, NodeSetup& setup);
  std::optional<core::Route> route_in(text::Fields& fields);
  /// Reads only the route's net and its gateway.
  std::optional<core::Route> bare_route_in(text::Fields& fields);
  void check_routes(const conf::YamlNode& item, const NodeSetup& setup);
  void note_hanging(const conf::YamlNode& item, const NodeSetup& setup);
  std::optional<SwitchId> switch_named(const conf::YamlNode& name);
  std::optional<std::pair<SwitchId, SwitchId>> two_switches(text::Fields& fields,
                                                            std::string_view key);
  /// The index in SwitchLinkId of the link.
  std::optional<std::uint32_t> link_between(SwitchId a, SwitchId b) const;
  void add_nodes(const conf::YamlNode& item, NodeSetup setup, std::uint32_t count, bool counted);

  void read_load(const conf::YamlNode& item);
  SelftestSetup read_selftest(const conf::YamlNode& item);
  void read_seconds(text::Fields& fields, std::string_view key, Duration& out);
  void read_fault(const conf::YamlNode& item);
  void read_rule(const conf::YamlNode& item);
  void read_rule_match(text::Fields& fields, core::FaultRule& rule);
  /// Calls `bit(text)` for each item of a list, or for a single value, and returns all bits.
  template <class Bit>
  std::uint64_t mask_of(text::Fields& fields, std::string_view key, Bit&& bit);
  void read_act(text::Fields& fields, const std::string& word, bool timed);
  void read_admin(text::Fields& fields, std::size_t word);
  std::optional<AdminChange> admin_change(text::Fields& fields, std::size_t word);
  std::optional<AdminChange> setting_in(text::Fields& fields);
  std::optional<AdminChange> health_in(text::Fields& fields);
  std::optional<AdminChange> policy_in(text::Fields& fields);
  std::optional<AdminChange> peer_in(text::Fields& fields);
  void nid_in(text::Fields& fields, std::string_view key, Nid& out);
  void read_link_act(text::Fields& fields, Act::What what);
  void add_acts(Act act, const Numbers& at, const Numbers& others, bool both);
  void expect_each(const conf::YamlNode& map, Expectation::What what, std::string_view section);
  void expect_counters(const conf::YamlNode& map);
  void expect_switch_links(const conf::YamlNode& map);
  void expect(const conf::YamlNode& value, Expectation::What what, std::uint32_t index,
              std::string name, NodeNumber node = 0);

  /// The nodes of the key: a name, a group, "all", or a list of these.
  Numbers nodes_named(text::Fields& fields, std::string_view key, bool needed = true);
  void resolve(const conf::YamlNode& name, Numbers& out);
  /// Whether the two nodes share a net, or a route of `a` leads to a net of `b`.
  bool reaches(NodeNumber a, NodeNumber b) const;

  std::map<std::string, LinkModel> models_;
  std::map<std::string, Numbers> groups_;
  std::vector<Hanging> hanging_;
  std::vector<std::pair<conf::Place, std::shared_ptr<const core::RouteList>>> routed_;
};

}  // namespace ulnet::sim
