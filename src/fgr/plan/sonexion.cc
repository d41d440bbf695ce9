#include "fgr/plan/sonexion.h"

#include <fmt/format.h>

namespace ulnet::plan {

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
