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
  plan::Plan plan;  ///< the site's plan, with the nets and addresses of the laboratory
  /// by the host's name; clients by the name of their node
  std::map<std::string, lab::NodeNumber> nodes;
  std::vector<plan::NamedClient> clients;  ///< all clients of the laboratory

  /// Returns the control socket of a host.
  std::string socket(const std::string& host) const;
};

/// Finds the site's hosts in the laboratory `name`. -ENOENT, with a reason that says what to do:
/// the laboratory does not run, or it has no node for a host of the site or for the clients of a
/// system.
Result<SiteInLab> site_in_lab(const plan::Plan& site, const std::string& name);

/// Finds the site's hosts in the topology of `in.lab`, whether or not the laboratory runs. The
/// topology must have addresses.
Result<void> place_site(const plan::Plan& site, SiteInLab& in);

}  // namespace ulnet::tools::fgr
