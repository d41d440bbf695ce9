// Answers of control APIs, and observed nodes, for tests of the view.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/view/observation.h"

namespace ulnet::tools::lab {

inline Instant at_second(int second) { return Instant(std::chrono::seconds(second)); }

/// Returns the answers of a node with one NI that has sent this many bytes, and a route.
inline NodeAnswers node_answers(std::uint64_t sent, const char* route_state = "up") {
  NodeAnswers answers;
  answers.net = ctl::Tree::parse(R"json({"net": [
      {"net type": "lo", "local NI(s)": [{"nid": "0@lo", "status": "up"}]},
      {"net type": "tcp", "local NI(s)": [{"nid": "10.0.0.1@tcp", "status": "down",
        "interfaces": {"0": "eth0"}, "health stats": {"health value": 900},
        "statistics": {"send_count": 3, "recv_count": 4, "drop_count": 5}}]}]})json");
  answers.counters = {
      {"drops", {{"no match", 2}, {"too long", 1}}},
      {"nis",
       {{"10.0.0.1@tcp",
         {{"sent_bytes", sent}, {"received_bytes", 10}, {"credits", -2}, {"credits_min", -7}}}}}};
  answers.route = {{"route",
                    {{{"net", "tcp1"},
                      {"gateway", "10.0.0.9@tcp"},
                      {"hop", 1},
                      {"priority", 0},
                      {"state", route_state},
                      {"why", "the gateway does not answer"}}}}};
  answers.routing = ctl::Tree::parse(R"({"routing": [{"cpt[0]": {}}, {"enable": 1}]})");
  answers.stats = {{"statistics", {{"resend_count", 6}}}};
  return answers;
}

inline ObservedNi ni_on(const std::string& nid) {
  ObservedNi ni;
  ni.nid = nid;
  ni.net = nid.substr(nid.find('@') + 1);
  ni.up = true;
  ni.health = 1000;
  ni.credits = 256;
  return ni;
}

inline ObservedNode node_with(const std::string& name, const std::vector<std::string>& nids,
                              std::vector<ObservedRoute> routes = {}) {
  ObservedNode node;
  node.name = name;
  node.state = NodeState::kUp;
  for (const std::string& nid : nids) node.nis.push_back(ni_on(nid));
  node.routes = std::move(routes);
  return node;
}

/// Returns a client, a router and a server.
inline std::vector<ObservedNode> routed_nodes() {
  std::vector<ObservedNode> nodes = {
      node_with("client", {"10.0.0.1@tcp"}, {{"tcp1", "10.0.0.9@tcp", 1, 0, true, {}}}),
      node_with("router", {"10.0.0.9@tcp", "10.1.0.9@tcp1"}),
      node_with("server", {"10.1.0.1@tcp1"}, {{"tcp", "10.1.0.9@tcp1", 1, 0, true, {}}})};
  nodes[1].routing = true;
  return nodes;
}

}  // namespace ulnet::tools::lab
