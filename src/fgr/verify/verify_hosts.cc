#include <fmt/format.h>

#include <algorithm>

#include "fgr/plan/options.h"
#include "fgr/verify/verify_diagnosis.h"
#include "lnet/wire/nid_range.h"
#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

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
std::vector<std::string> texts_of(const std::vector<Nid>& nids) {
  std::vector<std::string> texts;
  for (const Nid& nid : nids) texts.push_back(nid.to_string());
  return texts;
}

}  // namespace

/// Takes the NIDs that a host reports; for a host that was not asked, the NIDs in its answers to
/// pings.
void Diagnosis::learn_nids() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i].asked()) continue;
    known_[i] = true;
    for (const SeenNi& ni : seen_[i].nis) nids_[i].push_back(ni.nid);
  }
  for (const HostSeen& seen : seen_)
    for (const SeenPing& ping : seen.pings) {
      if (!ping.answered || ping.nids.empty()) continue;
      const auto owner = owner_of(ping.nids);
      if (!owner || seen_[*owner].asked() || ping.nids.size() <= nids_[*owner].size()) continue;
      known_[*owner] = true;
      nids_[*owner] = ping.nids;
    }
}

std::vector<Nid> Diagnosis::down_nids(std::size_t index) const {
  std::vector<Nid> down;
  for (const SeenNi& ni : seen_[index].nis)
    if (!ni.up) down.push_back(ni.nid);
  return down;
}

void Diagnosis::accuse_interfaces(std::size_t index, const std::vector<Nid>& down,
                                  std::vector<std::string> seen) {
  const std::string nids = few_of(texts_of(down)), &name = host(index).name;
  accuse({.kind = VerifySuspect::Kind::kPort,
          .cause = "ni-down",
          .name = fmt::format("{} {}", name, nids),
          .hosts = {name},
          .what = fmt::format("{} says that {} is down", name, nids),
          .cure = "look at the link of that interface: its cable, and the port of the switch",
          .seen = std::move(seen)});
  blame(index);
}

/// Judges the interfaces of hosts that are not routers. For routers see judge_router_interfaces().
void Diagnosis::judge_interfaces() {
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (const auto down = down_nids(i); !down.empty() && !host(i).is(Kind::kRouter))
      accuse_interfaces(i, down, {});
}

std::optional<Diagnosis::Place> Diagnosis::place_of(std::size_t index, const Nid& nid) const {
  if (host(index).is(Kind::kClients) || !nid.is_small()) return std::nullopt;
  const auto& clients = checks_.plan.site.clients;
  if (host(index).is(Kind::kRouter) && nid.net() == clients[config(index).system].net)
    return Place{1 + config(index).system, nid.address4()};
  return Place{0, nid.address4()};
}

Diagnosis::Places Diagnosis::planned_places(std::size_t index) const {
  Places places;
  for (const Nid& nid : host(index).nids)
    if (const auto place = place_of(index, nid)) places.insert(*place);
  return places;
}

Diagnosis::Places Diagnosis::real_places(std::size_t index) const {
  Places places;
  for (const Nid& nid : nids_[index])
    if (const auto place = place_of(index, nid)) places.insert(*place);
  return places;
}

void Diagnosis::judge_addresses() {
  if (is_foreign_site()) return;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!known_[i]) continue;
    if (host(i).is(Kind::kClients))
      judge_client_addresses(i);
    else
      judge_addresses_of(i);
  }
}

/// Whether the hosts that were asked belong to another site than the file describes: several hosts
/// were asked, none has an address of its own, and most of their addresses belong to nobody. Then
/// they are not wrong one by one.
bool Diagnosis::is_foreign_site() {
  std::vector<std::string> names, seen;
  std::size_t of_others = 0, of_nobody = 0;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!known_[i] || host(i).is(Kind::kClients) || nids_[i].empty()) continue;
    const Places own = planned_places(i);
    for (const Place& place : real_places(i)) {
      if (own.contains(place)) return false;
      ++(place_owners_.contains(place) ? of_others : of_nobody);
    }
    names.push_back(host(i).name);
    if (seen.size() < 4)
      seen.push_back(fmt::format("{}: {}", host(i).name, few_of(texts_of(nids_[i]))));
  }
  if (names.size() < 2 || of_nobody <= of_others) return false;
  for (std::size_t i = 0; i < seen_.size(); ++i) blame(i);
  accuse({.kind = VerifySuspect::Kind::kFile,
          .cause = "other-site",
          .name = "of the site",
          .hosts = names,
          .what = fmt::format("none of the {} routers and servers whose addresses are known has "
                              "an address that the site gives it",
                              names.size()),
          .cure = "take the site file of these hosts; a laboratory has addresses of its own",
          .seen = seen});
  return true;
}

