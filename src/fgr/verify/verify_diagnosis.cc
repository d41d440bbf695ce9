#include "fgr/verify/verify_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::plan {

std::vector<std::string> texts_of(const std::vector<Nid>& nids) {
  std::vector<std::string> texts;
  for (const Nid& nid : nids) texts.push_back(nid.to_string());
  return texts;
}

std::string few_of(const std::vector<std::string>& words, std::size_t most) {
  if (words.size() <= most) return fmt::format("{}", fmt::join(words, ", "));
  return fmt::format(
      "{} and {} more",
      fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(most), ", "),
      words.size() - most);
}

Observations::Observations(const VerifyChecks& checks, const std::vector<HostSeen>& seen)
    : checks_(checks), seen_(seen), nids_(seen.size()) {
  ULNET_ASSERT(seen.size() == checks.hosts.size());
  for (std::size_t i = 0; i < hosts(); ++i) {
    for (const Nid& nid : host(i).nids) owners_.emplace(nid, i);
    for (const SeenNi& ni : seen[i].nis)
      if (seen[i].asked()) nids_[i].push_back(ni.nid);
  }
  for (const HostSeen& one : seen)
    for (const SeenPing& ping : one.pings) {
      if (!ping.answered || ping.nids.empty()) continue;
      const auto owner = owner_of(ping.nids);
      if (owner && !seen[*owner].asked() && ping.nids.size() > nids_[*owner].size())
        nids_[*owner] = ping.nids;
    }
}

std::vector<Nid> Observations::down_nids(std::size_t index) const {
  std::vector<Nid> down;
  for (const SeenNi& ni : seen_[index].nis)
    if (!ni.up) down.push_back(ni.nid);
  return down;
}

std::optional<std::size_t> Observations::owner_of(const Nid& nid) const {
  const auto found = owners_.find(nid);
  return found == owners_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Observations::owner_of(const std::vector<Nid>& nids) const {
  std::optional<std::size_t> owner;
  for (const Nid& nid : nids) {
    const auto found = owner_of(nid);
    if (!found || (owner && *owner != *found)) return checks_.owner_of(nids);
    owner = found;
  }
  return owner;
}

std::string Observations::file_of(std::size_t index) const {
  const HostConfig& of = config(index);
  return of.kind == HostConfig::Kind::kClients
             ? fmt::format("lnetctl/clients-{}.yaml on {}", of.host, host(index).name)
             : fmt::format("lnetctl/{}.yaml", of.host);
}

std::string Observations::text_of(std::size_t from, const SeenPing& ping) const {
  return fmt::format("{} -> {} {}: {}", host(from).name, host(ping.target.host).name,
                     ping.target.nid.to_string(),
                     ping.answered          ? "answered"
                     : ping.trouble.empty() ? "no answer"
                                            : ping.trouble) +
         (ping.answered || ping.asked < 2 ? "" : fmt::format(", {} times", ping.asked));
}

}  // namespace ulnet::plan
