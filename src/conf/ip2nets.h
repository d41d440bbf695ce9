// The YAML form of ip2nets: rules that choose nets by the addresses of this machine. Pure: the
// interfaces are an argument. Source: spec/cli-lnetctl.md 5.4; upstream cases 150 to 162.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conf/interfaces.h"
#include "conf/model.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// One pattern of an `ip-range`: four number expressions, or an IPv6 address with an optional
/// prefix length.
class IpPattern {
 public:
  /// -EINVAL with the reason ("invalid IP pattern '1.2.3'").
  static Result<IpPattern> parse(std::string_view text);
  bool matches(const IpAddress& address) const;
  bool v6() const { return v6_; }

 private:
  struct Range {
    std::uint32_t lo = 0, hi = 0, step = 1;
  };
  bool v6_ = false;
  unsigned prefix_ = 128;
  IpAddress network_;
  std::array<std::vector<Range>, 4> octets_;
};

struct Ip2NetsRule {
  NetId net;
  std::vector<NiItem> interfaces;  ///< name and CPTs; empty: chosen by address
  std::vector<IpPattern> ip_ranges;
  CommonTunables tunables;
  LndTunables lnd_tunables;
  std::vector<std::uint32_t> cpts;
};

/// What the rules configure here: per net the first rule that matches. -EINVAL "No ip2nets rules
/// applied" when none does.
Result<std::vector<NetItem>> apply_ip2nets(std::span<const Ip2NetsRule> rules,
                                           std::span<const LocalInterface> interfaces);

}  // namespace ulnet::conf
