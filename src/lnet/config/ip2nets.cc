#include "lnet/config/ip2nets.h"

#include <algorithm>

namespace ulnet::conf {

namespace {

const LocalInterface* find_interface(std::span<const LocalInterface> interfaces,
                                     std::string_view name) {
  const auto at = std::find_if(interfaces.begin(), interfaces.end(),
                               [&](const LocalInterface& i) { return i.name == name; });
  return at == interfaces.end() ? nullptr : &*at;
}

bool in_some_range(const LocalInterface& interface, std::span<const wire::AddressPattern> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const wire::AddressPattern& range) {
    return std::any_of(interface.addresses.begin(), interface.addresses.end(),
                       [&](const Nid& address) { return range.matches(address); });
  });
}

/// The NIs that a rule makes on this machine; empty if the rule does not match.
std::vector<NiItem> matched(const Ip2NetsRule& rule, std::span<const LocalInterface> interfaces) {
  std::vector<NiItem> nis;
  if (!rule.interfaces.empty()) {
    // If the rule names interfaces, all of them have to match.
    for (const NiItem& wanted : rule.interfaces) {
      const LocalInterface* here = find_interface(interfaces, wanted.interface);
      const bool fits = here != nullptr && here->up &&
                        (rule.ip_ranges.empty() || in_some_range(*here, rule.ip_ranges));
      if (!fits) return {};
      nis.push_back(wanted);
    }
  } else if (rule.ip_ranges.empty()) {
    if (const LocalInterface* first = first_usable(interfaces))
      nis.push_back({.interface = first->name});
  } else {
    for (const LocalInterface& here : interfaces) {
      if (selectable(here) && in_some_range(here, rule.ip_ranges))
        nis.push_back({.interface = here.name});
    }
  }
  for (NiItem& ni : nis) {
    ni.tunables = rule.tunables;
    ni.lnd_tunables = rule.lnd_tunables;
    if (ni.cpts.empty()) ni.cpts = rule.cpts;
  }
  return nis;
}

/// How the interfaces that the rule names differ from this machine; empty for a rule that names
/// none.
std::string contradiction(const Ip2NetsRule& rule, std::span<const LocalInterface> interfaces) {
  for (const NiItem& wanted : rule.interfaces) {
    const LocalInterface* here = find_interface(interfaces, wanted.interface);
    const std::string name = "interface '" + wanted.interface + "' ";
    if (here == nullptr) return name + "is not on this machine";
    if (!here->up) return name + "is down";
    if (rule.ip_ranges.empty() || in_some_range(*here, rule.ip_ranges)) continue;
    std::string has, in;
    for (const Nid& address : here->addresses) {
      const std::string nid = address.to_string();
      has += (has.empty() ? "" : ", ") + nid.substr(0, nid.find('@'));
    }
    for (const wire::AddressPattern& range : rule.ip_ranges)
      in += (in.empty() ? "" : ", ") + range.to_string();
    return name + "has " + (has.empty() ? "no address" : has) + ", none in " + in;
  }
  return {};
}

}  // namespace

Result<std::vector<NetItem>> apply_ip2nets(std::span<const Ip2NetsRule> rules,
                                           std::span<const LocalInterface> interfaces) {
  std::vector<NetItem> nets;
  for (const Ip2NetsRule& rule : rules) {
    const auto taken = [&](const NetItem& net) { return net.net == rule.net; };
    if (std::any_of(nets.begin(), nets.end(), taken)) continue;
    auto nis = matched(rule, interfaces);
    if (!nis.empty()) nets.push_back({rule.net, std::move(nis)});
  }
  if (nets.empty()) {
    std::string why;
    for (const Ip2NetsRule& rule : rules)
      if (const std::string wrong = contradiction(rule, interfaces); !wrong.empty())
        why += (why.empty() ? ": " : "; ") + wrong;
    return fail(-EINVAL, "No ip2nets rules applied" + why);
  }
  return nets;
}

}  // namespace ulnet::conf
