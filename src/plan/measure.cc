#include "plan/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <numeric>

#include "base/assert.h"

namespace ulnet::plan {
namespace {

std::string mib(double bytes_per_s) { return fmt::format("{:.2f} MiB/s", bytes_per_s / (1 << 20)); }

std::vector<Oss> osss_of(const Plan& plan, std::size_t number) {
  std::vector<Oss> osss;
  for (const std::size_t server : plan.groups[number].servers)
    if (!server_of(plan, {number, server}).metadata()) osss.push_back({number, server});
  return osss;
}

bool is_named(const Plan& plan, const Group& group, const std::string& word) {
  const std::string suffix = fmt::format("{:03}", group.suffix);
  return word == suffix || word == plan.site.file_systems[group.file_system].name + ":" + suffix;
}

/// The groups that are wished and have OSSs.
Result<std::vector<std::size_t>> groups_of(const Plan& plan,
                                           const std::vector<std::string>& words) {
  std::vector<std::size_t> with_osss;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (!osss_of(plan, i).empty()) {
      with_osss.push_back(i);
      names.push_back(name_of(plan, plan.groups[i]));
    }
  for (const std::string& word : words)
    if (std::ranges::none_of(with_osss,
                             [&](std::size_t i) { return is_named(plan, plan.groups[i], word); }))
      return fail(-ENOENT, fmt::format("{} is no group with OSSs: those are {}", word,
                                       fmt::join(names, ", ")));
  if (with_osss.empty()) return fail(-ENOENT, "the site has no OSS");
  if (!words.empty())
    std::erase_if(with_osss, [&](std::size_t i) {
      return std::ranges::none_of(
          words, [&](const std::string& word) { return is_named(plan, plan.groups[i], word); });
    });
  return with_osss;
}

class Runs {
 public:
  void add(Scope scope, std::vector<Oss> osss) {
    const auto same = std::ranges::find(runs_, osss, &MeasureRun::osss);
    if (same == runs_.end())
      runs_.push_back({{scope}, std::move(osss)});
    else
      same->scopes.push_back(scope);
  }
  std::vector<MeasureRun> take() { return std::move(runs_); }

 private:
  std::vector<MeasureRun> runs_;
};

/// The figure that at least half of them reach.
double most_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The OSSs of one file system.
class Judging {
 public:
  Judging(const Plan& plan, double share, Verdict& verdict)
      : plan_(plan), share_(share), verdict_(verdict) {}

  void add(const OssFigure& figure) { groups_[figure.oss.group].osss.push_back(&figure); }

  void run() {
    for (auto& [number, group] : groups_) group.figure = most_of(figures_of(group.osss));
    for (auto& [number, group] : groups_) judge_group(number, group);
    for (auto& [number, group] : groups_) judge_osss(number, group);
  }

 private:
  struct Members {
    std::vector<const OssFigure*> osss;
    double figure = 0;
    bool out_of_line = false;
    bool idle = false;  ///< none of them moved anything
  };

  static double figure_of(const OssFigure& oss) { return oss.failed.empty() ? oss.bytes_per_s : 0; }
  static std::vector<double> figures_of(const std::vector<const OssFigure*>& osss) {
    std::vector<double> figures;
    for (const OssFigure* each : osss) figures.push_back(figure_of(*each));
    return figures;
  }

  std::string compared(double own, double siblings, std::size_t count) const {
    return fmt::format("{}, {:.0f} % of the {} of its sibling{}", mib(own), 100 * own / siblings,
                       (count == 1 ? "" : "median ") + mib(siblings), count == 1 ? "" : "s");
  }

  void suspect(std::size_t group, std::optional<std::size_t> server, double figure,
               std::optional<double> siblings, std::string why) {
    verdict_.suspects.push_back({group, server, figure, siblings, std::move(why)});
  }

  /// None of several OSSs: the group as a whole is cut off.
  bool judge_idle_group(std::size_t number, Members& group) {
    const auto idle = [](const OssFigure* each) { return figure_of(*each) == 0; };
    if (group.osss.size() < 2 || !std::ranges::all_of(group.osss, idle)) return false;
    group.out_of_line = group.idle = true;
    const std::string& why = group.osss.front()->failed;
    suspect(number, {}, 0, {},
            fmt::format("none of its {} OSSs moved data{}{}", group.osss.size(),
                        why.empty() ? "" : ": ", why));
    return true;
  }

  void judge_group(std::size_t number, Members& group) {
    if (judge_idle_group(number, group)) return;
    std::vector<double> others;
    for (const auto& [other, members] : groups_)
      if (other != number) others.push_back(members.figure);
    if (others.empty()) {
      verdict_.not_compared.push_back(name_of(plan_, plan_.groups[number]) +
                                      " is the only group that was measured");
      return;
    }
    const double siblings = median_of(others);
    // Those of its OSSs that moved nothing are named, or why its only one failed.
    if (group.figure == 0 || group.figure >= share_ * siblings) return;
    group.out_of_line = true;
    std::optional<std::size_t> only;
    if (group.osss.size() == 1) only = group.osss.front()->oss.server;
    suspect(number, only, group.figure, siblings,
            (only ? "the only OSS of its group: " : "most of its OSSs: ") +
                compared(group.figure, siblings, others.size()));
  }

