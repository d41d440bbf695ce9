// Finds the host of a plan that a NID belongs to. Source: design document 004, section III (each
// group has a net number of its own, so that a NID in a log names the group).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fgr/plan/planned.h"

namespace ulnet::plan {

struct NidOwner {
  std::optional<HostConfig::Kind> kind;  ///< nothing: it is nobody's
  std::size_t system = 0;  ///< index in Site::file_systems for a server, else in Site::clients
  std::size_t number = 0;  ///< index in FileSystem::servers or ClientSystem::routers
  /// Index in Plan::groups: the group whose net the NID is on. Nothing for a NID on a clients' net,
  /// or on the net among servers.
  std::optional<std::size_t> group;
  /// A host of the site has this address, but the plan has not put it on this net.
  bool stray = false;
};

class NidOwners {
 public:
  /// The plan must outlive this object.
  explicit NidOwners(const Plan& plan);

  /// Returns the owner of the NID. If several client systems are on its net, returns the first of
  /// them whose address patterns match the NID.
  NidOwner of(const Nid& nid) const;

  /// Returns the NIDs that the plan gives to servers and routers, in the order of the NIDs.
  std::vector<Nid> planned() const;

 private:
  NidOwner owner_of(std::size_t host) const;

  const Planned planned_;
  std::vector<std::size_t> clients_;  ///< indices in Planned::hosts(), one for each client system
};

}  // namespace ulnet::plan
