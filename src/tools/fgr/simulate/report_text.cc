#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"
#include "sim/scenario/quantity.h"
#include "tools/fgr/picture/names.h"
#include "tools/fgr/simulate/report.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kBytesOfMib = 1 << 20;

/// Bytes in GB, 10^9.
double in_gb(double bytes) { return bytes / 1e9; }

/// With three digits that say something, or one decimal.
std::string number_text(double value) {
  if (value >= 10 || value == 0) return fmt::format("{:.1f}", value);
  return value >= 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

std::string told_seconds(const OssOutcome& oss) {
  if (oss.lost) return "lost";
  return oss.seconds ? number_text(*oss.seconds) : "never";
}

/// Of the OSSs of a group; of many not each one.
std::string times_text(const Outcome& outcome, const std::vector<std::size_t>& osss) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> times;
  double low = 0, high = 0;
  std::size_t lost = 0, never = 0;
  for (const std::size_t each : osss) {
    const OssOutcome& oss = outcome.osss[each];
    times.push_back(told_seconds(oss));
    if (!oss.seconds) {
      ++(oss.lost ? lost : never);
      continue;
    }
    low = low == 0 ? *oss.seconds : std::min(low, *oss.seconds);
    high = std::max(high, *oss.seconds);
  }
  if (osss.size() <= kMost) return fmt::format("{}", fmt::join(times, " "));
  return number_text(low) + " to " + number_text(high) +
         (lost == 0 ? "" : fmt::format(", {} lost", lost)) +
         (never == 0 ? "" : fmt::format(", {} never", never));
}

std::string setup_text(const Simulated& simulated) {
  std::vector<double> amounts;
  for (const OssOutcome& oss : simulated.outcomes.front().osss) amounts.push_back(oss.amount);
  const auto [least, most] = std::ranges::minmax(amounts);
  const Outcome& first = simulated.outcomes.front();
  const TrialSetup& setup = simulated.setup;
  std::string text = fmt::format(
      "{} OSSs, each of which moves {}{:.3g} GB that the clients {}; {} node{} for the clients of "
      "each system, {} messages under way at a time for each OSS\n",
      first.osss.size(), least < most ? fmt::format("{:.3g} to ", in_gb(least)) : "", in_gb(most),
      setup.write ? "write" : "read", setup.client_nodes, setup.client_nodes == 1 ? "" : "s",
      setup.window);
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

std::string outcome_text(const Simulated& simulated, const Outcome& outcome) {
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
    text += fmt::format("an OSS takes {} to {} s, half of them at most {} s",
                        number_text(times.front()), number_text(times.back()),
                        number_text(times[(times.size() - 1) / 2]));
  }
  text += fmt::format("; {:.1f} % of the payload crosses links between switches\n",
                      100 * outcome.crossing);
  const auto& percentiles = outcome.percentiles;
  if (outcome.messages != 0)
    text += fmt::format(
        "    half of the messages take at most {:.3g} s, 90 % at most {:.3g} s, 99 % at most "
        "{:.3g} "
        "s, "
        "the slowest {:.3g} s{}\n",
        percentiles[50], percentiles[90], percentiles[99], percentiles[100],
        failed == 0 ? "" : fmt::format("; begun again: {}", failed));
  if (!simulated.losses.empty() &&
      std::chrono::duration<double>(simulated.setup.lose_at).count() > outcome.seconds)
    text += "    all was moved before anything was lost\n";
  if (never != 0) text += fmt::format("    {} OSS{} never ended\n", never, never == 1 ? "" : "s");
  return text;
}

std::string names_text(const plan::Plan& plan, const ShownGroup& shown) {
  std::vector<std::string> names;
  const auto& servers = plan.site.file_systems[shown.group->file_system].servers;
  for (const std::size_t server : shown.servers) names.push_back(servers[server].host);
  return fmt::format("{}", fmt::join(short_names(names), " "));
}

std::string group_table(const Simulated& simulated) {
  std::vector<std::vector<std::string>> rows = {{"group", "net", "switch", "OSSs"}};
  for (const Outcome& outcome : simulated.outcomes)
    for (const char* title : {"GB/s", "p99", "seconds"})
      rows[0].push_back(fmt::format("{} {}", mode_of(outcome), title));
  for (const ShownGroup& shown : shown_groups(simulated)) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {name_of(simulated.plan, *shown.group), shown.group->net.to_string(),
           shown.group->at_switch, names_text(simulated.plan, shown)};
    for (const Outcome& outcome : simulated.outcomes) {
      double rate = 0, p99 = 0;
      for (const std::size_t each : shown.osss) {
        rate += outcome.osss[each].gb_per_s;
        p99 = std::max(p99, outcome.osss[each].p99);
      }
      row.push_back(fmt::format("{:.2f}", rate));
      row.push_back(fmt::format("{:.3g}", p99));
      row.push_back(times_text(outcome, shown.osss));
    }
  }
  return "GB/s: 10^9 bytes a second, of the group's OSSs together; p99: seconds, what 99 % of an "
         "OSS's messages took at most, of its slowest OSS;\nseconds: until each OSS, in the order "
         "of their names, had moved its amount\n" +
         text::text_table(rows);
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
    row = {isl.at_switch, fmt::format("{:.3g}", isl.gb_per_s)};
    for (const Outcome& outcome : simulated.outcomes)
      for (const IslWay& way : {outcome.isls[i].to_core, outcome.isls[i].from_core}) {
        row.push_back(number_text(in_gb(way.bytes)));
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
    ShownGroup one{.group = &group, .servers = {}, .osss = {}};
    std::vector<std::size_t> servers = group.servers;
    std::ranges::sort(servers);
    for (const std::size_t server : servers) {
      const HostPlace place{group.file_system, server};
      const auto at = std::ranges::lower_bound(osss, place, {}, &OssOutcome::place);
      if (at == osss.end() || at->place != place) continue;
      one.servers.push_back(server);
      one.osss.push_back(static_cast<std::size_t>(at - osss.begin()));
    }
    if (!one.osss.empty()) shown.push_back(std::move(one));
  }
  return shown;
}

std::string simulated_text(const Simulated& simulated) {
  std::string text = setup_text(simulated);
  for (const Outcome& outcome : simulated.outcomes) text += outcome_text(simulated, outcome);
  return text + "\n" + group_table(simulated) + isl_table(simulated);
}

}  // namespace ulnet::tools::fgr
