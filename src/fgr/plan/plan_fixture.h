// The system whose listing design document 004 prints in section III.A: a Cray XE with 18 routers,
// and a Sonexion-1600 of 6 SSUs in one rack.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "fgr/plan/kinds.h"
#include "fgr/plan/plan.h"

namespace ulnet::plan {

inline constexpr Address kFabric = 10U << 24 | 10U << 16 | 100U << 8;

inline Router router(std::uint32_t nid, std::uint32_t last, const std::string& at_switch,
                     bool metadata = false) {
  return {.host = fmt::format("nid{:05}", nid),
          .physical = {},
          .client_nid = Nid::small({NetType::kGni, 1}, nid),
          .addresses = {kFabric + last},
          .at_switch = at_switch,
          .use = metadata ? Router::Use::kMetadata : Router::Use::kData};
}

inline FileSystem sonexion(std::uint32_t ssus) {
  FileSystem system{.name = "home",
                    .cluster = "snx11001",
                    .base = {NetType::kO2ib, 6000},
                    .oss_gb_per_s = *bandwidth_of(oss_kinds(), "sonexion-1600"),
                    .osss_per_group = 3,
                    .routers_per_group = 4};
  system.servers = sonexion_servers({"snx11001", ssus, kFabric + 2});
  return system;
}

inline Site paper_site() {
  ClientSystem clients{.name = "xe",
                       .net = {NetType::kGni, 1},
                       .addresses = "10.128.*.*",
                       .router_gb_per_s = *bandwidth_of(router_kinds(), "xe")};
  clients.routers = {router(68, 101, "left0", true), router(90, 102, "right0", true)};
  std::uint32_t last = 103;
  for (const std::uint32_t nid : {750, 751, 752, 753, 608, 609, 638, 639})
    clients.routers.push_back(router(nid, last++, "left0"));
  for (const std::uint32_t nid : {618, 619, 628, 629, 648, 649, 662, 663})
    clients.routers.push_back(router(nid, last++, "right0"));
  return {.clients = {clients}, .file_systems = {sonexion(6)}};
}

/// Returns the same site, with its servers also on o2ib6500.
inline Site paper_site_with_net_among_servers() {
  Site site = paper_site();
  site.file_systems[0].among_servers = NetId{NetType::kO2ib, 6500};
  return site;
}

}  // namespace ulnet::plan
