// Which clients send to which servers in a test of two groups, and how many buffers a server needs
// for that. Source: spec/wire-selftest.md 5.1, spec/cli-lst.md 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ulnet::svc::selftest::console {

/// `dist:span`. The console splits the clients into runs of `clients`, and assigns `servers`
/// servers to each run.
struct Distribution {
  std::uint32_t clients = 1;
  std::uint32_t servers = 1;
};

/// Returns the servers to which client `index` (from 0) sends, as places in the group of `servers`
/// nodes: ((index / dist) * span + k) mod servers. Neither part of `spread` is 0, nor is `servers`.
std::vector<std::size_t> destinations_of(std::size_t index, std::size_t servers,
                                         const Distribution& spread);

/// Returns how many requests a server may get at once; at most 2^31 - 1. The console sends this
/// number to the server when it adds the test.
std::uint32_t server_buffers(std::size_t clients, std::size_t servers, const Distribution& spread,
                             std::uint32_t concurrency);

}  // namespace ulnet::svc::selftest::console
