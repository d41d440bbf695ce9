#include "lab/view/path_finder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/client/control_client.h"
#include "admin/client/tree_fields.h"

namespace ulnet::tools::lab {
namespace {

const ObservedNode* find(const std::vector<ObservedNode>& nodes, const std::string& name) {
  const auto at = std::ranges::find(nodes, name, &ObservedNode::name);
  return at == nodes.end() ? nullptr : &*at;
}

bool has(const ObservedNode& node, const std::string& nid) {
  return std::ranges::find(node.nis, nid, &ObservedNi::nid) != node.nis.end();
}

bool leads_to(const ObservedNode& node, const std::string& net) {
  return std::ranges::find(node.nis, net, &ObservedNi::net) != node.nis.end() ||
         std::ranges::find(node.routes, net, &ObservedRoute::net) != node.routes.end();
}

}  // namespace

WayFound find_way(const std::vector<ObservedNode>& nodes, const std::string& from,
                  const std::string& to, const AskNode& ask) {
  WayFound way;
  const auto ends = [&](std::string why) {
    way.trouble = std::move(why);
    return way;
  };
  const ObservedNode* at = find(nodes, from);
  const ObservedNode* target = find(nodes, to);
  if (at == nullptr || target == nullptr) return ends("there is no such node");
  if (at == target) return ends("both ends are the same node");
  const auto goal = std::find_if(target->nis.begin(), target->nis.end(),
                                 [&](const ObservedNi& ni) { return leads_to(*at, ni.net); });
  if (goal == target->nis.end())
    return ends(target->nis.empty() ? to + " has no NID"
                                    : "no net and no route of " + from + " leads to " + to);
  const std::string nid = goal->nid;
  for (std::size_t legs = 0; legs < nodes.size(); ++legs) {
    const auto answer = ask(at->name, "/v1/path?to=" + ctl::query_escape(nid));
    if (!answer) return ends(at->name + ": " + answer.error().reason);
    const ctl::Tree& path = ctl::field_in(*answer, "path");
    if (!path.is_object()) return ends(at->name + ": the node's answer is not understood");
    Leg leg{at->name, ctl::text_in(path, "source"), ctl::text_in(path, "hop"), {}, path};
    if (leg.hop.empty()) {
      const std::string why = ctl::text_in(path, "descr");
      way.legs.push_back(std::move(leg));
      return ends(at->name + " has no path: " + (why.empty() ? "the node does not say why" : why));
    }
    const auto next = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const ObservedNode& node) { return has(node, leg.hop); });
    if (next != nodes.end()) leg.to = next->name;
    way.legs.push_back(leg);
    if (next == nodes.end()) return ends(leg.hop + " is not one of the watched nodes");
    if (&*next == target) return way;
    at = &*next;
  }
  return ends("the path is a loop");
}

ctl::Tree tree_of(const WayFound& way) {
  ctl::Tree tree = {{"legs", ctl::Tree::array()}, {"trouble", way.trouble}};
  for (const Leg& leg : way.legs)
    tree["legs"].push_back({{"node", leg.node},
                            {"source", leg.source},
                            {"hop", leg.hop},
                            {"to", leg.to},
                            {"why", leg.why}});
  return tree;
}

}  // namespace ulnet::tools::lab
