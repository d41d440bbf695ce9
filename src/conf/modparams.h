// The texts of the module parameters networks=, ip2nets= and routes=. Source:
// spec/cli-lnetctl.md 9.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conf/interfaces.h"
#include "conf/ip2nets.h"
#include "conf/model.h"
#include "ulnet/result.hpp"
#include "wire/nid_range.h"

namespace ulnet::conf {

/// `networks=`: "tcp0(eth0[0,1],eth1),o2ib0(ib0)". A net without interfaces gets no NIs here and
/// means the first usable interface. tcp(a,b) is two NIs. -EINVAL with the reason: bad text, an
/// unknown type, or an interface that a net names twice.
Result<std::vector<NetItem>> parse_networks(std::string_view text);

/// A rule of the `ip2nets=` text.
struct Ip2NetsTextRule {
  std::vector<NetItem> nets;
  std::vector<wire::AddressPattern> patterns;
};
Result<std::vector<Ip2NetsTextRule>> parse_ip2nets(std::string_view text);
/// The nets of all matching rules, joined in order. -ENOENT when no rule matches or a named
/// interface is missing or down.
Result<std::vector<NetItem>> match_ip2nets(std::span<const Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces);

/// Gives interfaces to the nets that name none: those of this machine that are up and have an
/// address that the rule matches.
std::vector<Ip2NetsTextRule> name_matching(std::vector<Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces);

/// An entry of `routes=`; nets and gateways stay patterns.
struct RouteText {
  std::string net, gateway;
  std::optional<std::uint32_t> hop, priority;
};
/// Checks the syntax of `routes=`. -EINVAL with the reason.
Result<std::vector<RouteText>> parse_routes(std::string_view text);

/// The nets that the module parameters ask for at the start: by networks or by ip2nets, never
/// both (-EINVAL). Every NI has an interface: a net without any gets the first usable one
/// (-ENODEV if there is none).
Result<std::vector<NetItem>> resolve_networks(std::string_view networks, std::string_view ip2nets,
                                              std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