  std::vector<double> siblings_of(std::size_t number, const OssFigure* self) const {
    std::vector<double> own, all;
    for (const auto& [other, members] : groups_)
      for (const OssFigure* each : members.osss) {
        if (each == self || !each->failed.empty()) continue;
        if (other == number) own.push_back(each->bytes_per_s);
        if (!members.out_of_line) all.push_back(each->bytes_per_s);
      }
    return own.size() >= 2 ? own : all;
  }

  void judge_osss(std::size_t number, const Members& group) {
    if (group.idle) return;
    for (const OssFigure* each : group.osss) {
      const auto accuse = [&](std::optional<double> siblings, std::string why) {
        suspect(number, each->oss.server, figure_of(*each), siblings, std::move(why));
      };
      if (!each->failed.empty()) {
        accuse({}, each->failed);
      } else if (each->errors != 0) {
        accuse({}, fmt::format("{} of its RPCs failed", each->errors));
      } else if (!group.out_of_line) {
        judge_oss(number, *each, accuse);
      }
    }
  }

  template <class Accuse>
  void judge_oss(std::size_t number, const OssFigure& oss, Accuse&& accuse) {
    const auto others = siblings_of(number, &oss);
    const double siblings = median_of(others);
    if (oss.bytes_per_s == 0)
      accuse({}, "no data moved");
    else if (others.empty())
      verdict_.not_compared.push_back(server_of(plan_, oss.oss).host +
                                      " is the only OSS that was measured");
    else if (oss.bytes_per_s < share_ * siblings)
      accuse(siblings, compared(oss.bytes_per_s, siblings, others.size()));
  }

  const Plan& plan_;
  const double share_;
  Verdict& verdict_;
  std::map<std::size_t, Members> groups_;  ///< by number
};

}  // namespace

const char* to_string(Scope scope) {
  switch (scope) {
    case Scope::kEachOss:
      return "each OSS";
    case Scope::kAllOsss:
      return "all OSSs";
    case Scope::kEachGroup:
      return "each group";
    default:
      return "all groups";
  }
}

const Server& server_of(const Plan& plan, const Oss& oss) {
  return plan.site.file_systems[plan.groups[oss.group].file_system].servers[oss.server];
}

Nid nid_of(const Plan& plan, const Oss& oss) {
  return Nid::small(plan.groups[oss.group].net, server_of(plan, oss).address);
}

std::string name_of(const Plan& plan, const Group& group) {
  return fmt::format("{} {:03}", plan.site.file_systems[group.file_system].name, group.suffix);
}

bool MeasureRun::is_for(Scope scope) const {
  return std::ranges::find(scopes, scope) != scopes.end();
}

Result<std::vector<MeasureRun>> measure_runs(const Plan& plan, const MeasureWish& wish) {
  const auto groups = groups_of(plan, wish.groups);
  if (!groups) return tl::unexpected(groups.error());
  std::vector<Oss> all;
  for (const std::size_t group : *groups)
    for (const Oss& oss : osss_of(plan, group)) all.push_back(oss);
  Runs runs;
  for (const Scope scope : kScopes) {
    if (!wish.scopes.empty() && std::ranges::find(wish.scopes, scope) == wish.scopes.end())
      continue;
    if (scope == Scope::kEachOss)
      for (const Oss& oss : all) runs.add(scope, {oss});
    else if (scope == Scope::kEachGroup)
      for (const std::size_t group : *groups) runs.add(scope, osss_of(plan, group));
    else
      runs.add(scope, all);
  }
  return runs.take();
}

std::uint32_t osss_of_a_client(std::size_t clients, std::size_t osss, std::uint32_t least) {
  ULNET_ASSERT(clients != 0 && osss != 0);
  // Each OSS has equally many clients when so many times the number of clients is a multiple of
  // the number of OSSs.
  const std::size_t step = osss / std::gcd(clients, osss);
  const std::size_t wanted = std::max(std::min<std::size_t>(least, osss), step);
  return static_cast<std::uint32_t>((wanted + step - 1) / step * step);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Verdict judge(const Plan& plan, const std::vector<OssFigure>& figures, double share) {
  Verdict verdict;
  std::map<std::size_t, Judging> systems;
  std::vector<double> values;
  for (const OssFigure& each : figures) {
    systems.try_emplace(plan.groups[each.oss.group].file_system, plan, share, verdict)
        .first->second.add(each);
    if (each.failed.empty()) values.push_back(each.bytes_per_s);
  }
  verdict.median = median_of(values);
  for (double& value : values) value = std::abs(value - verdict.median);
  verdict.deviation = median_of(std::move(values));
  for (auto& [number, system] : systems) system.run();
  std::ranges::sort(verdict.suspects, [](const Suspect& a, const Suspect& b) {
    return std::pair(a.group, a.server) < std::pair(b.group, b.server);
  });
  return verdict;
}

}  // namespace ulnet::plan
