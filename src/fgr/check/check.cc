#include "fgr/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "fgr/check/check_parts.h"

namespace ulnet::plan {
namespace {

/// The routers through which clients have routes to groups, and servers of groups routes back.
class WaysOfFiles {
 public:
  WaysOfFiles(const Planned& planned, std::span<const Actual> files)
      : planned_(planned), files_(files) {}

  bool has(bool by_clients, std::size_t router, NetId group) {
    if (!filled_) fill();
    filled_ = true;
    return ways_.contains({by_clients, router, group});
  }

 private:
  void fill() {
    for (const Actual& file : files_) {
      if (file.hosts.empty() || planned_.host(file.hosts.front()).router()) continue;
      const bool clients = planned_.host(file.hosts.front()).clients();
      for (const ActualRoute& route : file.routes) add(clients, route.net, route.gateway);
      if (!file.as_planned) continue;
      for (const HostRoute& route : planned_.routes_of(file.hosts))
        add(clients, route.net, route.gateway);
    }
  }
  void add(bool clients, NetId net, const Nid& gateway) {
    if (const auto router = planned_.owner(gateway))
      ways_.emplace(clients, *router, clients ? net : gateway.net());
  }

  const Planned& planned_;
  std::span<const Actual> files_;
  bool filled_ = false;
  std::set<std::tuple<bool, std::size_t, NetId>> ways_;
};

class FilesCheck {
 public:
  FilesCheck(const Planned& planned, std::span<const Actual> files, const CheckLimits& limits)
      : planned_(planned), files_(files), limits_(limits), ways_(planned, files) {}

  std::vector<Finding> run() {
    for (const Actual& file : files_) {
      const std::size_t first = findings_.size();
      look_at(file);
      std::ranges::sort(
          findings_.begin() + static_cast<std::ptrdiff_t>(first), findings_.end(), {},
          [](const Finding& each) { return std::tie(each.place, each.rule, each.reason); });
    }
    const auto rest = std::ranges::unique(findings_);
    findings_.erase(rest.begin(), rest.end());
    return std::move(findings_);
  }

 private:
  void look_at(const Actual& file) {
    for (const ActualParameter& each : file.parameters)
      if (each.bytes > limits_.parameter)
        add_finding(
            findings_, file, Rule::kLongParameter, each.place,
            fmt::format("the text of {} has {} bytes, and {} are the most of a module parameter",
                        each.name, each.bytes, limits_.parameter));
    if (file.hosts.empty()) {
      add_finding(findings_, file, Rule::kUnknownHost, {},
                  "the file belongs to no host of the site");
      return;
    }
    if (file.routes.size() > limits_.routes)
      add_finding(findings_, file, Rule::kTooManyRoutes, {},
                  fmt::format("the file has {} routes, and {} are the most of a host",
                              file.routes.size(), limits_.routes));
    if (file.routing == false && planned_.host(file.hosts.front()).router())
      add_finding(findings_, file, Rule::kNotRouting, {},
                  "routing is off on " + words_for(planned_, file.hosts));
    Difference difference = compare(planned_, file);
    if (difference.empty() && !file.shared) return;
    check_nets(planned_, file, difference, findings_);
    check_routes(
        planned_, file, difference,
        [this](bool by_clients, std::size_t router, NetId group) {
          return ways_.has(by_clients, router, group);
        },
        findings_);
  }

  const Planned& planned_;
  std::span<const Actual> files_;
  const CheckLimits& limits_;
  WaysOfFiles ways_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_files(const Planned& planned, std::span<const Actual> files,
                                 const CheckLimits& limits) {
  return FilesCheck(planned, files, limits).run();
}

}  // namespace ulnet::plan
