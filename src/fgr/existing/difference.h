// The output of `ulnet-fgr diff`: host by host, the differences between the nodes and the plan.
#pragma once

#include <string>
#include <vector>

#include "fgr/check/actual.h"
#include "fgr/plan/planned.h"

namespace ulnet::tools::fgr {

struct HostDifference {
  std::string host;                ///< for clients the name of their system
  std::string file;                ///< empty: there is no file for the host
  bool known = true;               ///< false: the file belongs to no host of the site
  std::vector<std::string> minus;  ///< planned but missing: "net o2ib6002 10.10.100.4"
  std::vector<std::string> plus;   ///< present but not planned
};

/// Returns the hosts with differences and the hosts without a file, in the order of the site; then
/// the files of unknown hosts.
std::vector<HostDifference> differences(const plan::Planned& planned,
                                        const std::vector<plan::Actual>& files);

/// Returns the differences as a unified diff: "--- plan of SITE", "+++ DIR", and for each host a
/// line "@@ HOST FILE @@".
std::string diff_text(const std::vector<HostDifference>& hosts, const std::string& site,
                      const std::string& folder);
std::string diff_json(const std::vector<HostDifference>& hosts);

}  // namespace ulnet::tools::fgr
