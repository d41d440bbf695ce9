#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "sim/scenario/quantity.h"
#include "tools/fgr/simulate/report.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kBytesOfMib = 1 << 20;

/// Bytes in GB, 10^9.
double in_gb(double bytes) { return bytes / 1e9; }

std::string told_seconds(const OssOutcome& oss) {
  if (oss.lost) return "lost";
  return oss.seconds ? fmt::format("{:.1f}", *oss.seconds) : "never";
}

std::string setup_text(const Simulated& simulated) {
  const Outcome& first = simulated.outcomes.front();
  const TrialSetup& setup = simulated.setup;
  std::string text = fmt::format(
      "{} OSSs, each of which moves {:.3g} GB that the clients {}; {} node{} for the clients of "
      "each system, {} messages under way at a time for each OSS\n",
      first.osss.size(), in_gb(first.bytes_per_oss), setup.write ? "write" : "read",
      setup.client_nodes, setup.client_nodes == 1 ? "" : "s", setup.window);
  const double mib = first.message_bytes / kBytesOfMib;
  if (mib > 1.01)
    text += fmt::format(
        "a simulated message stands for {:.1f} MiB: seconds and shares are those of the whole "
        "amount, but a message takes as much longer\n",
        mib);
  if (!simulated.losses.empty())
    text += fmt::format("lost {}: {}\n",
                        setup.lose_at == Duration{} ? std::string("from the start")
                                                    : "after " + sim::duration_text(setup.lose_at),
                        fmt::join(simulated.losses, ", "));
  return text;
}

std::string outcome_text(const Outcome& outcome) {
  std::vector<double> times;
  std::size_t never = 0, failed = 0;
  for (const OssOutcome& oss : outcome.osss) {
    if (oss.seconds)
      times.push_back(*oss.seconds);
    else if (!oss.lost)
      ++never;
    failed += oss.failed;
  }
  std::string text = fmt::format("\n{}: ", mode_of(outcome));
  if (times.empty()) {
    text += "no OSS moved its amount";
  } else {
    std::ranges::sort(times);
    text += fmt::format("an OSS takes {:.1f} to {:.1f} s, half of them at most {:.1f} s",
                        times.front(), times.back(), times[(times.size() - 1) / 2]);
  }
  text += fmt::format("; {:.1f} % of the payload crosses links between switches\n",
                      100 * outcome.crossing);
  text += fmt::format("    half of the messages take at most {:.3g} s, 99 % at most {:.3g} s{}\n",
                      outcome.p50, outcome.p99,
                      failed == 0 ? "" : fmt::format("; begun again: {}", failed));
  if (never != 0) text += fmt::format("    {} OSS{} never ended\n", never, never == 1 ? "" : "s");
  return text;
}

std::string group_table(const Simulated& simulated) {
  std::vector<std::vector<std::string>> rows = {{"group", "net", "switch"}};
  for (const Outcome& outcome : simulated.outcomes)
    for (const char* title : {"GB/s", "p99 s", "OSSs: s"})
      rows[0].push_back(fmt::format("{} {}", mode_of(outcome), title));
  for (const ShownGroup& shown : shown_groups(simulated)) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {name_of(simulated.plan, *shown.group), shown.group->net.to_string(),
           shown.group->at_switch};
    for (const Outcome& outcome : simulated.outcomes) {
      double rate = 0, p99 = 0;
      std::vector<std::string> times;
      for (const std::size_t each : shown.osss) {
        rate += outcome.osss[each].gb_per_s;
        p99 = std::max(p99, outcome.osss[each].p99);
        times.push_back(told_seconds(outcome.osss[each]));
      }
      row.push_back(fmt::format("{:.2f}", rate));
      row.push_back(fmt::format("{:.3g}", p99));
      row.push_back(fmt::format("{}", fmt::join(times, " ")));
    }
  }
  return text::text_table(rows);
}

std::string isl_table(const Simulated& simulated) {
  std::vector<std::vector<std::string>> rows = {{"link to the core switch", "GB/s"}};
  for (const Outcome& outcome : simulated.outcomes)
    for (const char* title : {"sends GB", "busy", "receives GB", "busy"})
      rows[0].push_back(fmt::format("{} {}", mode_of(outcome), title));
  const Outcome& first = simulated.outcomes.front();
  for (std::size_t i = 0; i < first.isls.size(); ++i) {
    const IslOutcome& isl = first.isls[i];
    std::vector<std::string>& row = rows.emplace_back();
    row = {simulated.plan.site.file_systems[isl.file_system].name + " " + isl.at_switch,
           fmt::format("{:.3g}", isl.gb_per_s)};
    for (const Outcome& outcome : simulated.outcomes)
      for (const IslWay& way : {outcome.isls[i].to_core, outcome.isls[i].from_core}) {
        row.push_back(fmt::format("{:.1f}", in_gb(way.bytes)));
        row.push_back(fmt::format("{:.0f} %", 100 * way.busy));
      }
  }
  return rows.size() == 1 ? "" : "\n" + text::text_table(rows);
}

}  // namespace

std::string_view mode_of(const Outcome& outcome) { return outcome.flat ? "flat" : "fine-grained"; }

std::string name_of(const plan::Plan& plan, const plan::Group& group) {
  const plan::FileSystem& system = plan.site.file_systems[group.file_system];
  return system.flat() ? system.name : fmt::format("{} {:03}", system.name, group.suffix);
}

std::vector<ShownGroup> shown_groups(const Simulated& simulated) {
  std::vector<ShownGroup> shown;
  const auto& osss = simulated.outcomes.front().osss;
  for (const plan::Group& group : simulated.plan.groups) {
    ShownGroup one{.group = &group, .osss = {}};
    for (const std::size_t server : group.servers) {
      const HostPlace place{group.file_system, server};
      const auto at = std::ranges::lower_bound(osss, place, {}, &OssOutcome::place);
      if (at != osss.end() && at->place == place)
        one.osss.push_back(static_cast<std::size_t>(at - osss.begin()));
    }
    if (!one.osss.empty()) shown.push_back(std::move(one));
  }
  return shown;
}

std::string simulated_text(const Simulated& simulated) {
  std::string text = setup_text(simulated);
  for (const Outcome& outcome : simulated.outcomes) text += outcome_text(outcome);
  return text + "\n" + group_table(simulated) + isl_table(simulated);
}

}  // namespace ulnet::tools::fgr
