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
  std::vector<NiItem> interfaces;               ///< name and CPTs; empty: chosen by address
  std::vector<wire::AddressPattern> ip_ranges;  ///< as AddressPattern::parse_ip reads them
  CommonTunables tunables;
  LndTunables lnd_tunables;
  std::vector<std::uint32_t> cpts;
  Place place = {};
};

/// What the rules configure on this machine: for each net the first rule that matches. -EINVAL
/// "No ip2nets rules applied" when none does, and why not those that name interfaces. A loopback
/// interface is used only by a rule that names it.
Result<std::vector<NetItem>> apply_ip2nets(std::span<const Ip2NetsRule> rules,
                                           std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
