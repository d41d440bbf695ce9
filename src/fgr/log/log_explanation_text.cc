#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fgr/log/log_explanation.h"
#include "lnet/base/text_table.h"

namespace ulnet::plan {
namespace {

using TableRows = std::vector<std::vector<std::string>>;

/// Returns "timed out 700, lost 240", the most frequent first; "-" without any.
std::string troubles_text(const std::array<std::uint64_t, kTroubles>& counts) {
  std::array<std::size_t, kTroubles> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  std::string text;
  for (const std::size_t i : order)
    if (counts[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(static_cast<Trouble>(i)),
                          counts[i]);
  return text.empty() ? "-" : text;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1'000'000) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string headline_of(const LogExplanation& explanation) {
  const LogCounts& counts = explanation.counts;
  std::string text = fmt::format("{}, {} line{} with NIDs", size_text(counts.bytes), counts.lines,
                                 counts.lines == 1 ? "" : "s");
  if (counts.troubled > 0)
    text += fmt::format("; {} of them say what went wrong:\n{}", counts.troubled,
                        troubles_text(counts.by_trouble));
  text += "\n";
  if (counts.uncounted > 0)
    text += fmt::format(
        "{} mentions of further NIDs are not counted: there are too many different "
        "ones\n",
        counts.uncounted);
  return text;
}

std::string hosts_in(const Suspect& suspect) {
  constexpr std::size_t kNamed = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, suspect.hosts.size()); ++i)
    text +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", suspect.hosts[i].first, suspect.hosts[i].second);
  if (suspect.hosts.size() > kNamed)
    text += fmt::format(", {} more hosts", suspect.hosts.size() - kNamed);
  return text.empty() ? "" : "   " + text + "\n";
}

std::string suspects_text(const LogExplanation& explanation) {
  std::string text = "\nWhere to look first\n";
  if (explanation.suspects.empty())
    return text +
           "Nothing stands out: the mentions are too few, or spread as if all hosts were alike.\n";
  for (std::size_t i = 0; i < explanation.suspects.size(); ++i) {
    const Suspect& suspect = explanation.suspects[i];
    text +=
        fmt::format("{}. {}{}: {} of {} mentions{}; {:.1f} if all were hit alike\n", i + 1,
                    suspect.name, suspect.where.empty() ? "" : " (" + suspect.where + ")",
                    suspect.mentions, suspect.of, i == 0 ? "" : " that remain", suspect.expected);
    text += hosts_in(suspect);
    if (explanation.only_troubled) text += "   " + troubles_text(suspect.what.by_trouble) + "\n";
    text += "   Look at " + suspect.look + ".\n";
  }
  return text;
}

/// Returns a table with its title; a longer table ends with the number of rows that are left out.
std::string section(const std::string& title, TableRows rows, std::size_t top) {
  if (rows.size() <= 1) return "";
  const std::size_t more = rows.size() - 1 - std::min(rows.size() - 1, top);
  rows.resize(rows.size() - more);
  return "\n" + title + "\n" + text::text_table(rows) +
         (more == 0 ? "" : fmt::format("and {} more\n", more));
}

std::string groups_section(const Plan& plan, const LogExplanation& explanation, std::size_t top) {
  TableRows rows = {{"group", "net", "switch", "mentions", "trouble", "if alike", "what"}};
  for (const MentionedGroup& row : explanation.groups) {
    const Group& group = plan.groups[row.group];
    rows.push_back({plan.name_of(group), group.net.to_string(),
                    group.at_switch.empty() ? "-" : group.at_switch,
                    std::to_string(row.mentions.all), std::to_string(row.mentions.troubled),
                    fmt::format("{:.1f}", row.expected), troubles_text(row.mentions.by_trouble)});
  }
  return section(
      "Groups; \"if alike\": the mentions that a group would have if all hosts were hit alike",
      std::move(rows), top);
}

std::string nids_text(const std::vector<NidCount>& nids) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, nids.size()); ++i)
    text += (i == 0 ? "" : " ") + nids[i].nid.to_string();
  return nids.size() > kNamed ? fmt::format("{} and {} more", text, nids.size() - kNamed) : text;
}

std::string hosts_section(const Plan& plan, const LogExplanation& explanation, std::size_t top) {
  TableRows rows = {{"host", "where", "group", "mentions", "trouble", "NIDs"}};
  for (const MentionedHost& host : explanation.hosts) {
    if (host.kind == HostConfig::Kind::kClients) continue;
    rows.push_back({host.name, host.where.empty() ? "-" : host.where,
                    host.group ? plan.name_of(plan.groups[*host.group]) : "-",
                    std::to_string(host.mentions.all), std::to_string(host.mentions.troubled),
                    nids_text(host.nids)});
  }
  return section("Servers and routers", std::move(rows), top);
}

std::string clients_section(const Plan& plan, const LogExplanation& explanation, std::size_t top) {
  TableRows rows = {{"clients", "NIDs", "mentions", "trouble", "the most mentioned"}};
  for (const MentionedClients& clients : explanation.clients) {
    constexpr std::size_t kNamed = 3;
    const std::string& name = plan.site.clients[clients.system].name;
    const std::string where = "a client of " + name;
    std::string most;
    std::size_t named = 0;
    for (const MentionedHost& host : explanation.hosts)
      if (host.kind == HostConfig::Kind::kClients && host.where == where &&
          explanation.weight(host.mentions) > 0 && named++ < kNamed)
        most += fmt::format("{}{} {}", most.empty() ? "" : ", ", host.name,
                            explanation.weight(host.mentions));
    rows.push_back({name, std::to_string(clients.nids), std::to_string(clients.mentions.all),
                    std::to_string(clients.mentions.troubled), most.empty() ? "-" : most});
  }
  return section("Clients", std::move(rows), top);
}

std::string nids_section(const std::string& title, const Plan& plan,
                         const std::vector<NidCount>& nids, std::size_t top) {
  const NidOwners owners(plan);
  TableRows rows = {{"NID", "mentions", "trouble", ""}};
  for (const NidCount& count : nids) {
    const NidOwner owner = owners.of(count.nid);
    std::string host;
    if (owner.kind == HostConfig::Kind::kServer)
      host = plan.site.file_systems[owner.system].servers[owner.number].host;
    else if (owner.kind == HostConfig::Kind::kRouter)
      host = plan.site.clients[owner.system].routers[owner.number].host;
    if (owner.group)
      host += fmt::format("{}on the net of group {}", host.empty() ? "" : " ",
                          plan.name_of(plan.groups[*owner.group]));
    rows.push_back(
        {count.nid.to_string(), std::to_string(count.all), std::to_string(count.troubled), host});
  }
  return section(title, std::move(rows), top);
}

}  // namespace

std::string explanation_text(const Plan& plan, const LogExplanation& explanation, std::size_t top) {
  if (explanation.counts.nids.empty() && explanation.counts.uncounted == 0)
    return size_text(explanation.counts.bytes) + ", no NIDs\n";
  return headline_of(explanation) + suspects_text(explanation) +
         groups_section(plan, explanation, top) + hosts_section(plan, explanation, top) +
         clients_section(plan, explanation, top) +
         nids_section("Hosts that the plan has not put on these nets", plan, explanation.strays,
                      top) +
         nids_section("NIDs that belong to no host of the site", plan, explanation.unknown, top);
}

}  // namespace ulnet::plan
