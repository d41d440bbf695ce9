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
  DriverKind driver = DriverKind::kPipe;
  read_edge(fields, driver);
  LinkModels models;
  if (const auto* links = fields.take("links")) models = read_links(*links, reading);
  if (const auto* streams = fields.take("streams")) read_streams(*streams, reading);
  if (const auto* switches = fields.take("switches")) read_switches(*switches, reading);
  if (const auto* joints = fields.take("switch links")) read_switch_links(*joints, reading);
  if (const auto* nodes = fields.need("nodes")) read_nodes(*nodes, driver, reading);
  if (const auto* between = fields.take("between")) read_between(*between, models, reading);
  if (const auto* workload = fields.take("workload")) read_workload(*workload, reading);
  if (const auto* tests = fields.take("selftest")) read_selftests(*tests, reading);
  if (const auto* old = fields.take("old nodes")) read_old_nodes(*old, reading);
  if (const auto* faults = fields.take("faults")) read_faults(*faults, reading);
  if (const auto* expect = fields.take("expect")) read_expectations(*expect, reading);
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
