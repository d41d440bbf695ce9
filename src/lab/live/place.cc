#include "lab/live/place.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "lab/live/laboratory.h"
#include "lnet/os/machine_memory.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;

/// Returns the address in "0100007F:1F90" of /proc/net/tcp, in the machine's byte order.
std::uint32_t address_in(std::string_view field) {
  std::uint32_t raw = 0;
  std::from_chars(field.data(), field.data() + std::min<std::size_t>(field.size(), 8), raw, 16);
  return ntohl(raw);
}

bool can_listen(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const bool free =
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket, 1) == 0;
  ::close(socket);
  return free;
}

/// Returns the first of the ports that the system assigns to connections.
std::uint16_t first_of_system() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  unsigned first = 32768;
  file >> first;
  return static_cast<std::uint16_t>(std::clamp(first, 12'000U, 60'000U));
}

}  // namespace

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t available = node::machine_memory();
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:"))
      available = std::min<std::uint64_t>(
          available, std::strtoull(line.c_str() + sizeof "MemAvailable:" - 1, nullptr, 10) * 1024);
  return available;
}

Result<void> check_memory(std::size_t nodes, std::uint64_t available) {
  const std::uint64_t needed = nodes * kMemoryOfNode;
  if (needed <= available) return {};
  return fail(-ENOMEM,
              fmt::format("{} nodes need {} MiB of memory ({} MiB each), and {} MiB are available: "
                          "that is enough for {}",
                          nodes, needed / kMebibyte, kMemoryOfNode / kMebibyte,
                          available / kMebibyte, available / kMemoryOfNode));
}

std::set<std::uint8_t> loopbacks_in_use(std::string_view tcp_table) {
  std::set<std::uint8_t> used;
  std::istringstream lines{std::string(tcp_table)};
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number, local;
    fields >> number >> local;
    const std::uint32_t address = address_in(local);
    if (address >> 24 == 127) used.insert(static_cast<std::uint8_t>(address >> 16));
  }
  return used;
}

Result<std::uint8_t> free_number(const std::set<std::uint8_t>& taken, std::string_view name) {
  constexpr std::size_t kCount = kLastNumber - kFirstNumber + 1;
  const std::size_t first = std::hash<std::string_view>()(name);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto number = static_cast<std::uint8_t>(kFirstNumber + (first + i) % kCount);
    if (!taken.contains(number)) return number;
  }
  return fail(-EADDRINUSE,
              "all loopback addresses 127.16.0.0 to 127.250.0.0 are in use: end a "
              "laboratory with 'ulnet-lab down'");
}

Result<std::uint16_t> free_port(std::string_view name) {
  constexpr std::uint16_t kFirst = 10'000;
  const std::size_t count = first_of_system() - kFirst;
  const std::size_t first = std::hash<std::string_view>()(name);
  for (std::size_t i = 0; i < count; ++i) {
    const auto port = static_cast<std::uint16_t>(kFirst + (first + i) % count);
    if (can_listen(port)) return port;
  }
  return fail(-EADDRINUSE, "there is no free TCP port: name one with --port");
}

}  // namespace ulnet::tools::lab
