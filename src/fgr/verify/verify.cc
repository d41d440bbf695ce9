#include "fgr/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fgr/verify/verify_diagnosis.h"
#include "lnet/base/assert.h"

namespace ulnet::plan {

std::string few_of(const std::vector<std::string>& words, std::size_t most) {
  if (words.size() <= most) return fmt::format("{}", fmt::join(words, ", "));
  return fmt::format(
      "{} and {} more",
      fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(most), ", "),
      words.size() - most);
}

std::string_view to_string(VerifySuspect::Kind kind) {
  switch (kind) {
    case VerifySuspect::Kind::kCable:
      return "cable";
    case VerifySuspect::Kind::kPort:
      return "port";
    case VerifySuspect::Kind::kHost:
      return "host";
    case VerifySuspect::Kind::kFile:
      return "file";
  }
  return "host";
}

Diagnosis::Diagnosis(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
                     const std::vector<SeenCable>& cables)
    : checks_(checks),
      seen_(seen),
      cables_(cables),
      nids_(checks.hosts.size()),
      known_(checks.hosts.size()),
      direct_(checks.hosts.size()),
      lacks_routes_(checks.hosts.size()),
      routed_(checks.hosts.size()) {
  ULNET_ASSERT(seen.size() == checks.hosts.size());
  for (std::size_t i = 0; i < checks.hosts.size(); ++i) {
    for (const Nid& nid : host(i).nids) owners_.emplace(nid, i);
    for (const Place& place : planned_places(i)) place_owners_.emplace(place, i);
  }
}

VerifyVerdict Diagnosis::run() {
  for (const HostSeen& seen : seen_) {
    verdict_.asked += seen.asked() ? 1 : 0;
    verdict_.pings += seen.pings.size();
    verdict_.answered +=
        static_cast<std::size_t>(std::ranges::count(seen.pings, true, &SeenPing::answered));
    verdict_.again += static_cast<std::size_t>(std::ranges::count_if(
        seen.pings, [](const SeenPing& ping) { return ping.answered && ping.asked > 1; }));
  }
  learn_nids();
  judge_interfaces();
  judge_addresses();
  judge_cables();
  judge_nets();
  judge_routing();
  judge_routes();
  judge_direct_pings();
  judge_answers();
  judge_route_states();
  judge_routed_pings();
  judge_unasked();
  return std::move(verdict_);
}

/// Returns the name of a host's file. All clients of a system share one file, so the name includes
/// the client whose copy is meant.
std::string Diagnosis::file_of(std::size_t index) const {
  const HostConfig& of = config(index);
  return of.kind == Kind::kClients
             ? fmt::format("lnetctl/clients-{}.yaml on {}", of.host, host(index).name)
             : fmt::format("lnetctl/{}.yaml", of.host);
}

std::string Diagnosis::name_of(const Nid& nid) const {
  const auto found = owners_.find(nid);
  return found == owners_.end() ? nid.to_string() : host(found->second).name;
}

std::optional<std::size_t> Diagnosis::owner_of(const std::vector<Nid>& nids) const {
  std::optional<std::size_t> owner;
  for (const Nid& nid : nids) {
    const auto found = owners_.find(nid);
    if (found == owners_.end() || (owner && *owner != found->second)) return checks_.owner_of(nids);
    owner = found->second;
  }
  return owner;
}

VerifyVerdict diagnose(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
                       const std::vector<SeenCable>& cables) {
  return Diagnosis(checks, seen, cables).run();
}

}  // namespace ulnet::plan