/// Judges a host that has addresses that are not its own.
void Diagnosis::judge_addresses_of(std::size_t index) {
  const Places planned = planned_places(index);
  std::vector<std::string> nobodys;
  std::set<std::size_t> others;
  for (const Place& place : real_places(index)) {
    if (planned.contains(place)) continue;
    const auto owner = place_owners_.find(place);
    if (owner == place_owners_.end())
      nobodys.push_back(words_of({place.address}));
    else if (others.insert(owner->second).second)
      judge_address(index, owner->second, place);
  }
  if (nobodys.empty()) return;
  blame(index);
  const std::string& name = host(index).name;
  accuse({.kind = VerifySuspect::Kind::kHost,
          .cause = "wrong-address",
          .name = name,
          .hosts = {name},
          .what = fmt::format("{} has the address{} {}, which the site gives to no host", name,
                              nobodys.size() == 1 ? "" : "es", few_of(nobodys)),
          .cure = fmt::format("give {} the address that the cable table says", name),
          .seen = texts_of(nids_[index])});
}

/// Judges a host that has an address of another host.
void Diagnosis::judge_address(std::size_t index, std::size_t other, const Place& place) {
  const std::string address = words_of({place.address});
  const std::string &name = host(index).name, &other_name = host(other).name;
  VerifySuspect suspect{
      .kind = VerifySuspect::Kind::kHost,
      .cause = "wrong-address",
      .name = name,
      .hosts = {name},
      .what = fmt::format("{} has the address {} of {}", name, address, other_name),
      .cure = fmt::format("give {} the address that the cable table says", name),
      .seen = texts_of(nids_[index])};
  const Places theirs = real_places(other);
  const Places own = planned_places(index);
  blame(index);
  blame(other);
  if (std::ranges::any_of(theirs, [&](const Place& at) { return own.contains(at); }) &&
      !theirs.contains(place)) {
    if (!exchanged_.insert(std::minmax(index, other)).second) return;
    suspect.kind = VerifySuspect::Kind::kCable;
    suspect.cause = "exchanged";
    suspect.name = fmt::format("{} and {}", name, other_name);
    suspect.hosts = {name, other_name};
    suspect.what = fmt::format("{} and {} have each other's addresses: their cables are exchanged",
                               name, other_name);
    suspect.cure = "exchange the two cables, or the two addresses";
  } else if (known_[other] && theirs.contains(place)) {
    suspect.cause = "duplicate-address";
    suspect.what = fmt::format("{0} and {2} both have the address {1}, which belongs to {2}", name,
                               address, other_name);
    suspect.hosts = {name, other_name};
  }
  accuse(std::move(suspect));
}

void Diagnosis::judge_client_addresses(std::size_t index) {
  const HostNet& net = config(index).nets.front();
  const auto* const name = wire::text::name_of(net.net.type);
  if (name == nullptr || name->form == wire::text::Form::kNumber) return;
  for (const Nid& nid : nids_[index]) {
    if (nid.net() != net.net) continue;
    const bool fits = std::ranges::any_of(net.addresses, [&](const std::string& pattern) {
      const auto read = wire::AddressPattern::parse_ip(pattern);
      return !read || read->matches(nid);
    });
    if (fits) continue;
    accuse(
        {.kind = VerifySuspect::Kind::kHost,
         .cause = "wrong-address",
         .name = host(index).name,
         .hosts = {host(index).name},
         .what = fmt::format("{} has {}, which is no address of {} ({})", host(index).name,
                             nid.to_string(), config(index).host, fmt::join(net.addresses, " ")),
         .cure =
             "give the host an address of its system, or name it with the system of that address",
         .seen = {}});
    blame(index);
  }
}

