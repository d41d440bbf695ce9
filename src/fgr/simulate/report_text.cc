#include <fmt/format.h>

#include <algorithm>

#include "fgr/picture/names.h"
#include "fgr/simulate/report.h"
#include "lnet/base/text_table.h"
#include "text/quantity.h"

namespace ulnet::tools::fgr {
namespace {

constexpr double kBytesOfMib = 1 << 20;

/// Bytes in GB, 10^9.
double in_gb(double bytes) { return bytes / 1e9; }

/// Returns a number with three significant digits, or with one decimal.
std::string number_text(double value) {
  if (value >= 10 || value == 0) return fmt::format("{:.1f}", value);
  return value >= 1 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

std::string seconds_text(const OssOutcome& oss) {
  if (oss.lost) return "lost";
  return oss.seconds ? number_text(*oss.seconds) : "never";
}

/// Returns the times of a group's OSSs; for large groups a summary.
std::string times_text(const Outcome& outcome, const std::vector<std::size_t>& osss) {
  constexpr std::size_t kMax = 12;
  std::vector<std::string> times;
  double low = 0, high = 0;
  std::size_t lost = 0, never = 0;
  for (const std::size_t each : osss) {
    const OssOutcome& oss = outcome.osss[each];
    times.push_back(seconds_text(oss));
    if (!oss.seconds) {
      ++(oss.lost ? lost : never);
      continue;
    }
    low = low == 0 ? *oss.seconds : std::min(low, *oss.seconds);
    high = std::max(high, *oss.seconds);
  }
  if (osss.size() <= kMax) return fmt::format("{}", fmt::join(times, " "));
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
      "{} OSSs, each of which moves {}{:.3g} GB that {} {}, each a file over {}; {} "
      "messages under way at a time for each OSS\n",
      first.osss.size(), least < most ? fmt::format("{:.3g} to ", in_gb(least)) : "", in_gb(most),
      text::counted(first.clients, "client"), setup.write ? "write" : "read",
      text::counted(setup.files.stripes, "OST"), setup.window);
  const double mib = first.message_bytes / kBytesOfMib;
  if (mib > 1.01)
    text += fmt::format(
        "a simulated message represents {:.1f} MiB: seconds and shares are those of the whole "
        "amount, but a message takes longer by that factor\n",
        mib);
  if (!simulated.losses.empty())
    text += fmt::format("lost {}: {}\n",
                        setup.lose_at == Duration{} ? std::string("from the start")
                                                    : "after " + text::duration_text(setup.lose_at),
                        fmt::join(simulated.losses, ", "));
  return text;
}

std::string latency_text(const Latencies& of) {
  return fmt::format("half take at most {:.3g} s, 90 % at most {:.3g} s, 99 % at most {:.3g} s",
                     of.percentiles[50], of.percentiles[90], of.percentiles[99]);
}

/// How many OSSs moved their amount, and how long they took.
std::string times_of_osss(const Outcome& outcome) {
  std::vector<double> times;
  std::size_t never = 0, lost = 0;
  for (const OssOutcome& oss : outcome.osss) {
    if (oss.seconds)
      times.push_back(*oss.seconds);
    else
      ++(oss.lost ? lost : never);
  }
  std::string text;
  if (times.size() < outcome.osss.size()) {
    text = fmt::format("{} of {} OSSs moved their amount", times.size(), outcome.osss.size());
    if (never != 0) text += fmt::format(", {} never ended", never);
    if (lost != 0) text += fmt::format(", {} lost", lost);
    if (times.empty()) return text;
    text += "; among those that did, ";
  }
  std::ranges::sort(times);
  return text + fmt::format("an OSS takes {} to {} s, half of them at most {} s",
                            number_text(times.front()), number_text(times.back()),
                            number_text(times[(times.size() - 1) / 2]));
}

std::string ways_text(const Outcome& outcome) {
  constexpr std::string_view kWays[] = {"by a router at the OSS's switch",
                                        "by a secondary route there",
                                        "over a link between switches"};
  std::string text;
  for (std::size_t i = 0; i < outcome.by_way.size(); ++i)
    if (const Latencies& way = outcome.by_way[i]; way.messages != 0)
      text += fmt::format(
          "    {:.1f} % {}: {}\n",
          100 * static_cast<double>(way.messages) / static_cast<double>(outcome.latencies.messages),
          kWays[i], latency_text(way));
  return text;
}

std::string outcome_text(const Simulated& simulated, const Outcome& outcome) {
  std::size_t failed = 0;
  for (const OssOutcome& oss : outcome.osss) failed += oss.failed;
  std::string text =
      fmt::format("\n{}: {}; {:.1f} % of the payload crosses links between switches\n",
                  mode_of(outcome), times_of_osss(outcome), 100 * outcome.crossing);
  const Latencies& all = outcome.latencies;
  if (all.messages != 0)
    text += fmt::format("    messages: {}, the slowest {:.3g} s, the mean {:.3g} s{}\n",
                        latency_text(all), all.percentiles[100], all.mean,
                        failed == 0 ? "" : fmt::format("; begun again: {}", failed)) +
            ways_text(outcome) +
            fmt::format("    routers are busy {:.0f} % of the time, the busiest {:.0f} %\n",
                        100 * outcome.routers_busy, 100 * outcome.busiest_router);
  if (outcome.client_routes != 0)
    text += fmt::format(
        "    each client has {} of its routes to a net, drawn at random: memory has no space for "
        "more\n",
        outcome.client_routes);
  if (!simulated.losses.empty() &&
      std::chrono::duration<double>(simulated.setup.lose_at).count() > outcome.seconds)
    text += "    all was moved before anything was lost\n";
  return text;
}

/// Returns a word for the second of two figures compared with the first. Figures within a twentieth
/// count as equal.
std::string_view compared(double first, double second, std::string_view more,
                          std::string_view less) {
  if (second > first * 1.05) return more;
  return second < first / 1.05 ? less : "the same";
}

/// Why messages take longer or shorter fine-grained, as far as the figures show it.
std::string explanation(const Simulated& simulated) {
  if (simulated.outcomes.size() != 2) return "";
  const Outcome &flat = simulated.outcomes[0], &fine = simulated.outcomes[1];
  const Latencies &before = flat.latencies, &after = fine.latencies;
  if (before.messages == 0 || after.messages == 0) return "";
  std::string text = fmt::format(
      "\nfine-grained the median is {} ({:.3g} s, flat {:.3g} s), and the slowest 1 % are {} "
      "({:.3g} s or more, flat {:.3g} s)\n",
      compared(before.percentiles[50], after.percentiles[50], "higher", "lower"),
      after.percentiles[50], before.percentiles[50],
      compared(before.percentiles[99], after.percentiles[99], "slower", "faster"),
      after.percentiles[99], before.percentiles[99]);
  text += fmt::format(
      "an OSS has {} messages under way until its end, so their mean follows from how fast it "
      "moves "
      "them: {:.3g} s, flat {:.3g} s, which is {}\n",
      simulated.setup.window, after.mean, before.mean,
      compared(before.mean, after.mean, "less when flat", "more when flat"));
  const Latencies &stay = flat.of(PayloadWay::kOwn), &cross = flat.of(PayloadWay::kCrossing);
  if (stay.messages != 0 && cross.messages != 0) {
    const std::string_view than = compared(stay.mean, cross.mean, "longer than", "less long than");
    text += fmt::format(
        "flat, messages that cross links take {} those that stay at their switch: "
        "{:.3g} and {:.3g} s in the mean{}\n",
        than == "the same" ? "as long as" : than, cross.mean, stay.mean,
        than == "longer than" && after.percentiles[50] > before.percentiles[50] &&
                after.percentiles[99] < before.percentiles[99]
            ? "; the quick messages lower the flat median, and the others are the slowest"
            : "");
  }
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
  return system.flat() ? system.name : plan.name_of(group);
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
  return text + explanation(simulated) + "\n" + group_table(simulated) + isl_table(simulated);
}

}  // namespace ulnet::tools::fgr
