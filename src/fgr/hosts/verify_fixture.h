// The 2-SSU site of the verification's tests: routers r1 to r4, servers snxn002 to snxn007.
#pragma once

#include <string>

#include "fgr/site/site_file.h"
#include "fgr/verify/verify.h"

namespace ulnet::tools::fgr {

inline constexpr const char* kTwoSsus = R"(clients:
    compute:
        net: tcp
        addresses: 10.1.0.*
        GB per s: 3.0
        routers:
            - {host: "r[1-2]", nid: "10.1.1.[1-2]", address: "10.2.0.[1-2]", switch: left0, for: both}
            - {host: "r[3-4]", nid: "10.1.1.[3-4]", address: "10.2.0.[3-4]", switch: right0, for: both}
file systems:
    home: {cluster: snx, net: o2ib6000, kind: sonexion-1600, SSUs: 2, first address: 10.2.1.2,
           OSSs per group: 2, routers per group: 2}
)";

inline const plan::VerifyChecks& two_ssus() {
  static const plan::VerifyChecks kChecks =
      plan::checks_of(*plan::make_plan(*read_site(kTwoSsus)), {{"client1", 0}, {"client2", 0}});
  return kChecks;
}

}  // namespace ulnet::tools::fgr
