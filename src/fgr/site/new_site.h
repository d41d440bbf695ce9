// A site file from its key facts. Source: design document 004, section III.A.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fgr/plan/site.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::fgr {

struct NewSite {
  std::uint32_t ssus = 0;
  std::string cluster;  ///< "snx11001"
  NetId net;            ///< net of the metadata group: "o2ib6000"
  std::optional<NetId> net_among_servers;
  std::string file_system = "home";
  std::string clients = "xe";
  NetId client_net{NetType::kGni, 1};
  std::string client_addresses = "10.128.*.*";
  std::string router_kind = "xe";
  std::uint32_t metadata_routers = 2;
  std::string first_server = "10.10.100.2";  ///< the address of the MGS
  /// On the servers' fabric; empty: number 101 in the MGS's net of 256 addresses, or if the servers
  /// need that, the first address of the next net.
  std::string first_router;
  std::string first_nid;  ///< on the clients' net; empty: 1, or 10.128.0.1
};

/// Returns YAML that read_site() accepts. The routers' host names and NIDs, which the facts do not
/// contain, count from the first one. -EINVAL with the reason; -ERANGE when there are not enough
/// addresses.
Result<std::string> new_site(const NewSite& facts);

}  // namespace ulnet::tools::fgr
