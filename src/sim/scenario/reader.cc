#include "sim/scenario/reader.h"

#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

constexpr Duration kShortestSample = std::chrono::milliseconds(1);
constexpr int kSamples = 100'000;

void read_root(const conf::YamlNode& root, Reading& reading) {
  Scenario& scenario = reading.scenario;
  text::Fields fields(root, "a scenario", reading.mistakes);
  fields.text("name", scenario.name);
  fields.number("seed", scenario.seed);
  fields.duration("lasts", scenario.lasts);
  const bool sampled = fields.duration("sample", scenario.sample);
  fields.duration("quiet within", scenario.quiet_within);
  fields.number("steps", scenario.steps, 1);
  if (sampled && (scenario.sample < kShortestSample || scenario.lasts / scenario.sample > kSamples))
    reading.wrong(*root.find("sample"), "sample: at least 1ms, and at most 100000 in 'lasts'");
  fields.truth("shutdown", scenario.shutdown);
  fields.rate("interface rate", scenario.interface_rate);
  reading.driver_named(fields, reading.driver);
  if (const auto* links = fields.take("links")) reading.read_links(*links);
  if (const auto* streams = fields.take("streams")) reading.read_streams(*streams);
  if (const auto* switches = fields.take("switches")) reading.read_switches(*switches);
  if (const auto* joints = fields.take("switch links")) reading.read_switch_links(*joints);
  if (const auto* nodes = fields.need("nodes")) {
    reading.read_nodes(*nodes);
    reading.check_topology(*nodes);
    reading.check_switches();
    reading.check_gateways();
  }
  if (const auto* between = fields.take("between")) reading.read_between(*between);
  if (const auto* workload = fields.take("workload")) reading.read_workload(*workload);
  if (const auto* tests = fields.take("selftest")) reading.read_selftests(*tests);
  if (const auto* old = fields.take("old nodes")) reading.read_old_nodes(*old);
  if (const auto* faults = fields.take("faults")) reading.read_faults(*faults);
  if (const auto* expect = fields.take("expect")) reading.read_expectations(*expect);
}

}  // namespace

tl::expected<Scenario, conf::Problems> read_scenario(std::string_view text) {
  Reading reading;
  text::read_document(text, "scenario", reading.mistakes,
                      [&](const conf::YamlNode& root) { read_root(root, reading); });
  if (reading.mistakes.empty()) return std::move(reading.scenario);
  return tl::unexpected(std::move(reading.mistakes));
}

}  // namespace ulnet::sim
