// The texts of the module parameters networks= and ip2nets=; routes= is in
// lnet/config/routes_text.h. Source: spec/cli-lnetctl.md 9.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/config/interfaces.h"
#include "lnet/config/ip2nets.h"
#include "lnet/config/model.h"
#include "lnet/config/plain_text.h"
#include "lnet/config/routes_text.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// A net in `networks=` or `ip2nets=`; the words are views into the text.
struct NetText {
  std::string_view name;                     ///< "tcp0"
  std::vector<std::string_view> interfaces;  ///< "eth0[0,1]"
  std::string_view cpts;                     ///< of the net: "[0,1]" or "2"; empty: none
  NetItem item;                              ///< the parsed value
};
/// Reads the nets of `part`, a view into the text: "tcp0(eth0[0,1],eth1),o2ib0(ib0)". A net may be
/// listed twice, with different interfaces. -EINVAL for bad text, an unknown type, or an interface
/// that a net names twice.
Parsed<std::vector<NetText>> read_networks(const PlainText& in, std::string_view part);
/// Parses `networks=` and joins the items of each net. A net without interfaces gets no NIs here;
/// it will use the first usable interface. tcp(a,b) is two NIs. Errors: those of read_networks().
Result<std::vector<NetItem>> parse_networks(std::string_view text);

/// A rule of the `ip2nets=` text as written: views into the text.
struct RuleText {
  std::vector<NetText> nets;
  std::vector<std::string_view> patterns;  ///< "192.168.*.[1-5]", "2001:db8::/64"
};
/// Reads the rules of `part`, a view into the text.
Parsed<std::vector<RuleText>> read_ip2nets(const PlainText& in, std::string_view part);
/// A rule of the `ip2nets=` text.
struct Ip2NetsTextRule {
  std::vector<NetItem> nets;
  std::vector<wire::AddressPattern> patterns;
};
Result<std::vector<Ip2NetsTextRule>> parse_ip2nets(std::string_view text);
/// The nets of all matching rules, joined in order. -ENOENT when no rule matches or a named
/// interface is missing or down.
Result<std::vector<NetItem>> match_ip2nets(std::span<const Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces,
                                           HasDriver has_driver = nullptr);

/// Gives interfaces to the nets that name none: all selectable() interfaces of this machine with an
/// address that the rule matches. A net without such an interface is removed.
std::vector<Ip2NetsTextRule> name_matching(std::vector<Ip2NetsTextRule> rules,
                                           std::span<const LocalInterface> interfaces);

/// The nets that the module parameters request at the start: from networks or ip2nets, never both
/// (-EINVAL); without either LNet's default, net tcp (spec/cli-lnetctl.md 9.1). In the result every
/// NI has an interface. A net of networks= without interfaces gets the first usable one (-ENODEV:
/// there is no such interface). A rule of ip2nets= matches this machine by any of its addresses,
/// and uses the interfaces that it names unchecked (spec/cli-lnetctl.md 9.3). A net of ip2nets=
/// without interfaces gets the first selectable() one with an address that the rule matches, or is
/// removed. `has_driver`: for nets without a driver this function does not check that the
/// interfaces exist.
Result<std::vector<NetItem>> resolve_networks(std::string_view networks, std::string_view ip2nets,
                                              std::span<const LocalInterface> interfaces,
                                              HasDriver has_driver = nullptr);

/// Warnings: rules that name an interface and match by the address of another one.
std::vector<std::string> remarks_on_ip2nets(std::string_view ip2nets,
                                            std::span<const LocalInterface> interfaces,
                                            HasDriver has_driver = nullptr);

}  // namespace ulnet::conf
