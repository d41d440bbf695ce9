// Judges the addresses that hosts have.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fgr/plan/options.h"
#include "fgr/verify/verify_diagnosis.h"
#include "lnet/wire/nid_range.h"
#include "lnet/wire/text.h"

namespace ulnet::plan {
namespace {

using HostKind = HostConfig::Kind;

/// An address on one side of the site: 0 is the servers' fabric, 1 and on are the clients' nets.
struct SideAddress {
  std::size_t side = 0;
  Address address = 0;
  auto operator<=>(const SideAddress&) const = default;
};
using SideAddresses = std::set<SideAddress>;

/// Returns the addresses of a router or server that has these NIDs; a client has none.
SideAddresses side_addresses(const Observations& of, std::size_t index,
                             const std::vector<Nid>& nids) {
  SideAddresses addresses;
  if (of.host(index).is(HostKind::kClients)) return addresses;
  const std::size_t system = of.config(index).system;
  for (const Nid& nid : nids) {
    if (!nid.is_small()) continue;
    const bool clients = of.host(index).is(HostKind::kRouter) &&
                         nid.net() == of.checks().plan.site.clients[system].net;
    addresses.insert(SideAddress{clients ? 1 + system : 0, nid.address4()});
  }
  return addresses;
}
SideAddresses planned_addresses(const Observations& of, std::size_t index) {
  return side_addresses(of, index, of.host(index).nids);
}
SideAddresses real_addresses(const Observations& of, std::size_t index) {
  return side_addresses(of, index, of.nids(index));
}

VerifySuspect wrong_address(const Observations& of, std::size_t index, std::string what) {
  const std::string& name = of.host(index).name;
  return {.kind = VerifySuspect::Kind::kHost,
          .cause = "wrong-address",
          .name = name,
          .hosts = {name},
          .what = std::move(what),
          .cure = fmt::format("give {} the address that the cable table says", name),
          .seen = texts_of(of.nids(index))};
}

/// Names the site's file as a suspect if the hosts that were asked belong to another site than it
/// describes: several hosts were asked, none has an address of its own, and most of their addresses
/// belong to nobody. Then they are not wrong one by one. Returns whether it did so.
bool accuse_site(const Observations& of, const std::map<SideAddress, std::size_t>& owners,
                 Suspects& suspects) {
  std::vector<std::string> names, seen;
  std::size_t of_others = 0, of_nobody = 0;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (of.host(i).is(HostKind::kClients) || of.nids(i).empty()) continue;
    const SideAddresses own = planned_addresses(of, i);
    for (const SideAddress& one : real_addresses(of, i)) {
      if (own.contains(one)) return false;
      ++(owners.contains(one) ? of_others : of_nobody);
    }
    names.push_back(of.host(i).name);
    if (seen.size() < 4)
      seen.push_back(fmt::format("{}: {}", names.back(), few_of(texts_of(of.nids(i)))));
  }
  if (names.size() < 2 || of_nobody <= of_others) return false;
  for (std::size_t i = 0; i < of.hosts(); ++i) suspects.blame(i);
  suspects.accuse(
      {.kind = VerifySuspect::Kind::kFile,
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

/// Judges a host that has an address of another host.
void judge_address(const Observations& of, std::size_t index, std::size_t other,
                   const SideAddress& one, Suspects& suspects) {
  const std::string address = words_of({one.address});
  const std::string &name = of.host(index).name, &other_name = of.host(other).name;
  VerifySuspect suspect = wrong_address(
      of, index, fmt::format("{} has the address {} of {}", name, address, other_name));
  const SideAddresses theirs = real_addresses(of, other), own = planned_addresses(of, index);
  suspects.blame(index);
  suspects.blame(other);
  if (std::ranges::any_of(theirs, [&](const SideAddress& at) { return own.contains(at); }) &&
      !theirs.contains(one)) {
    suspect.hosts = {name, other_name};
    suspect.what = fmt::format("{} and {} have each other's addresses: their cables are exchanged",
                               name, other_name);
    suspect.cure = "exchange the two cables, or the two addresses";
    return suspects.accuse_exchange(index, other, std::move(suspect));
  }
  if (theirs.contains(one)) {
    suspect.cause = "duplicate-address";
    suspect.what = fmt::format("{0} and {2} both have the address {1}, which belongs to {2}", name,
                               address, other_name);
    suspect.hosts = {name, other_name};
  }
  suspects.accuse(std::move(suspect));
}

/// Judges a router or server that has addresses that are not its own.
void judge_host(const Observations& of, std::size_t index,
                const std::map<SideAddress, std::size_t>& owners, Suspects& suspects) {
  const SideAddresses planned = planned_addresses(of, index);
  std::vector<std::string> nobodys;
  std::set<std::size_t> others;
  for (const SideAddress& one : real_addresses(of, index)) {
    if (planned.contains(one)) continue;
    const auto owner = owners.find(one);
    if (owner == owners.end())
      nobodys.push_back(words_of({one.address}));
    else if (others.insert(owner->second).second)
      judge_address(of, index, owner->second, one, suspects);
  }
  if (nobodys.empty()) return;
  suspects.blame(index);
  suspects.accuse(wrong_address(
      of, index,
      fmt::format("{} has the address{} {}, which the site gives to no host", of.host(index).name,
                  nobodys.size() == 1 ? "" : "es", few_of(nobodys))));
}

void judge_client(const Observations& of, std::size_t index, Suspects& suspects) {
  const HostConfig& config = of.config(index);
  const HostNet& net = config.nets.front();
  const auto* const type = wire::text::name_of(net.net.type);
  if (type == nullptr || type->form == wire::text::Form::kNumber) return;
  for (const Nid& nid : of.nids(index)) {
    if (nid.net() != net.net) continue;
    const bool fits = std::ranges::any_of(net.addresses, [&](const std::string& pattern) {
      const auto read = wire::AddressPattern::parse_ip(pattern);
      return !read || read->matches(nid);
    });
    if (fits) continue;
    const std::string& name = of.host(index).name;
    suspects.accuse(
        {.kind = VerifySuspect::Kind::kHost,
         .cause = "wrong-address",
         .name = name,
         .hosts = {name},
         .what = fmt::format("{} has {}, which is no address of {} ({})", name, nid.to_string(),
                             config.host, fmt::join(net.addresses, " ")),
         .cure =
             "give the host an address of its system, or name it with the system of that address"});
    suspects.blame(index);
  }
}

}  // namespace

void judge_addresses(const Observations& of, Suspects& suspects) {
  std::map<SideAddress, std::size_t> owners;
  for (std::size_t i = 0; i < of.hosts(); ++i)
    for (const SideAddress& one : planned_addresses(of, i)) owners.emplace(one, i);
  if (accuse_site(of, owners, suspects)) return;
  for (std::size_t i = 0; i < of.hosts(); ++i) {
    if (!of.knows_nids(i)) continue;
    if (of.host(i).is(HostKind::kClients))
      judge_client(of, i, suspects);
    else
      judge_host(of, i, owners, suspects);
  }
}

}  // namespace ulnet::plan