void Diagnosis::judge_nets() {
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (known_[i] && !direct_[i]) judge_nets_of(i);
}

void Diagnosis::judge_nets_of(std::size_t index) {
  std::vector<NetId> planned;
  for (const HostNet& net : config(index).nets) planned.push_back(net.net);
  const std::vector<NetId> real = nets_in(nids_[index]);
  const std::vector<NetId> missing = without(planned, real), extra = without(real, planned);
  if (missing.empty() && extra.empty()) return;
  const std::string& name = host(index).name;
  VerifySuspect suspect{.kind = VerifySuspect::Kind::kFile,
                        .cause = {},
                        .name = file_of(index),
                        .hosts = {name},
                        .what = {},
                        .cure = fmt::format("give {} the nets {}", name, names_of_nets(planned)),
                        .seen = texts_of(nids_[index])};
  if (extra.empty()) {
    suspect.cause = "missing-nets";
    suspect.what = fmt::format("{} lacks {}", name, names_of_nets(missing));
  } else if (missing.empty()) {
    suspect.cause = "other-nets";
    suspect.what =
        fmt::format("{} has {} besides the nets of its groups", name, names_of_nets(extra));
  } else if (missing.size() == 1 && among_servers(index) == missing.front()) {
    suspect.cause = "other-nets";
    suspect.what = fmt::format("{} has {}, and lacks {}, which its servers share", name,
                               names_of_nets(extra), names_of_nets(missing));
  } else {
    suspect.cause = "wrong-group";
    suspect.what = fmt::format("{} has {} in the place of {}", name, names_of_nets(extra),
                               names_of_nets(missing));
    suspect.what += group_remark(index, extra, suspect.cause);
  }
  blame(index);
  accuse(std::move(suspect));
}

/// Returns the net among the servers of a server's file system; nothing for other hosts.
std::optional<NetId> Diagnosis::among_servers(std::size_t index) const {
  if (!host(index).is(Kind::kServer)) return std::nullopt;
  return checks_.plan.site.file_systems[config(index).system].among_servers;
}

/// Why a host cannot be in the group whose net it has. An OSS on the other side has a cause of its
/// own.
std::string Diagnosis::group_remark(std::size_t index, const std::vector<NetId>& extra,
                                    std::string& cause) const {
  const Site& site = checks_.plan.site;
  for (const Group& group : checks_.plan.groups) {
    if (std::ranges::find(extra, group.net) == extra.end()) continue;
    if (host(index).is(Kind::kServer)) {
      const FileSystem& system = site.file_systems[group.file_system];
      const Server& server = site.file_systems[config(index).system].servers[config(index).number];
      const bool sides = system.layout == FileSystem::Layout::kSides && group.suffix != 0;
      if (sides && !server.metadata() && server.left() != (group.suffix % 2 == 0)) {
        cause = "wrong-parity";
        return fmt::format(": OSS {} is {}, and group {:03} {}", server.number,
                           server.left() ? "even" : "odd", group.suffix,
                           group.suffix % 2 == 0 ? "even" : "odd");
      }
    }
    if (!group.at_switch.empty() && group.at_switch != host(index).at_switch)
      return fmt::format(": group {:03} is at switch {}, and {} at {}", group.suffix,
                         group.at_switch, host(index).name, host(index).at_switch);
  }
  return {};
}

void Diagnosis::judge_routing() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i].asked() || direct_[i] ||
        seen_[i].routing.value_or(host(i).is(Kind::kRouter)) == host(i).is(Kind::kRouter))
      continue;
    const bool router = host(i).is(Kind::kRouter);
    accuse({.kind = VerifySuspect::Kind::kFile,
            .cause = router ? "not-routing" : "unplanned-routing",
            .name = file_of(i),
            .hosts = {host(i).name},
            .what = fmt::format("{} {}", host(i).name,
                                router ? "is a router, and its routing is off"
                                       : "is no router, and its routing is on"),
            .cure = fmt::format("lnetctl set routing {} on {}", router ? 1 : 0, host(i).name),
            .seen = {}});
    blame_routes(i);
  }
}

}  // namespace ulnet::plan
