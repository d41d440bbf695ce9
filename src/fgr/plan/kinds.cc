#include "fgr/plan/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulnet::plan {
const std::vector<Kind>& oss_kinds() {
  static const std::vector<Kind> kinds = {{"sonexion-1600", 3.0}};
  return kinds;
}

const std::vector<Kind>& router_kinds() {
  static const std::vector<Kind> kinds = {
      {"xe", 2.6}, {"xc30-single-hca", 5.5}, {"xc30-dual-hca", 4.2}};
  return kinds;
}

std::optional<double> bandwidth_of(const std::vector<Kind>& kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  if (found == kinds.end()) return std::nullopt;
  return found->gb_per_s;
}

namespace {

/// Limits the value, since a file may contain any number.
std::uint32_t count_of(double number) { return static_cast<std::uint32_t>(std::min(number, 1e9)); }

}  // namespace

std::uint32_t osss_for(std::uint32_t routers, double router_gb_per_s, double oss_gb_per_s) {
  return count_of(std::floor(routers * router_gb_per_s / oss_gb_per_s + kRounding));
}

std::uint32_t routers_for(std::uint32_t osss, double router_gb_per_s, double oss_gb_per_s) {
  return count_of(std::ceil(osss * oss_gb_per_s / router_gb_per_s - kRounding));
}

std::vector<Server> sonexion_servers(const SonexionFacts& facts) {
  constexpr std::uint32_t kMgsHost = 2, kFirstOssHost = 4;
  const auto server = [&](Server::Role role, std::uint32_t host, std::uint32_t number) {
    const std::uint32_t rack = number / (2 * kSonexionSsusPerRack);
    return Server{role,
                  fmt::format("{}n{:03}", facts.cluster, host),
                  facts.first_address + (host - kMgsHost),
                  number,
                  fmt::format("R{}", rack),
                  fmt::format("{}{}", host % 2 == 0 ? "left" : "right", rack)};
  };
  std::vector<Server> servers = {server(Server::Role::kMgs, kMgsHost, 0),
                                 server(Server::Role::kMds, kMgsHost + 1, 0)};
  for (std::uint32_t i = 0; i < 2 * facts.ssus; ++i)
    servers.push_back(server(Server::Role::kOss, kFirstOssHost + i, i));
  return servers;
}

}  // namespace ulnet::plan
