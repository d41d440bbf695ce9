// Who is plugged into which switch, with the LNet groups of each: what the pictures of a plan show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fgr/plan/cables.h"
#include "fgr/plan/plan.h"

namespace ulnet::tools::fgr {

/// A host at a switch of the servers' fabric.
struct Port {
  std::string host;
  std::string place;                      ///< of a router "c0-0c0s0n0"; of a server "OSS 6, SSU 3"
  std::string nid;                        ///< of a router, on its clients' net
  std::vector<plan::Cable> cables;        ///< one for each address on the fabric
  std::size_t client = 0;                 ///< of a router: in Site::clients
  std::vector<std::size_t> file_systems;  ///< in Site::file_systems; of a server one
  const plan::Server* server = nullptr;   ///< nothing: it is a router
  std::vector<std::size_t> groups;        ///< its own, in Plan::groups
  std::vector<std::size_t> others;        ///< those for which it is a secondary router
};

struct SwitchPorts {
  std::string name;  ///< empty: of the servers for which the site names none
  std::vector<Port> routers, servers;

  std::size_t cables() const;
};

/// By switch, in the order in which the servers of the site come; then those that have routers
/// only. Routers are in the order of the site, servers in that of their groups. Points into the
/// plan.
std::vector<SwitchPorts> switches_of(const plan::Plan& plan);

/// "home", of a router of several file systems "home and projects".
std::string file_systems_of(const plan::Plan& plan, const Port& port);

/// "3 OSSs", "MGS, MDS": how many of each role there are.
std::string roles_text(const std::vector<const plan::Server*>& servers);

/// "1 router", "4 routers"
std::string count_text(std::size_t count, std::string_view one);

/// What is written where the switch has no name.
std::string name_of(const SwitchPorts& at);

}  // namespace ulnet::tools::fgr
