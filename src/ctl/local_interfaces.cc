#include "ctl/local_interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace ulnet::ctl {

namespace {

constexpr NetId kTcp{NetType::kTcp, 0};

std::optional<Nid> address_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return Nid::small(kTcp, ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return std::nullopt;
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return Nid::large(kTcp, bytes);
  }
  return std::nullopt;
}

}  // namespace

std::vector<conf::LocalInterface> local_interfaces() {
  std::vector<conf::LocalInterface> all;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return all;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    const std::string name = one->ifa_name;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const conf::LocalInterface& i) { return i.name == name; });
    if (at == all.end()) {
      at = all.insert(all.end(),
                      conf::LocalInterface{.name = name,
                                           .up = (one->ifa_flags & IFF_UP) != 0,
                                           .loopback = (one->ifa_flags & IFF_LOOPBACK) != 0,
                                           .addresses = {}});
    }
    if (const auto address = address_of(one->ifa_addr)) at->addresses.push_back(*address);
  }
  ::freeifaddrs(list);
  return all;
}

}  // namespace ulnet::ctl
