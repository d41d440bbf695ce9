// A site whose hosts are the nodes of a laboratory that runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fgr/verify/verify.h"
#include "lab/live/laboratory.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct SiteInLab {
  lab::Laboratory lab;
  plan::Plan plan;  ///< the site's, on the nets and at the addresses that the laboratory has
  std::map<std::string, lab::NodeNumber> nodes;  ///< by the host's name; clients by their node's
  std::vector<plan::NamedClient> clients;        ///< all that the laboratory has

  /// The control socket of a host.
  std::string socket(const std::string& host) const;
};

/// `name` is the laboratory's. -ENOENT: it does not run, or a host of the site, or all clients of a
/// system, have no node there; the reason says what to do.
Result<SiteInLab> site_in_lab(const plan::Plan& site, const std::string& name);

/// The same without asking what runs, for any topology. Addresses are given.
Result<void> place_site(const plan::Plan& site, SiteInLab& in);

}  // namespace ulnet::tools::fgr
