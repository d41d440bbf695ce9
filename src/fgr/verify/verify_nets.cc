// Judges the nets that hosts have, and whether they route.
#include <fmt/format.h>

#include <algorithm>

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {
namespace {

using HostKind = HostConfig::Kind;

std::vector<NetId> nets_in(const std::vector<Nid>& nids) {
  std::vector<NetId> nets;
  for (const Nid& nid : nids)
    if (std::ranges::find(nets, nid.net()) == nets.end()) nets.push_back(nid.net());
  return nets;
}
std::vector<NetId> without(std::vector<NetId> nets, const std::vector<NetId>& others) {
  std::erase_if(nets, [&](NetId net) { return std::ranges::find(others, net) != others.end(); });
  return nets;
}
std::string names_of_nets(const std::vector<NetId>& nets) {
  std::vector<std::string> names;
  for (const NetId net : nets) names.push_back(net.to_string());
  return few_of(names);
}

/// Whether it is the net among the servers of the server's file system.
bool is_among_servers(const Observations& of, std::size_t index, NetId net) {
  const auto& systems = of.checks().plan.site.file_systems;
  return of.host(index).is(HostKind::kServer) &&
         systems[of.config(index).system].among_servers == net;
}

/// Why a host cannot be in the group whose net it has. An OSS on the other side has a cause of its
/// own.
std::string group_remark(const Observations& of, std::size_t index, const std::vector<NetId>& extra,
                         std::string& cause) {
  const Plan& plan = of.checks().plan;
  const VerifyHost& host = of.host(index);
  for (const Group& group : plan.groups) {
    if (std::ranges::find(extra, group.net) == extra.end()) continue;
    if (host.is(HostKind::kServer)) {
      const FileSystem& system = plan.site.file_systems[group.file_system];
      const HostConfig& config = of.config(index);
      const Server& server = plan.site.file_systems[config.system].servers[config.number];
      const bool sides = system.layout == FileSystem::Layout::kSides && group.suffix != 0;
      if (sides && !server.metadata() && server.left() != (group.suffix % 2 == 0)) {
        cause = "wrong-parity";
        return fmt::format(": OSS {} is {}, and group {:03} {}", server.number,
                           server.left() ? "even" : "odd", group.suffix,
                           group.suffix % 2 == 0 ? "even" : "odd");
      }
    }
    if (!group.at_switch.empty() && group.at_switch != host.at_switch)
      return fmt::format(": group {:03} is at switch {}, and {} at {}", group.suffix,
                         group.at_switch, host.name, host.at_switch);
  }
  return {};
}

void judge_nets_of(const Observations& of, std::size_t index, Suspects& suspects) {
  std::vector<NetId> planned;
  for (const HostNet& net : of.config(index).nets) planned.push_back(net.net);
  const std::vector<NetId> real = nets_in(of.nids(index));
  const std::vector<NetId> missing = without(planned, real), extra = without(real, planned);
  if (missing.empty() && extra.empty()) return;
  const std::string& name = of.host(index).name;
  VerifySuspect suspect{.kind = VerifySuspect::Kind::kFile,
                        .cause = "other-nets",
                        .name = of.file_of(index),
                        .hosts = {name},
                        .cure = fmt::format("give {} the nets {}", name, names_of_nets(planned)),
                        .seen = texts_of(of.nids(index))};
  if (extra.empty()) {
    suspect.cause = "missing-nets";
    suspect.what = fmt::format("{} lacks {}", name, names_of_nets(missing));
  } else if (missing.empty()) {
    suspect.what =
        fmt::format("{} has {} besides the nets of its groups", name, names_of_nets(extra));
  } else if (missing.size() == 1 && is_among_servers(of, index, missing.front())) {
    suspect.what = fmt::format("{} has {}, and lacks {}, which its servers share", name,
                               names_of_nets(extra), names_of_nets(missing));
  } else {
    suspect.cause = "wrong-group";
    suspect.what = fmt::format("{} has {} in the place of {}", name, names_of_nets(extra),
                               names_of_nets(missing));
    suspect.what += group_remark(of, index, extra, suspect.cause);
  }
  suspects.blame(index);
  suspects.accuse(std::move(suspect));
}

}  // namespace

void judge_nets(const Observations& of, Suspects& suspects) {
  for (std::size_t i = 0; i < of.hosts(); ++i)
    if (of.knows_nids(i) && !suspects.explain(i)) judge_nets_of(of, i, suspects);
}

void judge_routing(const Observations& of, Suspects& suspects) {
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    const bool router = of.host(i).is(HostKind::kRouter);
    if (!of.seen(i).asked() || suspects.explain(i) || of.seen(i).routing.value_or(router) == router)
      continue;
    const std::string& name = of.host(i).name;
    suspects.accuse({.kind = VerifySuspect::Kind::kFile,
                     .cause = router ? "not-routing" : "unplanned-routing",
                     .name = of.file_of(i),
                     .hosts = {name},
                     .what = name + (router ? " is a router, and its routing is off"
                                            : " is no router, and its routing is on"),
                     .cure = fmt::format("lnetctl set routing {} on {}", router ? 1 : 0, name)});
    suspects.blame_routes(i);
  }
}

}  // namespace ulnet::plan
