// The YAML form of ip2nets: rules that choose nets by the addresses of this machine. Pure: the
// interfaces are an argument. Source: spec/cli-lnetctl.md 5.4; upstream cases 150 to 162.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lnet/config/interfaces.h"
#include "lnet/config/model.h"
#include "lnet/config/problem.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

struct Ip2NetsRule {
  NetId net;
  std::vector<NiItem> interfaces;               ///< names and CPTs; empty: chosen by address
  std::vector<wire::AddressPattern> ip_ranges;  ///< as AddressPattern::parse_ip reads them
  CommonTunables tunables;
  LndTunables lnd_tunables;
  std::vector<std::uint32_t> cpts;
  Place place = {};
};

/// The nets that the rules configure on this machine: the first matching rule of each net counts.
/// -EINVAL "No ip2nets rules applied", if no rule matches, with the reasons for rules that name
/// interfaces. Only a rule that names a loopback interface uses it.
Result<std::vector<NetItem>> apply_ip2nets(std::span<const Ip2NetsRule> rules,
                                           std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
