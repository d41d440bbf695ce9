#include "lab/view/layout_tree.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/topology/picture_layout.h"
#include "lab/topology/rate.h"
#include "text/quantity.h"

namespace ulnet::tools::lab {
namespace {

/// Returns "1gbit, 100us, 0.1 % lost"; empty: no limits, no delay, no loss.
std::string wire_text(const Wire& wire) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (wire.bits_per_second != 0) add(bit_rate_text(wire.bits_per_second));
  if (wire.delay != Duration{}) add(text::duration_text(wire.delay));
  if (wire.loss_ppm != 0) add(fmt::format("{:g} % lost", wire.loss_ppm / 1e4));
  return text;
}

}  // namespace

ctl::Tree layout_tree(const Topology& topology) {
  using ctl::Tree;
  const PictureLayout layout = lay_out(topology, {});
  Tree tree = {
      {"name", topology.name},   {"about", topology.about}, {"width", layout.width},
      {"height", layout.bottom}, {"groups", layout.groups}, {"lanes", Tree::array()},
      {"boxes", Tree::array()},  {"rails", Tree::array()},  {"switch links", Tree::array()}};
  for (const LanePiece& piece : layout.pieces)
    tree["lanes"].push_back({{"net", topology.nets[piece.net].id.to_string()},
                             {"number", piece.net},
                             {"switch", topology.switches[piece.at_switch].name},
                             {"label", piece.label},
                             {"x", piece.left},
                             {"y", piece.top},
                             {"width", piece.width},
                             {"height", PictureLayout::kLane}});
  for (const NodeBox& box : layout.boxes) {
    Tree names = Tree::array();
    for (const NodeNumber node : box.nodes) names.push_back(topology.nodes[node].name);
    tree["boxes"].push_back({{"title", title_of(topology, box)},
                             {"group", box.group},
                             {"folded", box.folded},
                             {"columns", box.columns},
                             {"routing", topology.nodes[box.nodes.front()].routing},
                             {"nodes", std::move(names)},
                             {"x", box.left},
                             {"y", box.top},
                             {"width", box.width},
                             {"height", box.height}});
  }
  for (const RailLine& line : layout.lines) {
    Tree names = Tree::array(), nids = Tree::array(), wires = Tree::array();
    for (const NodeNumber number : layout.boxes[line.box].nodes) {
      const Node& node = topology.nodes[number];
      if (line.rail >= node.rails.size()) continue;
      names.push_back(node.name + ":" + std::to_string(line.rail));
      nids.push_back(topology.nid_of(node.rails[line.rail]).to_string());
      wires.push_back(wire_text(node.rails[line.rail].wire));
    }
    tree["rails"].push_back({{"names", std::move(names)},
                             {"nids", std::move(nids)},
                             {"wires", std::move(wires)},
                             {"box", line.box},
                             {"lane", line.piece},
                             {"x1", line.from.x},
                             {"y1", line.from.y},
                             {"x2", line.to.x},
                             {"y2", line.to.y}});
  }
  for (const SwitchLink& link : topology.switch_links)
    tree["switch links"].push_back(
        {{"name", topology.switches[link.a].name + "-" + topology.switches[link.b].name},
         {"between", {topology.switches[link.a].name, topology.switches[link.b].name}},
         {"wire", wire_text(link.wire)}});
  return tree;
}

}  // namespace ulnet::tools::lab
