// The readers of the sections of a scenario file, and what they share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.h"
#include "text/fields.h"

namespace ulnet::sim {

/// The names that a file gives to nodes: to one node, to all nodes of an item with a count, and to
/// all nodes ("all").
class NodeNames {
 public:
  bool has(const std::string& name) const { return nodes_.contains(name); }
  /// Adds a node to those that have the name.
  void add(const std::string& name, NodeNumber node) { nodes_[name].push_back(node); }

  /// Returns the nodes that the key names: its value is a name, or a list of names. An absent key
  /// and unknown names are mistakes. The nodes are in order, and each is there once.
  std::vector<NodeNumber> in(text::Fields& fields, std::string_view key) const;
  /// Returns the node of that name; nothing if several nodes have it, or none.
  std::optional<NodeNumber> single(const std::string& name) const;

 private:
  std::map<std::string, std::vector<NodeNumber>> nodes_;
};

/// The scenario as far as it has been read, and the mistakes in the file.
struct Reading {
  Scenario scenario;
  NodeNames names;
  conf::Problems mistakes;

  void wrong(const conf::YamlNode& at, std::string reason) {
    mistakes.push_back({text::place_of(at), std::move(reason)});
  }
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
};

// The sections, in the order in which they are read, since later ones use what earlier ones define.
// Each reader adds what it reads to the scenario, and its mistakes to the others.

using LinkModels = std::map<std::string, LinkModel>;
/// Reads the models of links, and returns them by name. The scenario gets the default.
LinkModels read_links(const conf::YamlNode& section, Reading& reading);
/// Reads the model of streams.
void read_streams(const conf::YamlNode& section, Reading& reading);
/// Reads the names of switches.
void read_switches(const conf::YamlNode& section, Reading& reading);
/// Reads the links between named switches.
void read_switch_links(const conf::YamlNode& section, Reading& reading);
/// Reads the key `edge`, of the scenario or of a node.
void read_edge(text::Fields& fields, DriverKind& out);
/// Reads the nodes, gives them their names, and checks that they can be nodes of one world.
/// `driver` is for nodes that name no edge.
void read_nodes(const conf::YamlNode& section, DriverKind driver, Reading& reading);
/// Reads the models, by their names, of the links between named nodes.
void read_between(const conf::YamlNode& section, const LinkModels& models, Reading& reading);
/// Reads the loads between named nodes.
void read_workload(const conf::YamlNode& section, Reading& reading);
/// Reads the selftests of named nodes. With a selftest some loads cannot be there.
void read_selftests(const conf::YamlNode& section, Reading& reading);
/// Reads the nodes of other software. They have no names, and addresses that no node has.
void read_old_nodes(const conf::YamlNode& section, Reading& reading);
/// Reads the faults at random, and the acts at named nodes and at links between switches.
void read_faults(const conf::YamlNode& section, Reading& reading);
/// Reads the expectations of the whole, of named nodes, and of links between switches.
void read_expectations(const conf::YamlNode& section, Reading& reading);

}  // namespace ulnet::sim
