#include "fgr/simulate/report.h"

namespace ulnet::tools::fgr {
namespace {

using nlohmann::ordered_json;

ordered_json oss_json(const Simulated& simulated, const OssOutcome& oss) {
  const auto& [system, server] = oss.place;
  ordered_json json = {{"host", simulated.plan.site.file_systems[system].servers[server].host},
                       {"seconds", nullptr},
                       {"amount_bytes", oss.amount},
                       {"bytes", oss.bytes},
                       {"gb_per_s", oss.gb_per_s},
                       {"p50_s", oss.p50},
                       {"p99_s", oss.p99},
                       {"begun_again", oss.failed},
                       {"lost", oss.lost}};
  if (oss.seconds) json["seconds"] = *oss.seconds;
  return json;
}

ordered_json latencies_json(const Latencies& of) {
  return {{"messages", of.messages},
          {"mean_s", of.mean},
          {"p50_s", of.percentiles[50]},
          {"p90_s", of.percentiles[90]},
          {"p99_s", of.percentiles[99]}};
}

ordered_json way_json(const IslWay& way) { return {{"bytes", way.bytes}, {"busy", way.busy}}; }

ordered_json run_json(const Simulated& simulated, const Outcome& outcome) {
  // "percentiles_s" has 101 numbers: the shortest time, then the longest times of the fastest 1 %,
  // 2 %, ... 100 %.
  ordered_json groups = ordered_json::array(), links = ordered_json::array();
  for (const ShownGroup& shown : shown_groups(simulated)) {
    double rate = 0;
    ordered_json osss = ordered_json::array();
    for (const std::size_t each : shown.osss) {
      rate += outcome.osss[each].gb_per_s;
      osss.push_back(oss_json(simulated, outcome.osss[each]));
    }
    groups.push_back({{"group", name_of(simulated.plan, *shown.group)},
                      {"net", shown.group->net.to_string()},
                      {"switch", shown.group->at_switch},
                      {"gb_per_s", rate},
                      {"osss", std::move(osss)}});
  }
  for (const IslOutcome& isl : outcome.isls)
    links.push_back({{"switch", isl.at_switch},
                     {"gb_per_s", isl.gb_per_s},
                     {"to_core", way_json(isl.to_core)},
                     {"from_core", way_json(isl.from_core)}});
  return {{"routing", mode_of(outcome)},
          {"seconds", outcome.seconds},
          {"messages", outcome.latencies.messages},
          {"crossing", outcome.crossing},
          {"p50_s", outcome.latencies.percentiles[50]},
          {"p99_s", outcome.latencies.percentiles[99]},
          {"percentiles_s", outcome.latencies.percentiles},
          {"mean_s", outcome.latencies.mean},
          {"by_way",
           {{"own", latencies_json(outcome.of(PayloadWay::kOwn))},
            {"secondary", latencies_json(outcome.of(PayloadWay::kSecondary))},
            {"crossing", latencies_json(outcome.of(PayloadWay::kCrossing))}}},
          {"client_routes", outcome.client_routes == 0 ? ordered_json(nullptr)
                                                       : ordered_json(outcome.client_routes)},
          {"routers_busy", outcome.routers_busy},
          {"busiest_router", outcome.busiest_router},
          {"groups", std::move(groups)},
          {"links", std::move(links)}};
}

}  // namespace

nlohmann::ordered_json simulated_json(const Simulated& simulated) {
  const TrialSetup& setup = simulated.setup;
  const Outcome& first = simulated.outcomes.front();
  ordered_json runs = ordered_json::array();
  for (const Outcome& outcome : simulated.outcomes) runs.push_back(run_json(simulated, outcome));
  return {{"load", setup.write ? "write" : "read"},
          {"bytes_per_oss", first.bytes_per_oss},
          {"message_bytes", first.message_bytes},
          {"clients", first.clients},
          {"stripes", setup.files.stripes},
          {"window", setup.window},
          {"seed", setup.seed},
          {"lost", simulated.losses},
          {"lose_at_s", std::chrono::duration<double>(setup.lose_at).count()},
          {"runs", std::move(runs)}};
}

}  // namespace ulnet::tools::fgr
