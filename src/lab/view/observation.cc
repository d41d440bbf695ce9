#include "lab/view/observation.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;

using ctl::field_in, ctl::list_in, ctl::text_in;

template <class Number>
Number number(const Tree& tree, const char* key, Number otherwise = {}) {
  const Tree& value = field_in(tree, key);
  return value.is_number() ? value.get<Number>() : otherwise;
}
/// Returns the sum of all numbers of an object.
std::uint64_t sum_of(const Tree& tree) {
  std::uint64_t sum = 0;
  if (!tree.is_object()) return 0;
  for (const Tree& value : tree)
    if (value.is_number_integer()) sum += value.get<std::uint64_t>();
  return sum;
}

ObservedNi ni_of(const std::string& net, const Tree& tree, const Tree& counters) {
  ObservedNi ni;
  ni.nid = text_in(tree, "nid");
  ni.net = net;
  ni.up = text_in(tree, "status") == "up";
  if (const Tree& names = field_in(tree, "interfaces"); names.is_object() && !names.empty())
    if (names.front().is_string()) ni.interface = names.front().get<std::string>();
  ni.health = number<int>(field_in(tree, "health stats"), "health value");
  const Tree& statistics = field_in(tree, "statistics");
  ni.messages = number<std::uint64_t>(statistics, "send_count") +
                number<std::uint64_t>(statistics, "recv_count");
  ni.dropped_messages = number<std::uint64_t>(statistics, "drop_count");
  const Tree& counted = field_in(field_in(counters, "nis"), ni.nid);
  ni.sent = number<std::uint64_t>(counted, "sent_bytes");
  ni.received = number<std::uint64_t>(counted, "received_bytes");
  ni.credits = number<std::int64_t>(counted, "credits");
  ni.credits_min = number<std::int64_t>(counted, "credits_min");
  return ni;
}

/// Computes the rates. Counters that began at 0 again, because the node restarted, give no rate.
void add_rates(ObservedNi& ni, const ObservedNode& before, Duration passed) {
  const double seconds = std::chrono::duration<double>(passed).count();
  const auto was = std::ranges::find(before.nis, ni.nid, &ObservedNi::nid);
  if (was == before.nis.end() || seconds <= 0) return;
  const auto rate = [&](std::uint64_t now, std::uint64_t then) {
    return now < then ? 0 : static_cast<double>(now - then) / seconds;
  };
  ni.sent_per_s = rate(ni.sent, was->sent);
  ni.received_per_s = rate(ni.received, was->received);
}

ObservedRoute route_of(const Tree& tree) {
  return {.net = text_in(tree, "net"),
          .gateway = text_in(tree, "gateway"),
          .hops = number<std::int64_t>(tree, "hop", -1),
          .priority = number<std::int64_t>(tree, "priority"),
          .up = text_in(tree, "state") == "up",
          .why = text_in(tree, "why")};
}

/// Whether the node routes, from `{"routing": [{"cpt[0]": …}, {"enable": 1}], …}`.
bool routes_for_others(const Tree& tree) {
  const Tree& list = list_in(tree, "routing");
  return std::any_of(list.begin(), list.end(),
                     [](const Tree& item) { return ctl::number_in(item, "enable", 0) == 1; });
}

}  // namespace

std::uint64_t ObservedNode::goodput() const {
  std::uint64_t bytes = 0;
  for (const ObservedNi& ni : nis) bytes += routing ? 0 : ni.received;
  return bytes;
}

double ObservedNode::goodput_per_s() const {
  double bytes = 0;
  for (const ObservedNi& ni : nis) bytes += routing ? 0 : ni.received_per_s;
  return bytes;
}

NidNames::NidNames(const std::vector<ObservedNode>& nodes) {
  for (const ObservedNode& node : nodes)
    for (const ObservedNi& ni : node.nis) names_.emplace(ni.nid, node.name);
}

std::string NidNames::beside(std::string_view text, std::string_view known) const {
  const auto of_nid = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':' || c == '@';
  };
  std::string named;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), of_nid);
    auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    named += word;
    // ':' and '.' may end a sentence
    while (word.ends_with(':') || word.ends_with('.')) word.remove_suffix(1);
    const auto found = names_.find(word);
    if (found != names_.end() && found->second != known)
      named.insert(named.rfind(word) + word.size(), " (" + found->second + ")");
    const auto next = std::find_if(text.begin(), text.end(), of_nid);
    named.append(text.begin(), next);
    text.remove_prefix(static_cast<std::size_t>(next - text.begin()));
  }
  return named;
}

const char* to_string(NodeState state) {
  constexpr const char* kWords[] = {"unknown", "up", "unconfigured", "silent", "gone"};
  return kWords[static_cast<std::size_t>(state)];
}

ObservedNode observed(std::string_view name, const NodeAnswers& answers, Instant at_time,
                      const ObservedNode* before) {
  ObservedNode node;
  node.name = name;
  node.state = NodeState::kUp;
  node.at = at_time;
  for (const Tree& net : list_in(answers.net, "net")) {
    const std::string net_name = text_in(net, "net type");
    if (net_name == "lo") continue;
    for (const Tree& ni : list_in(net, "local NI(s)")) {
      node.nis.push_back(ni_of(net_name, ni, answers.counters));
      if (before != nullptr) add_rates(node.nis.back(), *before, at_time - before->at);
    }
  }
  for (const Tree& route : list_in(answers.route, "route")) node.routes.push_back(route_of(route));
  node.routing = routes_for_others(answers.routing);
  node.drops = sum_of(field_in(answers.counters, "drops"));
  node.resends = number<std::uint64_t>(field_in(answers.stats, "statistics"), "resend_count");
  return node;
}

Tree tree_of(const ObservedNode& node) {
  Tree tree = {{"name", node.name},
               {"state", to_string(node.state)},
               {"trouble", node.trouble},
               {"routing", node.routing},
               {"nis", Tree::array()},
               {"routes", Tree::array()},
               {"drops", node.drops},
               {"resends", node.resends},
               {"goodput_per_s", node.goodput_per_s()}};
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
