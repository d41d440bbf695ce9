// The list of all metrics, from which dev/make-monitoring makes the dashboard and alerts of
// examples/monitoring, matches what a node exports.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "admin/server/fake_node_fixture.h"
#include "admin/server/metrics.h"
#include "admin/server/reply.h"

namespace ulnet::node::control {
namespace {

/// Labels whose values are not all known.
const std::set<std::string> kOpen = {"nid",    "net",  "reason", "event",
                                     "thread", "part", "cpt",    "version"};
constexpr const char* kFile = ULNET_SOURCE_DIR "/examples/monitoring/metrics.json";

/// Returns the export of a node that has a value for every metric.
std::string text_of_everything() {
  NodeState state = recorded_state();
  state.drops = {{"no match", 4}};
  state.memory = {{"held", 400, 3, 5, 2}};
  state.threads = {{"tcp 0", {}}};
  state.drivers = {{"tcp", {{"accepted", 9}}}};
  RouteSums routes;
  routes.add({.route = {*NetId::parse("tcp1"), nid_of("10.99.0.9@tcp")}});
  core::call::ShowRouting routing;
  routing.pools.resize(3);
  const ControlCounters counters;
  return metrics_text({.state = &state,
                       .peers = {},
                       .routes = routes,
                       .routing = routing,
                       .counters = counters,
                       .version = "1"});
}

/// Returns the labels of a sample: {a="x",b="y"}. No value has a quotation mark.
std::vector<std::pair<std::string, std::string>> labels_of(const std::string& sample) {
  std::vector<std::pair<std::string, std::string>> labels;
  std::size_t at = sample.find('{');
  while (at != std::string::npos && sample[at] != '}') {
    const std::size_t equals = sample.find("=\"", at), end = sample.find('"', equals + 2);
    labels.emplace_back(sample.substr(at + 1, equals - at - 1),
                        sample.substr(equals + 2, end - equals - 2));
    at = end + 1;
  }
  return labels;
}

Json list_of(const std::string& text) {
  Json list = Json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, what, name, rest;
    if (line.starts_with("# HELP ")) {
      words >> hash >> what >> name;
      std::getline(words >> std::ws, rest);
      list.push_back({{"name", name}, {"type", ""}, {"labels", Json::object()}, {"help", rest}});
    } else if (line.starts_with("# TYPE ")) {
      words >> hash >> what >> name >> rest;
      list.back()["type"] = rest;
    } else {
      for (const auto& [label, value] : labels_of(line)) {
        Json& values = list.back()["labels"][label];
        if (kOpen.contains(label)) continue;  // null: any
        if (values.is_null()) values = Json::array();
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      }
    }
  }
  return list;
}

TEST(MetricsList, IsWhatANodeExports) {
  const std::string text = list_of(text_of_everything()).dump(1) + "\n";
  if (std::getenv("ULNET_RENEW") != nullptr) std::ofstream(kFile) << text;
  std::ostringstream listed;
  listed << std::ifstream(kFile).rdbuf();
  EXPECT_EQ(listed.str(), text)
      << "if this change is meant: run this test with ULNET_RENEW=1, then dev/make-monitoring";
}

TEST(MetricsList, HasEachMetricOnceWithWordsAboutIt) {
  std::set<std::string> names;
  for (const Json& metric : list_of(text_of_everything())) {
    EXPECT_TRUE(names.insert(metric["name"]).second) << metric;
    EXPECT_NE(metric["help"], "") << metric;
    EXPECT_TRUE(metric["type"] == "gauge" || metric["type"] == "counter") << metric;
    const std::string name = metric["name"];
    EXPECT_EQ(name.ends_with("_total"), metric["type"] == "counter") << name;
  }
  EXPECT_GT(names.size(), 50U);
}

}  // namespace
}  // namespace ulnet::node::control
