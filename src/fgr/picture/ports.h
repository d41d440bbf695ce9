// The hosts that are plugged into each switch, with the LNet groups of each: the content of a
// plan's pictures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fgr/plan/cables.h"
#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// A host at a switch of the servers' fabric.
struct Port {
  std::string host;
  /// for a router "c0-0c0s0n0"; for a server "OSS 6, SSU 3"
  std::string place;
  std::string nid;                        ///< for a router, on its clients' net
  std::vector<plan::Cable> cables;        ///< one for each address on the fabric
  std::size_t client = 0;                 ///< for a router: in Site::clients
  std::vector<std::size_t> file_systems;  ///< indices in Site::file_systems; a server has one
  const plan::Server* server = nullptr;   ///< null: it is a router
  std::vector<std::size_t> groups;        ///< its own groups, in Plan::groups
  std::vector<std::size_t> others;        ///< groups for which it is a secondary router
};

struct SwitchPorts {
  std::string name;  ///< empty: servers for which the site names no switch
  std::vector<Port> routers, servers;

  std::size_t cables() const;
};

/// Returns the switches with their hosts, in the order of the site's servers; then the switches
/// that have routers only. Routers are in the order of the site, servers in that of their groups.
/// The result points into the plan.
std::vector<SwitchPorts> switches_of(const plan::Plan& plan);

/// Returns "home"; for a router of several file systems "home and projects".
std::string file_systems_of(const plan::Plan& plan, const Port& port);

/// Returns "3 OSSs", "MGS, MDS": the number of servers of each role.
std::string roles_text(const std::vector<const plan::Server*>& servers);

/// Returns the name of the switch, or the text for a switch without a name.
std::string name_of(const SwitchPorts& at);

}  // namespace ulnet::tools::fgr
