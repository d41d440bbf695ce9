#include "tools/lab/view/observation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;

const Tree& at(const Tree& tree, const char* key) {
  static const Tree kNothing;
  const auto found = tree.is_object() ? tree.find(key) : tree.end();
  return tree.is_object() && found != tree.end() ? *found : kNothing;
}
std::string text(const Tree& tree, const char* key) {
  const Tree& value = at(tree, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}
template <class Number>
Number number(const Tree& tree, const char* key, Number otherwise = {}) {
  const Tree& value = at(tree, key);
  return value.is_number() ? value.get<Number>() : otherwise;
}
/// The sum of all numbers of an object.
std::uint64_t sum_of(const Tree& tree) {
  std::uint64_t sum = 0;
  if (!tree.is_object()) return 0;
  for (const Tree& value : tree)
    if (value.is_number_integer()) sum += value.get<std::uint64_t>();
  return sum;
}

ObservedNi ni_of(const std::string& net, const Tree& tree, const Tree& counters) {
  ObservedNi ni;
  ni.nid = text(tree, "nid");
  ni.net = net;
  ni.up = text(tree, "status") == "up";
  if (const Tree& names = at(tree, "interfaces"); names.is_object() && !names.empty())
    if (names.front().is_string()) ni.interface = names.front().get<std::string>();
  ni.health = number<int>(at(tree, "health stats"), "health value");
  const Tree& statistics = at(tree, "statistics");
  ni.messages = number<std::uint64_t>(statistics, "send_count") +
                number<std::uint64_t>(statistics, "recv_count");
  ni.dropped_messages = number<std::uint64_t>(statistics, "drop_count");
  const Tree& counted = at(at(counters, "nis"), ni.nid.c_str());
  ni.sent = number<std::uint64_t>(counted, "sent_bytes");
  ni.received = number<std::uint64_t>(counted, "received_bytes");
  ni.credits = number<std::int64_t>(counted, "credits");
  ni.credits_min = number<std::int64_t>(counted, "credits_min");
  return ni;
}

/// Counters that begin anew, because the node did, have no rate.
void add_rates(ObservedNi& ni, const ObservedNode& before, Duration passed) {
  const double seconds = std::chrono::duration<double>(passed).count();
  const auto was = std::find_if(before.nis.begin(), before.nis.end(),
                                [&](const ObservedNi& other) { return other.nid == ni.nid; });
  if (was == before.nis.end() || seconds <= 0) return;
  const auto rate = [&](std::uint64_t now, std::uint64_t then) {
    return now < then ? 0 : static_cast<double>(now - then) / seconds;
  };
  ni.sent_per_s = rate(ni.sent, was->sent);
  ni.received_per_s = rate(ni.received, was->received);
}

ObservedRoute route_of(const Tree& tree) {
  return {.net = text(tree, "net"),
          .gateway = text(tree, "gateway"),
          .hops = number<std::int64_t>(tree, "hop", -1),
          .priority = number<std::int64_t>(tree, "priority"),
          .up = text(tree, "state") == "up",
          .why = text(tree, "why")};
}

/// `{"routing": [{"cpt[0]": …}, {"enable": 1}], …}`.
bool routes_for_others(const Tree& tree) {
  const Tree& list = at(tree, "routing");
  return list.is_array() && std::any_of(list.begin(), list.end(), [](const Tree& item) {
           return number<int>(item, "enable") == 1;
         });
}

}  // namespace

const char* to_string(NodeState state) {
  switch (state) {
    case NodeState::kUnknown:
      return "unknown";
    case NodeState::kUp:
      return "up";
    case NodeState::kUnconfigured:
      return "unconfigured";
    case NodeState::kSilent:
      return "silent";
    case NodeState::kGone:
      return "gone";
  }
  return "unknown";
}

ObservedNode observed(std::string_view name, const DoorAnswers& answers, Instant at_time,
                      const ObservedNode* before) {
  ObservedNode node;
  node.name = name;
  node.state = NodeState::kUp;
  node.at = at_time;
  const Tree& nets = at(answers.net, "net");
  for (const Tree& net : nets.is_array() ? nets : Tree::array()) {
    const std::string net_name = text(net, "net type");
    const Tree& nis = at(net, "local NI(s)");
    if (net_name == "lo" || !nis.is_array()) continue;
    for (const Tree& ni : nis) {
      node.nis.push_back(ni_of(net_name, ni, answers.counters));
      if (before != nullptr) add_rates(node.nis.back(), *before, at_time - before->at);
    }
  }
  const Tree& routes = at(answers.route, "route");
  for (const Tree& route : routes.is_array() ? routes : Tree::array())
    node.routes.push_back(route_of(route));
  node.routing = routes_for_others(answers.routing);
  node.drops = sum_of(at(answers.counters, "drops"));
  node.resends = number<std::uint64_t>(at(answers.stats, "statistics"), "resend_count");
  return node;
}

Tree tree_of(const ObservedNode& node) {
  Tree tree = {{"name", node.name},       {"state", to_string(node.state)},
               {"trouble", node.trouble}, {"routing", node.routing},
               {"nis", Tree::array()},    {"routes", Tree::array()},
               {"drops", node.drops},     {"resends", node.resends}};
  for (const ObservedNi& ni : node.nis)
    tree["nis"].push_back({{"nid", ni.nid},
                           {"net", ni.net},
                           {"interface", ni.interface},
                           {"up", ni.up},
                           {"health", ni.health},
                           {"credits", ni.credits},
                           {"credits_min", ni.credits_min},
                           {"sent", ni.sent},
                           {"received", ni.received},
                           {"sent_per_s", ni.sent_per_s},
                           {"received_per_s", ni.received_per_s},
                           {"messages", ni.messages},
                           {"dropped", ni.dropped_messages}});
  for (const ObservedRoute& route : node.routes)
    tree["routes"].push_back({{"net", route.net},
                              {"gateway", route.gateway},
                              {"hops", route.hops},
                              {"priority", route.priority},
                              {"up", route.up},
                              {"why", route.why}});
  return tree;
}

}  // namespace ulnet::tools::lab
