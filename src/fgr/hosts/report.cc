#include "fgr/hosts/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fgr/plan/cables.h"
#include "lnet/base/printable.h"
#include "lnet/base/text_table.h"
#include "text/chart/heat_map.h"

namespace ulnet::tools::fgr {
namespace {

using plan::HostConfig;
using plan::HostSeen;

constexpr std::size_t kColumns = 60;  ///< the most servers side by side
constexpr std::size_t kMaxRows = 64;  ///< with more routers, only routers with a problem are shown

/// Whether a router and a server reach each other.
enum class Reach : std::uint8_t {
  kNotPlanned,  ///< they share no group
  kNotAsked,
  kAll,   ///< each ping between them, in either direction, was answered
  kSome,  ///< some pings were not answered
  kNone,
};
struct ReachMap {
  std::vector<std::size_t> routers, servers;  ///< indices in VerifyChecks::hosts
  std::vector<std::vector<Reach>> cells;      ///< by router, by server
  /// percentage of pings answered, where there were pings
  std::vector<std::vector<double>> answered;
};

char sign_of(Reach reach) { return ".?+/X"[static_cast<std::size_t>(reach)]; }
constexpr std::string_view kLegend =
    "+ all pings answered, / some, X none, ? not asked, . not planned\n";

std::string_view word_of(HostSeen::State state) {
  constexpr std::string_view kWords[] = {"not asked", "asked", "silent"};
  return kWords[static_cast<std::size_t>(state)];
}

/// For each host, the pings to it: how many there were, and how many were answered.
std::vector<std::pair<std::size_t, std::size_t>> pings_of_targets(const VerifyReport& report) {
  std::vector<std::pair<std::size_t, std::size_t>> counts(report.checks.hosts.size());
  for (const HostSeen& seen : report.seen)
    for (const plan::SeenPing& ping : seen.pings) {
      ++counts[ping.target.host].first;
      counts[ping.target.host].second += ping.answered ? 1 : 0;
    }
  return counts;
}

std::string host_table(const VerifyReport& report) {
  const auto reached = pings_of_targets(report);
  std::set<std::string> accused;
  for (const plan::VerifySuspect& suspect : report.verdict.suspects)
    accused.insert(suspect.hosts.begin(), suspect.hosts.end());
  std::vector<std::vector<std::string>> rows = {
      {"host", "is", "switch", "state", "reaches", "is reached", ""}};
  std::size_t left_out = 0;
  const bool all = report.checks.hosts.size() <= kMaxRows;
  for (std::size_t i = 0; i < report.checks.hosts.size(); ++i) {
    const plan::VerifyHost& host = report.checks.hosts[i];
    const HostSeen& seen = report.seen[i];
    const auto answered = std::ranges::count(seen.pings, true, &plan::SeenPing::answered);
    const bool suspected = accused.contains(host.name);
    if (!all && !suspected) {
      ++left_out;
      continue;
    }
    const auto of = [](auto some, auto of_all) {
      return of_all == 0 ? std::string("-") : fmt::format("{} of {}", some, of_all);
    };
    rows.push_back({host.name, std::string(to_string(host.kind)),
                    host.at_switch.empty() ? "-" : host.at_switch, std::string(word_of(seen.state)),
                    of(answered, seen.pings.size()), of(reached[i].second, reached[i].first),
                    suspected ? "<-" : ""});
  }
  std::string text = text::text_table(rows);
  if (left_out > 0) text += fmt::format("and {} hosts without a suspicion\n", left_out);
  return text;
}

std::string map_text(const plan::VerifyChecks& checks, const ReachMap& map) {
  std::size_t width = 6, height = 0, left_out = 0;
  for (const std::size_t router : map.routers)
    width = std::max(width, checks.hosts[router].name.size());
  for (const std::size_t server : map.servers)
    height = std::max(height, checks.hosts[server].name.size());
  std::string text = "routers and servers: ";
  text += kLegend;
  for (std::size_t begin = 0; begin < map.servers.size(); begin += kColumns) {
    const std::size_t end = std::min(map.servers.size(), begin + kColumns);
    for (std::size_t line = 0; line < height; ++line) {
      std::string row(width, ' ');
      for (std::size_t i = begin; i < end; ++i) {
        const std::string& name = checks.hosts[map.servers[i]].name;
        const std::size_t blank = height - name.size();
        row += fmt::format(" {}", line < blank ? ' ' : name[line - blank]);
      }
      row.resize(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    for (std::size_t r = 0; r < map.routers.size(); ++r) {
      std::string row = fmt::format("{:<{}}", checks.hosts[map.routers[r]].name, width);
      bool well = true;
      for (std::size_t i = begin; i < end; ++i) {
        const Reach reach = map.cells[r][i];
        row += fmt::format(" {}", sign_of(reach));
        well = well && reach != Reach::kSome && reach != Reach::kNone;
      }
      if (well && map.routers.size() > kMaxRows)
        ++left_out;
      else
        text += row + "\n";
    }
  }
  if (left_out > 0) text += fmt::format("and {} rows without a ping that failed\n", left_out);
  return text;
}

std::string suspects_text(const plan::VerifyVerdict& verdict) {
  std::string text;
  for (std::size_t i = 0; i < verdict.suspects.size(); ++i) {
    const plan::VerifySuspect& one = verdict.suspects[i];
    text += fmt::format("{}. {} {} [{}]\n   {}\n", i + 1, to_string(one.kind), one.name, one.cause,
                        one.what);
    for (const std::string& line : one.seen) text += fmt::format("     seen: {}\n", line);
    text += fmt::format("   do: {}\n", one.cure);
  }
  return text;
}

struct CableCount {
  std::size_t all = 0, as_planned = 0;
};
CableCount cable_count(const plan::Plan& plan) {
  CableCount count;
  for (const plan::Cable& cable : plan::cables_of(plan, plan::CableOrder::kRouters)) {
    ++count.all;
    count.as_planned += cable.switch_port != 0 ? 1 : 0;
  }
  return count;
}

std::string last_line(const VerifyReport& report) {
  const plan::VerifyVerdict& verdict = report.verdict;
  std::string count = fmt::format("{} of {} hosts asked, {} of {} pings answered", verdict.asked,
                                  report.checks.hosts.size(), verdict.answered, verdict.pings);
  if (report.checks.plan.fabric) {
    const CableCount cables = cable_count(report.checks.plan);
    const std::string words =
        fmt::format("{} of {} cables are at the planned switch", cables.as_planned, cables.all);
    count = report.only_cables
                ? words + "; only cables were judged, and no host was asked (--via asks hosts)"
                : count + ", " + words;
  }
  if (verdict.again > 0) count += fmt::format(", {} only when asked again", verdict.again);
  if (!verdict.suspects.empty())
    return fmt::format("{} suspect{}: {}\n", verdict.suspects.size(),
                       verdict.suspects.size() == 1 ? "" : "s", count);
  if (verdict.asked == 0 && !report.only_cables)
    return fmt::format("no host could be asked: {}\n", count);
  return report.notes.empty() ? fmt::format("all right: {}\n", count)
                              : fmt::format("nothing wrong in what was checked: {}\n", count);
}

ReachMap reach_map(const plan::VerifyChecks& checks, const std::vector<HostSeen>& seen) {
  ReachMap map;
  std::vector<std::size_t> place(checks.hosts.size());
  for (std::size_t i = 0; i < checks.hosts.size(); ++i) {
    const bool router = checks.hosts[i].is(HostConfig::Kind::kRouter);
    if (!router && !checks.hosts[i].is(HostConfig::Kind::kServer)) continue;
    auto& list = router ? map.routers : map.servers;
    place[i] = list.size();
    list.push_back(i);
  }
  map.cells.assign(map.routers.size(), std::vector<Reach>(map.servers.size(), Reach::kNotPlanned));
  map.answered.assign(map.routers.size(), std::vector<double>(map.servers.size()));
  const auto cell = [&](std::size_t one, std::size_t other) -> std::pair<std::size_t, std::size_t> {
    if (!checks.hosts[one].is(HostConfig::Kind::kRouter)) std::swap(one, other);
    return {place[one], place[other]};
  };
  const auto fit = [&](std::size_t one, std::size_t other) {
    return !checks.hosts[one].is(HostConfig::Kind::kClients) &&
           !checks.hosts[other].is(HostConfig::Kind::kClients) &&
           checks.hosts[one].kind != checks.hosts[other].kind;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>> counts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (const plan::PingTarget& target : checks.pings[i])
      if (fit(i, target.host)) {
        const auto [row, column] = cell(i, target.host);
        map.cells[row][column] = Reach::kNotAsked;
      }
    for (const plan::SeenPing& ping : seen[i].pings)
      if (fit(i, ping.target.host))
        ++(ping.answered ? counts[cell(i, ping.target.host)].first
                         : counts[cell(i, ping.target.host)].second);
  }
  for (const auto& [at, count] : counts) {
    map.cells[at.first][at.second] = count.second == 0  ? Reach::kAll
                                     : count.first == 0 ? Reach::kNone
                                                        : Reach::kSome;
    map.answered[at.first][at.second] =
        100.0 * static_cast<double>(count.first) / static_cast<double>(count.first + count.second);
  }
  return map;
}

}  // namespace

std::string verify_text(const VerifyReport& report) {
  const plan::Plan& plan = report.checks.plan;
  std::string text =
      report.only_cables
          ? plan::cable_text(plan::cables_of(plan, plan::CableOrder::kSwitches)) + "\n"
          : host_table(report) + "\n" +
                map_text(report.checks, reach_map(report.checks, report.seen)) + "\n";
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
  if (!report.notes.empty()) text += "\n";
  text += suspects_text(report.verdict);
  if (!report.verdict.suspects.empty()) text += "\n";
  return text + last_line(report);
}

std::string verify_json(const VerifyReport& report) {
  using Json = nlohmann::ordered_json;
  Json tree = {{"all right", report.verdict.suspects.empty() && report.notes.empty()},
               {"hosts", report.checks.hosts.size()},
               {"asked", report.verdict.asked},
               {"pings", report.verdict.pings},
               {"answered", report.verdict.answered},
               {"answered again", report.verdict.again},
               {"suspects", Json::array()},
               {"notes", report.notes},
               {"map", Json::array()}};
  if (report.checks.plan.fabric) {
    const CableCount cables = cable_count(report.checks.plan);
    tree["cables"] = {{"planned", cables.all}, {"at the planned switch", cables.as_planned}};
    tree["only cables"] = report.only_cables;
  }
  for (const plan::VerifySuspect& one : report.verdict.suspects)
    tree["suspects"].push_back({{"kind", to_string(one.kind)},
                                {"cause", one.cause},
                                {"name", one.name},
                                {"hosts", one.hosts},
                                {"what", one.what},
                                {"cure", one.cure},
                                {"seen", one.seen}});
  const ReachMap map = reach_map(report.checks, report.seen);
  constexpr std::string_view kWords[] = {"not planned", "not asked", "all", "some", "none"};
  for (std::size_t r = 0; r < map.routers.size(); ++r)
    for (std::size_t s = 0; s < map.servers.size(); ++s)
      if (map.cells[r][s] != Reach::kNotPlanned)
        tree["map"].push_back({{"router", report.checks.hosts[map.routers[r]].name},
                               {"server", report.checks.hosts[map.servers[s]].name},
                               {"answered", kWords[static_cast<std::size_t>(map.cells[r][s])]}});
  return tree.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string verify_svg(const plan::VerifyChecks& checks, const std::vector<HostSeen>& seen) {
  const ReachMap map = reach_map(checks, seen);
  chart::HeatMap heat{.title = "Pings between routers and servers",
                      .subtitle = "percent of the pings answered, in both directions; –: no pings",
                      .unit = "%",
                      .row_title = "router",
                      .column_title = "server",
                      .rows = {},
                      .columns = {},
                      .values = {},
                      .scale = {.low = 0, .high = 100}};
  for (const std::size_t server : map.servers) heat.columns.push_back(checks.hosts[server].name);
  for (std::size_t r = 0; r < map.routers.size(); ++r) {
    heat.rows.push_back(checks.hosts[map.routers[r]].name);
    auto& row = heat.values.emplace_back();
    for (std::size_t s = 0; s < map.servers.size(); ++s)
      row.push_back(map.cells[r][s] == Reach::kNotPlanned || map.cells[r][s] == Reach::kNotAsked
                        ? std::nullopt
                        : std::optional(map.answered[r][s]));
  }
  return draw(heat);
}

}  // namespace ulnet::tools::fgr
