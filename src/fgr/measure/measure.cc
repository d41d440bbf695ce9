#include "fgr/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <numeric>

#include "lnet/base/assert.h"

namespace ulnet::plan {
namespace {

std::string mib_per_s(double bytes_per_s) {
  return fmt::format("{:.2f} MiB/s", bytes_per_s / (1 << 20));
}

std::vector<Oss> osss_of_group(const Plan& plan, std::size_t number) {
  std::vector<Oss> osss;
  for (const std::size_t server : plan.groups[number].servers)
    if (!server_of(plan, {number, server}).metadata()) osss.push_back({number, server});
  return osss;
}

bool is_group_named(const Plan& plan, const Group& group, const std::string& word) {
  const std::string suffix = fmt::format("{:03}", group.suffix);
  return word == suffix || word == plan.site.file_systems[group.file_system].name + ":" + suffix;
}

/// Returns the requested groups that have OSSs.
Result<std::vector<std::size_t>> measured_groups(const Plan& plan,
                                                 const MeasureRunsOptions& options) {
  const auto& words = options.groups;
  const auto reached = [&](const Group& group) {
    return !options.clients || !group.routers[*options.clients].primary.empty();
  };
  const std::string by =
      options.clients ? " to which " + plan.site.clients[*options.clients].name + " has routers"
                      : "";
  std::vector<std::size_t> with_osss;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (!osss_of_group(plan, i).empty() && reached(plan.groups[i])) {
      with_osss.push_back(i);
      names.push_back(plan.name_of(plan.groups[i]));
    }
  for (const std::string& word : words)
    if (std::ranges::none_of(
            with_osss, [&](std::size_t i) { return is_group_named(plan, plan.groups[i], word); }))
      return fail(-ENOENT, fmt::format("{} is no group with OSSs{}: those are {}", word, by,
                                       fmt::join(names, ", ")));
  if (with_osss.empty()) return fail(-ENOENT, "the site has no OSS" + by);
  if (!words.empty())
    std::erase_if(with_osss, [&](std::size_t i) {
      return std::ranges::none_of(words, [&](const std::string& word) {
        return is_group_named(plan, plan.groups[i], word);
      });
    });
  return with_osss;
}

class MeasureRunList {
 public:
  void add(MeasureScope scope, std::vector<Oss> osss) {
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

/// The OSSs of one file system.
class MeasureJudging {
 public:
  MeasureJudging(const Plan& plan, const MeasureJudgeOptions& options, MeasureVerdict& verdict)
      : plan_(plan), options_(options), verdict_(verdict) {}

  void add(const OssFigure& figure) { groups_[figure.oss.group].osss.push_back(&figure); }

  void run() {
    for (auto& [number, group] : groups_)
      if (!judge_idle_group(number, group)) judge_osss(number, group);
    for (const auto& [number, group] : groups_) judge_group(number, group);
  }

 private:
  struct Members {
    std::vector<const OssFigure*> osss;
    std::vector<double> in_line;  ///< figures of the OSSs in line
    bool whole() const { return in_line.size() == osss.size(); }
    double sum() const { return std::accumulate(in_line.begin(), in_line.end(), 0.0); }
    double mean() const { return sum() / static_cast<double>(in_line.size()); }
  };

  std::string compared(double own, double siblings, std::size_t count) const {
    return fmt::format("{}, {:.0f} % of the {} of its sibling{}", mib_per_s(own),
                       100 * own / siblings, (count == 1 ? "" : "median ") + mib_per_s(siblings),
                       count == 1 ? "" : "s");
  }

  void suspect(std::size_t group, std::optional<std::size_t> server, double figure,
               std::optional<double> siblings, std::string why) {
    verdict_.suspects.push_back({group, server, figure, siblings, std::move(why)});
  }

  /// If the group has several OSSs and none of them moved data, suspects the whole group instead of
  /// each OSS, and returns true.
  bool judge_idle_group(std::size_t number, const Members& group) {
    const auto idle = [](const OssFigure* each) {
      return !each->failed.empty() || each->bytes_per_s == 0;
    };
    if (group.osss.size() < 2 || !std::ranges::all_of(group.osss, idle)) return false;
    const std::string& why = group.osss.front()->failed;
    suspect(number, {}, 0, {},
            fmt::format("none of its {} OSSs moved data{}{}", group.osss.size(),
                        why.empty() ? "" : ": ", why));
    return true;
  }

  void judge_osss(std::size_t number, Members& group) {
    for (const OssFigure* each : group.osss) {
      const auto accuse = [&](double figure, std::optional<double> siblings, std::string why) {
        suspect(number, each->oss.server, figure, siblings, std::move(why));
      };
      std::vector<double> others;
      for (const OssFigure* other : group.osss)
        if (other != each && other->failed.empty()) others.push_back(other->bytes_per_s);
      const double siblings = median_of(others);
      if (!each->failed.empty())
        accuse(0, {}, each->failed);
      else if (each->errors != 0)
        accuse(each->bytes_per_s, {}, fmt::format("{} of its RPCs failed", each->errors));
      else if (each->bytes_per_s == 0)
        accuse(0, {}, "no data moved");
      else if (each->bytes_per_s < options_.share * siblings)
        accuse(each->bytes_per_s, siblings, compared(each->bytes_per_s, siblings, others.size()));
      else
        group.in_line.push_back(each->bytes_per_s);
    }
  }

  /// Whether the group's sum is in line, if its OSSs were loaded together. The more OSSs share the
  /// routers of a group, the less each OSS gets.
  bool group_sum_suffices(const Members& group, const std::vector<double>& sums) const {
    return options_.together && group.whole() && group.sum() >= options_.share * median_of(sums);
  }

  /// Judges the group by its OSSs that are in line. If all OSSs were loaded together and some were
  /// out of line, the others had more bandwidth. So other groups are not compared with such a
  /// group.
  void judge_group(std::size_t number, const Members& group) {
    if (group.in_line.empty()) return;
    std::vector<double> others, sums;
    for (const auto& [other, members] : groups_)
      if (other != number && !members.in_line.empty() && (members.whole() || !options_.together)) {
        others.push_back(members.mean());
        sums.push_back(members.sum());
      }
    const double siblings = median_of(others), own = group.mean();
    if (others.empty()) {
      verdict_.not_compared.push_back(plan_.name_of(plan_.groups[number]) +
                                      (groups_.size() == 1
                                           ? ": it is the only group that was measured"
                                           : ": no other group has all its OSSs in line"));
    } else if (own < options_.share * siblings && !group_sum_suffices(group, sums)) {
      std::optional<std::size_t> only;
      if (group.osss.size() == 1) only = group.osss.front()->oss.server;
      suspect(number, only, own, siblings,
              (only ? "the only OSS of its group: " : "the mean of its OSSs is ") +
                  compared(own, siblings, others.size()));
    }
  }

  const Plan& plan_;
  const MeasureJudgeOptions& options_;
  MeasureVerdict& verdict_;
  std::map<std::size_t, Members> groups_;  ///< by number
};

}  // namespace

const char* to_string(MeasureScope scope) {
  constexpr const char* kNames[] = {"each OSS", "all OSSs", "each group", "all groups"};
  return kNames[static_cast<std::size_t>(scope)];
}

const Server& server_of(const Plan& plan, const Oss& oss) {
  return plan.site.file_systems[plan.groups[oss.group].file_system].servers[oss.server];
}

Nid nid_of(const Plan& plan, const Oss& oss) {
  return Nid::small(plan.groups[oss.group].net, server_of(plan, oss).address);
}

bool MeasureRun::is_for(MeasureScope scope) const {
  return std::ranges::find(scopes, scope) != scopes.end();
}

Result<std::vector<MeasureRun>> measure_runs(const Plan& plan, const MeasureRunsOptions& options) {
  const auto groups = measured_groups(plan, options);
  if (!groups) return tl::unexpected(groups.error());
  std::vector<Oss> all;
  for (const std::size_t group : *groups)
    for (const Oss& oss : osss_of_group(plan, group)) all.push_back(oss);
  MeasureRunList runs;
  for (const MeasureScope scope : kMeasureScopes) {
    if (!options.scopes.empty() && std::ranges::find(options.scopes, scope) == options.scopes.end())
      continue;
    if (scope == MeasureScope::kEachOss)
      for (const Oss& oss : all) runs.add(scope, {oss});
    else if (scope == MeasureScope::kEachGroup)
      for (const std::size_t group : *groups) runs.add(scope, osss_of_group(plan, group));
    else
      runs.add(scope, all);
  }
  return runs.take();
}

std::uint32_t osss_of_a_client(std::size_t clients, std::size_t osss, std::uint32_t least) {
  ULNET_ASSERT(clients != 0 && osss != 0);
  // Each OSS has equally many clients if this number times the number of clients is a multiple of
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

MeasureVerdict judge_measured(const Plan& plan, const std::vector<OssFigure>& figures,
                              const MeasureJudgeOptions& options) {
  MeasureVerdict verdict;
  std::map<std::size_t, MeasureJudging> systems;
  std::vector<double> values;
  for (const OssFigure& each : figures) {
    systems.try_emplace(plan.groups[each.oss.group].file_system, plan, options, verdict)
        .first->second.add(each);
    if (each.failed.empty()) values.push_back(each.bytes_per_s);
  }
  verdict.median = median_of(values);
  for (double& value : values) value = std::abs(value - verdict.median);
  verdict.deviation = median_of(std::move(values));
  for (auto& [number, system] : systems) system.run();
  std::ranges::sort(verdict.suspects, [](const MeasureSuspect& a, const MeasureSuspect& b) {
    return std::pair(a.group, a.server) < std::pair(b.group, b.server);
  });
  return verdict;
}

}  // namespace ulnet::plan
