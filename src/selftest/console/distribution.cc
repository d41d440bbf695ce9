#include "selftest/console/distribution.h"

#include <algorithm>

#include "lnet/base/assert.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr std::uint64_t up(std::uint64_t what, std::uint64_t by) { return (what + by - 1) / by; }

}  // namespace

std::vector<std::size_t> destinations_of(std::size_t index, std::size_t servers,
                                         const Distribution& spread) {
  ULNET_ASSERT(servers != 0 && spread.clients != 0 && spread.servers <= servers);
  const std::uint64_t first = index / spread.clients % servers * spread.servers;
  std::vector<std::size_t> places;
  for (std::uint64_t k = 0; k < spread.servers; ++k) places.push_back((first + k) % servers);
  return places;
}

std::uint32_t server_buffers(std::size_t clients, std::size_t servers, const Distribution& spread,
                             std::uint32_t concurrency) {
  ULNET_ASSERT(spread.clients != 0 && spread.servers != 0);
  const std::uint64_t runs = up(clients, spread.clients);
  const std::uint64_t spans = std::max<std::uint64_t>(up(servers, spread.servers), 1);
  const std::uint64_t runs_at_one = up(runs, spans);
  constexpr std::uint64_t kMax = INT32_MAX;
  const std::uint64_t clients_at_one = std::min(kMax, runs_at_one * spread.clients);
  return static_cast<std::uint32_t>(std::min(kMax, clients_at_one * concurrency));
}

}  // namespace ulnet::svc::selftest::console
