#include "lnet/os/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>

namespace ulnet::machine {
namespace {

constexpr NetId kTcp{NetType::kTcp, 0};

std::optional<Nid> nid_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    return Nid::small(kTcp, ntohl(in.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in6{};
    std::memcpy(&in6, address, sizeof in6);
    if (IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr)) return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &in6.sin6_addr, bytes.size());
    return Nid::large(kTcp, bytes);
  }
  return std::nullopt;
}

}  // namespace

std::vector<conf::LocalInterface> local_interfaces() {
  ifaddrs* head = nullptr;
  if (getifaddrs(&head) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(head, &freeifaddrs);
  std::vector<conf::LocalInterface> interfaces;
  for (const ifaddrs* entry = head; entry != nullptr; entry = entry->ifa_next) {
    const std::string_view name = entry->ifa_name;
    auto at = std::find_if(interfaces.begin(), interfaces.end(),
                           [&](const auto& i) { return i.name == name; });
    if (at == interfaces.end()) {
      at = interfaces.emplace(interfaces.end());
      at->name = name;
      at->up = (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_RUNNING) != 0;
      at->loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;
    }
    if (const auto nid = nid_of(entry->ifa_addr)) at->addresses.push_back(*nid);
  }
  return interfaces;
}

std::string device_of(const Nid& nid) {
  const Nid address = conf::on_net(nid, kTcp);
  for (const conf::LocalInterface& interface : local_interfaces())
    if (std::find(interface.addresses.begin(), interface.addresses.end(), address) !=
        interface.addresses.end())
      return interface.name.substr(0, interface.name.find(':'));
  const bool loopback = nid.is_small() && nid.address4() >> 24 == 127;
  return loopback ? "lo" : "";
}

std::string device_of(const std::string& interface) {
  for (const conf::LocalInterface& known : local_interfaces())
    if (known.name == interface) return interface.substr(0, interface.find(':'));
  const auto address = Nid::parse(interface);
  return address ? device_of(*address) : "";
}

std::optional<std::uint32_t> numa_node_of(const std::string& device, const std::string& devices) {
  if (device.empty()) return std::nullopt;
  std::ifstream file(devices + "/" + device + "/device/numa_node");
  std::int64_t node = -1;
  if (!(file >> node) || node < 0 || node > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(node);
}

std::optional<std::uint32_t> link_speed_of(const std::string& device, const std::string& devices) {
  if (device.empty()) return std::nullopt;
  std::ifstream file(devices + "/" + device + "/speed");
  std::int64_t speed = -1;
  if (!(file >> speed) || speed <= 0 || speed > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(speed);
}

}  // namespace ulnet::machine
